// @ts-check
/** One step of the walk: the chain rule, and below it the calculation with its numbers, line by line. */

import { ruleLines, scrolled } from "../graph/answer.js";
import { html, layOverCells, write } from "../live/dom.js";
import { ARROWS, cellUnder, claim } from "../live/hand.js";
import { floats, labelled, makeColoredCells } from "../live/heatmap.js";
import { math } from "../live/mathml.js";

const NUMBERED = 8; // with more columns in both factors, there is no space for numbers in the cells of a product

/**
 * @typedef {{sign: string, label: string, math: import("../live/mathml.js").Formula | null, text: string, shape:
 *   string, array: any, mark: number[] | null, space: string | null}} Line
 */

/**
 * @param {import("../graph/explorer.js").View} view
 * @param {((pick: any[]) => void) | null} choose called to follow a cell, if there is a kernel
 */
export function makeSheet({ get }, choose) {
  const title = html("h3.al-event");
  const body = html("div.al-sheet-body");
  let written = "";
  /** @type {import("../live/colors.js").ColorMap} */
  let colors;

  /** @param {any} frame */
  function contents({ rule, formula, code, product, lines, numbers, notes }) {
    const words = get("plan").words;
    const parts = formula ? [scrolled(math(formula, "al-formula"))] : [];
    if (numbers.length || rule)
      parts.push(
        ruleLines(
          numbers,
          rule && [html("div", rule.text), html("div.al-declared", rule.where, html("code", rule.declared))],
        ),
      );
    if (rule?.code) parts.push(html("details", html("summary", words.walk_rule), html("pre.al-code", rule.code)));
    if (code) parts.push(html("pre.al-code", code));
    const at = product ?? -3; // the first of three lines for a product and its factors
    const all = (/** @type {Line[]} */ some) => some.flatMap(lineParts);
    const together = product !== null && scheme(lines.slice(at, at + 3));
    parts.push(html("div.al-lines", all(lines.slice(0, Math.max(0, at))), together, all(lines.slice(at + 3))));
    if (choose && lines.some((/** @type {Line} */ line) => line.space)) parts.push(html("p.al-note", words.follow));
    return [...parts, ...notes.map((/** @type {string} */ text) => html("p.al-note", text))];
  }

  /**
   * A product of matrices: the left factor on the left, the right one above, each number where a row meets a column.
   * @param {Line[]} lines
   */
  function scheme(lines) {
    const [left, right] = lines.map(({ array }) => array.cols);
    const isTight = left + right > NUMBERED;
    const [across, above, product] = lines.map((line) => cells(line, isTight));
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

  /** A sign, a label, a shape and a number; below them, an array as cells. @param {Line} line */
  function lineParts(line) {
    const { sign, label, shape, array } = line;
    const head = html(
      "div.al-line",
      html("span.al-sign", sign),
      html("span.al-what", label),
      line.math && math(line.math, "al-inline"),
      array ? html("span.al-shape", shape) : html("span.al-result", line.text),
    );
    return array ? [head, cells(line)] : [head];
  }

  /** @param {Line} line */
  function cells({ label, array, mark, space, shape }, isTight = false) {
    const { rows, cols, caption } = array;
    const pick = (/** @type {number} */ row, /** @type {number} */ column) =>
      choose && space && row >= 0 && row < rows && column >= 0 && column < cols && choose([space, row, column]);
    const options = {
      tabindex: space && choose ? 0 : null,
      onclick(/** @type {MouseEvent} */ event) {
        const cell = cellUnder(event, drawn.canvas, array);
        if (cell) pick(cell.row, cell.column);
      },
      onkeydown(/** @type {KeyboardEvent} */ event) {
        const step = ARROWS[event.key];
        if (!step || !mark) return;
        claim(event);
        pick(mark[0] + step[0], mark[1] + step[1]);
      },
    };
    const drawn = makeColoredCells(options, ".al-mini", mark && layOverCells(html("div.al-mark"), mark, array));
    const isLabelled = labelled(array) && !isTight;
    drawn.update(array, floats(array.cells), colors, `${label}, ${shape}`, isLabelled);
    return html("div.al-array", drawn.frame, caption && html("div.al-note", caption));
  }

  return {
    root: html("section.al-sheet", { "aria-label": "This step of the walk" }, title, body),
    /** @param {import("../live/colors.js").ColorMap} painted */
    update(painted) {
      const frame = get("frame");
      if (frame.k === undefined) return;
      write(title, frame.title);
      const text = JSON.stringify(frame, (_, part) => (part instanceof DataView ? [...floats(part)] : part));
      if (text === written && painted === colors) return;
      [written, colors] = [text, painted];
      const focused = [...body.querySelectorAll("canvas")].indexOf(/** @type {any} */ (document.activeElement));
      body.replaceChildren(...contents(frame));
      body.querySelectorAll("canvas")[focused]?.focus();
    },
  };
}
