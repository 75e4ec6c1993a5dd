// @ts-check
/** The zero-centred colour map, as bytes for canvases and as CSS text for cells, and the legends that explain it. */

import { html, set, svg, write } from "./dom.js";

const STEPS = 255; // odd: zero has an entry of its own
export const SHADES = 127; // on either side of zero, as in views/live/columns.py

/** @typedef {{bytes: Uint8ClampedArray, css: (t: number) => string, ink: (t: number) => string}} ColorMap */

/** @param {string[]} stops "#rrggbb" from -1 to 1 @returns {ColorMap} */
export function colorMap(stops) {
  const rgb = stops.map((s) => [1, 3, 5].map((i) => parseInt(s.slice(i, i + 2), 16)));
  const bytes = new Uint8ClampedArray(STEPS * 4);
  for (let k = 0; k < STEPS; k++) {
    const at = (k / (STEPS - 1)) * (rgb.length - 1);
    const low = Math.min(Math.floor(at), rgb.length - 2);
    for (let c = 0; c < 3; c++) bytes[4 * k + c] = rgb[low][c] + (at - low) * (rgb[low + 1][c] - rgb[low][c]);
    bytes[4 * k + 3] = 255;
  }
  /** @param {number} t */
  const at = (t) => bytes.subarray(4 * entry(t), 4 * entry(t) + 3);
  return {
    bytes,
    css: (t) => `rgb(${at(t).join(" ")})`,
    ink: (t) => (isDim(at(t)) ? "#fff" : "#000"),
  };
}

/** The entry of the map for t in [-1, 1]. @param {number} t */
export function entry(t) {
  return Math.round(((Math.max(-1, Math.min(1, t)) + 1) / 2) * (STEPS - 1));
}

/** Colours of the map from left to right. @param {ColorMap} colors @param {number} from @param {number} [to] */
export function rampOf({ css }, from, to = 1) {
  return `linear-gradient(to right, ${[0, 0.2, 0.4, 0.5, 0.6, 0.8, 1].map((part) => css(from + (to - from) * part))})`;
}

export const THEME_MARKS = ["data-jp-theme-light", "data-jp-theme-name", "data-vscode-theme-kind", "theme"];

/**
 * Whether the element is on a dark page: JupyterLab, VS Code and Colab say so, elsewhere its background decides.
 * @param {Element} element
 */
export function isDark(element) {
  const { jpThemeLight: light, vscodeThemeKind: kind } = document.body.dataset;
  if (light !== undefined) return light === "false";
  if (kind !== undefined) return /dark|contrast$/.test(kind); // there is vscode-high-contrast-light, too
  if (document.documentElement.matches("[theme=dark]")) return true;
  return isDim(getComputedStyle(element).backgroundColor.match(/[\d.]+/g) ?? [255, 255, 255]);
}

/** Whether white letters read better on a colour than black ones. @param {any} rgb */
function isDim([r, g, b]) {
  return 0.2126 * r ** 2.2 + 0.7152 * g ** 2.2 + 0.0722 * b ** 2.2 < 35257; // 0.179 of white, nearly as in WCAG 2
}

// The scales from numbers to colours: asinh, linear, or logarithmic beyond a threshold.

/**
 * The colour scale of an array; linear by default.
 * @typedef {{rows: number, cols: number, scale: number, threshold?: number | null, bend?: number}} Shades
 */

/** @param {Shades} shades */
export const toneOf = ({ scale, threshold = null, bend }) => makeTone(scale, threshold, bend);

/**
 * Paint one pixel per cell. NaN and infinities stay transparent: the hatching behind the canvas is visible.
 * @param {HTMLCanvasElement} canvas
 * @param {Shades} shades
 * @param {ArrayLike<number>} data
 * @param {ColorMap} colors
 */
export function paint(canvas, shades, data, { bytes }) {
  const [tone, image] = [toneOf(shades), new ImageData(shades.cols, shades.rows)];
  [canvas.width, canvas.height] = [shades.cols, shades.rows];
  for (let k = 0; k < data.length; k++) {
    if (!Number.isFinite(data[k])) continue;
    const at = 4 * entry(tone(data[k]));
    image.data.set(bytes.subarray(at, at + 4), 4 * k);
  }
  canvas.getContext("2d")?.putImageData(image, 0, 0);
}

export const BEND = 100; // of the scale of a view, as in views/draw/colors.py

/**
 * The signed fraction of a number, from -1 to 1, which gives its colour.
 * @param {number} scale the magnitude with the strongest colours
 * @param {number | null} threshold colours are proportional to numbers up to this magnitude
 * @param {number} [bend] of asinh, which has no threshold
 * @returns {(value: number) => number}
 */
export function makeTone(scale, threshold, bend = 0) {
  if (!scale) return () => 0;
  if (bend) return (value) => Math.asinh((value / scale) * bend) / Math.asinh(bend);
  if (threshold === null) return (value) => value / scale;
  const powers = 1 + Math.log10(scale / threshold);
  return (value) => {
    const size = Math.abs(value) / threshold;
    return (Math.sign(value) * (size <= 1 ? size : 1 + Math.log10(size))) / powers;
  };
}

// The colour bar with a histogram along it: vertical beside a heatmap, or horizontal below one.

const ROOM = 0.06; // minimum distance of two numbers, as a fraction of the bar's length

/**
 * A layout of the legend: the box of something that begins at a fraction of the bar (0 to 1), takes a part of it, and
 * is a number of bar thicknesses away from the numbers.
 * @typedef {{
 *   deepest: number,
 *   pointer: string,
 *   box: (from: number, size: number, away: number, deep: number) => Record<string, string | number>,
 *   label: (at: number, inner: boolean) => Record<string, string | number>,
 * }} Layout
 */

