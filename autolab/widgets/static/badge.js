// @ts-check
/** A verdict as a word with a sign, told apart without colours. */

import { html, set, write } from "./dom.js";

const SIGNS = { right: "\u2713", wrong: "\u2717", "cannot tell": "?" };

export function makeBadge(verdict = "") {
  const sign = html("span", { "aria-hidden": "true" });
  const word = html("span");
  const root = html("span", { class: "al-badge-word" }, sign, word);
  return {
    root,
    /** @param {string} verdict @param {string} text */
    show(verdict, text) {
      set(root, { "data-verdict": verdict });
      write(sign, SIGNS[/** @type {"right"} */ (verdict)]);
      write(word, text);
    },
  };
}
