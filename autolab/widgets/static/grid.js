// @ts-check
/** A small array as cells: drag one up or down, or use the arrow keys, and the number follows. */

import { makeBox } from "./controls.js";
import { html, set, short, write } from "./dom.js";

const PIXELS_PER_RANGE = 240; // a drag of this length crosses the whole range

/**
 * @param {import("./controls.js").Control} first
 * @param {import("./controls.js").Move} move
 */
export function makeGrid(first, move) {
  let control = first;
  /** @type {import("./colors.js").ColorMap} */
  let colors;
  /** @type {number[][]} */
  let values = [];
  let chosen = [0, 0];
  /** @type {{y: number, value: number, moved: boolean} | null} */
  let drag = null;

  const where = html("span", { class: "al-where" });
  const box = makeBox(first.label, (value) => change(value, true));
  const cells = first.values.map((/** @type {number[]} */ row, /** @type {number} */ i) => row.map((_, j) => makeCell(i, j)));
  const table = html("div", { class: "al-cells", role: "group", "aria-label": first.label },
    ...cells.map((/** @type {HTMLElement[]} */ row) => html("div", { class: "al-row" }, ...row)));

  /** @param {number} i @param {number} j */
  function makeCell(i, j) {
    return html("div", {
      class: "al-cell", role: "spinbutton", tabindex: -1, "aria-label": `${first.label}${bracket(i, j)}`,
      onfocus: () => choose(i, j), onkeydown: pressed,
      onpointerdown: (/** @type {PointerEvent} */ event) => grab(event, i, j),
      onpointermove: dragged, onpointerup: released, onpointercancel: released,
    });
  }

  /** The index as the user writes it. @param {number} i @param {number} j */
  function bracket(i, j) {
    return first.shape.length === 1 ? `[${j}]` : `[${i}, ${j}]`;
  }

  /** @param {number} i @param {number} j */
  function choose(i, j) {
    set(cells[chosen[0]][chosen[1]], { tabindex: -1 });
    chosen = [i, j];
    set(cells[i][j], { tabindex: 0 });
    write(where, bracket(i, j));
    box.show(values[i][j]);
  }

  /** @param {number} i @param {number} j */
  function paint(i, j) {
    const t = values[i][j] / Math.max(Math.abs(control.min), Math.abs(control.max));
    const cell = set(cells[i][j], { "aria-valuenow": values[i][j], title: String(values[i][j]) });
    write(cell, short(values[i][j], 3));
    cell.style.background = colors.css(t);
    cell.style.color = colors.ink(t);
  }

  /** @param {number} value @param {boolean} final */
  function change(value, final) {
    const [i, j] = chosen;
    values[i][j] = Number(value.toPrecision(12)); // 0.1 + 0.2 is to read 0.3
    paint(i, j);
    box.show(values[i][j]);
    move(control, chosen, values[i][j], final);
  }

  /** @param {PointerEvent} event @param {number} i @param {number} j */
  function grab(event, i, j) {
    if (event.button !== 0 || drag) return;
    cells[i][j].setPointerCapture(event.pointerId);
    choose(i, j);
    drag = { y: event.clientY, value: values[i][j], moved: false };
  }

  /** @param {PointerEvent} event */
  function dragged(event) {
    if (!drag || (!drag.moved && Math.abs(event.clientY - drag.y) < 3)) return;
    drag.moved = true;
    const value = drag.value + ((drag.y - event.clientY) / PIXELS_PER_RANGE) * (control.max - control.min);
    const inside = Math.max(control.min, Math.min(control.max, value));
    change(Math.round(inside / control.step) * control.step, false);
  }

  function released() {
    const moved = drag?.moved;
    drag = null;
    if (moved) change(values[chosen[0]][chosen[1]], true);
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    const [i, j] = chosen;
    const sign = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (sign) change(values[i][j] + sign * (event.shiftKey ? 10 : 1) * control.step, true);
    else if (step) {
      const flat = cells.flat();
      flat[(i * cells[0].length + j + step + flat.length) % flat.length].focus();
    } else if (event.key === "Enter") box.element.focus();
    else return;
    event.preventDefault();
  }

  return {
    element: html("div", { class: "al-input" },
      html("div", { class: "al-input-head" },
        html("span", { class: "al-name", title: first.label }, first.label), where, box.element), table),
    /** @param {import("./controls.js").Control} next @param {import("./colors.js").ColorMap} map */
    update(next, map) {
      control = next;
      colors = map;
      values = next.values.map((/** @type {number[]} */ row) => [...row]);
      values.forEach((row, i) => row.forEach((_, j) => paint(i, j)));
      choose(chosen[0], chosen[1]);
    },
  };
}
