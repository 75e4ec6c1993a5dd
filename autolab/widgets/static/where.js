// @ts-check
/** Where a gradient comes from: the graph of the function, and the backward that somebody wrote. */

import { html } from "./dom.js";
import { makeGraph } from "./graph.js";
import { toCell } from "./trios.js";

/** The graph; choosing an input in it chooses its worst element. @param {import("./explorer.js").View} view */
export function makeNodesPart(view) {
  const { get, send } = view;
  const graph = makeGraph((id) => {
    const key = get("inputs").indexOf(id);
    if (key >= 0) send(toCell(key));
  }, null);
  graph.root.classList.add("al-main");
  const root = html("section", { "aria-label": get("words").lens_where }, graph.root);

  function paint() {
    const scene = get("scene");
    root.hidden = !scene.nodes;
    if (root.hidden) return;
    graph.update(scene, get("readings").nodes, view.colors);
    graph.choose(get("selected"));
    const suspects = get("suspects");
    for (const node of root.querySelectorAll(".al-node")) node.classList.toggle("al-suspect", suspects.includes(Number(node.getAttribute("data-id"))));
  }

  return { places: { side: [root] }, on: { "scene readings selected suspects": paint }, paint, enlarge: graph.zoom.enlarge, close: graph.close };
}

/** The source of each backward that somebody wrote. @param {import("./explorer.js").View} view */
export function makeBackwardPart({ get }) {
  const root = html("div", { class: "al-backwards" });
  let written = "";

  /** @param {{title: string, file: string, first: number, lines: string[]}} code */
  function listing({ title, file, first, lines }) {
    return html("details", { class: "al-listing", open: true }, html("summary", { class: "al-caption" }, `${title} \u00b7 ${file}`),
      html("div", { class: "al-source", role: "group", "aria-label": title }, ...lines.map((line, i) =>
        html("div", { class: "al-source-line" }, html("span", { class: "al-line-number", "aria-hidden": "true" }, String(first + i)), html("code", {}, line)))));
  }

  function paint() {
    if (written === (written = JSON.stringify(get("backwards")))) return;
    root.replaceChildren(...get("backwards").map(listing));
    root.hidden = !get("backwards").length;
  }

  return { places: { side: [root] }, on: { backwards: paint }, paint };
}
