// @ts-check
/** Formulas: the nested lists of views/draw/typeset.py as MathML. */

import { html, maker } from "./dom.js";

/** @typedef {[string, ...any[]]} Tree */
/** @typedef {{text: string, tree: Tree}} Formula the text that is read aloud, and the formula */

const make = maker((tag) => document.createElementNS("http://www.w3.org/1998/Math/MathML", tag));
/** @type {Record<string, string>} */
const TAGS = {
  row: "mrow",
  frac: "mfrac",
  power: "msup",
  sub: "msub",
  root: "msqrt",
  name: "mi",
  num: "mn",
  op: "mo",
  text: "mtext",
};

/** @param {Tree} tree @returns {Element} */
function build([kind, ...parts]) {
  if (kind === "space") return make("mspace", { width: "0.17em" });
  if (kind === "mark") return make("mrow", { "data-term": parts[0] }, build(parts[1]));
  if (kind === "pairs")
    return make("mtable", ...[0, 1].map((k) => make("mtr", ...parts.map((pair) => make("mtd", build(pair[k]))))));
  return make(TAGS[kind], ...parts.map((part) => (typeof part === "string" ? part : build(part))));
}

/** @param {Formula} formula @param {string} kind its class */
export function math({ text, tree }, kind) {
  const pieces = tree[0] === "wrap" ? tree.slice(1) : [tree]; // a line may break between two of them
  return html(
    "div",
    { class: kind, role: "math", "aria-label": text },
    ...pieces.flatMap((piece) => [make("math", { "aria-hidden": "true" }, build(piece)), " "]),
  );
}
