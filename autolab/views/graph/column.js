// @ts-check
/** A column of a box: the value or the gradient, as a number or as cells with a line of text. */

import { BEND, SHADES, makeTone } from "../live/colors.js";
import { inCell, set, svg, write } from "../live/dom.js";
import { BELOW_CELLS, CELL, HEADER, TOP } from "./box_sizes.js";

const LONG = 7; // a longer number is written smaller

/** @typedef {import("../live/colors.js").ColorMap} ColorMap */
/** @typedef {number | string | null} Cell a number; the sign of one without digits, null where only shades are known */

/**
 * The value or the gradient: its caption, with a number, or cells and a line of text, below.
 * @param {string} caption
 * @param {number} x
 * @param {{cells: boolean, numbered: boolean, strip_width: number, strip_height: number, shape: number[] | null}} node
 */
export function makeColumn(caption, x, { cells, numbered, strip_width: wide, strip_height: high, shape }) {
  const number = svg("text", { class: cells ? "al-small" : "al-number" });
  const strip = cells && svg("g.al-cells", { transform: `translate(0 ${TOP})` });
  const signs = cells && svg("path.al-signs", { transform: `translate(0 ${TOP})` });
  const words = svg("text.al-small", { y: HEADER + 9 }, caption);
  const numbers = numbered && svg("g.al-in-cells", { transform: `translate(0 ${TOP})`, "aria-hidden": "true" });
  const [lit, one] = [svg("path.al-lit-cells"), svg("path.al-lit-cells.al-pointed-cell")];
  const frames = svg("g", { transform: `translate(0 ${TOP})`, "aria-hidden": "true" }, lit, one);
  const parts = [words, strip, signs, numbers, number, frames];
  const element = svg("g", { class: `al-${caption}`, transform: `translate(${x} 0)` }, ...parts);
  const limit = cells ? BELOW_CELLS : 11;
  let size = "";
  /** @type {Cell[][]} */
  let drawn = [];
  const tuple = `(${shape?.join(", ")}${shape?.length === 1 ? "," : ""})`; // as Python writes it
  let isShades = false; // of which the numbers are not known
  /** @type {number | null | undefined} */
  let single; // the number, where there are no cells

  /** @param {string} text */
  function writeNumber(text) {
    write(number, text);
    number.classList.toggle("al-long", !cells && text.length > LONG);
  }

  return {
    element,
    write: writeNumber,
    place: () => number.getBoundingClientRect(),
    /** The number of cell ``k``; null if it is not finite, undefined if a cell is not one number. @param {number} k */
    cell: (k) =>
      !cells ? (k === 0 ? single : undefined) : isShades || !isWhole() ? undefined : finite(drawn.flat()[k]),
    /** Frame some cells, and one more. @param {number[]} some @param {number | null} pointed */
    light(some, pointed) {
      set(lit, { d: outline(some) });
      set(one, { d: pointed === null ? null : outline([pointed]) });
    },
    /**
     * @param {string | null} text
     * @param {Cell[][] | null} rows
     * @param {number | null} scale null if the cells are shades
     * @param {ColorMap | null} colors null if there are no cells
     * @param {string} [note] shown if there is no text
     * @param {string} [more] the end of a scale of its own
     * @param {string} [kind] the caption if it differs from the usual one: a tangent, an incomplete sum
     */
    update(text, rows, scale, colors, note = "none", more = "", kind = caption) {
      const absent = text === null;
      write(words, kind + (more || (numbered && kind === "value" ? ` ${tuple}` : "")));
      const said = absent ? note : cells ? text.replace(" \u2026", "") : text; // the cells show what was omitted
      const below = numbered && !absent ? "" : said; // the caption has the shape
      writeNumber(below.length > limit && !absent ? below.slice(0, limit - 1) + "\u2026" : below);
      set(number, { y: TOP + (cells && !absent ? high + 14 : 17) });
      element.classList.toggle("al-absent", absent);
      single = absent || cells ? undefined : numberIn(text);
      if (!strip) return;
      drawn = rows ?? [];
      isShades = scale === null;
      if (size !== (size = `${drawn.length} ${drawn[0]?.length}`)) {
        const [width, height] = cellSize(drawn);
        strip.replaceChildren(...spread(drawn, (j, i) => svg("rect", { x: j * width, y: i * height, width, height })));
        if (numbers)
          numbers.replaceChildren(
            ...spread(drawn, (j, i) => svg("text", { x: (j + 0.5) * width, y: (i + 0.5) * height + 4 })),
          );
      }
      if (!numbers) set(signs, { d: signsIn(drawn, cellSize(drawn)) });
      const tone = scale === null ? (/** @type {number} */ v) => v / SHADES : makeTone(scale, null, BEND);
      drawn.flat().forEach((v, k) => {
        const [cell, t] = [strip.children[k], typeof v === "number" ? tone(v) : null];
        set(cell, {
          class: t === null ? "al-missing" : v === 0 && "al-zero",
          fill: t === null ? null : /** @type {ColorMap} */ (colors).css(t),
        });
        cell.tone = t; // for the legend's mark
        if (!numbers || scale === null) return;
        const text = /** @type {SVGTextElement} */ (numbers.children[k]);
        write(text, typeof v === "number" ? inCell(v) : (v ?? ""));
        text.style.fill = t === null ? "" : /** @type {ColorMap} */ (colors).ink(t);
      });
    },
  };

  /** Whether each cell is one element. */
  function isWhole() {
    return drawn.flat().length === shape?.reduce((a, b) => a * b, 1);
  }

  /** The edges of some cells towards others. @param {number[]} some */
  function outline(some) {
    if (!some.length || (cells && !drawn.length)) return null;
    if (!cells) return "M-5 -2h86v25h-86z";
    const [[width, height], columns, inside] = [cellSize(drawn), drawn[0].length, new Set(some)];
    return some
      .flatMap((k) => {
        const [x, y] = [(k % columns) * width, Math.floor(k / columns) * height];
        return [
          inside.has(k - columns) ? "" : `M${x} ${y}h${width}`,
          inside.has(k + columns) ? "" : `M${x} ${y + height}h${width}`,
          k % columns && inside.has(k - 1) ? "" : `M${x} ${y}v${height}`,
          (k + 1) % columns && inside.has(k + 1) ? "" : `M${x + width} ${y}v${height}`,
        ];
      })
      .join("");
  }

  /** Width and height. @param {Cell[][]} rows */
  function cellSize(rows) {
    const [width, height] = [wide / rows[0]?.length, high / rows.length];
    if (numbered) return [width, height];
    const low = Math.min(height, CELL.high);
    return [Math.min(width, Math.max(2 * low, CELL.wide)), low];
  }
}

