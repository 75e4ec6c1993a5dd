// @ts-check
/** An array as coloured pixels on a canvas, with a readout of the number under the pointer. */

import { makeHeatLegend, paint, toneOf } from "./colors.js";
import { bracketOf, html, inCell, set, short, write } from "./dom.js";
import { ARROWS, cellUnder, claim, clamp, isHovering } from "./hand.js";

const LABELLED = { rows: 8, columns: 6 }; // arrays up to this size have numbers in their cells
const WIDE = 1.6; // width of a cell with a number, in heights

/**
 * @typedef {{which: string, rows: number, cols: number, shape: number[], block: number[], min: number | null, max:
 *   number | null, nan: number, inf: number, scale: number, caption: string, threshold: number | null, bend?: number,
 *   ticks: [number, string][], counts: number[], ends: number[], heads?: Heads, part?: string}}
 *   ArrayFacts
 */

/**
 * For the attention weights of heads: `looks` is the sentence about a cell, `tokens` are the labels of the rows and of
 * the columns.
 * @typedef {{titles: string[], example: string, tokens: string[][], looks: string}} Heads
 */

/** @param {(frame: HTMLElement) => HTMLElement} [around] adds what surrounds the cells */
export function makeHeatmap(around = (frame) => frame) {
  const cells = makeColoredCells({
    tabindex: 0,
    onkeydown: pressed,
    onpointerdown: pointed,
    onpointermove: pointed,
    onpointerleave: (/** @type {PointerEvent} */ event) => isHovering(event) && point(-1),
    onblur: () => point(-1),
  });
  const readout = html("output.al-readout");
  const legend = makeHeatLegend(true);
  /** @type {ArrayFacts} */
  let facts;
  /** @type {(value: number) => number} */
  let tone = () => 0;
  /** @type {Float32Array} */
  let values = new Float32Array();
  let cursor = -1;

  /** @param {PointerEvent} event */
  function pointed(event) {
    const cell = cellUnder(event, cells.canvas, facts);
    if (cell) point(cell.row * facts.cols + cell.column);
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    const way = ARROWS[event.key];
    if (!way) return;
    claim(event);
    point(clamp(cursor + way[0] * facts.cols + way[1], 0, values.length - 1));
  }

  /** @param {number} k */
  function point(k) {
    cursor = k;
    const isOne = k >= 0 && k < values.length;
    legend.point(isOne && Number.isFinite(values[k]) ? tone(values[k]) : null);
    write(
      readout,
      !isOne ? rangeOf(facts) : `${place(facts, Math.floor(k / facts.cols), k % facts.cols)} = ${short(values[k], 6)}`,
    );
  }

  return {
    root: html("div.al-heatmap", around(cells.frame), legend.root, readout),
    /** @param {ArrayFacts} next @param {Float32Array} data row by row @param {import("./colors.js").ColorMap} colors */
    update(next, data, colors) {
      const what = (next.which === "value" ? "Value" : "Gradient") + (next.part ? ` of ${next.part}` : "");
      facts = next;
      values = data;
      cells.frame.style.aspectRatio = clamp(((labelled(next) ? WIDE : 1) * next.cols) / next.rows, 0.5, 8);
      tone = toneOf(next);
      cells.update(next, data, colors, `${what} as a heatmap, ${next.rows} by ${next.cols}`);
      legend.update(next, colors);
      point(cursor);
    },
  };
}

/**
 * Coloured cells; with numbers in them if there are few, else with signs for NaN and infinities.
 * @param {Record<string, any>} options of the canvas
 * @param {string} [kind] classes of the frame around it
 * @param {(Node | null | undefined | false)[]} over elements over the cells
 */
export function makeColoredCells(options, kind = "", ...over) {
  const canvas = html("canvas.al-canvas", { role: "img", ...options });
  const numbers = html("div.al-numbers", { "aria-hidden": "true" });
  const signs = html("canvas.al-signs", { "aria-hidden": "true" });
  const frame = html(`div.al-frame${kind}`, canvas, signs, numbers, ...over);
  return {
    canvas,
    frame,
    /**
     * @param {import("./colors.js").Shades & {blank?: boolean}} facts `blank`: NaN means not measured
     * @param {ArrayLike<number>} data
     * @param {import("./colors.js").ColorMap} colors
     * @param {string} label
     */
    update(facts, data, colors, label, isLabelled = labelled(facts)) {
      set(canvas, { "aria-label": label });
      frame.classList.toggle("al-labelled", isLabelled);
      frame.style.setProperty("--al-rows", String(facts.rows));
      frame.style.setProperty("--al-cols", String(facts.cols));
      paint(canvas, facts, data, colors);
      print(numbers, facts, isLabelled ? Array.from(data) : [], colors);
      drawSigns(signs, facts, isLabelled || facts.blank ? [] : data);
    },
  };
}

