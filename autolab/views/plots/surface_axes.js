// @ts-check
/** The axes of a surface, its colour bar, and its arrows. */

import { svg } from "../live/dom.js";

const HEAD = 4; // size of an arrowhead
const BANDS = 24; // bands of the colour bar

/**
 * @param {any} shown
 * @param {number} letter font size, relative to that for which the positions are made
 * @param {import("../live/colors.js").ColorMap} colors
 * @param {string} caption
 */
export function legend({ box, ticks }, letter, colors, caption) {
  const [left, top, high] = [box.x + box.w + 18, box.y, box.h];
  return [
    turned(left + 22 + 46 * letter, top + high / 2, caption),
    ...Array.from({ length: BANDS }, (_, k) => {
      const y = top + (k * high) / BANDS;
      return svg("rect", { x: left, y, width: 16, height: high / BANDS + 0.5, fill: colors.css(-(k + 0.5) / BANDS) });
    }),
    ...ticks.map((/** @type {[number, string]} */ [part, words]) =>
      svg("text", { x: left + 22, y: top + (1 - part) * high + 4 * letter }, words),
    ),
  ];
}

/** Text that runs upwards. @param {number} x @param {number} y @param {string} words */
const turned = (x, y, words) => svg("text.al-chart-middle", { transform: `translate(${x} ${y}) rotate(-90)` }, words);

/** @param {any} shown @param {number} letter */
export function axes({ box, x, y, names }, letter) {
  const bottom = box.y + box.h;
  const text = (/** @type {number} */ at, /** @type {number} */ down, /** @type {string} */ words, kind = "") =>
    svg("text", { x: at, y: down, class: kind }, words);
  return [
    svg("rect.al-surface-edge", { x: box.x, y: box.y, width: box.w, height: box.h }),
    ...x.ticks.flatMap((/** @type {[number, string]} */ [at, words]) => [
      svg("path.al-surface-edge", { d: `M${at} ${bottom}v5` }),
      text(at, bottom + 19 * letter, words, "al-chart-middle"),
    ]),
    ...y.ticks.flatMap((/** @type {[number, string]} */ [at, words]) => [
      svg("path.al-surface-edge", { d: `M${box.x} ${at}h-5` }),
      text(box.x - 9, at + 4 * letter, words, "al-chart-left"),
    ]),
    text(box.x + box.w / 2, bottom + 38 * letter, names[0], "al-chart-middle"),
    turned(16, box.y + box.h / 2, names[1]),
  ];
}

/** @param {number[]} ends */
export function arrow([x, y, u, v]) {
  const angle = Math.atan2(v - y, u - x);
  const side = (/** @type {number} */ turn) =>
    `${(u - HEAD * Math.cos(angle + turn)).toFixed(1)} ${(v - HEAD * Math.sin(angle + turn)).toFixed(1)}`;
  return `M${x} ${y}L${u} ${v}M${side(0.5)}L${u} ${v}L${side(-0.5)}`;
}
