// From a key press to the paint after the last change it made. window.moves: arm() before the press, settled() after.
(() => {
  const QUIET = 150; // ms without a change: the move has had its whole effect
  const requestFrame = window.requestAnimationFrame.bind(window);
  const drawn = new MessageChannel();
  let pressed = null; // when the key went down
  let painted = null; // when the last change was on the screen
  let changes = 0;
  let shown = 0; // how many of them a frame has drawn
  let last = 0; // when something changed last
  let framed = false; // a frame is asked for
  let inFrame = false; // a frame is being made

  // What changes inside a frame is drawn by that same frame and must not wait for the next one.
  window.requestAnimationFrame = (callback) =>
    requestFrame((time) => {
      inFrame = true;
      try {
        callback(time);
      } finally {
        queueMicrotask(() => (inFrame = false)); // after the observer's microtask, which the change has queued before
      }
    });

  const afterThisFrame = () => drawn.port2.postMessage(changes);
  drawn.port1.onmessage = ({ data }) => {
    shown = data;
    painted = performance.now();
  };
  const changed = () => {
    if (pressed === null) return;
    changes += 1;
    last = performance.now();
    if (inFrame) afterThisFrame();
    else if (!framed) {
      framed = true;
      requestFrame(() => {
        framed = false;
        afterThisFrame();
      });
    }
  };
  const press = (event) => event.key.startsWith("Arrow") && pressed === null && (pressed = event.timeStamp);
  addEventListener("keydown", press, true);
  document.addEventListener("load", (event) => event.target.tagName === "IMG" && changed(), true);
  const everything = { subtree: true, childList: true, attributes: true, characterData: true };
  new MutationObserver(changed).observe(document, everything);

  let before = null; // the picture as it stood
  const picture = (selector) => document.querySelector(selector)?.outerHTML;

  window.moves = {
    arm(selector) {
      before = picture(selector);
      pressed = painted = null;
      changes = shown = 0;
    },
    // The move's time in ms, once the picture is another, all that says() tells is among the texts for it, and nothing
    // has changed for a while; null after the limit in ms. says() gives null where a page tells nothing.
    settled(selector, says, texts, limit) {
      const holds = () => {
        const told = says();
        return told === null || Object.entries(texts).every(([key, possible]) => possible.includes(told[key]));
      };
      const began = performance.now();
      return new Promise((resolve) => {
        const look = () => {
          const now = performance.now();
          const still = painted !== null && shown === changes && now - last > QUIET;
          if (still && ![undefined, before].includes(picture(selector)) && holds()) resolve(painted - pressed);
          else if (now - began > limit) resolve(null);
          else setTimeout(look, 20);
        };
        look();
      });
    },
  };
})();
