// @ts-check
/** The part that goes up in order: which order and by which input, and the graphs of the derivatives side by side. */

import { makeGraph } from "../graph/graph.js";
import { makeAct } from "../graph/inputs.js";
import { makeControls } from "../live/controls.js";
import { button, html, set, svg, write } from "../live/dom.js";
import { math } from "../live/mathml.js";
import { makeCurves } from "../live/plot.js";

const FIRST_ORDERS = 3; // that are offered at once

/** @param {import("../graph/explorer.js").View} view */
export function makeOrdersPart(view) {
  const { get, send, root } = view;
  const choose = (/** @type {string} */ setting, /** @type {string | number} */ value) =>
    send({ do: "choose", setting, value });
  const by = html("select", {
    class: "al-choice",
    "aria-label": "Differentiate by",
    onchange: () => choose("wrt", by.value),
  });
  const byWords = html("label", { class: "al-by" }, "by ", by);
  const group = `al-order-${Math.random()}`; // of this view alone
  /** @type {HTMLInputElement[]} */
  const choices = Array.from({ length: get("orders").most + 1 }, (_, order) =>
    html("input", {
      type: "radio",
      class: "al-button",
      name: group,
      "data-text": order,
      "aria-label": `Order ${order}`,
      onchange: () => choose("order", order),
    }),
  );
  const [first, further] = [html("div", { class: "al-segments" }), html("div", { class: "al-segments" })];
  const control = html(
    "div",
    { class: "al-order-control", role: "radiogroup", "aria-label": "Order of differentiation" },
    html("span", { class: "al-caption" }, "Order"),
    first,
    byWords,
  );
  const others = html(
    "div",
    { class: "al-order-control", role: "radiogroup", "aria-label": "Higher orders" },
    html("span", { class: "al-caption" }, "Order"),
    further,
  );
  const note = html("p", { class: "al-note al-order-note" });
  const panels = html("div", { class: "al-higher" });
  /** @type {{root: HTMLElement, graph: ReturnType<typeof makeGraph>, name: Element, count: Element}[]} */
  let graphs = [];
  /** @type {Map<string, string>} */
  let owners = new Map(); // from a step to the one whose rule made it
  let inputs = "";
  const terms = makeTerms(view);
  let computed = false; // whether somebody wants to see every step
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
    const able = most ? all : []; // by which one can differentiate
    [...control.children].forEach((part) => part !== asComputed && (part.hidden = get("still")));
    others.hidden = get("still") || !able.length;
    control.hidden = !able.length;
    const count = Math.max(FIRST_ORDERS, order + 1); // the others stand in the menu
    if (first.childElementCount !== count)
      [first, further].forEach((part, k) =>
        part.replaceChildren(...(k ? choices.slice(count) : choices.slice(0, count))),
      );
    choices.forEach((choice, k) => (choice.checked = k === order));
    if (inputs !== (inputs = JSON.stringify(able))) {
      by.replaceChildren(...able.map((/** @type {any} */ input) => html("option", { value: input.name }, input.label)));
    }
    by.value = wrt ?? able[0]?.name;
    byWords.hidden = able.length < 2 || !order;
    write(note, words);
    note.hidden = !words;
    asComputed.hidden = !termsOf(get).panels.length;
    set(asComputed, { "aria-pressed": String(computed) });
    root.classList.toggle("al-many", facts.length > 1);
    root.classList.toggle("al-by-terms", !computed && !asComputed.hidden);
    terms.paint();
    root.dispatchEvent(new Event("al-line")); // the sentence is about what is shown
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
        .filter((/** @type {any} */ n) => n.of !== null)
        .map((/** @type {any} */ n) => [String(n.id), String(n.of)]),
    );
  }

  /** Mark the steps that belong to the one under the pointer, or with the focus, in all graphs. @param {Event} event */
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
 * Of a derivative, its terms and its curves are asked for.
 * @param {any} _
 * @param {any} __
 * @param {{graphs: any[]}} program
 */
makeOrdersPart.asks = (_, __, { graphs }) => ({
  terms: graphs.length > 1 ? ["terms"] : null,
  curves: graphs.length > 1 ? ["curves"] : null,
});

/** @param {import("../graph/explorer.js").View} view */
function makePanel({ send }) {
  const graph = makeGraph(
    (id) => send({ do: "select", id }),
    (open, id) => send({ do: open ? "open" : "close", id }),
  );
  const name = html("span", { class: "al-own" });
  const count = html("span", { class: "al-caption" });
  graph.head.append(name, count);
  return { root: graph.root, graph, name, count };
}

// The orders term by term: formula, graph and curve of each. Everything is placed by views/steps/terms.py.

/**
 * @typedef {{key: string, x: number, y: number, w: number, formula: import("../live/mathml.js").Formula, of: string[],
 *   said: string}} Box
 */
/**
 * @typedef {{order: number, formula: import("../live/mathml.js").Formula, width: number, height: number, boxes: Box[],
 *   edges: {from: string, to: string, path: string, x: number, y: number}[]}} Panel
 */

/** The orders term by term, and their curves, as far as they are known. @param {(name: string) => any} get */
export function termsOf(get) {
  const [terms, curves] = [get("terms"), get("curves")];
  return {
    panels: terms?.panels ?? [],
    values: terms?.values ?? [],
    note: terms?.note ?? "",
    curves: curves?.panels ?? [],
    moving: curves?.moving,
    along: curves?.along,
    rest: get("plan").words[curves ? "orders_point" : "orders_rest"],
  };
}

