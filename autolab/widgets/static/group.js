// @ts-check
/** Groups of steps: a frame around the boxes of an open one, and the sign on a closed one. The measures are those of views/graph/scene.py. */

import { set, svg } from "./dom.js";
import { drawnIn } from "./near.js";

const TAB = { corner: 12, character: 7.9, padding: 8, toggle: 20 };

/** @typedef {{id: number, parent: number | null, kind: string, text: string, count: string, depth: number, x: number, y: number, w: number, h: number}} SceneFrame */

/**
 * The frame, which lines run over, and its label, which they run behind. The label is empty until it is to be seen.
 * @param {SceneFrame} frame
 * @param {() => void} close
 */
export function makeFrame({ id, text, count, depth, x, y, w, h }, close) {
  const shade = `al-depth${depth % 2}`;
  const back = svg("rect", { class: `al-group ${shade}`, x, y, width: w, height: h, rx: TAB.corner });
  const size = { width: TAB.character * text.length + TAB.toggle + 2 * TAB.padding, height: 20, rx: 5 };
  const tab = svg("g", { class: `al-tab ${shade}`, transform: `translate(${x + 6} ${y + 6})`, role: "button", tabindex: -1, "data-id": id,
    "aria-expanded": "true", "aria-label": `${text}, ${count}`, onclick: close });
  const makeLabel = () => [svg("rect", size), sign(TAB.padding - 3, 2.5, true),
    svg("text", { x: TAB.padding + TAB.toggle - 3, y: 15 }, text), svg("title", {}, `${text}, ${count}`)];
  return { back, tab, extent: /** @type {import("./near.js").Extent} */ ([x, y, x + 6 + size.width, y + 26]), show: drawnIn(tab, makeLabel) };
}

/**
 * The sign in front of a closed group's heading.
 * @param {(event: Event) => void} open
 */
export function makeToggle(open) {
  const toggle = sign(11, 11, false);
  set(toggle, { onclick: open });
  return toggle;
}

/** A small plus or minus in a square. @param {number} x @param {number} y @param {boolean} open */
function sign(x, y, open) {
  return svg("g", { class: "al-toggle", transform: `translate(${x} ${y})` }, svg("rect", { width: 15, height: 15, rx: 4 }),
    svg("path", { d: open ? "M4 7.5h7" : "M4 7.5h7M7.5 4v7" }));
}
