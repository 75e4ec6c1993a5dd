// @ts-check
/** Signs over a heatmap for what has no colour: × for NaN, + for infinity, − for minus infinity. */

import { html, set } from "./dom.js";

const OVERLAY = 900; // pixels of the longer side
const APART = 10; // pixels between two signs, at least

export function makeSigns() {
  return html("canvas", { class: "al-signs", "aria-hidden": "true" });
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {{rows: number, cols: number}} facts
 * @param {ArrayLike<number>} data row by row
 */
export function drawSigns(canvas, { rows, cols }, data) {
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
  const path = new Path2D();
  const lines = Number.isNaN(value) ? [[-r, -r, r, r], [-r, r, r, -r]] : [[-r, 0, r, 0], ...(value > 0 ? [[0, -r, 0, r]] : [])];
  for (const [a, b, c, d] of lines) {
    path.moveTo(x + a, y + b);
    path.lineTo(x + c, y + d);
  }
  return path;
}
