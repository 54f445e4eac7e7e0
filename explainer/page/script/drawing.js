// One figure awake: its picture, sentence, equation and table follow its state.

import { vega } from "./page.js";
import { show } from "./words.js";

// state: {get, set, listen, rewrite}: set takes {name: value} and leaves out what is not its own; values in the unit the reader sees;
// rewrite has boxes show what stands, whatever was typed into them. root holds the document's markup and, somewhere, its controls.
// compute: for a figure that needs more than formulas, what gives {rows, values} for a setting.
export async function wake(root, doc, state, compute, fromKernel) {
  const picture = root.querySelector(".x-picture");
  const stage = document.createElement("div");
  stage.className = "x-stage";
  const library = await vega(fromKernel);
  const view = new library.View(library.parse(doc.vega), { renderer: "svg", logLevel: library.Error }).initialize(stage);
  const { left, right, top, bottom } = doc.vega.padding;
  const fit = () => {
    const { clientWidth, clientHeight } = picture;
    if (clientWidth) view.width(Math.max(clientWidth - left - right, 40)).height(clientHeight - top - bottom);
  };
  const own = new Set(doc.parameters.map((row) => row.name));
  const places = [...root.querySelectorAll("[data-x]")].map((element) => [element, element.dataset.x, "bare" in element.dataset]);
  const choices = [...root.querySelectorAll("[data-choice]")];
  const numbers = root.querySelector(".x-numbers");

  const tell = () => {
    for (const element of choices) {
      const chosen = view.signal(element.dataset.choice);
      [...element.children].forEach((wording, index) => wording.hidden !== (index !== chosen) && (wording.hidden = index !== chosen));
    }
    for (const [element, key, bare] of places) {
      if (element.closest("[hidden]")) continue; // a wording that does not show
      const unit = doc.units[key];
      const value = view.signal(key);
      const text = show(own.has(key) ? value : (value * unit.over) / unit.times, unit, bare);
      if (element.textContent !== text) element.textContent = text;
    }
    if (numbers.open) tabulate(numbers, doc.table, view);
  };
  // Who cannot see the sentence hears it, once the control has come to rest.
  const [sentence, heard] = [root.querySelector(".x-sentence"), root.querySelector(".x-heard")];
  let resting;
  const say = () => {
    clearTimeout(resting);
    resting = setTimeout(() => (heard.textContent = sentence.innerText), 800);
  };
  // Draws a setting: its parameters, and what was computed for it where the figure needs more than formulas.
  let shown;
  const draw = async (values, computed) => {
    for (const [name, value] of Object.entries(values)) view.signal(name, value);
    for (const [key, value] of Object.entries(computed?.values ?? {})) view.signal(key, value ?? NaN);
    for (const [name, rows] of Object.entries(computed?.rows ?? {})) if (shown !== computed) view.data(name, rows.map((row) => ({ ...row }))); // Vega keeps and marks what it is given
    const at = computed ? doc.computed.at : "";
    let stop = values[at];
    for (const [key, [name, field]] of Object.entries(at ? doc.computed.picks : {})) {
      const nearest = computed.rows[name].reduce((best, row) => (Math.abs(row.x - values[at]) < Math.abs(best.x - values[at]) ? row : best));
      view.signal(key, nearest[field] ?? NaN);
      stop = nearest.x;
    }
    shown = computed;
    await view.runAsync();
    tell();
    if (stop === values[at]) return;
    const row = doc.parameters.find((each) => each.name === at);
    state.set({ [at]: stop }); // nothing is said of a value between two that were worked out
    root.querySelector(".x-say").textContent = `${row.label}: “${show(values[at], row.unit)}” was not worked out; it moved to the nearest value that was, ${show(stop, row.unit)}.`;
  };
  const current = () => Object.fromEntries(doc.parameters.map((row) => [row.name, state.get(row.name)]));
  let queued = false;
  const drawOnce = () => {
    if (queued) return;
    queued = true;
    queueMicrotask(() => ((queued = false), draw(current())));
  };
  // The newest setting is asked for when the answer under way has come; those between are never asked for. At once, not in a
  // microtask: the kernel answers in turn, and ipywidgets is about to tell it of each slider.
  let busy = false;
  const ask = async () => {
    root.dataset.stale = "";
    if (busy) return;
    busy = true;
    let asked, failed;
    do {
      asked = current();
      failed = false;
      try {
        await draw(asked, await compute(asked));
      } catch (error) {
        failed = true;
        complain(root)(error);
      }
    } while (Object.entries(current()).some(([name, value]) => value !== asked[name]));
    busy = false;
    if (!failed) delete root.dataset.stale; // else the picture is still of another setting than its controls
  };
  const update = compute ? ask : drawOnce;
  fit();
  await draw(current(), compute && (await compute(current())));
  picture.replaceChildren(stage);
  state.listen(() => (update(), say()));
  numbers.addEventListener("toggle", tell);
  new ResizeObserver(() => (fit(), view.runAsync())).observe(picture);
  update(); // what changed while the library was on its way
  root.dataset.awake = "";
}

function tabulate(numbers, { data, columns }, view) {
  const body = numbers.querySelector("tbody");
  const rows = view.data(data);
  while (body.rows.length > rows.length) body.deleteRow(-1);
  while (body.rows.length < rows.length) body.append(body.rows[0].cloneNode(true));
  rows.forEach((datum, index) =>
    columns.forEach(({ field, unit, shown, bare }, column) => {
      const value = datum[field] ?? NaN;
      body.rows[index].children[column].textContent = typeof value === "string" ? value : show(shown ? value : (value * unit.over) / unit.times, unit, bare);
    }),
  );
}

// When a figure is looked at, or printed; at once where it stands on another setting than the one its still picture shows.
export const due = (doc, state, element, then) => {
  if (doc.parameters.some((row) => state.get(row.name) !== row.default)) return then();
  const watcher = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      watcher.disconnect();
      removeEventListener("beforeprint", now);
      then();
    },
    { rootMargin: "50% 0px" },
  );
  const now = () => (watcher.disconnect(), then());
  addEventListener("beforeprint", now, { once: true });
  watcher.observe(element);
};

export const complain = (root) => (error) => {
  root.querySelector(".x-say").textContent = `This figure does not move: ${error.message} Reload the page to try again.`;
};
