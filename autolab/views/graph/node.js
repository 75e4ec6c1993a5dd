// @ts-check
/**
 * One box of the graph: its heading, its value and its gradient. The sizes are those of views/graph/scene.py and
 * graph_svg.py.
 */

import { set, short, svg, write } from "../live/dom.js";
import { TOP } from "./box_sizes.js";
import { makeColumn } from "./column.js";
import { makeToggle } from "./edges.js";

export const LEAVES = ["input", "leaf", "constant"]; // kinds of boxes whose values were not computed

const [PADDING, GAP, INDENT, FOOTER] = [12, 16, 34, 20];
const PLAN = { heading: 18, words: 33, bars: 39, high: 4 }; // baselines in a small box, among blocks
const BELOW = 4; // keeps a plate on the lower edge off the content and off the track of the number
const NUMBER = 76; // width of the column of a number

const STATIONS = ["born", "because", "values", "gradients"]; // on the path of the first NaN
const OWN = new Set(["al-tinted", "al-found", "al-on-path", ...STATIONS.map((key) => `al-nan-${key}`)]);

/** @typedef {import("./edges.js").SceneNode} SceneNode */
/**
 * @typedef {{value: string | null, grad: string | null, status: string, value_cells: any, grad_cells: any, value_scale:
 *   number | null, grad_scale: number | null, own?: boolean, spoken: string, pending?: boolean, value_note?: string,
 *   grad_note?: string, kind?: string, shares?: string, known?: number | null, first?: number | null, last?: number |
 *   null, sends?: number | null, value_bar?: number | null, grad_bar?: number | null}} Reading
 */
/** @typedef {import("../live/colors.js").ColorMap} ColorMap */

/**
 * An empty box with its position, name and colours; its content is created when it becomes visible.
 * @param {SceneNode} node
 * @param {(() => void) | null} open shows the content of a group
 */
