// @ts-check
/** The inputs: a slider with a number box per scalar, a grid of cells per small array. */

import { fillTrack, html, set, short, write } from "./dom.js";
import { makeGrid } from "./grid.js";
import { clamp } from "./hand.js";

/**
 * @typedef {{key: string | number, label: string, node: number, upstream: boolean, kind: string, value: any, values:
 *   any, min: number, max: number, step: number, shape: any, first: number, stride: number, map: any, text: any}}
 *   Control
 */

/**
 * The actions on an array: set an element (with its index in the flattened array); where arrays are supported, also
 * fill it and move the window.
 * @typedef {{
 *   move: (control: Control, index: number | null, value: number, final: boolean) => void,
 *   draw?: (control: Control, distribution: string, scale: number, seed: number) => void,
 *   window?: (control: Control, row: number, column: number) => void,
 * }} Act
 */

/** @param {Act} act @param {Record<string, string | boolean>} attributes */
export function makeControls(act, attributes) {
  const root = html("div", { role: "group", ...attributes });
  /** @type {{kind: string, element: HTMLElement, update: (control: Control, colors: any) => void}[]} */
  let parts = [];
  let built = "";

  return {
    root,
    /** @param {Control[]} controls @param {import("./colors.js").ColorMap} colors */
    update(controls, colors) {
      const structure = JSON.stringify(controls.map((c) => [c.key, c.label, c.kind, c.shape]));
      if (built !== (built = structure)) {
        parts = controls.map((c) => makeControl(c, act));
        root.replaceChildren(...parts.map((p) => p.element));
      }
      controls.forEach((control, i) => parts[i].update(control, colors));
    },
  };
}

/** The control of one array. @param {Control} control @param {Act} act */
export const makeControl = (control, act) => makers[control.kind](control, act);

/** @type {Record<string, (control: Control, act: Act) => any>} */
const makers = { slider: makeSlider, grid: makeGrid, fixed: makeFixed };

/** @param {Control} first @param {Act} act */
function makeSlider(first, act) {
  let control = first;
  const range = html("input.al-range", { type: "range", "aria-label": first.label });
  const box = makeBox(first.label, (value) => {
    show(value);
    act.move(control, null, value, true);
  });
  const low = html("span");
  const high = html("span");

  /** @param {number | null} value null where it is not finite */
  function show(value) {
    range.value = String(value ?? 0);
    box.show(value);
    const { min, max } = control;
    const [zero, here] = [0, value ?? 0].map((v) => clamp((v - min) / (max - min), 0, 1));
    fillTrack(range, Math.max(zero, here), Math.min(zero, here));
  }

  /** @param {boolean} final */
  const slid = (final) => () => {
    show(Number(range.value));
    act.move(control, null, Number(range.value), final);
  };
  set(range, { oninput: slid(false), onchange: slid(true) });

  return {
    element: entitled(first, [box.element], [range, html("div.al-ends", { "aria-hidden": "true" }, low, high)]),
    /** @param {Control} next */
    update(next) {
      control = next;
      set(range, { min: next.min, max: next.max, step: next.step });
      show(next.value);
      write(low, short(next.min));
      write(high, short(next.max));
    },
  };
}

/** @param {Control} first */
function makeFixed(first) {
  const text = html("div.al-fixed");
  return {
    element: entitled(first, [], [text]),
    /** @param {Control} next */
    update: (next) => write(text, next.text),
  };
}

/**
 * A control with its name above.
 * @param {Control} control
 * @param {Element[]} beside the name
 * @param {Element[]} below
 */
export function entitled({ label, upstream }, beside, below) {
  const name = html("span.al-name", { title: label }, label);
  return html(
    "div",
    { class: `al-input${upstream ? " al-upstream" : ""}` },
    html("div.al-input-head", name, ...beside),
    ...below,
  );
}

/**
 * A field for one number; text that is not a number is marked and not sent.
 * @param {string} label
 * @param {(value: number) => void} changed
 */
export function makeBox(label, changed) {
  let taken = ""; // a change event follows Enter, except in JupyterLab
  const element = html("input.al-box", {
    type: "text",
    inputmode: "decimal",
    spellcheck: "false",
    autocomplete: "off",
    "aria-label": label + ", number",
    onchange: take,
    onkeydown: (event) => event.key === "Enter" && take(),
  });

  function take() {
    if (element.value === taken) return;
    taken = element.value;
    const text = taken.trim().replaceAll("\u2212", "-");
    const value = text === "" ? NaN : Number(text);
    set(element, { "aria-invalid": !Number.isFinite(value) && "true" });
    if (Number.isFinite(value)) changed(value);
    else element.dispatchEvent(new Event("al-refused", { bubbles: true })); // the view's sentence reports it
  }

  return {
    element,
    /** @param {number | null} value */
    show(value) {
      const text = value === null ? "not finite" : String(Number(value.toPrecision(6))).replaceAll("-", "\u2212");
      if (element.value !== text) element.value = text;
      taken = text;
      set(element, { "aria-invalid": null, title: String(value ?? text) });
    },
  };
}
