// @ts-check
/** The part that says what the colours of the letters mean, and chooses those of the cells and which way the graph runs. */

import { button, html, set } from "./dom.js";
import { makeDirection } from "./segments.js";

/** @param {import("./explorer.js").View} view @returns {import("./explorer.js").Part} */
export function makeKeyPart({ get, send }) {
  const direction = makeDirection((way) => send({ do: "turn", to: { direction: way } }));
  const own = button("Each array to its own colours", () => send({ do: "turn", to: { own: !get("look").own } }));
  const root = html("p", { class: "al-key" }, html("span", {}, html("b", { class: "al-key-free" }, "2"), " yours to change"),
    html("span", {}, html("b", {}, "6"), " value"), html("span", {}, html("b", { class: "al-key-gradient" }, "4"), " gradient"));

  function paint() {
    direction.choose(get("look").direction);
    set(own, { "aria-pressed": String(get("look").own), hidden: !get("scene").nodes.some((/** @type {any} */ node) => node.cells) });
  }

  return { places: { menu: get("still") === "page" ? [root] : [root, own, direction.root] }, on: { "look scene": paint }, paint };
}
