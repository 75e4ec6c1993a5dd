// @ts-check
/** One array as a heatmap: its cells, the signs of NaN and infinities, and the mark of the element that is read out. */

import { makeHeatLegend, toneOf } from "../live/colors.js";
import { html, layOverCells, short, tellOrHide, write } from "../live/dom.js";
import { cellUnder, clamp, isHovering } from "../live/hand.js";
import { floats, labelled, makeColoredCells, rangeOf } from "../live/heatmap.js";

/** @typedef {{row: number, column: number}} Spot an element of the plane */

/**
 * What a panel reports to its group.
 * @typedef {{
 *   point: (spot: Spot | null) => void,
 *   pressed: (event: KeyboardEvent, block: number[]) => void,
 *   dragged: (from: Spot, to: Spot) => void,
 * }} Act
 */

/** @param {Act} act */
export function makeHeatPanel(act) {
  const mark = html("div.al-heat-mark", { hidden: true });
  const options = {
    tabindex: 0,
    onkeydown: (/** @type {KeyboardEvent} */ event) => act.pressed(event, facts.block),
    onpointerdown: grab,
    onpointermove: moved,
    onpointerup: released,
    onpointercancel: released,
    onpointerleave: (/** @type {PointerEvent} */ event) => isHovering(event) && act.point(null),
    onblur: () => act.point(null),
  };
  const cells = makeColoredCells(options, ".al-heat-frame", mark);
  const { canvas, frame } = cells;
  const legend = makeHeatLegend();
  const name = html("span.al-own");
  const which = html("span.al-caption");
  const about = html("span.al-heat-about");
  const sentence = html("p.al-status");
  const note = html("p.al-note");
  const root = html(
    "section.al-heat-panel",
    html("div.al-heat-head", name, which, about),
    html("div.al-heat-body", html("div.al-heat-cells", frame, sentence, note), legend.root),
  );
  /** @type {any} */
  let facts;
  /** @type {any} */
  let group;
  /** @type {ArrayLike<number>} */
  let data = [];
  /** @type {(value: number) => number} */
  let tone = () => 0;
  /** @type {{x: number, y: number, spot: Spot} | null} */
  let drag = null;
  /** @type {Spot | null} */
  let read = null; // the marked element, if it is a single one

  /** The element under the pointer: the first one of its cell. @param {PointerEvent} event @returns {Spot | null} */
  function spotAt(event) {
    const cell = cellUnder(event, canvas, facts);
    if (!cell) return null;
    return { row: group.region[0] + cell.row * facts.block[0], column: group.region[2] + cell.column * facts.block[1] };
  }

  /** @param {PointerEvent} event */
  function grab(event) {
    const spot = event.button === 0 && spotAt(event);
    if (!spot) return;
    act.point(spot);
    canvas.setPointerCapture(event.pointerId);
    drag = { x: event.clientX, y: event.clientY, spot };
  }

  /** @param {PointerEvent} event */
  function moved(event) {
    const spot = spotAt(event);
    if (spot) act.point(spot);
    if (drag && spot && far(event)) frameCells(drag.spot, spot);
  }

  /** @param {PointerEvent} event */
  function released(event) {
    const [from, to] = [drag, spotAt(event)];
    const isZoom = from && to && event.type === "pointerup" && far(event);
    drag = null;
    if (!isZoom) return;
    const [first, { row, column }] = corners(from.spot, to);
    act.dragged(first, {
      row: Math.min(group.region[1], row + facts.block[0]),
      column: Math.min(group.region[3], column + facts.block[1]),
    });
  }

  /** @param {PointerEvent} event */
  const far = (event) => drag && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > 6;

  /** The first and the last element of the block between two elements. @param {Spot} a @param {Spot} b */
  const corners = (a, b) => [
    { row: Math.min(a.row, b.row), column: Math.min(a.column, b.column) },
    { row: Math.max(a.row, b.row), column: Math.max(a.column, b.column) },
  ];

  /** Row and column of an element's cell. @param {Spot} spot */
  const cellOf = ({ row, column }) => [
    Math.floor((row - group.region[0]) / facts.block[0]),
    Math.floor((column - group.region[2]) / facts.block[1]),
  ];

  /** @param {Spot} spot */
  function valueAt(spot) {
    const [i, j] = cellOf(spot);
    return data[i * facts.cols + j];
  }

  /** Put the mark around cells. @param {Spot} a @param {Spot} b */
  function frameCells(a, b) {
    const [[top, left], [bottom, right]] = corners(a, b).map(cellOf);
    layOverCells(mark, [top, left, bottom - top + 1, right - left + 1], facts);
  }

  return {
    root,
    /**
     * @param {any} next
     * @param {any} plane
     * @param {import("../live/colors.js").ColorMap} colors
     */
    update(next, plane, colors) {
      facts = next;
      group = plane;
      write(name, next.name + (next.index ?? ""));
      write(which, next.which);
      root.classList.toggle("al-heat-gradient", next.which === "gradient");
      tellOrHide(sentence, next.sentence);
      const isEmpty = !next.cells || !next.rows || !next.cols;
      for (const part of [frame, legend.root]) part.toggleAttribute("hidden", isEmpty);
      write(about, [next.facts, !isEmpty && rangeIn(next, 4)].filter(Boolean).join(" \u00b7 "));
      tellOrHide(note, next.caption);
      data = next.cells ? floats(next.cells, next.kind === "f8" ? Float64Array : Float32Array) : [];
      if (next.size === 1 || next.min === null) legend.root.setAttribute("hidden", ""); // one number, or none
      if (isEmpty) return;
      tone = toneOf(next);
      const few = labelled(next);
      root.style.setProperty("--al-aspect", String(clamp((next.cols * (few ? 2 : 1)) / next.rows, 0.4, 12)));
      root.style.setProperty("--al-most", `${Math.max(next.cols * (few ? 12 : 4), 8)}em`);
      const isWhole = plane.region[3] - plane.region[2] === plane.extent[1];
      const planes = isWhole && plane.tiles.length ? plane.extent[1] / plane.shape[plane.axes[1]] : 1;
      frame.style.setProperty("--al-planes", String(planes));
      frame.classList.toggle("al-side-by-side", planes > 1);
      cells.update(next, data, colors, `${next.which} of ${next.name} as a heatmap, ${next.rows} by ${next.cols}`);
      legend.update(next, colors);
    },
    /**
     * Mark an element, which is read out, or all elements from it to the last one.
     * @param {Spot | null} spot
     * @param {Spot | null} [last]
     */
    show(spot, last = spot) {
      if (frame.hidden) return;
      mark.hidden = !spot;
      if (spot && last && !drag) frameCells(spot, last);
      read = spot?.row === last?.row && spot?.column === last?.column ? spot : null;
      const value = read ? valueAt(read) : NaN;
      legend.point(Number.isFinite(value) ? tone(value) : null);
    },
    /** The marked element, in words; empty if there is none. */
    says() {
      if (!read) return "";
      const [i, j] = cellOf(read);
      const element = `${facts.name}${indexOf(i, j, facts, group)} = ${text(valueAt(read), facts.type)}`;
      const more = Math.max(...facts.block) > 1 ? ", the greatest magnitude there" : "";
      return `${facts.which === "gradient" ? "gradient of " : ""}${element}${more}`;
    },
  };
}

