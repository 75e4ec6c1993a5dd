// @ts-check
/** The graph as SVG: boxes with value and gradient. The scene says where everything stands; here it is only drawn. */

import { html, set, svg } from "./dom.js";
import { makeNode } from "./node.js";
import { walk } from "./walk.js";
import { makeZoom } from "./zoom.js";

/** @typedef {{id: number, kind: string, output: boolean, x: number, y: number, w: number, h: number, name: string | null, text: string, symbol: string, cells: boolean}} SceneNode */
/** @typedef {{key: string, description: string, width: number, height: number, nodes: SceneNode[], edges: {from: number, to: number, path: string}[]}} Scene */
/** @typedef {{value: string | null, grad: string | null, status: string, value_cells: any, grad_cells: any, value_scale: number, grad_scale: number, spoken: string, pending?: boolean, value_note?: string, grad_note?: string, shares?: string}} Reading */

const MARKED_FOR = 700; // milliseconds

/** @param {(id: number) => void} select */
export function makeGraph(select) {
  const picture = svg("svg", { class: "al-picture", role: "group", onkeydown: pressed });
  const zoom = makeZoom(picture);
  /** @type {Map<number, ReturnType<typeof makeNode>>} */
  let nodes = new Map();
  /** @type {{from: number, to: number, element: Element}[]} */
  let edges = [];
  /** @type {Scene} */
  let scene;
  /** @type {number | null} */
  let reachable = null; // the one box that the Tab key reaches
  let timer = 0;
  /** @type {number | undefined} */
  let moment; // the step of the walk that is lit

  /** @param {Scene} next */
  function draw(next) {
    scene = next;
    nodes = new Map(next.nodes.map((node) => [node.id, makeNode(node)]));
    edges = next.edges.map(({ from, to, path }) => ({ from, to, element: makeEdge(path) }));
    for (const [id, node] of nodes) set(node.element, { onclick: () => select(id), onfocus: () => reach(id) });
    set(picture, { "aria-label": next.description, viewBox: `0 0 ${next.width} ${next.height}` });
    picture.replaceChildren(...edges.map((e) => e.element), ...[...nodes.values()].map((n) => n.element));
    zoom.resize(next.width, next.height);
  }

  /** @param {number} id */
  function reach(id) {
    if (reachable !== null) set(nodes.get(reachable)?.element ?? picture, { tabindex: nodes.has(reachable) ? -1 : null });
    reachable = id;
    set(/** @type {any} */ (nodes.get(id)).element, { tabindex: 0 });
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    const target = [...nodes].find(([, node]) => node.element === event.target);
    if (!target) return;
    if (event.key === "Enter" || event.key === " ") select(target[0]);
    else {
      const next = walk(scene, target[0], event.key);
      if (next === undefined) return;
      nodes.get(next)?.element.focus();
    }
    event.preventDefault();
    event.stopPropagation(); // Enter and the arrows are the notebook's keys too
  }

  /** @param {number[]} changed */
  function mark(changed) {
    clearTimeout(timer);
    for (const [id, node] of nodes) node.element.classList.toggle("al-changed", changed.includes(id));
    if (changed.length) timer = setTimeout(mark, MARKED_FOR, []);
  }

  return {
    root: html("div", { class: "al-graph" }, ...zoom.parts, zoom.tools),
    zoom,
    mark,
    /**
     * @param {Scene} next
     * @param {Record<string, Reading>} readings
     * @param {import("./colors.js").ColorMap} colors
     */
    update(next, readings, colors) {
      if (scene?.key !== next.key) draw(next);
      for (const [id, node] of nodes) node.update(readings[id], colors);
    },
    /** @param {number | null} id */
    choose(id) {
      for (const [other, node] of nodes) {
        node.element.classList.toggle("al-selected", other === id);
        set(node.element, { "aria-pressed": String(other === id) });
      }
      for (const edge of edges) edge.element.classList.toggle("al-near", edge.from === id || edge.to === id);
      if (id !== null && nodes.has(id) && !picture.contains(document.activeElement)) reach(id);
    },
    /** What a step of the walk is about; everything is equal where it is empty. @param {any} frame */
    light({ k, nodes: shown = [], edge: one, backward }) {
      for (const [id, node] of nodes) node.element.classList.toggle("al-active", shown.includes(id));
      let nth = 0;
      for (const { from, to, element } of edges) {
        const same = one && from === one.from && to === one.to;
        const back = same && nth++ === one.nth;
        element.classList.toggle("al-back", Boolean(back));
        element.classList.toggle("al-forth", !one && !backward && shown.includes(to));
      }
      if (k !== moment) zoom.reveal(shown.map((/** @type {number} */ id) => nodes.get(id)?.element).filter(Boolean));
      moment = k;
    },
    close() {
      clearTimeout(timer);
      zoom.close();
    },
  };
}

/** A line with a head where it arrives, from above, and one for the way back. @param {string} path */
function makeEdge(path) {
  const line = svg("path", { d: path });
  const head = (/** @type {DOMPoint} */ { x, y }, /** @type {string} */ kind, /** @type {number} */ way) =>
    svg("path", { class: `al-head ${kind}`, d: `M-4.5 ${-9 * way}h9l-4.5 ${9 * way}z`, transform: `translate(${x} ${y})` });
  return svg("g", { class: "al-edge" }, line, head(line.getPointAtLength(line.getTotalLength()), "al-to", 1), head(line.getPointAtLength(0), "al-from", -1));
}
