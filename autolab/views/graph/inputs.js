// @ts-check
/** The part with which inputs are moved: controls, Undo, Reset, the point as code. */

import { makeSettings } from "../live/computing.js";
import { makeControls } from "../live/controls.js";
import { button, html, set, write } from "../live/dom.js";

/** @param {import("./explorer.js").View} view */
export function makeInputsPart(view) {
  const { get, send, link } = view;
  const act = makeAct(send);
  const controls = makeControls(act, { class: "al-controls", "aria-label": "Inputs" });
  const settings = makeSettings((setting, value) => send({ do: "choose", setting, value }));
  // for a graph in which they are out of sight
  const strip = html("div", { class: "al-inputs", hidden: true }, controls.root);
  const pin = button(
    "Pin inputs",
    () => {
      strip.hidden = !strip.hidden;
      set(pin, { "aria-pressed": String(!strip.hidden) });
      paint();
    },
    { "aria-pressed": "false" },
  );
  const undo = button("Undo", () => send({ do: "undo" }));
  const code = makeCode(view);

  function paint() {
    if (!strip.hidden) controls.update(get("controls"), view.colors);
    settings.update(get("settings"));
  }

  function show() {
    if (link.state === "idle") paint(); // while an answer is due, the user's hand is ahead of the kernel
    undo.disabled = !get("can_undo");
  }

  return {
    places: {
      menu: [
        html(
          "div",
          { class: "al-bar-row" },
          undo,
          button("Reset", () => send({ do: "reset" })),
          code.button,
          pin,
        ),
        code.root,
        settings.root,
      ],
      inputs: [strip],
    },
    on: { "controls settings can_undo": show, readings: code.hide },
    paint,
    linked: show,
    needsKernel: true,
  };
}

/** @param {(message: any) => void} send @returns {import("../live/controls.js").Act} */
export const makeAct = (send) => ({
  move: ({ key }, index, value, final) => send({ do: "move", key, index, value, final }),
  draw: ({ key }, distribution, scale, seed) => send({ do: "draw", key, distribution, scale, seed }),
  window: ({ key }, row, column) => send({ do: "window", key, row, column }),
});

/**
 * The present point as code: copied, and shown so that it can be copied by hand where the browser forbids it.
 * @param {import("./explorer.js").View} view
 */
function makeCode({ answer, send }) {
  const text = html("input", { class: "al-code-text", readonly: true, "aria-label": "The present point as code" });
  const note = html("span", { class: "al-note", role: "status" });
  const root = html("div", { class: "al-code-bar", hidden: true }, text, note, button("Close", hide));

  function hide() {
    root.hidden = true;
  }

  async function copy() {
    root.hidden = false;
    text.value = answer(["code"]) ?? "";
    text.select();
    const copied = await navigator.clipboard?.writeText(text.value).then(
      () => true,
      () => false,
    );
    write(note, copied ? "Copied" : "Copy with Ctrl+C");
  }

  return { root, hide, button: button("Copy point as code", () => send({ do: "ask", question: ["code"] }, copy)) };
}
