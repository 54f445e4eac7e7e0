// A figure's life, in one module with two homes: Jupyter (an anywidget whose controls are ipywidgets) and the static page (native
// controls). The markup, the Vega specification and every formula come from the compiled document; nothing is computed here but words.

// ---- numbers as words: units.py, once more ------------------------------------------------------------------------------------------

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

// ---- what people write: typed into a box, or in a link ------------------------------------------------------------------------------

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

// An option as an address spells it.
const slug = (words) => words.toLowerCase().replace(/[^a-z0-9]+/g, "-");

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

function writeAddress(rows, get) {
  const query = new URLSearchParams(location.search);
  for (const row of rows) {
    const value = Number(get(row.name).toPrecision(12)); // sliders step in binary: 1.0000000000000002 is 1
    if (value === row.default) query.delete(row.name);
    else query.set(row.name, row.unit.options.length ? slug(row.unit.options[value]) : String(value));
  }
  const text = query.toString();
  return location.pathname + (text ? "?" + text : "") + location.hash;
}

// ---- the page: what its figures share. Absent in Lab, where the address belongs to Lab ---------------------------------------------

function page() {
  if (globalThis.explainerPage !== undefined) return globalThis.explainerPage;
  const element = document.getElementById("x-page");
  if (!element) return null;
  const { parameters, assets } = JSON.parse(element.textContent);
  const { values, messages } = readAddress(location.search, parameters);
  const say = document.getElementById("x-page-say");
  if (say && messages.length) say.textContent = messages.join(" ");
  globalThis.explainerPage = { parameters, assets: new URL(assets, document.baseURI).href, values, states: new Set() };
  document.addEventListener("click", followPreset);
  return globalThis.explainerPage;
}

// A link such as ?ttft_a=2 in the prose sets the page's figures and loads nothing.
function followPreset(event) {
  const link = event.target.closest?.('a[href^="?"]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const url = new URL(link.href);
  const { parameters, states } = globalThis.explainerPage;
  const { values } = readAddress(url.search, parameters);
  for (const state of states) {
    state.set(values);
    state.rewrite(Object.keys(values));
  }
  if (url.hash) document.getElementById(url.hash.slice(1))?.scrollIntoView({ block: "nearest" });
}

// The drawing library: once a page, whoever asks first. Each anywidget has its own copy of this module, so the promise lies outside.
function vega(fromKernel) {
  globalThis.explainerVega ??= page()
    ? new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = page().assets + "vega.min.js";
        script.onload = () => resolve(globalThis.vega);
        script.onerror = () => reject(new Error("The drawing library did not load."));
        document.head.append(script);
      })
    : fromKernel().then((source) => (new Function("module", "exports", "define", source)(), globalThis.vega));
  return globalThis.explainerVega;
}

// ---- one figure ---------------------------------------------------------------------------------------------------------------------

