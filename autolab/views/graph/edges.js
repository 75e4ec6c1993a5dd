// @ts-check
/**
 * Lines between boxes, along which the arrow keys move, and the frames of open groups. In a large graph, only what is
 * near the visible part is drawn.
 */

import { set, svg, write } from "../live/dom.js";

/**
 * @typedef {{id: number, kind: string, output: boolean, x: number, y: number, w: number, h: number, name: string |
 *   null, text: string, symbol: string, cells: boolean, numbered: boolean, strip_width: number,
 *   strip_height: number, parent: number | null, group: {kind: string, count: string,
 *   first: number, last: number, result: number | null} | null, order?: number | null, of?: number | null, device?:
 *   string, plan: string | null, plate?: string, shape: number[] | null}} SceneNode
 */
/**
 * @typedef {{key: string, title: string, description: string, direction: "down" | "right", width: number, height:
 *   number, nodes: SceneNode[], frames: SceneFrame[], edges: {from: number, to: number, path: string, transfer?: string
 *   | null}[], better: Places[], instead: Places[]}} Scene
 */
/**
 * What is different in a scene that is drawn in another way: for each box, frame and line, by field.
 * @typedef {{nodes: Record<string, any[]>, frames: Record<string, any[]>, edges: Record<string, any[]>} &
 *   Pick<Scene, "direction" | "width" | "height">} Places
 */

/**
 * A line with an arrowhead at its end, and one for the way back.
 * @param {string} path
 * @param {string | null | undefined} transfer the devices, if the value is copied
 * @param {() => void} choose
 * @param {number} nth index among the lines between two boxes
 * @param {() => boolean} several whether there are more of them: the label of the first is then before it, those of the
 *   others after them
 */
export function makeEdge(path, transfer, choose, nth, several) {
  const element = svg("g", { class: transfer ? "al-edge al-transfer" : "al-edge", onclick: choose });
  const label = svg("text.al-edge-label");
  return {
    element,
    path,
    extent: extentOf(path),
    show: drawnIn(element, () => [...makeLine(path, transfer), ...(label.textContent ? [label] : [])]),
    /** Write the share that comes along the line at its middle. @param {string} text */
    tell(text) {
      write(label, text);
      if (!text) return label.remove();
      if (element.hasChildNodes()) element.append(label);
      const line = svg("path", { d: path });
      const { x, y } = line.getPointAtLength(line.getTotalLength() / 2);
      const half = 5 * text.length; // its width
      const aside = nth ? 8 + (2 * nth - 1) * half : -8 - half;
      set(label, { x: several() ? x + aside : x, y: y + 5 });
    },
  };
}

/**
 * Lines end straight down, or straight to the right, and so do their arrowheads.
 * @param {string} path
 * @param {string | null} [transfer]
 */
function makeLine(path, transfer) {
  const [, x0, y0] = /** @type {string[]} */ (path.match(/^M([-\d.]+) ([-\d.]+)/));
  const [, x, y, command, last] = /** @type {string[]} */ (path.match(/([-\d.]+) ([-\d.]+)([VH])([-\d.]+)$/));
  const [tip, turn] = command === "V" ? [`${x} ${last}`, ""] : [`${last} ${y}`, " rotate(-90)"];
  const head = (/** @type {string} */ place, /** @type {string} */ kind, /** @type {number} */ way) =>
    svg("path", {
      class: `al-head ${kind}`,
      d: `M-4.5 ${-9 * way}h9l-4.5 ${9 * way}z`,
      transform: `translate(${place})${turn}`,
    });
  return [
    svg("path", { d: path }, transfer && svg("title", transfer)),
    svg("path.al-wide", { d: path }),
    head(tip, "al-to", 1),
    head(`${x0} ${y0}`, "al-from", -1),
  ];
}

// Moving through the graph with the arrow keys, as it is drawn: against the lines to an operand, along them to a use,
// or across within a row.

/**
 * The node that an arrow key reaches, if any.
 * @param {Scene} scene
 * @param {number} id
 * @param {string} key
 * @returns {number | undefined}
 */
