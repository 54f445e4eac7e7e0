// The state of a page in its address.

import { show } from "./words.js";
import { read, slug } from "./written.js";

const OURS_NOT = /^(utm_|fbclid|gclid|template$|theme$|token$)/; // what mailers and servers add to a link is none of the reader's doing

export function readAddress(query, rows) {
  const values = {};
  const messages = [];
  const strange = [];
  const settings = new URLSearchParams(query);
  for (const name of new Set(settings.keys())) {
    const [written, ...again] = settings.getAll(name);
    const row = rows.find((each) => each.name === name);
    if (!row) {
      if (!OURS_NOT.test(name)) strange.push(`“${name.slice(0, 40)}”`);
      continue;
    }
    if (again.length) messages.push(`The link sets “${name}” more than once; the first counts.`);
    const { value, message } = read(written, row);
    if (value !== null) values[name] = value;
    if (message) messages.push(message + (value === null ? ` The default, ${show(row.default, row.unit)}, stands.` : ""));
  }
  if (strange.length) {
    const named = strange.slice(0, 3).join(", ") + (strange.length > 3 ? ` and ${strange.length - 3} more` : "");
    messages.push(`The link sets ${named}, which this page does not have; ${strange.length > 1 ? "they were" : "it was"} left out.`);
  }
  return { values, messages };
}

export function writeAddress(rows, get) {
  const query = new URLSearchParams(location.search);
  for (const row of rows) {
    const value = Number(get(row.name).toPrecision(12)); // sliders step in binary: 1.0000000000000002 is 1
    if (value === row.default) query.delete(row.name);
    else query.set(row.name, row.unit.options.length ? slug(row.unit.options[value]) : String(value));
  }
  const text = query.toString();
  return location.pathname + (text ? "?" + text : "") + location.hash;
}
