// Home two: the static page, with native controls.

import { attend } from "./attending.js";
import { fromGrid, once } from "./computing.js";
import { mind, rewriting, rung } from "./controls.js";
import { complain, due, wake } from "./drawing.js";
import { page } from "./page.js";
import { show } from "./words.js";

export function wakePage() {
  const { parameters, values, states } = page();
  const held = new Map(parameters.map((row) => [row.name, values[row.name] ?? row.default]));
  const listeners = [];
  const state = {
    ...rewriting(),
    get: (name) => held.get(name),
    set: (values) => {
      const changed = Object.entries(values).filter(([name, value]) => held.has(name) && held.get(name) !== value);
      for (const [name, value] of changed) held.set(name, value);
      for (const [name] of changed) listeners.forEach((tell) => tell(name));
    },
    listen: (tell) => listeners.push(tell),
  };
  states.add(state);
  for (const root of document.querySelectorAll(".x-figure")) {
    const doc = JSON.parse(document.getElementById(`${root.id}-document`).textContent);
    native(root, doc, state);
    attend(root, doc, state);
    const compute = doc.computed ? once(doc.computed.asks, fromGrid(doc.computed, state, root.querySelector(".x-say"))) : null;
    due(doc, state, root.querySelector(".x-picture"), () => wake(root, doc, state, compute).catch(complain(root)));
  }
}

function native(root, doc, state) {
  const say = root.querySelector(".x-say");
  for (const row of doc.parameters) {
    const control = root.querySelector(`[data-parameter="${row.name}"]`);
    const [input, box] = control.querySelectorAll("input, select");
    const chosen = row.unit.options.length > 0;
    if (!chosen) mind(box, control.querySelector(".x-box span"), row, state, say);
    const write = () => {
      const value = state.get(row.name);
      if (chosen) input.selectedIndex = value;
      else {
        input.value = row.rungs.length ? rung(value, row) : value;
        input.setAttribute("aria-valuetext", show(value, row.unit));
      }
    };
    input.addEventListener("input", () => {
      const at = Number(input.value);
      state.set({ [row.name]: chosen ? input.selectedIndex : row.rungs.length ? row.rungs[at] : at });
    });
    write();
    state.listen((name) => name === row.name && write());
  }
  root.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
}