/** @param {number} value @param {string} type @param {number} [digits] */
function text(value, type, digits = 6) {
  if (type === "bool") return value ? "True" : "False";
  if (type === "int" && Number.isSafeInteger(value)) return String(value).replace("-", "\u2212");
  return short(value, digits);
}

/**
 * The Python index of a cell; with planes side by side, in its own plane.
 * @param {number} i @param {number} j @param {any} facts @param {any} group
 */
function indexOf(i, j, { block }, { shape, axes, at, tiles, region }) {
  const [row, column] = [region[0] + i * block[0], region[2] + j * block[1]];
  const wide = shape[axes[axes.length - 1]];
  let plane = tiles.length ? Math.floor(column / wide) : 0;
  const spans = [
    [row, Math.min(region[1], row + block[0])],
    [column, Math.min(region[3], column + block[1])].map((k) => k - plane * wide),
  ];
  const [shown, index] = [spans.slice(-axes.length), [...at]];
  for (const axis of [...tiles].reverse()) {
    index[axis] = plane % shape[axis];
    plane = Math.floor(plane / shape[axis]);
  }
  const parts = shape.map((/** @type {number} */ _, /** @type {number} */ axis) => {
    const k = axes.indexOf(axis);
    if (k < 0) return index[axis];
    const [from, to] = shown[k];
    return to - from > 1 ? `${from}:${to}` : from;
  });
  return parts.length ? `[${parts.join(", ")}]` : "";
}

/** The range of a panel's numbers. @param {any} facts @param {number} [digits] */
export const rangeIn = (facts, digits) => rangeOf(facts, (value) => text(value, facts.type, digits));

// Heatmaps whose axes have names: an element of one corresponds to the elements of another that have the same index on
// every axis of the same name.

/** @typedef {{axes: number[], region: number[], tiles: number[]}} PlaneFacts */
/** @typedef {Record<string, number>} Indices by the name of the axis */

/**
 * The names of the vertical and the horizontal axis; a vector has no vertical one, and planes side by side have
 * neither.
 * @param {string} names
 * @param {PlaneFacts} plane
 */
const shown = (names, { axes, tiles }) =>
  tiles.length ? ["", ""] : [axes.length > 1 ? names[axes[0]] : "", names[axes[axes.length - 1]] ?? ""];

/** @param {Spot} spot @param {string} names @param {PlaneFacts} plane @returns {Indices} */
export function indicesAt({ row, column }, names, plane) {
  const [down, across] = shown(names, plane);
  return { ...(down && { [down]: row }), ...(across && { [across]: column }) };
}

/**
 * The first and the last element that correspond to the indices; null if none is shown.
 * @param {Indices} indices
 * @param {string} names
 * @param {PlaneFacts} plane
 * @returns {[Spot, Spot] | null}
 */
export function spanOf(indices, names, plane) {
  const [down, across] = shown(names, plane);
  if (!(down in indices) && !(across in indices)) return null;
  const [top, bottom, left, right] = plane.region;
  const [rows, columns] = [
    [down, top, bottom - 1],
    [across, left, right - 1],
  ].map(([name, first, last]) => (name in indices ? [indices[name], indices[name]] : [Number(first), Number(last)]));
  const isShown = rows[0] >= top && rows[1] < bottom && columns[0] >= left && columns[1] < right;
  const [first, last] = [0, 1].map((k) => ({ row: rows[k], column: columns[k] }));
  return isShown ? [first, last] : null;
}
