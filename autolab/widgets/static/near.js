// @ts-check
/** Large graphs: what is far from the part that one sees is an empty element. It keeps its place, its name and the focus. */

export const MANY = 100; // boxes; up to here everything is drawn
const MARGIN = 0.75; // of the pane's size, drawn around it, so that scrolling meets finished boxes

/** @typedef {[left: number, top: number, right: number, bottom: number]} Extent */
/** @typedef {{extent: Extent, show: (near: boolean) => void}} Thing */

/**
 * Draw what is near, and empty what is not.
 * @param {Thing[]} things
 * @param {Extent} seen the part of the picture in the pane
 */
export function drawNear(things, [left, top, right, bottom]) {
  const [x, y] = [MARGIN * (right - left), MARGIN * (bottom - top)];
  for (const { extent: [l, t, r, b], show } of things) show(r >= left - x && l <= right + x && b >= top - y && t <= bottom + y);
}

/**
 * The `show` of an element whose content is made when it is to be seen.
 * @param {Element} element
 * @param {() => Element[]} make
 * @returns {(near: boolean) => void}
 */
export function drawnIn(element, make) {
  return (near) => {
    if (near !== element.hasChildNodes()) element.replaceChildren(...(near ? make() : []));
  };
}

/** Where a line is at most, by the points of its path. @param {string} path @returns {Extent} */
export function extentOf(path) {
  const [xs, ys] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])];
  for (const [, command, numbers] of path.matchAll(/([A-Z])([^A-Z]*)/g)) {
    const values = (numbers.match(/-?[\d.]+/g) ?? []).map(Number);
    values.forEach((value, k) => (command === "V" || (command !== "H" && k % 2) ? ys : xs).push(value));
  }
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}
