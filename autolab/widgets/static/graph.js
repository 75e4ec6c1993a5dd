// @ts-check
/** The graph as SVG: boxes with value and gradient. The scene says where everything stands; here it is only drawn. */

import { html, set, svg, write } from "./dom.js";
import { walk } from "./walk.js";
import { makeZoom } from "./zoom.js";

/** @typedef {{id: number, kind: string, output: boolean, x: number, y: number, w: number, h: number, name: string | null, text: string, symbol: string, cells: boolean}} SceneNode */
/** @typedef {{key: string, description: string, width: number, height: number, nodes: SceneNode[], edges: {from: number, to: number, path: string}[]}} Scene */
/** @typedef {{value: string, grad: string | null, status: string, absent: string, value_cells: any, grad_cells: any, value_scale: number, grad_scale: number, spoken: string}} Reading */

const [HEADER, CAPTION, NUMBER, PADDING, GAP] = [36, 16, 26, 12, 16]; // as in display/scene.py
const STRIP = { width: 96, height: 42 };
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

  /** @param {Scene} next */
  function draw(next) {
    scene = next;
    nodes = new Map(next.nodes.map((node) => [node.id, makeNode(node)]));
    edges = next.edges.map(({ from, to, path }) => ({ from, to, element: svg("path", { class: "al-edge", d: path }) }));
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
    root: html("div", { class: "al-graph" }, zoom.pane, zoom.tools),
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
    close() {
      clearTimeout(timer);
      zoom.close();
    },
  };
}

/** @param {SceneNode} node */
function makeNode(node) {
  const column = (node.w - 2 * PADDING - GAP) / 2;
  const element = svg("g", {
    class: `al-node al-${node.kind}${node.output ? " al-output" : ""}`, transform: `translate(${node.x} ${node.y})`,
    role: "button", tabindex: -1, "data-id": node.id,
  },
  svg("rect", { class: "al-halo", width: node.w, height: node.h, rx: 9 }),
  svg("rect", { class: "al-card", width: node.w, height: node.h, rx: 9 }),
  heading(node),
  svg("text", { class: "al-symbol", x: node.w - PADDING, y: 24 }, node.symbol));
  const bare = node.h < HEADER + CAPTION;
  const value = makeReading("value", PADDING, column, node.cells);
  const grad = makeReading("gradient", PADDING + column + GAP, column, node.cells);
  if (!bare) element.append(value.element, grad.element);

  /** @type {Reading | null} */
  let shown = null;
  /** @type {any} */
  let painted = null;
  return {
    element,
    /** @param {Reading} reading @param {import("./colors.js").ColorMap} colors */
    update(reading, colors) {
      if (painted === colors && JSON.stringify(shown) === JSON.stringify(reading)) return;
      [shown, painted] = [reading, colors];
      set(element, { "aria-label": reading.spoken });
      if (bare) return;
      value.update(reading.value, reading.value_cells, reading.value_scale, colors);
      grad.update(reading.grad ?? reading.absent ?? "none", reading.grad_cells, reading.grad_scale, colors);
      grad.element.classList.toggle("al-absent", reading.grad === null);
    },
  };
}

/** @param {SceneNode} node */
function heading({ name, text }) {
  const line = svg("text", { class: "al-heading", x: PADDING, y: 24 });
  if (name) line.append(svg("tspan", { class: "al-own" }, name));
  if (name && name !== text) line.append(svg("tspan", { class: "al-equals" }, " = "));
  if (name !== text) line.append(svg("tspan", {}, text));
  return line;
}

/**
 * One column of a box: its caption, and below it a number or a strip of cells.
 * @param {string} caption
 * @param {number} x
 * @param {number} width
 * @param {boolean} cells
 */
function makeReading(caption, x, width, cells) {
  const number = svg("text", { class: "al-number", y: HEADER + CAPTION + NUMBER - 7 });
  const strip = svg("g", { class: "al-cells", transform: `translate(0 ${HEADER + CAPTION})` });
  const element = svg("g", { class: `al-reading al-${caption}`, transform: `translate(${x} 0)` },
    svg("text", { class: "al-caption", y: HEADER + 11 }, caption), number, strip);
  let size = "";

  /** @param {(number | null)[][]} rows */
  function build(rows) {
    const [w, h] = [STRIP.width / rows[0].length, STRIP.height / rows.length];
    strip.replaceChildren(...rows.flatMap((row, i) => row.map((_, j) =>
      svg("rect", { x: j * w, y: i * h, width: w, height: h, rx: Math.min(2, w / 4) }))));
  }

  return {
    element,
    /** @param {string} text @param {(number | null)[][] | null} rows @param {number} scale @param {import("./colors.js").ColorMap} colors */
    update(text, rows, scale, colors) {
      write(number, rows ? "" : text);
      if (!rows?.length || !cells) return strip.replaceChildren(), void (size = "");
      if (size !== (size = `${rows.length} ${rows[0].length}`)) build(rows);
      rows.flat().forEach((v, k) => {
        set(strip.children[k], v === null ? { class: "al-missing", fill: null } : { class: null, fill: colors.css(scale ? v / scale : 0) });
      });
    },
  };
}
