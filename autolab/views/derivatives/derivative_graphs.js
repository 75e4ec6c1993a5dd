// @ts-check
/** The graphs that compute a function and its derivatives, side by side. */

import { makeGraph } from "../graph/graph.js";
import { html, tellOrHide } from "../live/dom.js";

/**
 * The graphs, which are drawn and computed only while they are open.
 * @param {import("../graph/explorer.js").View} view
 */
export function makeGraphsPart(view) {
  const { get, send } = view;
  const panels = html("div.al-derivative-graphs");
  const notice = html("p.al-note", { role: "status" });
  const root = html("section.al-graphs", { "aria-label": get("words").curve_graphs, hidden: true }, notice, panels);
  /** @type {ReturnType<typeof makeGraph>[]} */
  let graphs = [];
  let sought = /** @type {number | null} */ (null);
  const choose = (/** @type {number | null} */ chosen) => send({ do: "turn", to: { chosen } });
  const toggle = (/** @type {boolean} */ open, /** @type {number} */ id) => send({ do: open ? "open" : "close", id });

  function close() {
    for (const graph of graphs.splice(0)) graph.close();
  }

  function paint() {
    const { order, chosen } = get("look");
    const scenes = get("scenes").slice(0, order + 1);
    const fresh = graphs.length !== scenes.length; // when drawn for the first time, the result is to be visible
    root.hidden = !get("graphs");
    if (fresh) {
      close();
      graphs = scenes.map(() => makeGraph(choose, toggle));
      panels.replaceChildren(...graphs.map((graph) => graph.root));
      panels.style.setProperty("--al-columns", String(graphs.length === 4 ? 2 : Math.min(graphs.length, 3)));
    }
    graphs.forEach((graph, k) => {
      graph.head.replaceChildren(html("span.al-own", get("curves").panels[k].name));
      graph.update(scenes[k], get("readings")[k], view.colors);
      if (fresh) graph.revealOutputs();
      graph.choose(chosen); // opening a group draws new boxes
    });
    if (graphs.length && chosen !== null && (fresh || chosen !== sought))
      panels.querySelector(".al-selected")?.scrollIntoView({ block: "nearest" });
    sought = chosen;
    tellOrHide(notice, get("notice"));
  }

  return { places: { below: [root] }, on: { "graphs scenes readings look notice": paint }, paint, close };
}
