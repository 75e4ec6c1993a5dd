// @ts-check
/**
 * The cell under the pointer: its index and number in the sentence, and in the picture the cells that it was made of.
 * A click holds it, a second click or Escape lets it go. With the keyboard, C enters the cells of a box.
 */

import { bracketOf, set, short, write } from "../live/dom.js";
import { ARROWS, claim, isHovering, isShortcut } from "../live/hand.js";

const SAME = { cells: 1e-5, text: 6e-3 }; // relative: a number in a picture is rounded, one without cells to its text
const SLOTS = ["value", "gradient"];

/** @typedef {{id: number, slot: string, k: number}} Place a cell of the value or the gradient of a box */
/**
 * What views/steps/sources.py says about a cell.
 * @typedef {{is: number | null, says: string, lit: [number, string, number[]][]}} CellOrigin
 */

/**
 * @param {import("./explorer.js").View} view
 * @param {ReturnType<typeof import("./graph.js").makeGraph>} graph
 * @param {HTMLElement} spoken is read aloud
 */
export function makePointing(view, graph, spoken) {
  const { get, send, root } = view;
  /** @type {Place | null} */
  let at = null;
  let isHeld = false;
  let hasKeys = false;

  /** @param {Place | null} place @param {boolean} [held] @param {boolean} [keys] */
  function point(place, held = false, keys = false) {
    if (place && !at) reserve();
    root.classList.toggle("al-pointing", place !== null);
    [at, isHeld, hasKeys] = [place, held, keys];
    const asked = get("look").pointed ?? null;
    const wanted = place && [place.id, place.slot];
    if (wanted && String(asked) !== String(wanted)) send({ do: "turn", to: { pointed: wanted } });
    paint();
    root.dispatchEvent(new Event("al-line"));
  }

  /** Keep the sentence as high as it is: nothing moves below the pointer. */
  function reserve() {
    const sentence = /** @type {HTMLElement} */ (root.querySelector(".al-sentence"));
    const { height, lineHeight } = getComputedStyle(sentence);
    const lines = Math.max(2, Math.round(parseFloat(height) / parseFloat(lineHeight)));
    root.style.setProperty("--al-lines", String(lines));
    root.style.setProperty("--al-small-lines", String(Math.floor(1.5 * lines)));
    root.style.setProperty("--al-said", height);
  }

  /** The cell of an event. @param {Event} event @returns {Place | null} */
  function cellOf(event) {
    const target = /** @type {Element} */ (event.target);
    const box = target.closest?.(".al-node");
    const slot = box && SLOTS.find((name) => target.closest(`.al-${name}`));
    if (!slot) return null;
    const id = Number(box.getAttribute("data-id"));
    const cells = target.closest(".al-cells");
    const k = cells ? [...cells.children].indexOf(target) : target.matches(".al-number") ? 0 : -1;
    return numberOf({ id, slot, k }) === undefined ? null : { id, slot, k };
  }

  /** The number of a cell; null if it is not finite, undefined if it is not one number. @param {Place} place */
  const numberOf = ({ id, slot, k }) => graph.box(id)?.cell(slot, k);

  /** What the kernel says about the cell, unless it speaks of another number. @returns {CellOrigin | undefined} */
  function origin() {
    if (!at || String(get("look").pointed) !== String([at.id, at.slot])) return undefined;
    const [found, number] = [get("sources")?.[at.k], numberOf(at)];
    if (!found || (get("frame").k !== undefined && at.slot === "gradient")) return undefined; // a sum may be growing
    const slack = SAME[graph.box(at.id)?.size.cells ? "cells" : "text"];
    const scale = slack * Math.max(Math.abs(found.is ?? 0), Math.abs(number ?? 0));
    const isSame = (found.is === null) === (number === null) && Math.abs((found.is ?? 0) - (number ?? 0)) <= scale;
    return isSame ? found : { ...found, says: "" };
  }

  function paint() {
    const { lit } = origin() ?? { lit: [] };
    graph.lightCells(
      at,
      lit.map(([step, slot, cells]) => ({ id: step, slot, cells })),
    );
    if (hasKeys) write(spoken, says());
  }

  function says() {
    if (!at || view.hand) return "";
    const number = numberOf(at);
    if (number === undefined) return "";
    const { name, text, shape } = /** @type {any} */ (graph.box(at.id)).size;
    const words = get("plan").words[at.slot === "value" ? "cell_value" : "cell_gradient"];
    const cell = `${name ?? text}${shape?.length ? bracketOf(shape, at.k) : ""}`;
    const plain = words
      .replace("{cell}", () => cell)
      .replace("{number}", number === null ? "not finite" : short(number));
    return origin()?.says || plain;
  }

  /** @param {Event} event */
  function over(event) {
    if (isHeld || view.hand) return;
    const place = cellOf(event);
    if (!isSame(place) && (place || isHovering(/** @type {PointerEvent} */ (event)))) point(place);
  }

  /** @param {Place | null} place */
  const isSame = (place) =>
    at === null || place === null ? at === place : at.id === place.id && at.slot === place.slot && at.k === place.k;

  /** @param {Event} event */
  function left(event) {
    if (at && !isHeld && isHovering(/** @type {PointerEvent} */ (event))) point(null);
  }

  /** @param {Event} event */
  function clicked(event) {
    const place = cellOf(event);
    if (place && !(isHeld && isSame(place))) point(place, true);
    else if (isHeld) point(null);
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    if (isShortcut(event)) return;
    const id = Number(/** @type {Element} */ (event.target).getAttribute("data-id") ?? NaN);
    if (event.key === "Escape" && at && isHeld) point(null);
    else if (event.key.toLowerCase() === "c" && graph.box(id)) enter(id);
    else if (at && hasKeys && at.id === id && ARROWS[event.key]) go(ARROWS[event.key]);
    else return;
    claim(event);
  }

  /** Begin at the first cell of a box. @param {number} id */
  function enter(id) {
    const slot = SLOTS.find((name) => numberOf({ id, slot: name, k: 0 }) !== undefined);
    if (slot) point({ id, slot, k: 0 }, true, true);
  }

  /** To a neighbouring cell; beside the value are the cells of the gradient. @param {[number, number]} step */
  function go([down, across]) {
    if (!at) return;
    const { shape } = /** @type {any} */ (graph.box(at.id)).size;
    const columns = shape?.at(-1) ?? 1;
    const [row, column] = [Math.floor(at.k / columns) + down, (at.k % columns) + across];
    const isOut = column < 0 || column >= columns;
    const slot = isOut ? SLOTS[at.slot === "value" ? 1 : 0] : at.slot;
    const isBeside = isOut && (at.slot === "value") === across > 0;
    if (isOut && !isBeside) return;
    const place = { id: at.id, slot, k: row * columns + (isOut ? (across > 0 ? 0 : columns - 1) : column) };
    if (row >= 0 && numberOf(place) !== undefined) point(place, true, true);
  }

  /** A number that is being moved is not explained: its sum changes. */
  function moved() {
    if (view.hand && at) point(null);
    if (view.hand && get("look").pointed) send({ do: "turn", to: { pointed: null } });
  }

  set(graph.picture, { onpointerover: over, onpointerleave: left, onclick: clicked });
  graph.picture.addEventListener("keydown", pressed, true);
  graph.picture.addEventListener("focusout", () => hasKeys && point(null));
  root.addEventListener("al-line", moved);
  return { says, paint, reads: () => hasKeys };
}

/**
 * The question about the box under the pointer: about all its cells, so that moving from one to the next asks nothing.
 * @param {any} look @param {(id: number) => number} box
 */
export const asksSources = ({ pointed }, box) => ({
  sources: pointed ? ["sources", box(pointed[0]), pointed[1]] : null,
});
