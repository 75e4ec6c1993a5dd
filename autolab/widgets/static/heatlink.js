// @ts-check
/** Heatmaps whose axes have names: an element of one belongs to those of another that agree with it in every axis of the same name. */

/** @typedef {import("./heatpanel.js").Spot} Spot */
/** @typedef {{axes: number[], region: number[]}} PlaneFacts */
/** @typedef {Record<string, number>} Indices by the name of the axis */

/** The names of the axes that go down and across; a row of numbers has none that goes down. @param {string} names @param {PlaneFacts} plane */
const shown = (names, { axes }) => [axes.length > 1 ? names[axes[0]] : "", names[axes[axes.length - 1]] ?? ""];

/** @param {Spot} spot @param {string} names @param {PlaneFacts} plane @returns {Indices} */
export function indicesAt({ row, column }, names, plane) {
  const [down, across] = shown(names, plane);
  return { ...(down && { [down]: row }), ...(across && { [across]: column }) };
}

/**
 * The first and the last element that belong to the indices; null if none is shown.
 * @param {Indices} indices
 * @param {string} names
 * @param {PlaneFacts} plane
 * @returns {[Spot, Spot] | null}
 */
export function spanOf(indices, names, plane) {
  const [down, across] = shown(names, plane);
  if (!(down in indices) && !(across in indices)) return null;
  const [top, bottom, left, right] = plane.region;
  const [rows, columns] = [[down, top, bottom - 1], [across, left, right - 1]].map(([name, first, last]) =>
    name in indices ? [indices[name], indices[name]] : [Number(first), Number(last)]);
  const isShown = rows[0] >= top && rows[1] < bottom && columns[0] >= left && columns[1] < right;
  return isShown ? [{ row: rows[0], column: columns[0] }, { row: rows[1], column: columns[1] }] : null;
}
