// @ts-check
/** The zero-centred colour map, as bytes for canvases and as CSS text for cells. */

const STEPS = 255; // odd: zero has an entry of its own
export const SHADES = 127; // on either side of zero, as views/live/columns.py sends them

/** @typedef {{bytes: Uint8ClampedArray, css: (t: number) => string, ink: (t: number) => string}} ColorMap */

/**
 * @param {string[]} stops "#rrggbb" from -1 to 1
 * @returns {ColorMap}
 */
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
    ink: (t) => (luminance([...at(t)]) > 0.45 ? "#1a1a1a" : "#ffffff"),
  };
}

/**
 * The entry of the map for t in [-1, 1].
 * @param {number} t
 */
export function entry(t) {
  return Math.round(((Math.max(-1, Math.min(1, t)) + 1) / 2) * (STEPS - 1));
}

/** The colours from one place of the map to its end, as CSS. @param {ColorMap} colors @param {number} from */
export function rampOf({ css }, from) {
  return `linear-gradient(to right, ${[0, 0.2, 0.4, 0.5, 0.6, 0.8, 1].map((part) => css(from + (1 - from) * part))})`;
}

/**
 * True if the element stands on a dark page: JupyterLab says so, elsewhere its background does.
 * @param {Element} element
 */
export function isDark(element) {
  const light = document.body.dataset.jpThemeLight;
  if (light !== undefined) return light === "false";
  const rgb = (getComputedStyle(element).backgroundColor.match(/[\d.]+/g) ?? ["255", "255", "255"]).map(Number);
  return luminance(rgb) < 0.5;
}

/** @param {number[]} rgb */
function luminance([r, g, b]) {
  return (0.3 * r + 0.59 * g + 0.11 * b) / 255;
}

// How numbers become colours: as asinh, in even steps, or beyond a threshold in powers of ten.

export const BEND = 100; // of the one scale of a view, as views/draw/colors.py has it

/**
 * Where a number stands among the colours, -1 to 1.
 * @param {number} scale the magnitude of the strongest colours
 * @param {number | null} threshold up to here colours are proportional to the numbers
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
