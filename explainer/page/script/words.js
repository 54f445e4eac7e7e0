// Numbers as words: the same lines as in units.py, because a page must print while no Python runs.

export function show(shown, unit, bare = false) {
  if (unit.options.length) return unit.options[shown];
  if (shown === null || shown === undefined || Number.isNaN(shown)) return "undefined";
  const number = Number.isFinite(shown) ? digits(shown, places(shown, unit)) : shown > 0 ? "∞" : "−∞";
  if (bare) return number;
  return number + (unit.singular !== null && number === "1" ? unit.singular : unit.suffix);
}

function places(shown, unit) {
  if (unit.decimals !== null) return unit.decimals;
  const exponent = shown === 0 ? 0 : Number(shown.toExponential(unit.significant - 1).split("e")[1]);
  return Math.min(Math.max(unit.significant - 1 - exponent, 0), 6);
}

function digits(value, decimals) {
  const [whole, fraction] = Math.abs(value).toFixed(decimals).split(".");
  const printed = whole.replace(/\B(?=(\d{3})+$)/g, ",") + (fraction ? "." + fraction : "");
  return value < 0 && /[1-9]/.test(printed) ? "−" + printed : printed;
}
