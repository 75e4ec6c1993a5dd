// @ts-check
/** A pane for a picture that may be larger. Scrolling is the browser's own, including touch and keyboard. */

import { html, set } from "../live/dom.js";
import { clamp, draggable, placeIn } from "../live/hand.js";
import { LEAVES } from "./node.js";

const STEP = 1.25;
const READABLE = 12 / 14; // minimum: letters of 14 pixels have 12 on the screen
const WHOLE = 10 / 14; // or 10, if the whole picture, or its whole width, is then visible
const WITH_NUMBERS = 10.05 / 12; // the same for the numbers in cells, whose letters have 12 pixels
const SMALLER = 14 / 12; // the factor by which these letters are smaller than the others
const BACK_ROW = 4 / 5; // in presentation mode 16 instead of 20, if the whole width is then visible
const LARGEST = 1.7; // maximum enlargement of a small graph to fill the pane
const NEARLY = 2; // a picture of at most this many panes begins at an edge, and is cut off at one side only

const MAPPED = 640; // in a narrower pane, in pixels, a map would take more space than it is worth
const BESIDE = 132; // width for a map beside the picture; as in graph.css

/**
 * @param {SVGSVGElement} picture
 * @param {() => void} moved called when another part of it is visible
 * @param {() => void} changed called when the room for it has changed
 */