// state: {get, set, listen, rewrite}: set takes {name: value} and leaves out what is not its own; values in the unit the reader sees;
// rewrite has boxes show what stands, whatever was typed into them. root holds the document's markup and, somewhere, its controls.
// compute: for a figure that needs more than formulas, what gives {rows, values} for a setting.
async function wake(root, doc, state, compute, fromKernel) {
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
    let asked;
    do {
      asked = current();
      try {
        await draw(asked, await compute(asked));
      } catch (error) {
        complain(root)(error);
      }
    } while (Object.entries(current()).some(([name, value]) => value !== asked[name]));
    busy = false;
    delete root.dataset.stale;
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

// Reset, copy link, and the address.
function attend(root, doc, state) {
  const say = root.querySelector(".x-say");
  root.querySelector(".x-reset").addEventListener("click", () => {
    state.set(Object.fromEntries(doc.parameters.map((row) => [row.name, row.default])));
    state.rewrite(doc.parameters.map((row) => row.name));
    say.textContent = "";
  });
  const own = new Set(doc.parameters.map((row) => row.name));
  state.listen((name) => {
    if (own.has(name) && !root.querySelector("[aria-invalid]")) say.textContent = ""; // it was said of an earlier setting
  });
  const copy = root.querySelector(".x-copy");
  if (!page()) return copy.remove();
  const link = () => new URL(writeAddress(doc.parameters, state.get), location.href);
  copy.addEventListener("click", async () => {
    const url = link();
    url.hash = (root.closest(".x-slot") ?? root).id;
    say.textContent = (await copied(url.href)) ? "The link is copied." : `Copy this link: ${url.href}`;
  });
  let later;
  state.listen(() => {
    clearTimeout(later);
    later = setTimeout(() => {
      try {
        history.replaceState(history.state, "", link());
      } catch {} // some browsers keep the address of a page from the disk as it is
    }, 250);
  });
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

// ---- controls: the manners that native and Jupyter's have in common -----------------------------------------------------------------

function mind(box, suffix, row, state, say) {
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
  box.setAttribute("aria-label", `${row.label}, in ${row.unit.spoken}`);
  write();
  state.listen((name) => name === row.name && write());
  state.rewrites.push([row.name, write]);
}

// What both homes' states do with boxes.
const rewriting = () => {
  const rewrites = [];
  return { rewrites, rewrite: (names) => rewrites.forEach(([name, write]) => names.includes(name) && write()) };
};

// The rung of a ladder nearest to a value, as the eye would judge it: by ratio.
const rung = (value, row) => row.rungs.reduce((best, each, index) => (Math.abs(Math.log(each / value)) < Math.abs(Math.log(row.rungs[best] / value)) ? index : best), 0);

// Where a value stands on its slider, 0 to 1.
const position = (value, row) => (row.rungs.length ? rung(value, row) / (row.rungs.length - 1) : (value - row.low) / (row.high - row.low));

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

// ipywidgets' sliders have no name and no unit; its boxes are filled and read here, as the native ones are.
function jupyters(root, doc, state) {
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

// When a figure is looked at, or printed; at once where it stands on another setting than the one its still picture shows.
const due = (doc, state, element, then) => {
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

const complain = (root) => (error) => {
  root.querySelector(".x-say").textContent = `This figure does not move: ${error.message} Reload the page to try again.`;
};

// A ladder's slider holds the number of its rung; the value follows it, and it follows values typed between the rungs.
function climb(model, row) {
  const held = `${row.name}_rung`;
  model.on(`change:${held}`, () => {
    if (model.get(held) !== rung(model.get(row.name), row)) model.set(row.name, row.rungs[model.get(held)]);
  });
  model.on(`change:${row.name}`, () => model.set(held, rung(model.get(row.name), row)));
}

// ---- home one: Jupyter (Lab and Voila), by anywidget ---------------------------------------------------------------------------------

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

// Slider and figure would each tell the kernel of every step, and wake it. It needs to know once the hand rests; until it
// knows, what it says of the values held back is old: its confirmation of an earlier step would take the hand's newer one back.
function saveAtRest(widget) {
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

// Asks only for what a result depends on, and not again while that stays as it is.
function once(asks, compute) {
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
function byKernel(model) {
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
function fromGrid(grid, state, say) {
  const axes = Object.entries(grid.axes);
  return async (values) => {
    const at = axes.map(([name, stops]) => stops.reduce((best, stop, index) => (Math.abs(stop - values[name]) < Math.abs(stops[best] - values[name]) ? index : best), 0));
    const moved = axes.filter(([name, stops], axis) => stops[at[axis]] !== values[name]);
    state.set(Object.fromEntries(moved.map(([name, stops]) => [name, stops[at[axes.findIndex(([each]) => each === name)]]])));
    if (moved.length) say.textContent = "This page has no server behind it: it moved to the nearest setting that was worked out beforehand.";
    return grid.results[at.join(" ")];
  };
}

export default { render };

// ---- home two: the static page -------------------------------------------------------------------------------------------------------

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