export function makeNode(node, open) {
  const { group } = node;
  const element = svg("g", {
    class: `al-node al-${node.kind}${node.output ? " al-output" : ""}`,
    transform: `translate(${node.x} ${node.y})`,
    role: "button",
    tabindex: -1,
    "aria-pressed": "false",
    "data-id": node.id,
    "aria-expanded": group && "false",
    "aria-keyshortcuts": node.cells && "C",
    ondblclick: group && open,
  });
  const plates = svg("g");
  /** @type {ReturnType<typeof makeColumn>[]} */
  let columns = [];
  /** @type {ReturnType<typeof makePlanned> | null} */
  let planned = null; // the content of a box of a plan, instead of columns
  let near = false;
  let coloured = "";
  /** @type {Element | null} */
  let free = null;
  /** @type {() => void} */
  let paint = () => {}; // the plates
  /** @type {Reading | null} */
  let shown = null;
  /** @type {ColorMap | null} */
  let painted = null; // the colours of the cells

  /** @param {Reading} reading @param {ColorMap | null} colors */
  function fill(reading, colors) {
    planned?.update(reading);
    const own = (/** @type {number | null} */ scale) => (reading.own && scale ? ` \u2264 ${short(scale, 3)}` : "");
    const { value, value_cells, value_scale, value_note } = reading;
    const { grad, grad_cells, grad_scale, grad_note, shares, kind } = reading;
    columns[0]?.update(value, value_cells, value_scale, colors, value_note, own(value_scale));
    columns[1]?.update(grad, grad_cells, grad_scale, colors, grad_note, own(grad_scale), shares ?? kind);
  }

  return {
    element,
    group,
    size: node,
    /** The number of a cell, as `makeColumn` says. @param {string} which @param {number} k */
    cell: (which, k) => columns[which === "value" ? 0 : 1]?.cell(k),
    /** Frame cells, and one more. @param {string} which @param {number[]} cells @param {number | null} one */
    light: (which, cells, one) => columns[which === "value" ? 0 : 1]?.light(cells, one),
    /** The horizontal position of the value or the gradient. @param {string} which */
    column: (which) => (which === "value" ? PADDING : gradientAt(node)),
    /**
     * Mark a number as movable, with its track on the lower edge.
     * @param {string} which
     * @param {Element} [handle]
     */
    makeFree(which, handle) {
      element.classList.add(`al-free-${which}`);
      free = handle ?? null;
      if (near && free) element.append(free);
    },
    /** @param {string} which @param {string} text */
    write(which, text) {
      columns[which === "value" ? 0 : 1]?.write(text);
      shown = null; // so that the next number is written even if it equals the one before
    },
    /** @param {string} which @returns {DOMRect} */
    numberPlace: (which) => columns[which === "value" ? 0 : 1]?.place() ?? element.getBoundingClientRect(),
    extent: /** @type {import("./edges.js").Extent} */ ([node.x, node.y, node.x + node.w, node.y + node.h]),
    /** @param {boolean} next */
    show(next) {
      if (near === next) return;
      near = next;
      columns = near ? makeColumns(node) : [];
      planned = near && node.plan !== null ? makePlanned(node) : null;
      element.replaceChildren(
        ...(near
          ? [
              ...makeInside(node, open),
              ...(planned?.parts ?? []),
              ...columns.map((column) => column.element),
              ...(free ? [free] : []),
            ]
          : []),
      );
      if (near && shown) fill(shown, painted);
      if (near && coloured) paint();
    },
    /**
     * @param {[number, string] | null | undefined} flow a position on the scale, and the number
     * @param {string[]} signs of what is wrong
     * @param {number} matches of the search
     * @param {string[]} stations on the path of the first NaN
     * @param {ColorMap} colors
     */
    colour(flow, signs, matches, stations, colors) {
      const plain = !flow && !signs.length && !matches && !stations.length;
      const now = plain ? "" : JSON.stringify([flow, signs, matches, stations, flow && colors.css(1)]);
      if (now === coloured) return;
      coloured = now;
      element.style.setProperty("--al-tint", flow ? colors.css(flow[0]) : "");
      const also = [flow && "al-tinted", matches && "al-found", stations.length && "al-on-path", ...stations];
      set(element, {
        class: [...[...element.classList].filter((name) => !OWN.has(name)), ...also.filter(Boolean)].join(" "),
      });
      paint = () => {
        plates.replaceChildren(...makeWarnings(signs, node.h), ...(flow ? tintPlate(flow, node.w, colors) : []));
        if (!plates.parentNode) element.append(plates); // most boxes never need it
      };
      if (near) paint();
    },
    /** @param {Reading} reading @param {ColorMap} colors */
    update(reading, colors) {
      const cells = reading.value_cells || reading.grad_cells ? colors : null;
      if (painted === cells && JSON.stringify(shown) === JSON.stringify(reading)) return;
      [shown, painted] = [reading, cells];
      set(element, { "aria-label": reading.spoken });
      element.classList.toggle("al-pending", reading.pending === true);
      fill(reading, cells);
    },
  };
}

/** A box without its numbers. @param {SceneNode} node @param {(() => void) | null} open */
function makeInside(node, open) {
  const { group } = node;
  const isLeaf = LEAVES.includes(node.kind);
  const box = { width: node.w, height: node.h, rx: isLeaf ? 16 : 9 };
  const line = node.plan === null ? 24 : PLAN.heading;
  const pile = group && node.plan === null ? [5] : ["loop", "stack"].includes(group?.kind ?? "") ? [8, 4] : [];
  return [
    svg("rect.al-halo", box),
    ...pile.map((by) => svg("rect.al-pile", { ...box, x: by, y: by })),
    svg("rect.al-card", box),
    makeHeading(node, group && open ? INDENT : PADDING, line),
    svg("text.al-symbol", { x: node.w - PADDING, y: line }, node.symbol),
    ...(node.plate ? makePlate(node.plate, node.w / 2, 0, node.kind) : []),
    ...(node.output ? makePlate("output", node.w - PADDING - plateWidth("output") / 2, node.h + BELOW) : []),
    ...(node.device ? makePlate(node.device, PADDING + plateWidth(node.device) / 2, 0, "device") : []),
    ...((node.order ?? null) === null
      ? []
      : [svg("circle.al-badge", { r: 9.5 }), svg("text.al-plate", { y: 4 }, String(node.order))]),
    ...(group && open ? [makeToggle((event) => (event.stopPropagation(), open()), line - 13)] : []),
    ...(group && node.plan === null ? [svg("text.al-small", { x: PADDING, y: node.h - 9 }, group.count)] : []),
  ];
}

