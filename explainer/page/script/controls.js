// The manners that native and Jupyter's controls have in common.

import { show } from "./words.js";
import { read } from "./written.js";

export function mind(box, suffix, row, state, say) {
  const write = () => {
    const [bare, whole] = [true, false].map((without) => show(state.get(row.name), row.unit, without));
    box.value = bare;
    const ending = whole.slice(bare.length).trim();
    if (suffix.textContent !== ending) suffix.textContent = ending;
    box.removeAttribute("aria-invalid");
  };
  const take = (event) => {
    event.stopPropagation();
    const { value, message } = read(box.value, row);
    if (value === null) box.setAttribute("aria-invalid", "true"); // what was typed stays, to be mended
    else {
      state.set({ [row.name]: value });
      write();
    }
    say.textContent = message;
  };
  box.addEventListener("change", take, true);
  box.addEventListener("input", (event) => event.stopPropagation(), true);
  box.addEventListener("keydown", (event) => event.key === "Escape" && (write(), (say.textContent = "")));
  box.setAttribute("aria-label", `${row.label}, in ${row.unit.spoken}`);
  write();
  state.listen((name) => name === row.name && write());
  state.rewrites.push([row.name, write]);
}

// What both homes' states do with boxes.
export const rewriting = () => {
  const rewrites = [];
  return { rewrites, rewrite: (names) => rewrites.forEach(([name, write]) => names.includes(name) && write()) };
};

// The rung of a ladder nearest to a value, as the eye would judge it: by ratio.
export const rung = (value, row) => row.rungs.reduce((best, each, index) => (Math.abs(Math.log(each / value)) < Math.abs(Math.log(row.rungs[best] / value)) ? index : best), 0);

// Where a value stands on its slider, 0 to 1.
export const position = (value, row) => (row.rungs.length ? rung(value, row) / (row.rungs.length - 1) : (value - row.low) / (row.high - row.low));