export function makeZoom(picture, moved, changed) {
  const pane = html(
    "div.al-pane",
    {
      onscroll: moved,
      onwheel: wheeled,
      ...draggable(grab, dragged),
    },
    picture,
  );
  let [width, height, numbered] = [1, 1, false];
  let scale = 1; // above 1 in presentation mode
  let zoom = 1;
  let automatic = true;
  /** @type {ReturnType<typeof beginning> | null} */
  let first = null; // what is centred until the user does something
  let whole = false; // the user wants to see the whole picture, however small
  let beyond = false; // the picture is larger than the pane
  let around = ""; // what the room for the picture depends on

  /** @param {number} next */
  function apply(next) {
    zoom = clamp(next, 0.1, 4);
    set(picture, { width: Math.floor(width * zoom), height: Math.floor(height * zoom) });
    beyond = Math.floor(width * zoom) > room() || Math.floor(height * zoom) > pane.offsetHeight;
    moved();
  }

  /** Make the frame no higher than the picture, or as high as possible. @param {boolean} isClose */
  function wrap(isClose) {
    const frame = /** @type {HTMLElement} */ (pane.parentElement);
    const high = () => Math.ceil(height * zoom) + frame.offsetHeight - pane.clientHeight;
    frame.style.setProperty("--al-picture", isClose ? `${high()}px` : "100vh");
  }

  /** The width available for the picture, without that of the map. */
  function room() {
    return ruler.clientWidth - (pane.offsetWidth - pane.clientWidth);
  }

  /**
   * Of several ways to draw a graph, the first that can be read while it is whole; in presentation mode else the one
   * that is largest while it is whole, or the first whose width is; null if there is none.
   * @template {import("./edges.js").Scene} Way
   * @param {Way[]} ways
   * @returns {Way | null}
   */
  function choose(ways) {
    if (!automatic || !ruler.clientWidth) return null;
    wrap(false);
    const zoomOf = (/** @type {Way} */ one, high = pane.offsetHeight) =>
      Math.min(room() / one.width, high / one.height);
    const fits = (/** @type {Way} */ one, high = pane.offsetHeight) => zoomOf(one, high) >= least(hasNumbers(one));
    const best = ways.find((one) => fits(one));
    if (best || scale <= 1) return best ?? null;
    const whole = ways.filter((one) => zoomOf(one) >= smallest(hasNumbers(one)));
    return whole.sort((a, b) => zoomOf(b) - zoomOf(a))[0] ?? ways.find((one) => fits(one, Infinity)) ?? null;
  }

  /** The smallest zoom of a whole picture. @param {boolean} [isNumbered] whether cells have numbers */
  const smallest = (isNumbered = numbered) => (isNumbered ? WITH_NUMBERS : WHOLE);

  /** The smallest zoom at which a picture can be read. @param {boolean} [isNumbered] whether cells have numbers */
  function least(isNumbered = numbered) {
    if (scale > 1) return BACK_ROW * READABLE * scale * (isNumbered ? SMALLER : 1);
    return smallest(isNumbered);
  }

  /**
   * Make the whole picture visible, as long as it stays readable; else show its beginning in the smallest readable
   * size.
   */
  function fit() {
    if (!automatic || !ruler.clientWidth) return;
    wrap(false);
    const across = room() / width;
    const fitting = Math.min(LARGEST * scale, across, pane.offsetHeight / height);
    const usual = READABLE * scale;
    apply(whole || fitting >= smallest() ? fitting : across < least() ? usual : Math.min(usual, across));
    wrap(true);
    if (!first) return;
    const left = width * zoom < NEARLY * pane.clientWidth ? 0 : first.x * zoom - pane.clientWidth / 2;
    const inside = first.inputs.filter(({ x, w }) => x * zoom >= left && (x + w) * zoom <= left + pane.clientWidth);
    const low = Math.max(0, ...inside.map(({ y }) => y)); // of an input that remains visible at the end
    pane.scrollTo({
      left,
      top:
        first.x && Math.max(height / NEARLY, height - low) * zoom < pane.clientHeight
          ? pane.scrollHeight
          : Math.min(first.y * zoom - pane.clientHeight / 2, first.top * zoom),
      behavior: "instant",
    });
  }

  /** @param {number} factor */
  function by(factor) {
    automatic = whole = false;
    wrap(false);
    const [x, y] = [(pane.scrollLeft + pane.clientWidth / 2) / zoom, (pane.scrollTop + pane.clientHeight / 2) / zoom];
    apply(zoom * factor);
    pane.scrollTo(x * zoom - pane.clientWidth / 2, y * zoom - pane.clientHeight / 2);
  }

  function fitAll() {
    automatic = whole = true;
    fit();
  }

  /** Whatever appears below the picture leaves the room as it is: nothing is drawn anew under the hand. */
  function hasChanged() {
    if (around !== (around = `${ruler.clientWidth} ${innerHeight} ${scale}`)) changed();
  }

  /** @param {WheelEvent} event */
  function wheeled(event) {
    if (!event.ctrlKey) return; // without Ctrl the page scrolls
    event.preventDefault();
    by(Math.exp(-event.deltaY / 300));
  }

  /** @typedef {{left: number, top: number}} Hold the sum of the pane's and the pointer's positions */
  /** @param {PointerEvent} event @returns {Hold | null} */
  function grab({ target, pointerType, clientX, clientY }) {
    const isEmpty = target === picture || target === pane;
    if (!isEmpty || pointerType === "touch") return null; // the browser scrolls on touch
    return { left: pane.scrollLeft + clientX, top: pane.scrollTop + clientY };
  }

  /** @param {Hold} hold @param {PointerEvent} event */
  function dragged(hold, event) {
    pane.scrollTo(hold.left - event.clientX, hold.top - event.clientY);
  }

  const ruler = html("div"); // has the width of the pane, but not its height, which follows the picture
  // Fitting changes the height of the pane and of everything around it; it is therefore deferred to the next animation
  // frame after a change of size.
  const observer = new ResizeObserver(() => requestAnimationFrame(() => (hasChanged(), fit(), moved())));
  observer.observe(ruler);
  observer.observe(pane, { box: "border-box" });
  const tool = (/** @type {string} */ text, /** @type {string} */ label, /** @type {() => void} */ action) =>
    html("button.al-tool", { type: "button", "aria-label": label, title: label, onclick: action }, text);
  const tools = html(
    "div.al-tools",
    { role: "group", "aria-label": "Zoom" },
    tool("\u2212", "Zoom out", () => by(1 / STEP)),
    tool("+", "Zoom in", () => by(STEP)),
    tool("Fit", "Fit the whole graph", fitAll),
  );

  return {
    parts: [ruler, pane],
    settle: () => (first = null),
    tools,
    choose,
    /** The visible part of the picture, in its own units. @returns {import("./edges.js").Extent} */
    seen() {
      const { scrollLeft: left, scrollTop: top, clientWidth: w, clientHeight: h } = pane;
      return /** @type {any} */ ([left, top, left + w, top + h].map((v) => v / zoom));
    },
    /** Scroll to parts of the picture that are not visible. @param {Element[]} parts */
    reveal(parts) {
      if (!parts.length) return;
      first = null;
      const boxes = parts.map((part) => part.getBoundingClientRect());
      const frame = pane.getBoundingClientRect();
      /** @type {(low: number, high: number, from: number, to: number) => number} */
      const by = (low, high, from, to) => (low < from || high - low > to - from ? low - from : Math.max(0, high - to));
      const [left, top] = [Math.min(...boxes.map((b) => b.left)), Math.min(...boxes.map((b) => b.top))];
      const [right, bottom] = [Math.max(...boxes.map((b) => b.right)), Math.max(...boxes.map((b) => b.bottom))];
      pane.scrollBy(
        by(left - 12, right + 12, frame.left, frame.right),
        by(top - 12, bottom + 12, frame.top, frame.bottom),
      );
    },
    /**
     * Scroll so that a part of the picture stays at its position on the screen.
     * @param {Element} part
     * @param {DOMRect} place
     */
    keep(part, place) {
      first = null;
      const { left, top } = part.getBoundingClientRect();
      pane.scrollBy({ left: left - place.left, top: top - place.top, behavior: "instant" });
    },
    /** Whether the picture is larger than the pane, and there is space for a map that hides nothing. */
    isMapped() {
      const isBeside = width <= height;
      const cuts = isBeside && width * zoom <= room() && width * zoom > room() - BESIDE;
      return beyond && ruler.clientWidth > MAPPED && !cuts;
    },
    /** @param {import("./edges.js").Scene} scene what the picture shows now */
    resize(scene) {
      if (scene.width !== width) first = automatic ? beginning(scene) : null;
      [width, height, numbered] = [scene.width, scene.height, hasNumbers(scene)];
      if (automatic) fit();
      else apply(zoom);
    },
    /** @param {number} factor */
    enlarge(factor) {
      scale = factor;
      automatic = true;
      whole = false;
      hasChanged();
      fit();
    },
    close: () => observer.disconnect(),
  };
}