/** The kind of a value, in words, and bars for its size and that of its gradient. @param {SceneNode} node */
function makePlanned({ w, plan }) {
  const words = svg("text.al-small", { x: PADDING, y: PLAN.words });
  const long = (w - 2 * PADDING - 6) / 2;
  const drawn = ["value", "gradient"].map((kind, k) => {
    const place = { x: PADDING + k * (long + 6), y: PLAN.bars, height: PLAN.high, rx: 2 };
    return { rail: svg("rect.al-bar-rail", { ...place, width: long }), bar: svg(`rect.al-bar-${kind}`, place) };
  });
  return {
    parts: [words, ...drawn.flatMap(({ rail, bar }) => [rail, bar])],
    /** @param {Reading} reading */
    update({ value, value_note, value_bar = null, grad_bar = null }) {
      const sizes = [value_bar, grad_bar];
      write(words, [value === null ? value_note : value.split(" \u2026")[0], plan].filter(Boolean).join(" \u00b7 "));
      drawn.forEach(({ rail, bar }, k) => {
        set(rail, { visibility: sizes[k] === null ? "hidden" : null });
        set(bar, { width: long * (sizes[k] ?? 0) });
      });
    },
  };
}

/** Value and gradient, if there is space for them. @param {SceneNode} node */
function makeColumns(node) {
  if (node.h < TOP + FOOTER) return [];
  return [makeColumn("value", PADDING, node), makeColumn("gradient", gradientAt(node), node)];
}

/** @param {SceneNode} node */
const gradientAt = ({ w, cells, strip_width }) =>
  Math.max(PADDING + (cells ? strip_width + GAP : NUMBER + GAP / 2), (w + (cells ? GAP : GAP / 2)) / 2);

/** The signs of what is wrong, on the lower edge. @param {string[]} signs @param {number} y */
function makeWarnings(signs, y) {
  let left = PADDING;
  return signs.flatMap((word) => {
    const plate = makePlate(word, left + plateWidth(word) / 2, y + BELOW, word === "replaced" ? "mine" : "wrong");
    left += plateWidth(word) + 4;
    return plate;
  });
}

/** The role of a box on the path of the first NaN. @param {any} path @param {number} id */
export function stations(path, id) {
  return STATIONS.filter((key) => path[key]?.includes(id)).map((key) => `al-nan-${key}`);
}

/** @param {SceneNode} node @param {number} x @param {number} y */
function makeHeading({ name, text }, x, y) {
  const line = svg("text", { x, y });
  if (name) line.append(svg("tspan.al-own", name));
  if (name && name !== text) line.append(svg("tspan.al-equals", " = "));
  if (name !== text) line.append(text);
  return line;
}

/** @param {string} word */
function plateWidth(word) {
  return 8 * word.length + 14;
}

/**
 * A plate with the number that gives a box its colour, in that colour.
 * @param {[number, string]} flow
 * @param {number} w
 * @param {ColorMap} colors
 */
function tintPlate([place, words], w, colors) {
  const [plate, text] = makePlate(words, w - PADDING - plateWidth(words) / 2, 0, "tint");
  text.style.fill = colors.ink(place);
  return [plate, text];
}

/**
 * A small plate with the kind of a box.
 * @param {string} word
 * @param {number} x
 * @param {number} y
 * @param {string} [kind]
 */
function makePlate(word, x, y, kind = word) {
  const width = plateWidth(word);
  return [
    svg("rect", { class: `al-plate-${kind}`, x: x - width / 2, y: y - 8.5, width, height: 17, rx: 8.5 }),
    svg("text.al-plate", { x, y: y + 5 }, word),
  ];
}
