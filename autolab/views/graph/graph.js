// @ts-check
/**
 * The graph as SVG: boxes with value and gradient. Python decides on their positions, in `layout/`; here they are only
 * drawn.
 */

import { makeScaleLegend } from "../live/colors.js";
import { html, set, svg } from "../live/dom.js";
import { claim, isShortcut } from "../live/hand.js";
import { makeMotion } from "../steps/motion.js";
import { sameEdge } from "./answer.js";
import { MANY, drawNear, makeEdge, makeFrame, walk } from "./edges.js";
import { makeNode, stations } from "./node.js";
import { makeCrumbs, unfold } from "./open_blocks.js";
import { makeMinimap, makeZoom } from "./zoom.js";

/** @typedef {import("./edges.js").Scene} Scene */
/** @typedef {import("./node.js").Reading} Reading */

const MARKED_FOR = 700; // milliseconds
const PLAIN = "#8a93a1"; // colour of a box on the map
const EACH_BY_TAB = 12; // with more boxes, the Tab key reaches only one, and the arrow keys reach the others

/**
 * @param {(id: number, line?: import("./answer.js").Edge) => void} select called with a box, or also with the line
 *   along which its gradient comes
 * @param {((open: boolean, id: number) => void) | null} toggle opens or closes a group; null if that is not possible
 * @param {() => void} [redrawn] called when other boxes show the same
 */