/** @param {import("../graph/explorer.js").View} view */
export function makeTerms(view) {
  const { get, send } = view;
  const act = makeAct(send);
  const columns = html("div", {
    class: "al-terms-row",
    onpointerover: point,
    onpointerleave: () => relate(null),
    onfocusin: point,
    onfocusout: () => relate(null),
    onkeydown: walkOn,
  });
  const controls = makeControls(act, { class: "al-controls", "aria-label": "Inputs" });
  const note = html("p", { class: "al-note" });
  const root = html("section", { class: "al-terms", "aria-label": "The orders, term by term" }, columns, controls.root);
  const along = () => get("controls").find((/** @type {any} */ control) => control.key === termsOf(get).along);
  const curves = makeCurves(along, (value, final) => act.move(along(), null, value, final));
  /** @type {{box: Box, order: number, element: HTMLElement, value: HTMLElement}[]} */
  let boxes = [];
  let drawn = "";
  let plotted = "";

  /** @param {Panel} panel */
  function drawPanel({ order, formula, width, height, boxes: placed, edges }) {
    const lines = svg(
      "svg",
      { width, height, "aria-hidden": "true" },
      ...edges.flatMap(({ from, to, path, x, y }) => [
        svg("path", { class: "al-term-edge", d: path, "data-ends": `${from} ${to}` }),
        svg("path", { class: "al-term-head", d: `M${x - 4} ${y}h8l-4 8z` }),
      ]),
    );
    const made = placed.map((box) => {
      const value = html("div", { class: "al-term-value" });
      const element = html(
        "div",
        { class: "al-term", role: "img", tabindex: -1 },
        math(box.formula, "al-term-math"),
        value,
      );
      Object.assign(element.style, { left: `${box.x}px`, top: `${box.y}px`, width: `${box.w}px` });
      boxes.push({ box, order, element, value });
      return element;
    });
    const graph = html(
      "div",
      { class: "al-term-graph", role: "group", "aria-label": `Terms of order ${order}` },
      lines,
      ...made,
    );
    Object.assign(graph.style, { width: `${width}px`, height: `${height}px` });
    const column = html(
      "section",
      { class: "al-order" },
      math(formula, "al-order-formula"),
      html("div", { class: "al-term-pane" }, graph),
    );
    column.style.setProperty("--al-wide", `${width}px`);
    return column;
  }

  function paint() {
    const { panels, values, curves: plots, moving, note: words } = termsOf(get);
    root.hidden = !panels.length;
    write(note, words);
    note.hidden = !words;
    if (root.hidden) return;
    const fresh = drawn !== (drawn = JSON.stringify(panels));
    if (fresh) {
      boxes = [];
      columns.replaceChildren(...panels.map(drawPanel));
      // one of each graph
      boxes.forEach(({ element, order }, k) => order !== boxes[k - 1]?.order && set(element, { tabindex: 0 }));
    }
    for (const { box, order, element, value } of boxes) {
      write(value, values[order][box.key]);
      set(element, { "aria-label": `${box.formula.text} is ${values[order][box.key]}. ${box.said}` });
    }
    if (plotted !== (plotted = JSON.stringify(plots)) || fresh) {
      for (const old of columns.querySelectorAll(".al-figure")) old.remove();
      if (plots.length) curves.draw(plots);
      curves
        .roots()
        .slice(0, plots.length)
        .forEach((plot, k) => {
          plot.inert = Boolean(get("still")); // in a saved page nothing would follow the point
          columns.children[k].append(plot);
        });
    }
    if (plots.length) curves.move(moving);
    controls.update(
      (get("still") ? [] : get("controls")).filter(
        (/** @type {any} */ c) => c.kind !== "fixed" && !c.upstream && c.key !== termsOf(get).along,
      ),
      view.colors,
    );
  }

  /** @param {Event} event */
  function point(event) {
    const target = /** @type {Element} */ (event.target);
    const mark = target.closest("[data-term]")?.getAttribute("data-term");
    relate(boxes.find(({ box, element }) => element.contains(target) || box.key === mark) ?? null);
  }

  /** A term with what it came from and what became of it; the same factor in all orders. @param {string} key */
  function family(key) {
    const [before, after] = [new Set([key]), new Set([key])];
    for (const { box } of [...boxes].reverse()) if (before.has(box.key)) for (const other of box.of) before.add(other);
    for (const { box } of boxes) if (box.of.some((other) => after.has(other))) after.add(box.key);
    return new Set([...before, ...after]);
  }

  /** @param {typeof boxes[0] | null} one */
  function relate(one) {
    const keys = one ? family(one.box.key) : new Set();
    for (const { box, element } of boxes)
      element.classList.toggle("al-related", keys.has(box.key) && (box.key !== "y" || element === one?.element));
    for (const term of columns.querySelectorAll("[data-term]"))
      term.classList.toggle("al-related", keys.has(term.getAttribute("data-term") ?? ""));
    const hand = one?.box.said ?? "";
    if (hand === view.hand) return;
    view.hand = hand;
    view.root.dispatchEvent(new Event("al-line"));
  }

  /** The arrow keys lead from box to box. @param {KeyboardEvent} event */
  function walkOn(event) {
    const here = boxes.findIndex(({ element }) => element === event.target);
    const way = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    const next = boxes[here + (way ?? 0)];
    if (here < 0 || !way || !next) return;
    event.preventDefault();
    event.stopPropagation();
    for (const { element, order } of boxes)
      if (order === next.order) set(element, { tabindex: element === next.element ? 0 : -1 });
    next.element.focus();
  }

  return { root, note, paint, close: curves.close };
}
