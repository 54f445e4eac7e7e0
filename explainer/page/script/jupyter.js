// Home one: Jupyter (Lab and Voila), by anywidget, with ipywidgets for controls.

import { attend } from "./attending.js";
import { byKernel, fromGrid, once } from "./computing.js";
import { rewriting } from "./controls.js";
import { complain, due, wake } from "./drawing.js";
import { climb, jupyters, saveAtRest } from "./jupyter_controls.js";
import { page } from "./page.js";

async function render({ model, el }) {
  const doc = model.get("document");
  el.classList.add("x-parts");
  el.innerHTML = doc.html;
  const names = new Set(doc.parameters.map((row) => row.name));
  const state = {
    ...rewriting(),
    get: (name) => model.get(name),
    set: (values) => {
      model.set(Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)))); // together: who listens hears of none before all are set
      model.save_changes();
    },
    listen: (tell) => names.forEach((name) => model.on(`change:${name}`, () => tell(name))),
  };
  for (const name of names) model.on(`change:${name}`, saveAtRest);
  for (const reference of model.get("inputs")) model.widget_manager.get_model(reference.replace("IPY_MODEL_", "")).then(saveAtRest, () => {}); // one that is not there goes on telling
  for (const row of doc.parameters.filter((row) => row.rungs.length)) climb(model, row);
  const shared = page();
  if (shared) {
    shared.states.add(state);
    state.set(shared.values);
  }
  await new Promise((resolve) => {
    const attached = () => (el.isConnected ? resolve() : requestAnimationFrame(attached));
    attached();
  });
  const root = el.closest(".x-figure") ?? el;
  root.closest(".x-slot")?.querySelector(".x-resting")?.remove();
  attend(root, doc, state);
  jupyters(root, doc, state);
  const fromKernel = () =>
    new Promise((resolve) => {
      model.on("msg:custom", (message) => message.kind === "vega" && resolve(message.source));
      model.send({ kind: "vega" });
    });
  const compute = doc.computed ? once(doc.computed.asks, doc.computed.results ? fromGrid(doc.computed, state, root.querySelector(".x-say")) : byKernel(model)) : null;
  due(doc, state, root.querySelector(".x-picture"), () => wake(root, doc, state, compute, fromKernel).catch(complain(root)));
}

export default { render };
