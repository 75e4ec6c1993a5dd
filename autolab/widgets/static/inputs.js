// @ts-check
/** The part with which inputs are moved: controls, Undo, Reset, the point as code. */

import { makeControls } from "./controls.js";
import { button, html, write } from "./dom.js";
import { makeSettings } from "./settings.js";

/** @param {import("./explorer.js").View} view */
export function makeInputsPart(view) {
  const { get, send, link } = view;
  /** @type {import("./controls.js").Act} */
  const act = {
    move: ({ key }, index, value, final) => send({ do: "move", key, index, value, final }),
    draw: ({ key }, distribution, scale, seed) => send({ do: "draw", key, distribution, scale, seed }),
    window: ({ key }, row, column) => send({ do: "window", key, row, column }),
  };
  const controls = makeControls(act, { class: "al-controls", "aria-label": "Inputs" });
  const settings = makeSettings(act, (setting, value) => send({ do: "choose", setting, value }));
  const undo = button("Undo", () => send({ do: "undo" }));
  const code = makeCode(view);

  function paint() {
    const all = get("controls");
    controls.update(all.filter((/** @type {any} */ c) => !c.upstream), view.colors);
    settings.update(all.filter((/** @type {any} */ c) => c.upstream), get("settings"), view.colors);
  }

  function show() {
    if (link.state === "idle") paint(); // while an answer is due, the user's hand is ahead of the kernel
    undo.disabled = !get("can_undo");
  }

  return {
    places: {
      buttons: [undo, button("Reset", () => send({ do: "reset" })), code.button],
      top: [code.root],
      inputs: [html("div", { class: "al-inputs" }, controls.root, settings.root)],
    },
    on: { "controls settings can_undo": show, code: code.hide },
    paint,
    linked: show,
    needsKernel: true,
  };
}

/**
 * The present point as code: copied, and shown so that it can be copied by hand where the browser forbids it.
 * @param {import("./explorer.js").View} view
 */
function makeCode({ get, send }) {
  const text = html("input", { class: "al-code-text", readonly: true, "aria-label": "The present point as code" });
  const note = html("span", { class: "al-note", role: "status" });
  const root = html("div", { class: "al-code-bar", hidden: true }, text, note, button("Close", hide));

  function hide() {
    root.hidden = true;
  }

  async function copy() {
    root.hidden = false;
    text.value = get("code");
    text.select();
    const copied = await navigator.clipboard?.writeText(text.value).then(() => true, () => false);
    write(note, copied ? "Copied" : "Copy with Ctrl+C");
  }

  return { root, hide, button: button("Copy point as code", () => send({ do: "code" }, copy)) };
}
