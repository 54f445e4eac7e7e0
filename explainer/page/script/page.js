// What the figures of a page share. Absent in Lab, where the address belongs to Lab.

import { readAddress } from "./address.js";

export function page() {
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
export function vega(fromKernel) {
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
