// @ts-check
/**
 * The part for higher orders: the order, the input to differentiate by, and the graphs of the derivatives side by side.
 */

import { makeGraph } from "../graph/graph.js";
import { button, captioned, html, makeRadios, options, set, tellOrHide, write } from "../live/dom.js";
import { makeTerms, termsOf } from "./terms.js";

const FIRST_ORDERS = 3; // orders that are offered initially

/** @param {import("../graph/explorer.js").View} view */
export function makeOrdersPart(view) {
  const { get, send, root } = view;
  /** @param {string} setting @param {string | number} value */
  function choose(setting, value) {
    const high = panels.closest(".al-middle")?.clientHeight;
    if (high) root.style.setProperty("--al-held", `${high}px`); // what stands below keeps its place
    send({ do: "choose", setting, value });
  }
  const by = html("select.al-choice", {
    "aria-label": "Differentiate by",
    onchange: () => choose("wrt", by.value),
  });
  const byWords = html("label.al-by", "by ", by);
  const choices = makeRadios(
    Array.from({ length: get("orders").most + 1 }, (_, order) => [String(order), () => choose("order", order)]),
    (order) => `Order ${order}`,
  );
  const [first, further] = [html("div.al-segments"), html("div.al-segments")];
  const control = captioned({ role: "radiogroup", "aria-label": "Order of differentiation" }, "Order", first, byWords);
  const others = captioned({ role: "radiogroup", "aria-label": "Higher orders" }, "Order", further);
  const note = html("p.al-note.al-order-note");
  const panels = html("div.al-higher");
  /** @type {{root: HTMLElement, graph: ReturnType<typeof makeGraph>, name: Element, count: Element}[]} */
  let graphs = [];
  /** @type {Map<string, string>} */
  let owners = new Map(); // from a step to the step whose rule made it
  let inputs = "";
  const terms = makeTerms(view);
  let computed = false; // whether the user wants to see every step
  const asComputed = button(
    "As computed",
    () => {
      computed = !computed;
      paint();
    },
    { "aria-pressed": "false" },
  );
  control.append(asComputed);

  function paint() {
    const { order, most, wrt, inputs: all, graphs: facts, note: words } = get("orders");
    const able = most ? all : []; // the inputs to differentiate by
    [...control.children].forEach((part) => part !== asComputed && (part.hidden = get("still")));
    others.hidden = get("still") || !able.length;
    control.hidden = !able.length;
    const count = Math.max(FIRST_ORDERS, order + 1); // the others are in the menu
    if (first.childElementCount !== count)
      [first, further].forEach((part, k) =>
        part.replaceChildren(...(k ? choices.slice(count) : choices.slice(0, count))),
      );
    choices.forEach((choice, k) => (choice.checked = k === order));
    if (inputs !== (inputs = JSON.stringify(able))) {
      by.replaceChildren(...options(able.map((/** @type {any} */ { name, label }) => [name, label])));
    }
    by.value = wrt ?? able[0]?.name;
    byWords.hidden = able.length < 2 || !order;
    tellOrHide(note, words);
    asComputed.hidden = !termsOf(get).panels.length;
    set(asComputed, { "aria-pressed": String(computed) });
    root.classList.toggle("al-many", facts.length > 1);
    root.classList.toggle("al-by-terms", !computed && !asComputed.hidden);
    terms.paint();
    root.dispatchEvent(new Event("al-line")); // update the sentence
    root.style.setProperty("--al-columns", String(facts.length === 4 ? 2 : Math.min(facts.length, 3)));
    paintGraphs(facts.slice(1));
  }

  /** @param {any[]} facts */
  function paintGraphs(facts) {
    const scenes = get("order_scenes");
    while (graphs.length > facts.length) graphs.pop()?.graph.close();
    while (graphs.length < facts.length) graphs.push(makePanel(view));
    if (panels.childElementCount !== graphs.length) panels.replaceChildren(...graphs.map((panel) => panel.root));
    graphs.forEach(({ graph, name, count }, k) => {
      write(name, facts[k].name);
      write(count, `order ${k + 1} \u00b7 ${facts[k].count === 1 ? "1 step" : `${facts[k].count} steps`}`);
      graph.update(scenes[k], get("order_readings")[k].nodes, view.colors);
      graph.choose(get("selected"));
    });
    owners = new Map(
      scenes
        .flatMap((/** @type {any} */ scene) => scene.nodes)
        .filter((/** @type {any} */ n) => (n.of ?? null) !== null)
        .map((/** @type {any} */ n) => [String(n.id), String(n.of)]),
    );
  }

  /** Mark the steps related to the one that is pointed at or focused, in all graphs. @param {Event} event */
  function relate(event) {
    if (!owners.size) return;
    const node = event.type === "pointerleave" ? null : /** @type {Element} */ (event.target).closest(".al-node");
    const id = node?.getAttribute("data-id") ?? "";
    const of = owners.get(id);
    for (const other of root.querySelectorAll(".al-node")) {
      const its = other.getAttribute("data-id") ?? "";
      const same = its === id && other !== node;
      other.classList.toggle("al-related", node !== null && (same || its === of || owners.get(its) === id));
    }
  }

  for (const kind of ["pointerover", "pointerleave", "focusin"]) root.addEventListener(kind, relate);
  return {
    places: { header: [control], menu: [others], below: [note, terms.note], middle: [terms.root, panels] },
    on: {
      "orders order_readings terms curves": paint,
      detail: () => graphs.forEach(({ graph }) => graph.choose(get("selected"))),
    },
    paint,
    enlarge: (/** @type {number} */ factor) => graphs.forEach(({ graph }) => graph.zoom.enlarge(factor)),
    close() {
      terms.close();
      graphs.forEach(({ graph }) => graph.close());
    },
  };
}

/**
 * The questions about a derivative: its terms and its curves.
 * @param {any} _
 * @param {any} __
 * @param {{graphs: any[]}} program
 */
makeOrdersPart.asks = (_, __, { graphs }) => ({
  terms: graphs.length > 1 ? ["terms"] : null,
  curves: graphs.length > 1 ? ["curves"] : null,
});

/** @param {import("../graph/explorer.js").View} view */
function makePanel({ get, send }) {
  const graph = makeGraph(
    (id) => send({ do: "select", id }),
    (open, id) => send({ do: open ? "open" : "close", id }),
    () => graph.choose(get("selected")),
  );
  const name = html("span.al-own");
  const count = html("span.al-caption");
  graph.head.append(name, count);
  return { root: graph.root, graph, name, count };
}
