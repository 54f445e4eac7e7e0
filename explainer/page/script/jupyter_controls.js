// ipywidgets as controls: names and units for those who hear them, one value kept by a ladder and its slider, silence while the hand moves.

import { mind, position, rung } from "./controls.js";
import { show } from "./words.js";

// ipywidgets' sliders have no name and no unit; its boxes are filled and read here, as the native ones are.
export function jupyters(root, doc, state) {
  const say = root.querySelector(".x-say");
  const waiting = new Set(doc.parameters);
  const seek = () => {
    for (const row of waiting) {
      const control = root.querySelector(`.x-p-${row.name}`);
      const select = control?.querySelector("select");
      const handle = control?.querySelector(".noUi-handle");
      const box = control?.querySelector("input");
      if (!select && !(handle && box && control.querySelector(".x-box .widget-label"))) continue;
      waiting.delete(row);
      if (select) {
        select.setAttribute("aria-label", row.label);
        continue;
      }
      box.inputMode = "decimal";
      mind(box, control.querySelector(".x-box .widget-label"), row, state, say);
      handle.setAttribute("aria-label", row.label);
      const track = handle.closest(".noUi-target");
      const speak = () =>
        requestAnimationFrame(() => {
          handle.setAttribute("aria-valuetext", show(state.get(row.name), row.unit));
          track.style.setProperty("--fill", `${100 * position(state.get(row.name), row)}%`);
        });
      speak();
      state.listen((name) => name === row.name && speak());
    }
    if (!waiting.size) watcher.disconnect();
  };
  const watcher = new MutationObserver(seek);
  watcher.observe(root, { childList: true, subtree: true });
  seek();
}

// A ladder's slider holds the number of its rung; the value follows it, and it follows values typed between the rungs.
export function climb(model, row) {
  const held = `${row.name}_rung`;
  model.on(`change:${held}`, () => {
    if (model.get(held) !== rung(model.get(row.name), row)) model.set(row.name, row.rungs[model.get(held)]);
  });
  model.on(`change:${row.name}`, () => model.set(held, rung(model.get(row.name), row)));
}

// Slider and figure would each tell the kernel of every step, and wake it. It needs to know once the hand rests; until it
// knows, what it says of the values held back is old: its confirmation of an earlier step would take the hand's newer one back.
export function saveAtRest(widget) {
  if (Object.hasOwn(widget, "save_changes")) return;
  const save = widget.save_changes.bind(widget);
  const take = widget.set_state.bind(widget);
  const held = new Set();
  let later;
  widget.save_changes = (...words) => {
    for (const name of Object.keys(widget.changedAttributes() || {})) held.add(name);
    clearTimeout(later);
    later = setTimeout(() => (held.clear(), save(...words)), 300);
  };
  widget.set_state = (values) => take(Object.fromEntries(Object.entries(values).filter(([name]) => !held.has(name))));
}
