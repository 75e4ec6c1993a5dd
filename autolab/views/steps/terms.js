// @ts-check
/** The orders term by term: formula, graph and curve of each. views/steps/terms.py decides on all positions. */

import { makeAct } from "../graph/inputs.js";
import { makeControls } from "../live/controls.js";
import { html, set, svg, tellOrHide, write } from "../live/dom.js";
import { claim } from "../live/hand.js";
import { math } from "../live/mathml.js";
import { makeCurves } from "../live/plot.js";

/**
 * @typedef {{key: string, x: number, y: number, w: number, formula: import("../live/mathml.js").Formula, of: string[],
 *   said: string}} Box
 */
/**
 * @typedef {{order: number, formula: import("../live/mathml.js").Formula, width: number, height: number, boxes: Box[],
 *   edges: {from: string, to: string, path: string, x: number, y: number}[]}} Panel
 */

/** The orders term by term with their curves, as far as they are known. @param {(name: string) => any} get */
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
  const columns = html("div.al-terms-row", {
    onpointerover: point,
    onpointerleave: () => relate(null),
    onfocusin: point,
    onfocusout: () => relate(null),
    onkeydown: walkOn,
  });
  const controls = makeControls(act, { class: "al-controls", "aria-label": "Inputs" });
  const note = html("p.al-note");
  const root = html("section.al-terms", { "aria-label": "The orders, term by term" }, columns, controls.root);
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
        svg("path.al-term-edge", { d: path, "data-ends": `${from} ${to}` }),
        svg("path.al-term-head", { d: `M${x - 4} ${y}h8l-4 8z` }),
      ]),
    );
    const made = placed.map((box) => {
      const value = html("div.al-term-value");
      const element = html("div.al-term", { role: "img", tabindex: -1 }, math(box.formula, "al-term-math"), value);
      Object.assign(element.style, { left: `${box.x}px`, top: `${box.y}px`, width: `${box.w}px` });
      boxes.push({ box, order, element, value });
      return element;
    });
    const graph = html("div.al-term-graph", { role: "group", "aria-label": `Terms of order ${order}` }, lines, ...made);
    Object.assign(graph.style, { width: `${width}px`, height: `${height}px` });
    const column = html("section.al-order", math(formula, "al-order-formula"), html("div.al-term-pane", graph));
    column.style.setProperty("--al-wide", `${width}px`);
    return column;
  }

  function paint() {
    const { panels, values, curves: plots, moving, note: words } = termsOf(get);
    root.hidden = !panels.length;
    tellOrHide(note, words);
    if (root.hidden) return;
    const fresh = drawn !== (drawn = JSON.stringify(panels));
    if (fresh) {
      boxes = [];
      columns.replaceChildren(...panels.map(drawPanel));
      // the Tab key reaches one box of each graph
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
          plot.inert = Boolean(get("still")); // in a saved page, nothing would follow the point
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

  /**
   * The boxes related to a term (its origins and the terms made from it), or the same factor in all orders.
   * @param {string} key
   */
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

  /** Move from box to box with the arrow keys. @param {KeyboardEvent} event */
  function walkOn(event) {
    const here = boxes.findIndex(({ element }) => element === event.target);
    const way = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    const next = boxes[here + (way ?? 0)];
    if (here < 0 || !way || !next) return;
    claim(event);
    for (const { element, order } of boxes)
      if (order === next.order) set(element, { tabindex: element === next.element ? 0 : -1 });
    next.element.focus();
  }

  return { root, note, paint, close: curves.close };
}
