// @ts-check
/** Moving inputs: the part with controls, Undo, Reset and the point as code; and numbers dragged in their own boxes. */

import { makeSettings } from "../live/computing.js";
import { makeControls } from "../live/controls.js";
import { button, html, set, short, svg, toClipboard, write } from "../live/dom.js";
import { A_CLICK, PIXELS_PER_RANGE, claim, clamp, draggable, isShortcut, keyed, snapped } from "../live/hand.js";

/** @param {import("./explorer.js").View} view */
export function makeInputsPart(view) {
  const { get, send, link } = view;
  const act = makeAct(send);
  const controls = makeControls(act, { class: "al-controls", "aria-label": "Inputs" });
  const settings = makeSettings((setting, value) => send({ do: "choose", setting, value }));
  // for a graph in which the inputs are not visible
  const strip = html("div.al-inputs", { hidden: true }, controls.root);
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
    if (link.state === "idle") paint(); // while an answer is pending, the user's value is ahead of the kernel
    undo.disabled = !get("can_undo");
  }

  return {
    places: {
      menu: [
        html(
          "div.al-bar-row",
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
 * The current point as code: copied, and shown, so that it can be copied by hand if the browser forbids copying.
 * @param {import("./explorer.js").View} view
 */
function makeCode({ answer, send }) {
  const text = html("input.al-code-text", { readonly: true, "aria-label": "The current point as code" });
  const note = html("span.al-note", { role: "status" });
  const root = html("div.al-code-bar", { hidden: true }, text, note, button("Close", hide));

  function hide() {
    root.hidden = true;
  }

  async function copy() {
    root.hidden = false;
    text.value = answer(["code"]) ?? "";
    text.select();
    write(note, (await toClipboard(text.value)) ? "Copied" : "Copy with Ctrl+C");
  }

  return { root, hide, button: button("Copy point as code", () => send({ do: "ask", question: ["code"] }, copy)) };
}

// A number dragged in its box, along a thin track on the lower edge or by the number itself, or moved with the arrow
// keys.

const [EDGE, FROM_BELOW, KNOB, HIGH] = [12, 11, 5, 24];

/**
 * @param {ReturnType<typeof import("./node.js").makeNode>} node
 * @param {"value" | "gradient"} which
 * @param {(value: number, final: boolean) => void} move
 * @param {() => void} type opens a field for the number
 */
export function makeScrub(node, which, move, type) {
  const {
    element,
    size: { w, h },
  } = node;
  /** @type {import("../live/controls.js").Control} */
  let control;
  let now = 0;
  let wasAhead = false;
  /** @typedef {{x: number, value: number, moved: boolean}} Hold */

  const y = h - FROM_BELOW;
  const rail = svg("path.al-rail", { d: `M${EDGE} ${y}H${w - EDGE}` });
  const [filled, knob] = [svg("path.al-rail-filled"), svg("circle.al-knob", { cy: y, r: KNOB })];
  const track = svg("rect.al-grip", {
    x: EDGE - KNOB,
    y: y - HIGH / 2,
    width: w - 2 * (EDGE - KNOB),
    height: HIGH,
    ...draggable((event) => slide(grab(event, true), event), slide, drop),
    onclick: quiet,
  });
  const number = svg("rect.al-grip.al-number-grip", {
    x: node.column(which) - 6,
    y: 50,
    width: 100,
    height: h - 50 - HIGH,
    ...draggable((event) => grab(event, false), pull, drop),
    onclick: quiet,
  });
  const root = svg("g", { class: `al-free al-free-${which}` }, rail, filled, knob, track, number);
  set(element, { role: "slider", tabindex: 0, "aria-pressed": null, onkeydown: pressed, ondblclick: type });

  /** @param {number} value @param {boolean} final */
  function go(value, final) {
    if (value === now && !final) return;
    show(value, true);
    move(value, final);
  }

  /** @param {PointerEvent} event @param {boolean} moved @returns {Hold} */
  const grab = (event, moved) => ({ x: event.clientX, value: now, moved });

  /** Move to the pointer's position on the track. @param {Hold} hold @param {PointerEvent} event */
  function slide(hold, event) {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(
      /** @type {DOMMatrix} */ (element.getScreenCTM()).inverse(),
    );
    go(snapped(control.min + ((at.x - EDGE) / (w - 2 * EDGE)) * (control.max - control.min), control), false);
    return hold;
  }

  /** Move by the distance of the pointer from the start of the drag. @param {Hold} hold @param {PointerEvent} event */
  function pull(hold, event) {
    const way = event.clientX - hold.x;
    hold.moved ||= Math.abs(way) > A_CLICK;
    if (hold.moved) go(snapped(hold.value + (way / PIXELS_PER_RANGE) * (control.max - control.min), control), false);
  }

  /** @param {Hold} hold */
  function drop(hold) {
    if (hold.moved) move(now, true);
    dragged = hold.moved;
  }
  let dragged = false; // the click event after a drag is to be ignored

  /** @param {Event} event */
  function quiet(event) {
    if (dragged) event.stopPropagation();
    dragged = false;
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    if (event.target !== element || isShortcut(event)) return;
    const to = keyed(event.key, event.shiftKey, now, control);
    if (event.key === "Enter") type();
    else if (to !== undefined) go(to, true);
    else return;
    claim(event);
  }

  /** @param {number | null} value null if it is not finite @param {boolean} ahead of the value in the box */
  function show(value, ahead) {
    now = value ?? 0;
    const place = (/** @type {number} */ v) =>
      EDGE + (w - 2 * EDGE) * clamp((v - control.min) / (control.max - control.min), 0, 1);
    set(filled, { d: `M${place(0)} ${y}H${place(now)}` });
    set(knob, { cx: place(now) });
    set(element, {
      "aria-valuenow": value,
      "aria-valuemin": control.min,
      "aria-valuemax": control.max,
      "aria-valuetext": value === null ? "not finite" : short(value),
    });
    if (ahead || wasAhead) node.write(which, value === null ? "not finite" : short(value));
    wasAhead = ahead; // the kernel may have ended elsewhere, as after an undo
  }

  return {
    root,
    /**
     * @param {import("../live/controls.js").Control} next
     * @param {number | undefined} hand the user's value, if it is ahead
     */
    update(next, hand) {
      control = next;
      show(hand ?? next.value, hand !== undefined);
    },
  };
}
