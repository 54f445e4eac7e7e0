// Settings that need more than formulas.

// Asks only for what a result depends on, and not again while that stays as it is.
export function once(asks, compute) {
  let key, result;
  return async (values) => {
    const asked = Object.fromEntries(asks.map((name) => [name, values[name]]));
    if (key !== JSON.stringify(asked)) {
      result = await compute(asked);
      key = JSON.stringify(asked);
    }
    return result;
  };
}

// One setting at a time, computed where the formulas are: in the kernel.
export function byKernel(model) {
  let serial = 0;
  return (values) =>
    new Promise((resolve, reject) => {
      const asked = ++serial;
      const silence = new Error("The server does not answer; the picture shows the last setting that was computed.");
      const silent = setTimeout(() => done(() => reject(silence)), 10_000);
      const hear = (message) => {
        if (message.kind !== "computed" || message.serial !== asked) return;
        done(() => (message.error ? reject(new Error(message.error)) : resolve(message.result)));
      };
      const done = (end) => (clearTimeout(silent), model.off("msg:custom", hear), end());
      model.on("msg:custom", hear);
      try {
        model.send({ kind: "compute", serial: asked, values });
      } catch {
        done(() => reject(silence));
      }
    });
}

// Without a kernel: settings worked out beforehand. A value between two of them gives way to the nearer.
export function fromGrid(grid, state, say) {
  const axes = Object.entries(grid.axes);
  return async (values) => {
    const at = axes.map(([name, stops]) => stops.reduce((best, stop, index) => (Math.abs(stop - values[name]) < Math.abs(stops[best] - values[name]) ? index : best), 0));
    const moved = axes.filter(([name, stops], axis) => stops[at[axis]] !== values[name]);
    state.set(Object.fromEntries(moved.map(([name, stops]) => [name, stops[at[axes.findIndex(([each]) => each === name)]]])));
    if (moved.length) say.textContent = "This page has no server behind it: it moved to the nearest setting that was worked out beforehand.";
    return grid.results[at.join(" ")];
  };
}