/** @type {Layout & {viewBox: string}} */
const UPRIGHT = {
  viewBox: "0 0 150 236",
  deepest: 5.6,
  pointer: "M-8 -5L-1 0L-8 5z",
  box: (from, size, away, deep) => ({
    x: 64 + 12 * away,
    width: 12 * deep,
    y: 10 + 216 * (1 - from - size),
    height: 216 * size,
  }),
  label: (at) => ({ x: 54, y: 230 - 216 * at, "text-anchor": "end" }),
};

/** In the available width, with thicknesses in units of the font size. @type {Layout & {viewBox: null}} */
const LYING = {
  viewBox: null,
  deepest: 3.4,
  pointer: "M-5 -8L0 -1L5 -8z",
  box: (from, size, away, deep) => ({
    x: `${100 * from}%`,
    width: `${100 * size}%`,
    y: `${0.65 * (4.65 - away - deep)}em`,
    height: `${0.65 * deep}em`,
  }),
  label: (at, inner) => ({
    x: `${100 * at}%`,
    y: inner ? "5.2em" : "4.1em",
    "text-anchor": inner ? (at < 0.5 ? "end" : "start") : ["start", "middle", "end"][Math.round(2 * at)],
  }),
};

export function makeHeatLegend(isLying = false) {
  const { viewBox, deepest, pointer: shape, box, label } = isLying ? LYING : UPRIGHT;
  const pointer = svg("svg.al-heat-pointer", { overflow: "visible" }, svg("path", { d: shape }));
  const root = svg("svg", { class: `al-heat-legend${isLying ? " al-lying" : ""}`, viewBox, role: "img" });
  let [low, high] = [-1, 1]; // the fractions that it shows: only half of them if all numbers have one sign
  const part = (/** @type {number} */ t) => (Math.max(low, Math.min(high, t)) - low) / (high - low);

  return {
    root,
    /**
     * @param {{ticks: [number, string][], counts: number[], scale: number, ends: number[]}} facts
     * @param {ColorMap} colors
     */
    update({ ticks, counts, scale, ends }, colors) {
      [low, high] = ends;
      const [most, size] = [Math.max(...counts, 1), 1 / counts.length];
      const parts = counts.flatMap((count, k) => {
        const fill = colors.css(low + ((high - low) * k) / (counts.length - 1));
        const color = scale && svg("rect", { ...box(k * size, 1.03 * size, 0, 1), fill });
        const bar =
          count &&
          svg(
            "rect.al-heat-count",
            {
              ...box(k * size, 0.9 * size, 1.25, Math.max(0.13, (deepest * count) / most)),
              fill,
            },
            svg("title", `${count}`),
          );
        return [color, bar].filter(Boolean);
      });
      set(root, { "aria-label": `Colours from ${ticks[0][1]} to ${ticks.at(-1)?.[1]}, with a histogram` });
      root.classList.toggle("al-two-lines", isLying && ticks.length > 3);
      root.replaceChildren(...parts, ...labels(ticks), pointer);
      this.point(null);
    },
    /** Mark the position of a number. @param {number | null} t */
    point(t) {
      pointer.style.display = t === null ? "none" : "";
      if (t === null) return;
      const { x, y } = box(part(t), 0, 0, 1);
      set(pointer, { x, y });
    },
  };

  /**
   * Zero and the ends are always written; numbers that would touch them get a line of their own, or are omitted.
   * @param {[number, string][]} ticks
   */
  function labels(ticks) {
    const few = !isLying && ticks.length > 3 && part(ticks[3][0]) - part(ticks[2][0]) < ROOM;
    return ticks
      .filter((_, i) => !few || i % 2 === 0)
      .map(([t, text], i) => svg("text", label(part(t), ticks.length > 3 && !few && i % 2 === 1), text));
  }
}

// The colour bar of the cells, below a graph; a mark follows the cell under the pointer.

/** @typedef {{scale: number, grad: number, ticks: [number, string][], words: string, more: string}} Scale */

export function makeScaleLegend() {
  const [ramp, pointer] = [html("div.al-ramp"), html("div.al-scale-at", { hidden: true })];
  const [numbers, words, seldom] = [html("div.al-scale-ticks"), html("span.al-note"), html("span.al-note.al-seldom")];
  const bar = html("div.al-scale-bar", ramp, pointer, numbers);
  const root = html("div.al-scale-legend", { hidden: true }, bar, words, seldom);
  let last = "";
  const at = (/** @type {number} */ t) => `${50 * (1 + Math.max(-1, Math.min(1, t)))}%`;

  return {
    root,
    /** @param {Scale | null} facts @param {ColorMap} colors @param {string} bars the meaning of the bars of a plan */
    update(facts, colors, bars) {
      bar.hidden = !(facts?.scale || facts?.grad);
      root.hidden = bar.hidden && !bars;
      write(words, [bar.hidden ? "" : facts?.words, bars].filter(Boolean).join(" "));
      write(seldom, (!bar.hidden && facts?.more) || "");
      if (!facts) return;
      ramp.style.background = rampOf(colors, -1);
      if (last === (last = facts.ticks.join())) return;
      numbers.replaceChildren(
        ...facts.ticks.map(([t, number]) => {
          const tick = html("span", number);
          tick.style.left = at(t);
          return tick;
        }),
      );
    },
    /** @param {number | null} t a position on the scale */
    point(t) {
      pointer.hidden = t === null;
      if (t !== null) pointer.style.left = at(t);
    },
  };
}