/**
 * @param {HTMLElement} numbers
 * @param {import("./colors.js").Shades} shades
 * @param {number[]} texts
 * @param {import("./colors.js").ColorMap} colors
 */
function print(numbers, shades, texts, colors) {
  const { rows, cols } = shades;
  const tone = toneOf(shades);
  if (numbers.childElementCount !== texts.length) numbers.replaceChildren(...texts.map(() => html("span")));
  numbers.style.gridTemplate = `repeat(${rows}, 1fr) / repeat(${cols}, 1fr)`;
  texts.forEach((value, k) => {
    const cell = /** @type {HTMLElement} */ (numbers.children[k]);
    write(cell, inCell(value, cols > 4 ? 5 : Infinity));
    cell.classList.toggle("al-none", !Number.isFinite(value));
    cell.style.color = Number.isFinite(value) ? colors.ink(tone(value)) : "";
  });
}

/** Whether the numbers of an array are printed in its cells. @param {{rows: number, cols: number}} facts */
export function labelled({ rows, cols }) {
  return rows <= LABELLED.rows && cols <= LABELLED.columns;
}

/**
 * The numbers in a buffer, at any byte offset.
 * @param {DataView} view
 * @param {any} [Kind]
 * @returns {Float32Array}
 */
export const floats = (view, Kind = Float32Array) =>
  new Kind(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));

/**
 * The smallest and the largest number, and the counts of NaN and infinities.
 * @param {any} facts
 * @param {(value: number) => string} [text]
 */
export function rangeOf({ min, max, nan, inf, size }, text = short) {
  const all = size > 1 ? "all " : "";
  const ends = min === null || max === null ? "" : min === max ? all + text(min) : `${text(min)} to ${text(max)}`;
  return [ends, nan && `${nan} NaN (\u00d7)`, inf && `${inf} infinite (+, \u2212)`].filter(Boolean).join(", ");
}

/**
 * The index of a cell as Python writes it; for a block, the range of rows and columns.
 * @param {ArrayFacts} facts
 * @param {number} row
 * @param {number} column
 */
function place({ shape, block, heads }, row, column) {
  if (block[0] > 1 || block[1] > 1) {
    const [rows, columns] = [span(row, block[0]), span(column, block[1])];
    return `rows ${rows}, columns ${columns}: greatest magnitude`;
  }
  if (heads) {
    const [rows, columns] = heads.tokens;
    return heads.looks.replace("{row}", () => rows[row]).replace("{column}", () => columns[column]);
  }
  return bracketOf(shape, row * (shape.at(-1) ?? 1) + column);
}

/** @param {number} k @param {number} size */
function span(k, size) {
  return size > 1 ? `${k * size}\u2013${(k + 1) * size - 1}` : String(k);
}

// Signs over a heatmap for what has no colour: × for NaN, + for infinity, − for minus infinity.

const OVERLAY = 900; // length of the longer side, in pixels
const APART = 10; // minimum distance of two signs, in pixels

/**
 * @param {HTMLCanvasElement} canvas
 * @param {{rows: number, cols: number}} facts
 * @param {ArrayLike<number>} data row by row
 */
function drawSigns(canvas, { rows, cols }, data) {
  const k = Math.max(1, Math.min(24, Math.floor(OVERLAY / Math.max(rows, cols))));
  set(canvas, { width: cols * k, height: rows * k });
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const drawn = new Set();
  context.strokeStyle = getComputedStyle(canvas).getPropertyValue("--al-warning");
  context.lineWidth = 1.6;
  for (let n = 0; n < data.length; n++) {
    if (Number.isFinite(data[n])) continue;
    const [x, y] = [(n % cols) * k + k / 2, Math.floor(n / cols) * k + k / 2];
    const place = `${Math.floor(x / APART)} ${Math.floor(y / APART)}`;
    if (!drawn.has(place)) context.stroke(signAt(data[n], x, y, Math.max(3.5, Math.min(7, k / 3))));
    drawn.add(place);
  }
}

/** @param {number} value @param {number} x @param {number} y @param {number} r */
function signAt(value, x, y, r) {
  const long = 2 * r;
  const cross = `M${x - r} ${y - r}l${long} ${long}m0 ${-long}l${-long} ${long}`;
  const upright = value > 0 ? `M${x} ${y - r}v${long}` : "";
  return new Path2D(Number.isNaN(value) ? cross : `M${x - r} ${y}h${long}${upright}`);
}
