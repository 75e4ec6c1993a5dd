// @ts-check
/** The bar that says what the colours mean, with a histogram along it: upright beside a heatmap, or lying below one. */

import { rampOf } from "./colors.js";
import { html, svg, write } from "./dom.js";

const ROOM = 0.06; // of the bar's length: between two numbers beside it

/**
 * A way to put the legend: where something stands that begins at a part of the colours (0 to 1) and takes some of them,
 * at so many thicknesses of the bar away from the numbers.
 * @typedef {{
 *   deepest: number,
 *   pointer: string,
 *   box: (from: number, size: number, away: number, deep: number) => Record<string, string | number>,
 *   label: (at: number, inner: boolean) => Record<string, string | number>,
 * }} Layout
 */

/** @type {Layout & {viewBox: string}} */
const UPRIGHT = {
  viewBox: "0 0 150 236",
  deepest: 5.6,
  pointer: "M-8 -5L-1 0L-8 5z",
  box: (from, size, away, deep) => ({
    x: 64 + 12 * away,
    width: 12 * deep,
    y: 10 + 216 * (1 - from - size),
    height: 216 * size,
  }),
  label: (at) => ({ x: 54, y: 230 - 216 * at, "text-anchor": "end" }),
};

/** As wide as there is room; thicknesses are those of the letters. @type {Layout & {viewBox: null}} */
const LYING = {
  viewBox: null,
  deepest: 3.4,
  pointer: "M-5 -8L0 -1L5 -8z",
  box: (from, size, away, deep) => ({
    x: `${100 * from}%`,
    width: `${100 * size}%`,
    y: `${0.65 * (4.65 - away - deep)}em`,
    height: `${0.65 * deep}em`,
  }),
  label: (at, inner) => ({
    x: `${100 * at}%`,
    y: inner ? "5.2em" : "4.1em",
    "text-anchor": inner ? (at < 0.5 ? "end" : "start") : ["start", "middle", "end"][Math.round(2 * at)],
  }),
};

export function makeHeatLegend(isLying = false) {
  const { viewBox, deepest, pointer: shape, box, label } = isLying ? LYING : UPRIGHT;
  const pointer = svg("svg", { class: "al-heat-pointer", overflow: "visible" }, svg("path", { d: shape }));
  const root = svg("svg", { class: `al-heat-legend${isLying ? " al-lying" : ""}`, viewBox, role: "img" });
  let [low, high] = [-1, 1]; // the colours that it shows: half of them where all numbers have one sign
  const part = (/** @type {number} */ t) => (Math.max(low, Math.min(high, t)) - low) / (high - low);

  return {
    root,
    /**
     * @param {{ticks: [number, string][], counts: number[], scale: number, ends: number[]}} facts
     * @param {import("./colors.js").ColorMap} colors
     */
    update({ ticks, counts, scale, ends }, colors) {
      [low, high] = ends;
      const [most, size] = [Math.max(...counts, 1), 1 / counts.length];
      const parts = counts.flatMap((count, k) => {
        const fill = colors.css(low + ((high - low) * k) / (counts.length - 1));
        const color = scale && svg("rect", { ...box(k * size, 1.03 * size, 0, 1), fill });
        const bar =
          count &&
          svg(
            "rect",
            {
              ...box(k * size, 0.9 * size, 1.25, Math.max(0.13, (deepest * count) / most)),
              fill,
              class: "al-heat-count",
            },
            svg("title", {}, `${count}`),
          );
        return [color, bar].filter(Boolean);
      });
      root.setAttribute("aria-label", `Colours from ${ticks[0][1]} to ${ticks[ticks.length - 1][1]}, with a histogram`);
      root.classList.toggle("al-two-lines", isLying && ticks.length > 3);
      root.replaceChildren(...parts, ...labels(ticks), pointer);
      this.point(null);
    },
    /** Show where a number stands. @param {number | null} t */
    point(t) {
      pointer.style.display = t === null ? "none" : "";
      if (t === null) return;
      const { x, y } = box(part(t), 0, 0, 1);
      for (const [name, value] of Object.entries({ x, y })) pointer.setAttribute(name, String(value));
    },
  };

  /**
   * Zero and the ends always; what would touch them stands on a line of its own, or is left out.
   * @param {[number, string][]} ticks
   */
  function labels(ticks) {
    const few = !isLying && ticks.length > 3 && part(ticks[3][0]) - part(ticks[2][0]) < ROOM;
    return ticks
      .filter((_, i) => !few || i % 2 === 0)
      .map(([t, text], i) => svg("text", label(part(t), ticks.length > 3 && !few && i % 2 === 1), text));
  }
}

// The bar below a graph that says what the colours of its cells mean; a mark follows the cell under the pointer.

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
      numbers.replaceChildren(
        ...facts.ticks.map(([t, text]) => {
          const tick = html("span", {}, text);
          tick.style.left = at(t);
          return tick;
        }),
      );
    },
    /** @param {number | null} t a place on the scale */
    point(t) {
      pointer.hidden = t === null;
      if (t !== null) pointer.style.left = at(t);
    },
  };
}
