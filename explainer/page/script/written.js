// What people write: typed into a box, or in a link.

import { show } from "./words.js";

// An option as an address spells it.
export const slug = (words) => words.toLowerCase().replace(/[^a-z0-9]+/g, "-");

// {value, message}: the value to take (null: keep what stands), and a sentence where it is not what was written.
export function read(written, row) {
  const text = written.trim();
  if (row.unit.options.length) {
    const value = row.unit.options.findIndex((option) => slug(option) === slug(text));
    return value < 0 ? { value: null, message: `${row.label}: there is no “${text}”. There are ${row.unit.options.join(", ")}.` } : { value, message: "" };
  }
  const suffix = row.unit.suffix.trim();
  const spoken = row.unit.spoken;
  const counted = row.unit.singular !== null;
  let bare = (suffix && text.toLowerCase().endsWith(suffix.toLowerCase()) ? text.slice(0, -suffix.length) : text).trim().replace("−", "-");
  if (counted && /^\d{1,3}(,\d{3})+$/.test(bare)) bare = bare.replaceAll(",", ""); // as the box itself writes counts
  else if (/^[+-]?\d+,\d{3}$/.test(bare) || /,.*[,.]/.test(bare)) {
    return { value: null, message: `${row.label}: “${text}” can be read in two ways. Write the decimals after a point, as in 0.5, and thousands without a comma.` };
  } else bare = bare.replace(/^([+-]?\d*),(\d+)$/, "$1.$2"); // the decimal comma of many keyboards
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(bare)) {
    return { value: null, message: `${row.label}: “${text}” is not a number. Write ${spoken}, for example ${show(row.default, row.unit, true)}.` };
  }
  const number = Number(bare);
  const value = Math.min(Math.max(number, row.low), row.high);
  if (value !== number) {
    const bounds = `${show(row.low, row.unit, true)} to ${show(row.high, row.unit)}`;
    return { value, message: `${row.label} goes from ${bounds} here; “${text}” became ${show(value, row.unit)}.` };
  }
  const whole = Math.round(value);
  if (counted && whole !== value) return { value: whole, message: `${row.label} is a whole number; “${text}” became ${show(whole, row.unit)}.` };
  return { value, message: "" };
}
