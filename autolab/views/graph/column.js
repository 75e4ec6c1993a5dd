// @ts-check
/** A column of a box: the value or the gradient, as a number or as cells with a line of text. */

import { BEND, SHADES, makeTone } from "../live/colors.js";
import { set, svg, write } from "../live/dom.js";
import { BELOW_CELLS, HEADER, STRIP, TOP } from "./box_sizes.js";

const LONG = 7; // a longer number is written smaller

/** @typedef {import("../live/colors.js").ColorMap} ColorMap */

/**
 * The value or the gradient: its caption, with a number, or cells and a line of text, below.
 * @param {string} caption
 * @param {number} x
 * @param {boolean} cells
 */
export function makeColumn(caption, x, cells) {
  const number = svg("text", { class: cells ? "al-small" : "al-number" });
  const strip = cells && svg("g.al-cells", { transform: `translate(0 ${TOP})` });
  const words = svg("text.al-small", { y: HEADER + 9 }, caption);
  const element = svg("g", { class: `al-${caption}`, transform: `translate(${x} 0)` }, words, strip, number);
  const limit = cells ? BELOW_CELLS : 11;
  let size = "";

  /** @param {string} text */
  function writeNumber(text) {
    write(number, text);
    number.classList.toggle("al-long", !cells && text.length > LONG);
  }

  return {
    element,
    write: writeNumber,
    place: () => number.getBoundingClientRect(),
    /**
     * @param {string | null} text
     * @param {(number | null)[][] | null} rows
     * @param {number | null} scale null if the cells are shades
     * @param {ColorMap | null} colors null if there are no cells
     * @param {string} [note] shown if there is no text
     * @param {string} [more] the end of a scale of its own
     * @param {string} [kind] the caption if it differs from the usual one: a tangent, an incomplete sum
     */
    update(text, rows, scale, colors, note = "none", more = "", kind = caption) {
      const absent = text === null;
      write(words, kind + more);
      const said = absent ? note : cells ? text.replace(" \u2026", "") : text; // the cells show what was omitted
      writeNumber(said.length > limit && !absent ? said.slice(0, limit - 1) + "\u2026" : said);
      set(number, { y: TOP + (cells && !absent ? STRIP.height + 14 : 17) });
      element.classList.toggle("al-absent", absent);
      if (!strip) return;
      const drawn = rows ?? [];
      if (size !== (size = `${drawn.length} ${drawn[0]?.length}`)) strip.replaceChildren(...makeCells(drawn));
      const tone = scale === null ? (/** @type {number} */ v) => v / SHADES : makeTone(scale, null, BEND);
      drawn.flat().forEach((v, k) => {
        const [cell, t] = [strip.children[k], v === null ? null : tone(v)];
        set(cell, {
          class: v === null ? "al-missing" : v === 0 && "al-zero",
          fill: t === null ? null : /** @type {ColorMap} */ (colors).css(t),
        });
        cell.tone = t; // for the legend's mark
      });
    },
  };
}

/** @param {(number | null)[][]} rows */
function makeCells(rows) {
  const height = Math.min(STRIP.height / rows.length, STRIP.cell);
  const width = Math.min(STRIP.width / rows[0]?.length, Math.max(2 * height, STRIP.wide));
  return rows.flatMap((row, i) => row.map((_, j) => svg("rect", { x: j * width, y: i * height, width, height })));
}
