// @ts-check
/**
 * Plots: Python decides on the position of everything; here they are drawn in any size, and a position on a plot
 * becomes a number.
 */

import { makeBox } from "./controls.js";
import { html, set, svg, write } from "./dom.js";
import { claim, clamp, draggable, isShortcut, keyed, placeIn, snapped } from "./hand.js";

/** @typedef {{min: number, max: number, step: number, value: number, label: string}} Range */
/** @typedef {ReturnType<typeof makePlot>} Plot */

const LETTER = 0.6; // width of a digit beside an axis, relative to its height
const AWAY = 30; // distance of the centre of a name from the edge, in pixels
const NUMBERS_APART = 1.3; // minimum distance of two numbers on an axis, relative to their height

/**
 * @param {() => Range} range
 * @param {(value: number, final: boolean) => void} move
 * @param {(panel: any) => any[]} [headOf] elements beside the plot of a panel
 * @param {boolean} [stacked] whether the plots share a horizontal axis: its numbers are below the last plot
 */
export function makeCurves(range, move, headOf = named, stacked = false) {
  const legend = html("div.al-curve-legend");
  /** @type {Plot[]} */
  let plots = [];
  let now = 0; // the number that the keys have reached, which may be ahead of the picture

  /** Open a field over a plot; it closes when it loses the focus. @param {Plot} plot */
  function type({ here, picture }) {
    const back = () => plots[0].picture.focus({ preventScroll: true });
    const field = makeBox(range().label, (value) => (move(value, true), back()));
    const root = html("div.al-typing", field.element);
    set(root, {
      onfocusout: () => root.remove(),
      onkeydown: (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && (claim(event), back()),
    });
    picture.after(root);
    root.style.left = `${clamp(here - root.offsetWidth / 2, 0, picture.clientWidth - root.offsetWidth)}px`;
    field.show(range().value);
    field.element.select();
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    if (isShortcut(event)) return;
    const key = { ArrowUp: "ArrowRight", ArrowDown: "ArrowLeft" }[event.key] ?? event.key;
    const to = keyed(key, event.shiftKey, now, range());
    if (event.key === "Enter") type(plots[0]);
    else if (to !== undefined) move((now = to), true);
    else return;
    claim(event);
  }

  return {
    legend,
    /** @param {any[]} panels */
    draw(panels) {
      const focused = plots.some((plot) => plot.picture === document.activeElement);
      for (const plot of plots) plot.close();
      const longest = Math.max(...panels.flatMap(({ y }) => y.ticks.map((/** @type {any} */ tick) => tick[1].length)));
      plots = panels.map((panel, k) => {
        const lowest = !stacked || k === panels.length - 1;
        const plot = makePlot(panel, headOf(panel), range, move, { longest, lowest, labelled: stacked && !k });
        set(plot.picture, { ondblclick: () => type(plot) });
        return plot;
      });
      const keys = { tabindex: 0, role: "slider", onkeydown: pressed };
      set(plots[0].picture, { ...keys, "aria-label": `${range().label}, on the curve of ${panels[0].name}` });
      if (focused) plots[0].picture.focus({ preventScroll: true });
    },
    roots: () => plots.map((plot) => plot.root),
    /** @param {any} moving */
    move(moving) {
      now = moving.x;
      plots.forEach((plot, k) => plot.move(moving, k));
      const { min, max } = range();
      set(plots[0].picture, {
        "aria-valuemin": min,
        "aria-valuemax": max,
        "aria-valuenow": now,
        "aria-valuetext": moving.spoken,
      });
      legend.replaceChildren(...moving.legend.map(keyOf));
    },
    close: () => plots.forEach((plot) => plot.close()),
  };
}

/** The name of a plot, and a note on its curve. @param {any} panel */
const named = ({ name, note }) => [html("span.al-own", name), html("span.al-caption", note)];

/** @param {{name: string, color: number, dash: string}} entry of the legend */
const keyOf = ({ name, color, dash }) =>
  html(
    "span.al-curve-key",
    svg("svg", { width: 30, height: 10, "aria-hidden": "true" }, lineOf("M1 5h28", color, dash)),
    name,
  );

/** @param {string} d @param {number} [color] @param {string} [dash] */
const lineOf = (d, color, dash) =>
  svg("path.al-curve", {
    d,
    stroke: color === undefined ? null : `var(--al-line${color})`,
    "stroke-dasharray": dash || null,
  });

/**
 * @param {any} panel
 * @param {any[]} head
 * @param {() => Range} range
 * @param {(value: number, final: boolean) => void} move
 * @param {{longest: number, lowest: boolean, labelled: boolean}} place of the plot among others: the maximum number of
 *   characters in the numbers beside them, and whether the numbers below and the name of the point above are shown
 */
function makePlot(panel, head, range, move, { longest, lowest, labelled }) {
  const { box } = panel;
  const area = { left: 0, top: 0, wide: 1, high: 1, whole: 1, letter: 12 }; // of the panel's box, on the screen
  const across = (/** @type {number} */ x) => area.left + ((x - box.x) / box.w) * area.wide;
  const down = (/** @type {number} */ y) => area.top + ((y - box.y) / box.h) * area.high;
  /** @type {(() => void)[]} */
  const placing = [];
  let last = Infinity; // the position of the last number below

  /**
   * An element whose position depends on the size.
   * @param {string} kind
   * @param {() => any} place
   * @param {any[]} content
   */
  function placed(kind, place, ...content) {
    const element = svg(kind, ...content);
    placing.push(() => set(element, place()));
    return element;
  }

  /** @param {number} y */
  function beside(y) {
    const shown = Math.abs(last - y) >= NUMBERS_APART * area.letter;
    if (shown) last = y;
    return { x: area.left - 6, y: y + 0.35 * area.letter, "text-anchor": "end", display: shown ? null : "none" };
  }

  const below = () => area.top + area.high + 1.35 * area.letter;
  const inside = () => ({ x: area.left, y: area.top, width: area.wide, height: area.high });
  const here = svg("line.al-here");
  const spot = svg("circle.al-spot");
  const label = svg("text.al-x", { "text-anchor": "middle" });
  const extra = svg("g");
  const picture = svg(
    "svg.al-plot",
    draggable(
      (event) => (slide(true, event), true),
      slide,
      (_, event) => move(at(event), true),
    ),
    panel.y.ticks.map((/** @type {any} */ [y, text]) => [
      placed("path.al-grid-line", () => ({ d: `M${area.left} ${down(y)}h${area.wide}` })),
      placed("text.al-tick", () => beside(down(y)), text),
    ]),
    panel.x.ticks.map((/** @type {any} */ [x, text]) => [
      placed("path.al-grid-line", () => ({ d: `M${across(x)} ${area.top}v${area.high}` })),
      lowest && placed("text.al-tick", () => ({ x: across(x), y: below(), "text-anchor": "middle" }), text),
    ]),
    placed("rect.al-plot-box", inside),
    here,
    placed(
      "svg",
      inside,
      { viewBox: `${box.x} ${box.y} ${box.w} ${box.h}`, preserveAspectRatio: "none" },
      panel.poles.map((/** @type {number} */ x) => svg("line.al-pole", { x1: x, x2: x, y1: box.y, y2: box.y + box.h })),
      lineOf(panel.path),
      extra,
    ),
    panel.kinks.map((/** @type {any} */ { x, y }) =>
      placed("path.al-open-end", () => ({ d: `M${across(x)} ${down(y) - 6}l6 6l-6 6l-6 -6z` })),
    ),
    panel.ends.map((/** @type {any} */ { x, y }) =>
      placed("circle.al-open-end", () => ({ cx: across(x), cy: down(y) }), { r: 4 }),
    ),
    spot,
    label,
  );
  /** @type {any} */
  let moving = null;

  function fit() {
    const { width: wide, height: high } = picture.getBoundingClientRect(); // exact, so that stacked plots align
    const letter = parseFloat(getComputedStyle(picture).fontSize) || 12;
    const [left, top] = [longest * LETTER * letter + 10, labelled ? 1.6 * letter : 7];
    const size = { wide: Math.max(1, wide - left - 10), high: Math.max(1, high - top - (lowest ? 1.8 * letter : 7)) };
    Object.assign(area, { left, top, letter, whole: high, ...size });
    set(picture, { viewBox: `0 0 ${wide} ${high}` });
    last = Infinity;
    for (const place of placing) place();
    if (moving) follow();
  }

  /** Move the point to its position. */
  function follow() {
    const [{ place, x, text }, bottom] = [moving, lowest ? area.top + area.high : area.whole];
    set(here, { x1: across(x), x2: across(x), y1: labelled ? area.top : 0, y2: bottom });
    set(spot, { display: place ? null : "none", ...(place && { cx: across(place.x), cy: down(place.y) }) });
    write(label, labelled ? text : "");
    set(label, { x: clamp(across(x), area.left + AWAY, area.left + area.wide - AWAY), y: area.top - 6 });
  }

  /** @param {boolean} _ @param {PointerEvent} event */
  function slide(_, event) {
    move(at(event), false);
  }

  const resized = new ResizeObserver(fit);
  resized.observe(picture);

  /** @param {PointerEvent} event */
  function at(event) {
    const place = placeIn(event, picture).across * picture.clientWidth;
    const { lo, hi } = panel.x;
    return snapped(lo + ((place - area.left) / area.wide) * (hi - lo), range());
  }

  return {
    root: html("figure.al-figure", html("figcaption.al-figure-head", ...head), html("div.al-plot-area", picture)),
    picture,
    close: () => resized.disconnect(),
    get here() {
      return across(moving.x);
    },
    /** @param {any} next @param {number} k */
    move(next, k) {
      moving = { place: next.points[k], x: next.across, text: next.label };
      follow();
      if (k) return;
      extra.replaceChildren(
        ...next.legend.map((/** @type {any} */ { kind, color, dash }) => lineOf(next[kind], color, dash)),
      );
    },
  };
}
