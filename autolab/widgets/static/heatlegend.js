// @ts-check
/** The bar that says what the colours mean, upright, with a histogram along it. */

import { svg } from "./dom.js";

const [WIDTH, HEIGHT, MARGIN] = [150, 236, 10];
const [BAR, BAR_WIDTH] = [64, 12];
const ROOM = 13; // between the numbers at the bar

export function makeHeatLegend() {
  const pointer = svg("path", { class: "al-heat-pointer", d: "M-7 -5L0 0L-7 5z" });
  const root = svg("svg", { class: "al-heat-legend", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" });
  const y = (/** @type {number} */ t) => MARGIN + ((1 - t) / 2) * (HEIGHT - 2 * MARGIN);

  return {
    root,
    /**
     * @param {{ticks: [number, string][], counts: number[], scale: number}} facts
     * @param {import("./colors.js").ColorMap} colors
     */
    update({ ticks, counts, scale }, colors) {
      const most = Math.max(...counts, 1);
      const step = (HEIGHT - 2 * MARGIN) / counts.length;
      const parts = counts.flatMap((count, k) => {
        const t = (2 * k) / (counts.length - 1) - 1;
        const top = HEIGHT - MARGIN - (k + 1) * step;
        const box = { y: top, height: step + 0.3, fill: colors.css(t) };
        const bar = count && svg("rect", { ...box, height: step - 0.8, x: BAR + BAR_WIDTH + 3, width: Math.max(1.5, ((WIDTH - BAR - BAR_WIDTH - 5) * count) / most), class: "al-heat-count" },
          svg("title", {}, `${count}`));
        return [...(scale ? [svg("rect", { ...box, x: BAR, width: BAR_WIDTH })] : []), ...(bar ? [bar] : [])];
      });
      root.setAttribute("aria-label", `Colours from ${ticks[0][1]} to ${ticks[ticks.length - 1][1]}, with a histogram`);
      root.replaceChildren(...parts, ...labels(ticks), pointer);
      this.point(null);
    },
    /** Show where a number stands. @param {number | null} t */
    point(t) {
      pointer.style.display = t === null ? "none" : "";
      if (t !== null) pointer.setAttribute("transform", `translate(${BAR - 1} ${y(Math.max(-1, Math.min(1, t)))})`);
    },
  };

  /** Zero and the ends always; what would touch them is left out. @param {[number, string][]} ticks */
  function labels(ticks) {
    const inner = ticks.length > 3 && y(ticks[2][0]) - y(ticks[3][0]) < ROOM;
    return ticks.filter((_, i) => !inner || i % 2 === 0).map(([t, text]) =>
      svg("text", { x: BAR - 10, y: y(t) + 4, "text-anchor": "end" }, text));
  }
}