export function walk({ nodes, frames, edges, direction }, id, key) {
  const byId = new Map([...frames, ...nodes].map((node) => [node.id, node]));
  const here = /** @type {any} */ (byId.get(id));
  const isRight = direction === "right";
  const [back, forth, before, after] = isRight
    ? ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]
    : ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];
  const [across, wide, along, long] = isRight ? ["y", "h", "x", "w"] : ["x", "w", "y", "h"];
  const middle = (/** @type {any} */ node) => node[across] + node[wide] / 2;
  const distance = (/** @type {number} */ other) => Math.abs(middle(byId.get(other)) - middle(here));
  const nearest = (/** @type {number[]} */ ids) => ids.sort((a, b) => distance(a) - distance(b))[0];

  if (frames.some((frame) => frame.id === id)) {
    if (key === back) return here.parent ?? undefined;
    return key === forth ? [...frames, ...nodes].find((n) => n.parent === id)?.id : undefined;
  }
  if (key === back) return nearest(edges.filter((e) => e.to === id).map((e) => e.from));
  if (key === forth) return nearest(edges.filter((e) => e.from === id).map((e) => e.to));
  const side = { [before]: -1, [after]: 1 }[key];
  if (!side) return undefined;
  const beside = nodes.filter(
    (/** @type {any} */ n) =>
      n[along] < here[along] + here[long] && here[along] < n[along] + n[long] && side * (middle(n) - middle(here)) > 0,
  );
  return nearest(beside.map((n) => n.id));
}

// Groups of steps: a frame around the boxes of an open one, and the sign on a closed one. The sizes are those of
// views/graph/scene.py.

const TAB = { corner: 12, character: 8.5, padding: 8, toggle: 20 };

/**
 * @typedef {{id: number, parent: number | null, kind: string, name: string, text: string, count: string, depth: number,
 *   x: number, y: number, w: number, h: number}} SceneFrame
 */

/**
 * The frame, which is below the lines, and its label, which is above them. The label is empty until it is visible.
 * @param {SceneFrame} frame
 * @param {() => void} close
 */
export function makeFrame({ id, text, count, depth, x, y, w, h }, close) {
  const shade = `al-depth${depth % 2}`;
  const back = svg("rect", { class: `al-group ${shade}`, x, y, width: w, height: h, rx: TAB.corner });
  const size = { width: TAB.character * text.length + TAB.toggle + 2 * TAB.padding, height: 20, rx: 5 };
  const tab = svg("g", {
    class: `al-tab ${shade}`,
    transform: `translate(${x + 6} ${y + 6})`,
    role: "button",
    tabindex: -1,
    "data-id": id,
    "aria-expanded": "true",
    "aria-label": `${text}, ${count}`,
    onclick: close,
  });
  const makeLabel = () => [
    svg("rect", size),
    sign(TAB.padding - 3, 2.5, true),
    svg("text", { x: TAB.padding + TAB.toggle - 3, y: 15 }, text),
    svg("title", `${text}, ${count}`),
  ];
  return {
    back,
    tab,
    extent: /** @type {Extent} */ ([x, y, x + 6 + size.width, y + 26]),
    show: drawnIn(tab, makeLabel),
  };
}

/** The sign in front of a closed group's heading. @param {(event: Event) => void} open @param {number} y */
export const makeToggle = (open, y) => set(sign(11, y, false), { onclick: open });

/** A small plus or minus in a square. @param {number} x @param {number} y @param {boolean} open */
function sign(x, y, open) {
  return svg(
    "g.al-toggle",
    { transform: `translate(${x} ${y})` },
    svg("rect", { width: 15, height: 15, rx: 4 }),
    svg("path", { d: open ? "M4 7.5h7" : "M4 7.5h7M7.5 4v7" }),
  );
}

// Large graphs: what is far from the visible part is an empty element. It keeps its position, its name and the focus.

export const MANY = 100; // up to this many boxes, everything is drawn
const MARGIN = 0.75; // drawn around the pane, relative to its size, so that boxes are ready when scrolled to

/** @typedef {[left: number, top: number, right: number, bottom: number]} Extent */
/** @typedef {{extent: Extent, show: (near: boolean) => void}} Thing */

/**
 * Draw what is near the visible part, and empty what is not.
 * @param {Thing[]} things
 * @param {Extent} seen the visible part of the picture
 */
export function drawNear(things, [left, top, right, bottom]) {
  const [x, y] = [MARGIN * (right - left), MARGIN * (bottom - top)];
  for (const {
    extent: [l, t, r, b],
    show,
  } of things)
    show(r >= left - x && l <= right + x && b >= top - y && t <= bottom + y);
}

/**
 * The `show` of an element whose content is created when it becomes visible.
 * @param {Element} element
 * @param {() => Element[]} make
 * @returns {(near: boolean) => void}
 */
function drawnIn(element, make) {
  return (near) => {
    if (near !== element.hasChildNodes()) element.replaceChildren(...(near ? make() : []));
  };
}

/** The bounding box of a line, from the points of its path. @param {string} path @returns {Extent} */
function extentOf(path) {
  const [xs, ys] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])];
  for (const [, command, numbers] of path.matchAll(/([A-Z])([^A-Z]*)/g)) {
    const values = (numbers.match(/-?[\d.]+/g) ?? []).map(Number);
    values.forEach((value, k) => (command === "V" || (command !== "H" && k % 2) ? ys : xs).push(value));
  }
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}
