// @ts-check
/** The parts that show a recording: the graph with its numbers, and the selected step. */

import { makeDetail } from "./detail.js";
import { html, write } from "./dom.js";
import { makeGraph } from "./graph.js";
import { readingsAt } from "./moment.js";

/** @param {import("./explorer.js").View} view */
export function makeGraphPart(view) {
  const { get, send } = view;
  const title = html("h2", { class: "al-function" });
  const spoken = html("div", { class: "al-hidden", "aria-live": "polite" });
  const toggle = (/** @type {boolean} */ open, /** @type {number} */ id) => send({ do: open ? "open" : "close", id });
  const graph = makeGraph((id) => send({ do: "select", id }), toggle);
  graph.root.classList.add("al-main"); // the graphs of higher orders count their steps for themselves
  const of = html("span", { class: "al-own" });
  const size = html("span", { class: "al-caption" });
  graph.head.append(of, size);
  view.root.addEventListener("al-reach", () => graph.reveal([get("selected")]));

  function paint() {
    write(title, get("scene").title);
    graph.update(get("scene"), readingsAt(get("scene"), get("readings").nodes, get("plan"), get("frame")), view.colors);
    graph.choose(get("selected"));
    graph.light(get("frame"));
    colour();
    const [{ name, count }, ...others] = get("orders").graphs;
    write(of, name);
    write(size, others.length ? `order 0 \u00b7 ${count === 1 ? "1 step" : `${count} steps`}` : "");
    graph.head.hidden = !others.length;
  }

  function colour() {
    graph.colour(get, view.colors);
  }

  function moved() {
    paint();
    graph.mark(get("changed"));
  }

  function outputs() {
    const { nodes } = get("scene");
    return nodes.filter((/** @type {any} */ n) => n.output).map((/** @type {any} */ n) => get("readings").nodes[n.id].spoken).join("; ");
  }

  return {
    places: { header: [title], middle: [graph.root], end: [spoken] },
    on: { readings: moved, "flow health found path": colour, "plan frame orders": paint, detail: () => graph.choose(get("selected")) },
    paint,
    linked: (/** @type {import("./link.js").State} */ state) => state === "idle" && write(spoken, get("frame").spoken ?? outputs()),
    enlarge: graph.zoom.enlarge,
    close: graph.close,
  };
}

/** @param {import("./explorer.js").View} view */
export function makeDetailPart(view) {
  const { get, send } = view;
  const detail = makeDetail((change) => send({ do: "look", ...get("look"), ...change }));
  const paint = () => detail.update(get("detail"), get("detail_buffers"), (get("readings").nodes[get("detail").id] ?? get("detail")).status, get("look"), view.colors);
  return { places: { side: [detail.root] }, on: { "detail detail_buffers look": paint }, paint };
}
