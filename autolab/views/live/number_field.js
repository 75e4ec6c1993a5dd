// @ts-check
/** A box into which a number is typed. */

import { html, set } from "./dom.js";

/**
 * A box for one number; text that is no number is marked and sends nothing.
 * @param {string} label
 * @param {(value: number) => void} changed
 */
export function makeBox(label, changed) {
  let taken = ""; // Enter is followed by a change event, but not in JupyterLab
  const element = html("input", {
    class: "al-box",
    type: "text",
    inputmode: "decimal",
    spellcheck: "false",
    autocomplete: "off",
    "aria-label": label + ", number",
    onchange: take,
    onkeydown: (/** @type {KeyboardEvent} */ event) => event.key === "Enter" && take(),
  });

  function take() {
    if (element.value === taken) return;
    taken = element.value;
    const text = taken.trim().replaceAll("\u2212", "-");
    const value = text === "" ? NaN : Number(text);
    set(element, { "aria-invalid": !Number.isFinite(value) && "true" });
    if (Number.isFinite(value)) changed(value);
  }

  return {
    element,
    /** @param {number | null} value */
    show(value) {
      const text = value === null ? "not finite" : String(Number(value.toPrecision(6)));
      if (element.value !== text) element.value = text;
      taken = text;
      set(element, { "aria-invalid": null, title: String(value ?? text) });
    },
  };
}
