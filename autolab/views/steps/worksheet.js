// @ts-check
/** What happens at one step of the walk: the chain rule, and below it the calculation line by line with its numbers. */

import { html, write } from "../live/dom.js";
import { floats, labelled, paint, print } from "../live/heatmap.js";
import { math } from "../live/mathml.js";

const NUMBERED = 8; // columns of both factors: with more there is no room for numbers in the cells of a product

/**
 * @typedef {{sign: string, label: string, math: import("../live/mathml.js").Formula | null, text: string, shape:
 *   string, array: any, mark: number[] | null, space: string | null}} Line
 */

/** @param {((pick: any[]) => void) | null} choose where there is a kernel, to follow a cell */
export function makeSheet(choose) {
  const phase = html("div.al-phase");
  const title = html("h3.al-event");
  const body = html("div.al-sheet-body");
  let written = "";
  /** @type {any} */
  let painted;
  return {
    root: html("section.al-sheet", { "aria-label": "This step of the walk" }, phase, title, body),
    /**
     * @param {any} frame
     * @param {DataView[]} buffers
     * @param {Record<string, string>} words
     * @param {import("../live/colors.js").ColorMap} colors
     */
    update(frame, buffers, words, colors) {
      if (frame.k === undefined) return;
      write(phase, `${frame.phase}, ${frame.place}`);
      phase.classList.toggle("al-backward", frame.backward);
      write(title, frame.title);
      const text = JSON.stringify([frame, buffers.map((b) => [...floats(b)])]);
      if (text === written && painted === colors) return;
      [written, painted] = [text, colors];
      const focused = [...body.querySelectorAll("canvas")].indexOf(/** @type {any} */ (document.activeElement));
      body.replaceChildren(...contents(frame, buffers, words, colors, choose));
      body.querySelectorAll("canvas")[focused]?.focus();
    },
  };
}

/**
 * @param {any} frame
 * @param {DataView[]} buffers
 * @param {Record<string, string>} words
 * @param {import("../live/colors.js").ColorMap} colors
 * @param {((pick: any[]) => void) | null} choose where there is a kernel, to follow a cell
 */
function contents(frame, buffers, words, colors, choose) {
  const { rule } = frame;
  const parts = frame.formula ? [math(frame.formula, "al-formula")] : [];
  const numbers = frame.numbers.map((/** @type {string} */ text) => html("div.al-filled", text));
  const declared = rule
    ? [html("div", rule.text), html("div.al-declared", rule.where, html("code", rule.declared))]
    : [];
  if (numbers.length || rule) parts.push(html("div.al-rule", ...declared, ...numbers));
  if (rule?.code) parts.push(html("details", html("summary", words.walk_rule), html("pre.al-code", rule.code)));
  if (frame.code) parts.push(html("pre.al-code", frame.code));
  const at = frame.product ?? -3; // of a product and its factors, three lines
  const all = (/** @type {Line[]} */ lines) => lines.flatMap((line) => lineParts(line, buffers, colors, choose));
  const product = frame.product === null ? [] : [scheme(frame.lines.slice(at, at + 3), buffers, colors, choose)];
  parts.push(
    html("div.al-lines", ...all(frame.lines.slice(0, Math.max(0, at))), ...product, ...all(frame.lines.slice(at + 3))),
  );
  if (choose && frame.lines.some((/** @type {Line} */ line) => line.space)) parts.push(html("p.al-note", words.follow));
  return [...parts, ...frame.notes.map((/** @type {string} */ text) => html("p.al-note", text))];
}

/**
 * A product of matrices: the left factor at the left, the right one above, and each number where a row meets a column.
 * @param {Line[]} lines
 * @param {DataView[]} buffers
 * @param {import("../live/colors.js").ColorMap} colors
 * @param {((pick: any[]) => void) | null} choose where there is a kernel, to follow a cell
 */
function scheme(lines, buffers, colors, choose) {
  const [left, right] = lines.map(({ array }) => array.cols);
  const isTight = left + right > NUMBERED;
  const [across, above, product] = lines.map((line) =>
    cells(line, floats(buffers[line.array.buffer]), colors, choose, isTight),
  );
  const [name, second, result] = lines.map(({ label, math: formula, shape }) =>
    html("div.al-caption", formula ? math(formula, "al-inline") : label, ` ${shape}`),
  );
  const root = html(
    "div.al-falk",
    html("div", name),
    html("div", second, above),
    html("div", across),
    html("div", product, result),
  );
  root.style.gridTemplateColumns = `${left}fr ${right}fr`;
  root.style.maxWidth = `${(left + right) * (isTight ? 1.2 : 3.8)}em`;
  return root;
}

/**
 * A sign, what it is, its shape and number; below it an array as cells.
 * @param {Line} line
 * @param {DataView[]} buffers
 * @param {import("../live/colors.js").ColorMap} colors
 * @param {((pick: any[]) => void) | null} choose where there is a kernel, to follow a cell
 */
function lineParts(line, buffers, colors, choose) {
  const { sign, label, shape, array } = line;
  const head = html(
    "div.al-line",
    html("span.al-sign", sign),
    html("span.al-what", label),
    line.math && math(line.math, "al-inline"),
    html("span", { class: array ? "al-shape" : "al-result" }, array ? shape : line.text),
  );
  return array ? [head, cells(line, floats(buffers[array.buffer]), colors, choose)] : [head];
}

/**
 * @param {Line} line
 * @param {Float32Array} data
 * @param {import("../live/colors.js").ColorMap} colors
 * @param {((pick: any[]) => void) | null} choose where there is a kernel, to follow a cell
 */
function cells({ label, array, mark, space, shape }, data, colors, choose, isTight = false) {
  const { rows, cols } = array;
  const canvas = html("canvas.al-canvas", {
    role: "img",
    tabindex: space && choose ? 0 : null,
    "aria-label": `${label}, ${shape}`,
    onclick: (event) => {
      const box = canvas.getBoundingClientRect();
      pick(
        Math.floor(((event.clientY - box.top) / box.height) * rows),
        Math.floor(((event.clientX - box.left) / box.width) * cols),
      );
    },
    onkeydown: (event) => {
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      if (!step || !mark) return;
      event.preventDefault();
      event.stopPropagation();
      pick(mark[0] + step[0], mark[1] + step[1]);
    },
  });
  const isNumbered = labelled(array) && !isTight;
  const numbers = html("div.al-numbers", { "aria-hidden": "true" });
  const frame = html("div", { class: `al-frame al-mini${isNumbered ? " al-labelled" : ""}` }, canvas, numbers);
  frame.style.setProperty("--al-rows", rows);
  frame.style.setProperty("--al-cols", cols);
  paint(canvas, array, data, colors);
  if (isNumbered) print(numbers, array, data, colors);
  if (mark) {
    const box = html("div.al-mark");
    const [row, column, high, wide] = mark;
    Object.assign(box.style, {
      left: `${(100 * column) / cols}%`,
      top: `${(100 * row) / rows}%`,
      width: `${(100 * wide) / cols}%`,
      height: `${(100 * high) / rows}%`,
    });
    frame.append(box);
  }

  /** @param {number} row @param {number} column */
  function pick(row, column) {
    if (choose && space && row >= 0 && row < rows && column >= 0 && column < cols) choose([space, row, column]);
  }

  return html("div.al-array", frame, array.caption && html("div.al-note", array.caption));
}
