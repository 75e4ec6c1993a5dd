// @ts-check
/** The inputs: a slider with a number box per scalar, a grid of cells per small array. */

import { html, set, short, write } from "./dom.js";
import { makeGrid } from "./grid.js";

/** @typedef {{name: string, label: string, kind: string, value: any, values: any, min: number, max: number, step: number, shape: any, text: any}} Control */
/** @typedef {(control: Control, index: number[] | null, value: number, final: boolean) => void} Move */

/**
 * @param {Move} move
 */
export function makeControls(move) {
  const root = html("div", { class: "al-inputs", role: "group", "aria-label": "Inputs" });
  /** @type {{kind: string, element: HTMLElement, update: (control: Control) => void}[]} */
  let parts = [];
  let built = "";

  return {
    root,
    /**
     * @param {Control[]} controls
     * @param {import("./colors.js").ColorMap} colors
     */
    update(controls, colors) {
      const structure = JSON.stringify(controls.map((c) => [c.name, c.kind, c.shape]));
      if (structure !== built) {
        built = structure;
        parts = controls.map((c) => makers[c.kind](c, move));
        root.replaceChildren(...parts.map((p) => p.element));
      }
      controls.forEach((control, i) => parts[i].update(control, colors));
    },
  };
}

/** @type {Record<string, (control: Control, move: Move) => any>} */
const makers = { slider: makeSlider, grid: makeGrid, fixed: makeFixed };

/** @param {Control} first @param {Move} move */
function makeSlider(first, move) {
  let control = first;
  const range = html("input", { type: "range", class: "al-range", "aria-label": first.label });
  const box = makeBox(first.label, (value) => {
    show(value);
    move(control, null, value, true);
  });
  const low = html("span");
  const high = html("span");

  /** @param {number} value */
  function show(value) {
    range.value = String(value);
    box.show(value);
    const [zero, here] = [0, value].map((v) => Math.max(0, Math.min(1, (v - control.min) / (control.max - control.min))));
    range.style.setProperty("--al-from", `${100 * Math.min(zero, here)}%`);
    range.style.setProperty("--al-to", `${100 * Math.max(zero, here)}%`);
  }

  /** @param {boolean} final */
  const slid = (final) => () => {
    show(Number(range.value));
    move(control, null, Number(range.value), final);
  };
  set(range, { oninput: slid(false), onchange: slid(true) });

  return {
    element: html("div", { class: "al-input" },
      html("div", { class: "al-input-head" }, html("span", { class: "al-name", title: first.label }, first.label), box.element),
      range,
      html("div", { class: "al-ends", "aria-hidden": "true" }, low, high)),
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

/**
 * A box for one number; text that is no number is marked and sends nothing.
 * @param {string} label
 * @param {(value: number) => void} changed
 */
export function makeBox(label, changed) {
  const element = html("input", {
    class: "al-box", type: "text", inputmode: "decimal", spellcheck: "false", autocomplete: "off", "aria-label": label + ", number",
    onchange: () => {
      const text = element.value.trim().replace("\u2212", "-");
      const value = text === "" ? NaN : Number(text);
      set(element, { "aria-invalid": !Number.isFinite(value) && "true" });
      if (Number.isFinite(value)) changed(value);
    },
  });
  return {
    element,
    /** @param {number} value */
    show(value) {
      const text = String(Number(value.toPrecision(6)));
      if (element.value !== text) element.value = text;
      set(element, { "aria-invalid": null, title: String(value) });
    },
  };
}

/** @param {Control} first */
function makeFixed(first) {
  const text = html("div", { class: "al-fixed" });
  return {
    element: html("div", { class: "al-input" },
      html("div", { class: "al-input-head" }, html("span", { class: "al-name", title: first.label }, first.label)), text),
    /** @param {Control} next */
    update: (next) => write(text, next.text),
  };
}
