// @ts-check
/** The entry of the menu that chooses where the graph runs. */

import { html } from "./dom.js";
import { makeSegments } from "./segments.js";

const WAYS = { auto: "Automatic", down: "Down", right: "Right" };

/** @param {(direction: keyof typeof WAYS) => void} choose */
export function makeDirection(choose) {
  const ways = makeSegments("Direction", WAYS, choose);
  return { root: html("div", { class: "al-order-control" }, html("span", { class: "al-caption" }, "Direction"), ways.root), choose: ways.choose };
}
