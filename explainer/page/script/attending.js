// Around a figure: reset, copy link, and the address.

import { writeAddress } from "./address.js";
import { page } from "./page.js";

export function attend(root, doc, state) {
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
