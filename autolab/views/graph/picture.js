// @ts-check
/** The parts that show a recording: the graph with its numbers, and the selected step. */

import { html, write } from "../live/dom.js";
import { claim } from "../live/hand.js";
import { readingsAt } from "../steps/motion.js";
import { makeFree } from "./free.js";
import { makeGraph } from "./graph.js";
import { makeAct } from "./inputs.js";
import { asksSources, makePointing } from "./pointing.js";

/** @param {import("./explorer.js").View} view */
export function makeGraphPart(view) {
  const { get, send } = view;
  const title = html("h2.al-function");
  const spoken = html("div.al-hidden", { "aria-live": "polite" });
  const toggle = (/** @type {boolean} */ open, /** @type {number} */ id) => send({ do: open ? "open" : "close", id });
  const graph = makeGraph(select, toggle, paint);
  graph.root.classList.add("al-main"); // graphs of higher orders number their steps separately
  const free = makeFree(view, graph, makeAct(send));
  const pointing = makePointing(view, graph, spoken);
  const of = html("span.al-own");
  const size = html("span.al-caption");
  graph.head.append(of, size);
  view.root.addEventListener("al-reach", () => graph.reveal([get("selected")]));

  /** @param {number | null} id @param {import("./answer.js").Edge | null} [line] */
  function select(id, line = null) {
    view.line = line;
    send({ do: "select", id });
    view.root.dispatchEvent(new Event("al-line"));
  }

  function choose() {
    const { answer } = get("detail");
    graph.choose(get("selected"));
    graph.lightShares(answer?.comes ?? [], chosenLine(view));
  }

  view.root.addEventListener("al-line", choose);
  view.root.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || get("selected") === null) return;
    claim(event);
    select(null);
  });

  function paint() {
    write(title, get("scene").title);
    const [{ name, count }, ...others] = get("orders").graphs;
    const { moving } = get("plan"); // the meaning of tangents, in forward mode
    write(of, moving ? "" : name);
    write(size, moving || (others.length ? `order 0 \u00b7 ${count === 1 ? "1 step" : `${count} steps`}` : ""));
    graph.head.hidden = !others.length && !moving; // before the graph is fitted into the remaining space
    graph.update(
      get("scene"),
      readingsAt(get("scene"), get("readings").nodes, get("plan").words, get("frame")),
      view.colors,
      get("readings").scale,
      get("readings").bars,
    );
    free.paint();
    choose();
    graph.light(get("frame"));
    pointing.paint();
    colour();
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
    return nodes
      .filter((/** @type {any} */ n) => n.output)
      .map((/** @type {any} */ n) => get("readings").nodes[n.id].spoken)
      .join("; ");
  }

  return {
    places: { header: [title], middle: [graph.root], menu: [graph.zoom.tools], end: [spoken] },
    says: pointing.says,
    on: {
      readings: moved,
      "flow health found path": colour,
      "plan frame orders": paint,
      controls: free.paint,
      detail: choose,
      "sources look": pointing.paint,
    },
    paint,
    linked(/** @type {import("../live/link.js").State} */ state) {
      if (state !== "idle") return;
      if (!pointing.reads()) write(spoken, get("frame").spoken ?? outputs());
      free.paint();
    },
    enlarge: graph.zoom.enlarge,
    close() {
      free.close();
      graph.close();
    },
  };
}

makeGraphPart.asks = asksSources;

/**
 * The selected line, as long as the box whose gradient comes along it is selected.
 * @param {import("./explorer.js").View} view
 */
export function chosenLine({ get, line }) {
  return line && line.from === get("selected") ? line : null;
}
