// @ts-check
/** The part that says what the colours of the letters mean; those of the cells stand below the graph. */

import { html } from "./dom.js";

/** @returns {import("./explorer.js").Part} */
export function makeKeyPart() {
  const root = html("p", { class: "al-key" }, html("span", {}, html("b", { class: "al-key-free" }, "2"), " yours to change"),
    html("span", {}, html("b", {}, "6"), " value"), html("span", {}, html("b", { class: "al-key-gradient" }, "4"), " gradient"));
  return { places: { menu: [root] } };
}
