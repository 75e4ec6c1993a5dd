// @ts-check
/** The bar below a graph that says what the colours of its cells mean; a mark follows the cell under the pointer. */

import { rampOf } from "./colors.js";
import { html, write } from "./dom.js";

/** @typedef {{scale: number, ticks: [number, string][], words: string}} Scale */

export function makeScaleLegend() {
  const [ramp, pointer] = [html("div", { class: "al-ramp" }), html("div", { class: "al-scale-at", hidden: true })];
  const [numbers, words] = [html("div", { class: "al-scale-ticks" }), html("span", { class: "al-note" })];
  const bar = html("div", { class: "al-scale-bar" }, ramp, pointer, numbers);
  const root = html("div", { class: "al-scale-legend", hidden: true }, bar, words);
  let last = NaN;
  const at = (/** @type {number} */ t) => `${50 * (1 + Math.max(-1, Math.min(1, t)))}%`;

  return {
    root,
    /** @param {Scale | null} facts @param {import("./colors.js").ColorMap} colors */
    update(facts, colors) {
      root.hidden = !facts?.scale;
      if (!facts) return;
      ramp.style.background = rampOf(colors, -1);
      write(words, facts.words);
      if (last === (last = facts.scale)) return;
      numbers.replaceChildren(...facts.ticks.map(([t, text]) => {
        const tick = html("span", {}, text);
        tick.style.left = at(t);
        return tick;
      }));
    },
    /** @param {number | null} t a place on the scale */
    point(t) {
      pointer.hidden = t === null;
      if (t !== null) pointer.style.left = at(t);
    },
  };
}