/**
 * The signs in cells without numbers, as on a heatmap: × for NaN, + and − for infinities.
 * @param {Cell[][]} rows @param {number[]} size of a cell
 */
function signsIn(rows, [width, height]) {
  const half = Math.min(width, height) / 2 - 2;
  const drawn = spread(rows, (j, i) => {
    const [v, at] = [rows[i][j], `M${(j + 0.5) * width} ${(i + 0.5) * height}`];
    const level = `${at}m${-half} 0h${2 * half}`;
    if (typeof v === "number") return "";
    if (v === "\u2212\u221e") return level;
    if (v === "\u221e") return `${level}${at}m0 ${-half}v${2 * half}`;
    return `${at}m${-half} ${-half}l${2 * half} ${2 * half}m0 ${-2 * half}l${-2 * half} ${2 * half}`;
  });
  return drawn.join("");
}

/**
 * One thing for each cell.
 * @template Thing
 * @param {Cell[][]} rows @param {(j: number, i: number) => Thing} make
 */
const spread = (rows, make) => rows.flatMap((row, i) => row.map((_, j) => make(j, i)));

/** A number from its text. @param {string} text */
function numberIn(text) {
  const number = Number(text.replaceAll("\u2212", "-"));
  return Number.isNaN(number) ? null : number;
}

/** @param {Cell} cell */
const finite = (cell) => (typeof cell === "string" ? null : cell);