export function makeGraph(select, toggle, redrawn = () => {}) {
  const whole = () => things.forEach((thing) => thing.show(true)); // for a picture that is saved
  const picture = svg("svg.al-picture", {
    role: "group",
    onkeydown: pressed,
    onpointerover: pointed,
    onpointerleave: pointed,
    "onal-whole": whole,
    "onal-near": () => look(),
  });
  const zoom = makeZoom(picture, look, rearrange);
  const map = makeMinimap(zoom.parts[1]);
  const legend = makeScaleLegend();
  const crumbs = makeCrumbs((id) => turn(false, id));
  /** @type {Map<number, ReturnType<typeof makeNode>>} */
  let nodes = new Map();
  /** @type {({from: number, to: number, nth: number} & ReturnType<typeof makeEdge>)[]} */
  let edges = [];
  /** @type {import("./edges.js").Thing[]} */
  let things = []; // all of them
  /** @type {Scene | undefined} */
  let before;
  /** @type {Scene} */
  let scene;
  /** @type {Scene[]} */
  let ways = []; // to draw it, the best one first
  /** @type {Record<string, Reading>} */
  let shown = {}; // in the boxes
  /** @type {import("../live/colors.js").ColorMap} */
  let painted;
  const motion = makeMotion(picture);
  /** @type {number | null} */
  let reachable = null; // the one box that the Tab key reaches
  let timer = 0;
  /** @type {number | undefined} */
  let moment; // the step of the walk that is lit
  /** @type {Map<number, ReturnType<typeof makeFrame>>} */
  let frames = new Map(); // of the open groups
  /** @type {{id: number, focus: boolean, place: DOMRect} | null} */
  let toggled = null; // the group that is being opened or closed stays where it is on the screen
  /** @type {number | null} */
  let chosen = null;
  /** @type {import("../live/colors.js").Scale | null} */
  let known = null; // the colour scale of the cells
  /** @type {any[]} */
  let mapped = []; // the content of the map
  let kept = false; // the last drawing has kept its position on the screen

  /**
   * All elements get their text before they are added to the page, so that layout happens only once.
   * @param {Scene} next
   */
  function draw(next) {
    [before, scene] = [scene, next];
    frames = new Map(next.frames.map((frame) => [frame.id, makeFrame(frame, () => turn(false, frame.id))]));
    nodes = new Map(next.nodes.map((node) => [node.id, makeNode(node, toggle && (() => turn(true, node.id)))]));
    /** @type {Record<string, number>} */
    const between = {};
    edges = next.edges.map(({ from, to, path, transfer }) => {
      const both = `${from} ${to}`;
      const nth = (between[both] = (between[both] ?? -1) + 1); // index among the lines between these two
      const choose = () => select(from, { from, to, nth });
      return { from, to, nth, ...makeEdge(path, transfer, choose, nth, () => between[both] > 0) };
    });
    things = [...nodes.values(), ...edges, ...frames.values()];
    if (next.nodes.length <= MANY) for (const thing of things) thing.show(true);
    for (const [id, node] of nodes) {
      const press = () => (toggle && node.group && node.size.plan !== null ? turn(true, id) : select(id));
      set(node.element, { onclick: press, onfocus: () => reach(id) });
      fill(id);
    }
    for (const [id, { tab }] of frames) set(tab, { onfocus: () => reach(id) });
    set(picture, { "aria-label": next.description, viewBox: `0 0 ${next.width} ${next.height}` });
    map.draw(next, () => PLAIN);
    zoom.resize(next); // it measures the page
    const [open, boxes] = [[...frames.values()], [...nodes.values()]];
    picture.replaceChildren(
      ...open.map((f) => f.back),
      ...edges.map((e) => e.element),
      ...open.map((f) => f.tab),
      ...boxes.map((n) => n.element),
    );
    look();
    kept = toggled !== null;
    if (toggled) {
      const elements = new Map(boxes.map(({ element }, k) => [next.nodes[k].id, element]));
      unfold(before, next, toggled.id, elements, [...edges.map((e) => e.element), ...open.map((f) => f.back)]);
      stay(toggled);
    }
    crumbs.update(next, inside(toggled?.id ?? reachable));
    toggled = null;
    if (next.nodes.length <= EACH_BY_TAB) for (const { element } of nodes.values()) set(element, { tabindex: 0 });
    else if (!find(reachable)) reach(next.nodes[0].id);
  }

  /** Draw the same in another way if there is more room now, or less. */
  function rearrange() {
    const next = ways.length > 1 && zoom.choose(ways);
    if (!next || next === scene) return;
    draw(next);
    redrawn();
  }

  /** @param {number} id */
  const fill = (id) => nodes.get(id)?.update(shown[id], painted);

  /** In a large graph, draw only what is near the visible part, and the box that the Tab key reaches. */
  function look() {
    map.frame(zoom.isMapped());
    if (nodes.size <= MANY) return;
    drawNear(things, zoom.seen());
    find(reachable);
  }

  /** A box or the label of an open group, which is drawn even if it is not visible. @param {number | null} id */
  function find(id) {
    if (id === null) return undefined;
    const [node, frame] = [nodes.get(id), frames.get(id)];
    (node ?? frame)?.show(true);
    return node?.element ?? frame?.tab;
  }

  /** The open group around a box, or around the label of a group. @param {number | null} id */
  function inside(id) {
    return id !== null && frames.has(id) ? id : (scene.nodes.find((node) => node.id === id)?.parent ?? null);
  }

  /** @param {boolean} open @param {number | null} id */
  function turn(open, id) {
    const element = find(id);
    if (!element || id === null || !toggle) return;
    toggled = { id, focus: picture.contains(document.activeElement), place: element.getBoundingClientRect() };
    toggle(open, id);
  }

  /** @param {{id: number, focus: boolean, place: DOMRect}} was */
  function stay({ id, focus, place }) {
    const element = find(id);
    if (!element) return;
    zoom.keep(element, place);
    if (focus) element.focus({ preventScroll: true });
  }

  /** @param {number} id */
  function reach(id) {
    const former = find(reachable);
    // its arrow keys change the value, so that they do not move sideways to other boxes
    const isFree = former?.getAttribute("role") === "slider";
    if (former && nodes.size > EACH_BY_TAB && !isFree) set(former, { tabindex: -1 });
    reachable = id;
    set(/** @type {any} */ (find(id)), { tabindex: 0 });
    crumbs.update(scene, inside(id));
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    const target = /** @type {Element} */ (event.target).getAttribute("data-id");
    const id = Number(target);
    if (target === null || isShortcut(event)) return;
    const closed = nodes.get(id)?.group;
    const enter = event.key === "Enter" || event.key === " ";
    const around = inside(id);
    const leaves = event.key === "Escape" && scene.frames.some((frame) => frame.id === around && frame.name);
    if (event.key === "Escape" && (!leaves || picture.querySelector(".al-selected"))) return;
    if (leaves || event.key === "-" || (frames.has(id) && enter)) turn(false, around);
    else if (closed && (event.key === "Enter" || event.key === "+")) turn(true, id);
    else if (enter) select(id);
    else {
      const next = walk(scene, id, event.key);
      if (next === undefined) return;
      find(next)?.focus();
    }
    claim(event);
  }

  /** Let the mark on the colour bar follow the cell under the pointer. @param {Event} event */
  function pointed(event) {
    const cell = /** @type {any} */ (event.target);
    legend.point(event.type === "pointerleave" ? null : (cell.tone ?? null));
  }

  /** Scroll to boxes that are not visible. @param {number[]} ids */
  function reveal(ids) {
    zoom.reveal(ids.map(find).filter((element) => element !== undefined));
  }

  /** @param {number[]} changed */
  function mark(changed) {
    clearTimeout(timer);
    const marked = new Set(changed);
    for (const [id, node] of nodes) node.element.classList.toggle("al-changed", marked.has(id));
    if (changed.length) timer = setTimeout(mark, MARKED_FOR, []);
  }

  const head = html("div.al-graph-head");
  const foot = html("div.al-graph-foot", legend.root, map.root);
  const acts = { onpointerdown: zoom.settle, onwheel: zoom.settle, onkeydown: zoom.settle };
  return {
    root: html("div.al-graph", acts, head, crumbs.root, ...zoom.parts, foot, zoom.tools),
    head, // what the graph shows, if there are several
    picture,
    zoom,
    mark,
    /** @param {number} id */
    box: (id) => nodes.get(id),
    reveal,
    /** Scroll to the results. */
    revealOutputs: () => reveal(scene.nodes.filter((node) => node.output).map((node) => node.id)),
    /**
     * @param {Scene} next
     * @param {Record<string, Reading>} readings
     * @param {import("../live/colors.js").ColorMap} colors
     * @param {import("../live/colors.js").Scale | null} [scale] of the cells; by default the one
     *   that is known
     * @param {string} [bars] the meaning of the bars of a plan
     */
    update(next, readings, colors, scale, bars = "") {
      if (scale !== undefined) known = scale;
      [shown, painted] = [readings, colors];
      legend.update(known, colors, bars);
      if (scene?.key === next.key) return nodes.forEach((_, id) => fill(id));
      ways = waysOf(next);
      draw(zoom.choose(ways) ?? next);
    },
    /** @param {number | null} id */
    choose(id) {
      for (const [other, node] of nodes) {
        if (node.element.classList.contains("al-selected") === (other === id)) continue;
        node.element.classList.toggle("al-selected");
        if (node.element.getAttribute("role") === "button") set(node.element, { "aria-pressed": String(other === id) });
      }
      const element = find(id);
      if (id === null || !element) return; // its box has not been drawn yet
      if (chosen !== null && chosen !== id && !kept) reveal([id]);
      [chosen, kept] = [id, false];
      if (!picture.contains(document.activeElement)) reach(id);
    },
    /**
     * Highlight the lines along which a gradient comes, with arrows in its direction and the shares; if a line is
     * selected, only that one.
     * @param {import("./answer.js").Value[]} values @param {import("./answer.js").Edge | null} line
     */
    lightShares(values, line) {
      const [lines, shares] = [values.flatMap((value) => value.edges), values.flatMap((value) => value.shares)];
      for (const edge of edges) {
        const count = line && !sameEdge(edge, line) ? 0 : lines.filter((one) => sameEdge(edge, one)).length;
        edge.element.classList.toggle("al-share", count > 0);
        const one = count === 1 && shares.find((share) => sameEdge(edge, share.edge));
        edge.tell(count > 1 ? `${count} shares` : one ? one.number : "");
      }
    },
    /**
     * Frame the cell that is pointed at, and those that it was made of.
     * @param {{id: number, slot: string, k: number} | null} pointed
     * @param {{id: number, slot: string, cells: number[]}[]} lit
     */
    lightCells(pointed, lit) {
      for (const [id, node] of nodes) {
        const own = pointed?.id === id ? pointed : null;
        const shown = node.group?.result ?? id; // a closed group shows its result
        for (const slot of ["value", "gradient"])
          node.light(
            slot,
            lit.filter((one) => one.id === shown && one.slot === slot).flatMap(({ cells }) => cells),
            own?.slot === slot ? own.k : null,
          );
      }
    },
    /** Highlight what a step of the walk is about; nothing if it is empty. @param {any} frame */
    light(frame) {
      const { k, nodes: lit = [], edge: one, backward, moving } = frame;
      for (const [id, node] of nodes) node.element.classList.toggle("al-active", lit.includes(id));
      for (const edge of edges) {
        edge.element.classList.toggle("al-back", !moving && sameEdge(edge, one));
        edge.element.classList.toggle("al-pushed", Boolean(moving) && sameEdge(edge, one));
        edge.element.classList.toggle("al-forth", !one && !backward && lit.includes(edge.to));
      }
      if (k !== moment) reveal(lit);
      if (k === undefined || k !== moment) motion.step(k === (moment ?? -2) + 1 ? frame : {}, scene, edges, shown);
      moment = k;
    },
    /**
     * Apply colours and widths, signs, search matches, and the path of the first NaN.
     * @param {(trait: string) => any} get
     * @param {import("../live/colors.js").ColorMap} colors
     */
    colour(get, colors) {
      const [flow, { signs }, found, path] = ["flow", "health", "found", "path"].map(get);
      for (const [id, node] of nodes)
        node.colour(flow.nodes?.[id], signs[id] ?? [], found.boxes?.[id] ?? 0, stations(path, id), colors);
      edges.forEach(({ element }, i) => {
        const place = flow.edges?.[i];
        if (typeof place === "number") element.style.setProperty("--al-wide", (1 + 6 * place).toFixed(1));
        else element.removeAttribute("style");
      });
      const mapping = [scene, flow, found, colors];
      if (mapping.every((one, i) => one === mapped[i])) return; // drawing the map forces a layout
      mapped = mapping;
      map.draw(scene, (id) =>
        flow.nodes?.[id] ? colors.css(flow.nodes[id][0]) : found.boxes?.[id] ? "#1976d2" : PLAIN,
      );
    },
    close() {
      motion.stop();
      clearTimeout(timer);
      zoom.close();
    },
  };
}

/** All ways to draw a graph: better ones, which need more room, the usual one, and others. @param {Scene} scene */
function waysOf(scene) {
  /** @param {any[]} all @param {Record<string, any[]>} fields what is different in each of them */
  const changed = (all, fields) =>
    all.map((one, k) => ({ ...one, ...Object.fromEntries(Object.entries(fields).map(([name, of]) => [name, of[k]])) }));
  const other = (/** @type {import("./edges.js").Places} */ { nodes, frames, edges, ...size }) => ({
    ...scene,
    ...size,
    nodes: changed(scene.nodes, nodes),
    frames: changed(scene.frames, frames),
    edges: changed(scene.edges, edges),
  });
  return [...scene.better.map(other), scene, ...scene.instead.map(other)];
}
