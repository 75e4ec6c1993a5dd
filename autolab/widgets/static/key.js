// @ts-check
/** The part that says what the colours mean. */

import { html } from "./dom.js";

/** @param {import("./explorer.js").View} view */
export function makeKeyPart(view) {
  const ramp = html("span", { class: "al-ramp" });
  const cells = html("span", {}, "cells ", ramp, " below to above zero, each array to its own largest");
  const root = html("p", { class: "al-key" }, html("span", {}, html("b", { class: "al-key-free" }, "2"), " yours to change"),
    html("span", {}, html("b", {}, "6"), " value"), html("span", {}, html("b", { class: "al-key-gradient" }, "4"), " gradient"), cells);

  function paint() {
    ramp.style.background = `linear-gradient(to right, ${[-1, -0.6, -0.2, 0, 0.2, 0.6, 1].map(view.colors.css)})`;
    cells.hidden = !view.get("scene").nodes.some((/** @type {any} */ node) => node.cells);
  }

  return { places: { menu: [root] }, on: { scene: paint }, paint };
}
