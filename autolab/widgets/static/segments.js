// @ts-check
/** Buttons in a row, of which one is chosen. */

import { html } from "./dom.js";

/**
 * @template {string} Name
 * @param {string} label
 * @param {Record<Name, string>} texts of the values
 * @param {(value: Name) => void} chosen
 */
export function makeSegments(label, texts, chosen) {
  const group = `al-segments-${Math.random()}`; // of this view alone
  const choices = Object.entries(texts).map(([value, text]) => html("input", {
    type: "radio", class: "al-button", name: group, value, "data-text": text, "aria-label": text, onchange: () => chosen(/** @type {Name} */ (value)),
  }));
  return {
    root: html("div", { class: "al-segments", role: "radiogroup", "aria-label": label }, ...choices),
    /** @param {Name} value */
    choose: (value) => choices.forEach((choice) => (choice.checked = choice.value === value)),
  };
}

export const KINDS_SHOWN = { value: "Value", gradient: "Gradient", both: "Both" };
export const SCALES = { asinh: "Asinh", linear: "Linear", symlog: "Symmetric log" };
const RUNNING = { auto: "Automatic", down: "Down", right: "Right" };

/** The entry of a menu that chooses where the graph runs: `root`, and `choose` to show what was chosen. @param {(direction: keyof typeof RUNNING) => void} chosen */
export function makeDirection(chosen) {
  const ways = makeSegments("Direction", RUNNING, chosen);
  return { ...ways, root: html("div", { class: "al-order-control" }, html("span", { class: "al-caption" }, "Direction"), ways.root) };
}