/** @param {import("./edges.js").Scene} scene */
const hasNumbers = ({ nodes }) => nodes.some((node) => node.numbered);

const [FIRST, ACROSS] = [900, 350]; // in the units of a large picture: about the part that is visible at first

/**
 * The part of a large picture to show first: where its lines begin and, across them, where most is computed. If it runs
 * down and is not much too high, its end is shown, with the results, provided that an input is whole there, too.
 * @param {import("./edges.js").Scene} scene
 */
function beginning({ nodes, direction }) {
  const toRight = direction === "right";
  const places = nodes.filter(({ x, y }) => (toRight ? x : y) < FIRST);
  const at = (/** @type {typeof nodes[0]} */ { x, y, w, h }) => (toRight ? y + h / 2 : x + w / 2);
  const near = (/** @type {typeof nodes[0]} */ one) => places.filter((node) => Math.abs(at(node) - at(one)) < ACROSS);
  const weight = (/** @type {typeof nodes} */ found) =>
    found.length + found.filter(({ kind }) => !LEAVES.includes(kind)).length;
  const seen = places.map(near).reduce((a, b) => (weight(b) > weight(a) ? b : a), []);
  const middle = (Math.min(...seen.map(at)) + Math.max(...seen.map(at))) / 2;
  const top = Math.min(...seen.map(({ y }) => y)) - 12; // includes the labels above a box
  const inputs = nodes.filter(({ kind }) => LEAVES.includes(kind) && kind !== "constant"); // which are dragged
  return { inputs, ...(toRight ? { x: 0, y: middle, top } : { x: middle, y: 0, top: 0 }) };
}

// A small map of the whole graph, which shows the visible part and can be used to move it. For pointers only: the keys
// move in the graph itself.

const SIZE = { tall: [110, 190], wide: [190, 42], least: 20 };

/** @param {HTMLElement} pane */
export function makeMinimap(pane) {
  const canvas = html("canvas.al-whole-canvas");
  const here = html("div.al-whole-here");
  const root = html(
    "div.al-whole",
    { "aria-hidden": "true", hidden: true, ...draggable((event) => go(true, event), go) },
    canvas,
    here,
  );
  let [width, height, across, down] = [1, 1, 1, 1]; // the graph's size, and pixels of the map per unit
  /** @type {(() => void) | null} */
  let paint = null; // deferred until the map is visible

  /** Mark the visible part, unless that is the whole. */
  function frame(isBeyond = !root.hidden) {
    root.hidden = !isBeyond;
    if (root.hidden) return;
    paint?.();
    const zoom = pane.scrollWidth && (pane.querySelector("svg")?.clientWidth ?? 1) / width;
    /** @type {(from: number, size: number, whole: number, scale: number) => string[]} */
    const part = (from, size, whole, scale) =>
      [Math.max(0, (from / zoom) * scale), Math.min(whole * scale, (size / zoom) * scale)].map((v) => `${v}px`);
    [here.style.left, here.style.width] = part(pane.scrollLeft, pane.clientWidth, width, across);
    [here.style.top, here.style.height] = part(pane.scrollTop, pane.clientHeight, height, down);
  }

  /** @param {boolean} hold @param {PointerEvent} event */
  function go(hold, event) {
    const { across, down } = placeIn(event, canvas);
    pane.scrollTo({
      behavior: "instant",
      left: across * pane.scrollWidth - pane.clientWidth / 2,
      top: down * pane.scrollHeight - pane.clientHeight / 2,
    });
    return hold;
  }

  /** @param {import("./edges.js").Scene} scene @param {(id: number) => string} color */
  function draw(scene, color) {
    [width, height] = [scene.width, scene.height];
    const isWide = width > height;
    const [most, less] = isWide ? SIZE.wide : SIZE.tall;
    across = down = Math.min(most / width, less / height);
    if (isWide) down = Math.max(down, SIZE.least / height);
    else across = Math.max(across, SIZE.least / width);
    const sharp = 2;
    set(canvas, { width: Math.ceil(width * across * sharp), height: Math.ceil(height * down * sharp) });
    [root.style.width, root.style.height] = [width * across, height * down].map((size) => `${Math.ceil(size)}px`);
    root.classList.toggle("al-whole-below", isWide);
    const context = canvas.getContext("2d");
    for (const { id, x, y, w, h } of scene.nodes) {
      context.fillStyle = color(id);
      context.fillRect(
        x * across * sharp,
        y * down * sharp,
        Math.max(2, w * across * sharp),
        Math.max(2, h * down * sharp),
      );
    }
  }

  pane.addEventListener("scroll", () => frame());
  return {
    root,
    frame,
    /** @param {import("./edges.js").Scene} scene @param {(id: number) => string} color */
    draw(scene, color) {
      paint = () => {
        paint = null;
        draw(scene, color);
      };
      frame();
    },
  };
}
