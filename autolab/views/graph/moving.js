// @ts-check
/**
 * A graph that moves without a kernel, in a saved page, or ahead of one: the page runs the program written by Python,
 * shows as many digits as the program's rounding permits, and undoes moves that it cannot follow. Before anything
 * moves, the program must reproduce Python's numbers.
 */

import { BELOW_CELLS } from "./box_sizes.js";
import { makeEvaluator } from "./evaluator.js";
import { rint } from "./operations.js";

const RUNS = 8; // with perturbations, which show the effect of rounding
const WIDER = 10;
const PRECISION = { float64: 2 ** -52, float32: 2 ** -23 };
/** The upper limits of integer dtypes. @type {Record<string, number>} */
const END = { uint8: 2 ** 8, uint16: 2 ** 16, uint32: 2 ** 32, int8: 2 ** 7, int16: 2 ** 15, int32: 2 ** 31 };
const FINE = 1e-5; // the smallest visible fraction of a colour scale
const MINUS = "\u2212";
const NEAR = "\u2248";
const MARK = "ꙮ";
const MARKS = /ꙮ([a-z]?)([\d,]+)ꙮ/g;

/**
 * @param {any} motion the program from Python
 * @returns the moving graph; null if this browser computes different numbers than Python
 */
export function makeMotion({ program, keys, start, kinds, shown, expected, results, spoken, moments }) {
  const made = attempt(() => makeEvaluator(program));
  if (!made) return null;
  const evaluator = made;
  const inputs = start.map((/** @type {any[]} */ values) => values.map(Number));

  /**
   * The outputs at a point with their tolerances; null if the function takes another branch, or if the browser's own
   * rounding decides which branch it takes or whether a number is finite, unless Python has found the same.
   * @param {number[][]} at @param {boolean} [isKnown] whether Python has computed this point
   */
  function computed(at, isKnown = false) {
    const { outputs, fits } = evaluator.run(at);
    const spread = outputs.map(() => 0);
    let isSure = fits;
    for (let run = 0; run < RUNS && isSure; run++) {
      const isOwn = run % 2 === 0 && !isKnown;
      const seed = (run & 2 ? -1 : 1) * (1 + (run >> 2)); // each perturbation is followed by its opposite
      const other = evaluator.run(at, run % 2 ? "all" : "unsettled", seed);
      if (isOwn && !other.fits) isSure = false;
      other.outputs.forEach((values, k) =>
        values.forEach((value, i) => {
          const gap = Math.abs(value - outputs[k][i]);
          if (gap > spread[k] && gap < Infinity) spread[k] = gap;
          else if (isOwn && Number.isFinite(value) !== Number.isFinite(outputs[k][i])) isSure = false;
        }),
      );
    }
    return isSure ? { outputs, slack: spread.map((gap) => WIDER * gap) } : null;
  }

  const first = attempt(() => computed(inputs, true));
  const isRight = first?.outputs.every((values, k) =>
    values.every((value, i) => {
      const python = Number(expected[k][i]);
      return Object.is(value, python) || value === python || Math.abs(value - python) <= first.slack[k];
    }),
  );
  if (!first || !isRight) return null;
  let now = first;
  let isMoved = false;

  /** The text and cells of one of a step's arrays. @param {number} step @param {string} which */
  function told(step, which) {
    const k = shown.findIndex((/** @type {any[]} */ [id, kind]) => id === step && kind === which);
    if (k < 0) return null;
    const [, , shape, dtype] = shown[k];
    const [values, slack] = [now.outputs[k], now.slack[k]];
    const text = textOf(values, shape, dtype, slack);
    return { text, spoken: spokenOf(text, values, shape, slack), values, shape };
  }

  /** A box with the present numbers. @param {string} id @param {any} box @param {any} scale that of the view */
  function box(id, box, scale) {
    const step = results[id] ?? Number(id);
    const [value, grad] = [told(step, "value"), told(step, "grad")];
    if (!value && !grad) return box;
    const [before, after] = spoken[id] ?? ["", ""];
    const said = [before, value && `value ${value.spoken}`, grad && `gradient ${grad.spoken}`];
    const cells = {
      value_cells: box.value_cells && value && cellsOf(box.value_cells, value),
      grad_cells: box.grad_cells && grad && cellsOf(box.grad_cells, grad),
    };
    return {
      ...box,
      ...cells,
      value: value?.text ?? box.value,
      grad: box.grad === null ? null : (grad?.text ?? box.grad),
      value_scale: box.value_scale ?? (box.own ? largest(cells.value_cells) : scale?.scale), // shades have none
      grad_scale: box.grad_scale ?? (box.own ? largest(cells.grad_cells) : scale?.grad),
      spoken: said.filter(Boolean).join(", ") + after,
    };
  }

  /** The boxes of a picture with the present numbers. @param {any} saved */
  const boxes = (saved) =>
    Object.fromEntries(Object.entries(saved.nodes).map(([id, node]) => [id, box(id, node, saved.scale)]));

  /** Remove the sentence about earlier numbers. @param {string} id @param {any} box */
  const unjudged = (id, box) => ({ ...box, status: box.grad === null || id in results ? box.status : "" });

  /** A control with the present value of its input. @param {any} control */
  function control(control) {
    const k = keys.indexOf(control.key);
    if (k < 0 || control.kind === "fixed") return control;
    const value = (/** @type {number} */ i) => (Number.isFinite(inputs[k][i]) ? inputs[k][i] : null);
    if (control.kind === "slider") return { ...control, value: value(0) };
    const { first, stride } = control;
    const values = control.values.map((/** @type {any[]} */ row, /** @type {number} */ i) =>
      row.map((_, j) => value(first + i * stride + j)),
    );
    return { ...control, values };
  }

  return {
    get isMoved() {
      return isMoved;
    },
    /** The present values of the inputs, by key. */
    point() {
      return Object.fromEntries(keys.map((/** @type {any} */ key, /** @type {number} */ k) => [key, [...inputs[k]]]));
    },
    /**
     * Set an element of an input; returns false, and changes nothing, if that needs Python.
     * @param {{key: string | number, index: number | null, value: number}} message
     */
    move({ key, index, value }) {
      const k = keys.indexOf(key);
      const at = index ?? 0;
      if (k < 0 || !Number.isFinite(value) || !(at in inputs[k]) || !holds(kinds[k], rint(value))) return false;
      const before = inputs[k][at];
      inputs[k][at] = kinds[k] === "float32" ? Math.fround(value) : kinds[k] === "float64" ? value : rint(value);
      const found = attempt(() => computed(inputs));
      if (!found) {
        inputs[k][at] = before;
        return false;
      }
      now = found;
      return (isMoved = true);
    },
    /** The answer to a question after a move. @param {string} key @param {any} saved @param {string} none */
    answer(key, saved, none) {
      const [kind] = JSON.parse(key);
      if (kind === "numbers" && saved?.nodes) {
        const nodes = Object.fromEntries(Object.entries(boxes(saved)).map(([id, node]) => [id, unjudged(id, node)]));
        return { ...saved, nodes, signs: {}, told: [], none, nan: false, walks: Boolean(moments), proofs: [] };
      }
      if (kind === "frame") return (moments && saved && { ...saved, ...filled(moments[saved.k], shown, now) }) ?? null;
      if (kind === "sources")
        return Array.isArray(saved) ? saved.map((cell) => ({ ...cell, is: null, says: "" })) : null;
      return kind === "free" ? this.ahead(key, saved) : ["program", "scene", "search"].includes(kind) ? saved : null;
    },
    /**
     * The kernel's answer for the point before, with the present numbers; all else in it follows from the kernel.
     * @param {string} key @param {any} before
     */
    ahead(key, before) {
      const [kind] = JSON.parse(key);
      if (kind === "numbers" && before?.nodes) return { ...before, nodes: boxes(before) };
      if (kind === "free" && before?.controls) return { ...before, controls: before.controls.map(control) };
      return before;
    },
    /** Whether the kernel's answer has exactly these numbers. @param {string} key @param {any} found */
    agrees(key, found) {
      const mine = this.ahead(key, found);
      if (mine.controls) return JSON.stringify(mine.controls) === JSON.stringify(found.controls);
      return Object.entries(mine.nodes ?? {}).every(([id, node]) => isSameBox(node, found.nodes[id]));
    },
  };
}

/** @template T @param {() => T} compute @returns {T | null} */
function attempt(compute) {
  try {
    return compute();
  } catch {
    return null; // a matrix without an inverse, an index out of bounds, a damaged program
  }
}

/** @param {any} mine @param {any} python */
function isSameBox(mine, python) {
  const isSame = (/** @type {string} */ which) => {
    const [text, cells, scale] = [mine[which], mine[`${which}_cells`], python[`${which}_scale`]];
    if (text !== python[which] && !text?.startsWith(NEAR)) return false;
    if (!cells || scale === null) return true; // shades have too little information
    const theirs = python[`${which}_cells`].flat();
    return cells
      .flat()
      .every(
        (/** @type {any} */ x, /** @type {number} */ i) => x === theirs[i] || Math.abs(x - theirs[i]) <= FINE * scale,
      );
  };
  return isSame("value") && isSame("grad");
}

/** @param {(number | string)[][] | null} cells */
const largest = (cells) => Math.max(0, ...(cells ?? []).flat().map((x) => (typeof x === "number" ? Math.abs(x) : 0)));

/**
 * As many rows and columns as the page drew, as JSON can hold them.
 * @param {any[][]} drawn @param {{values: Float64Array, shape: number[]}} array
 */
const cellsOf = (drawn, array) =>
  strongest(drawn.length, drawn[0].length, array).map((row) =>
    row.map((x) => (Number.isFinite(x) ? x : number(x, ""))),
  );

/**
 * Rows and columns, each with the element of largest magnitude in its block, as in views/draw/arrays.py.
 * @param {number} down @param {number} across @param {{values: Float64Array, shape: number[]}} array
 */
function strongest(down, across, { values, shape }) {
  const columns = shape[shape.length - 1] ?? 1;
  const rows = values.length / columns;
  const [high, wide] = [Math.ceil(rows / down), Math.ceil(columns / across)];
  return Array.from({ length: down }, (_, i) =>
    Array.from({ length: across }, (_, j) => {
      let found = 0;
      for (let r = i * high; r < Math.min(rows, (i + 1) * high); r++)
        for (let c = j * wide; c < Math.min(columns, (j + 1) * wide); c++) {
          const x = values[r * columns + c];
          if (Number.isNaN(x)) return x;
          if (Math.abs(x) > Math.abs(found)) found = x;
        }
      return found;
    }),
  );
}

// The marks of views/draw/numbers.py, which stand for numbers.

/**
 * Data with the present numbers in the place of their marks.
 * @param {any} data @param {any[]} shown @param {{outputs: Float64Array[], slack: number[]}} now
 */
function filled(data, shown, { outputs, slack }) {
  const all = outputs.flatMap((values, k) => Array.from(values, (x) => ({ x, dtype: shown[k][3], slack: slack[k] })));

  /** An array by its place. @param {number[]} place */
  const taken = ([first, down, right, rows, columns]) =>
    Float64Array.from(
      { length: rows * columns },
      (_, i) => all[first + down * Math.floor(i / columns) + right * (i % columns)].x,
    );

  /** @param {string} _ @param {string} how @param {string} list */
  function written(_, how, list) {
    const [limit, ...place] = list.split(",").map(Number);
    const { x, dtype, slack } = all[how ? place[0] : limit];
    if (!how) return MARK + vouched(x, dtype, slack) + MARK;
    const [values, shape] = [taken(place), place.slice(5)];
    const text = textOf(values, shape, dtype, slack, limit);
    const said = how === "t" ? text : spokenOf(text, values, shape, slack);
    return how === "a" && said.startsWith("array") ? `an ${said}` : said;
  }

  /** @param {any} part */
  function cells({ at, cells, rows, cols }) {
    const [values, shape] = [taken(at), at.slice(3)];
    if (cells) return { cells: cellsOf(cells, { values, shape }) };
    const drawn = strongest(rows, cols, { values, shape });
    const [min, max] = endsOf(values);
    return {
      cells: new DataView(Float32Array.from(drawn.flat()).buffer),
      scale: Math.max(-(min ?? 0), max ?? 0),
      min,
      max,
      nan: values.filter(Number.isNaN).length,
      inf: values.filter(isInfinite).length,
    };
  }

  /** @param {any} part @returns {any} */
  function fill(part) {
    if (typeof part === "string") return inBrackets(part.replace(MARKS, written));
    if (Array.isArray(part)) return part.map(fill);
    if (!part || typeof part !== "object" || part instanceof DataView) return part;
    const whole = Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, fill(inner)]));
    return part.at ? { ...whole, ...cells(part) } : whole;
  }
  return fill(data);
}

/** A formula whose numbers stand between marks, which become brackets around negative ones where it needs them. */
const inBrackets = (/** @type {string} */ text) =>
  text
    .replace(/ꙮ(≈?−[^ꙮ]*)ꙮ(?= \*\*)/g, "($1)")
    .replace(/\+ ꙮ−([^ꙮ]*)ꙮ/g, "− $1")
    .replace(/([-+−×·*%@÷/] ?)ꙮ(≈?−[^ꙮ]*)ꙮ/g, "$1($2)")
    .replaceAll(MARK, "");

// Numbers as text, as views/draw/numbers.py writes them.

/** @param {Float64Array} values @param {number[]} shape @param {string} dtype @param {number} slack */
function textOf(values, shape, dtype, slack, limit = BELOW_CELLS) {
  if (!values.length) return `empty ${shapeText(shape)}`;
  const written = (/** @type {number} */ x) => vouched(x, dtype, slack);
  if (!shape.length) return written(values[0]);
  const text = 3 * values.length > limit ? "" : nested([...values].map(written), shape);
  if (text && text.length <= limit) return text;
  return [`${shapeText(shape)} \u2026`, ...notFinite(values)].join(", ");
}

const isInfinite = (/** @type {number} */ x) => Math.abs(x) === Infinity;

/** The smallest and the largest of the finite numbers; null if there are none. @param {Float64Array} values */
function endsOf(values) {
  const sorted = values.filter(Number.isFinite).sort();
  return sorted.length ? [sorted[0], sorted[sorted.length - 1]] : [null, null];
}

/** @param {Float64Array} values */
function notFinite(values) {
  const [nan, inf] = [Number.isNaN, isInfinite].map((is) => values.filter(is).length);
  return [nan && `${nan} NaN`, inf && `${inf} inf`].filter(Boolean);
}

/**
 * A text as one would read it aloud; if it is too long, shape and range, as in views/draw/arrays.py.
 * @param {string} text @param {Float64Array} values @param {number[]} shape @param {number} slack
 */
function spokenOf(text, values, shape, slack) {
  const ends = endsOf(values);
  if (!text.includes("\u2026") || ends[0] === null) return text;
  const [low, high] = ends.map((x) => vouched(Number(x), "float64", slack));
  const range = low === high ? ` with ${low} everywhere` : ` from ${low} to ${high}`;
  return [`array of ${shape.join(" by ")}${range}`, ...notFinite(values)].join(", ");
}

/** @param {number[]} shape */
const shapeText = (shape) => `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;

/** @param {string[]} texts @param {number[]} shape @returns {string} */
function nested(texts, [length, ...inner]) {
  if (!inner.length) return `[${texts.join(", ")}]`;
  const size = texts.length / length;
  return `[${Array.from({ length }, (_, i) => nested(texts.slice(i * size, (i + 1) * size), inner)).join(", ")}]`;
}

/**
 * A number with only those digits that are the same for all numbers within the slack.
 * @param {number} x @param {string} dtype @param {number} slack
 */
function vouched(x, dtype, slack) {
  if (dtype === "bool") return x ? "True" : "False";
  const text = number(x, dtype);
  if (!slack || !Number.isFinite(x)) return text;
  const ends = [x - slack, x + slack];
  if (ends.every((end) => plain(number(end, dtype)) === plain(text))) return text;
  for (const digits of [3, 2, 1]) {
    const texts = ends.map((end) => end.toPrecision(digits));
    if (texts[0] === texts[1]) return `${NEAR}${signed(String(Number(texts[0])))}`;
  }
  return `${NEAR}0`;
}

/** @param {string} kind @param {number} x */
const holds = (kind, x) => !(kind in END) || (x < END[kind] && x >= (kind[0] === "u" ? 0 : -END[kind]));

/** @param {string} text */
const plain = (text) => Number(text.replaceAll(MINUS, "-").replace("\u221e", "Infinity"));
const signed = (/** @type {string} */ text) => text.replaceAll("-", MINUS);

/** @param {number} x @param {string} dtype */
export function number(x, dtype) {
  if (Number.isNaN(x)) return "NaN";
  const sign = x < 0 ? MINUS : "";
  const size = Math.abs(x);
  if (size === Infinity) return `${sign}\u221e`;
  if (!dtype.startsWith("float")) return sign + (size < 1e7 ? String(size) : size.toExponential(2));
  if (size === 0) return "0";
  const tolerance = 4 * PRECISION[/** @type {"float64"} */ (dtype)];
  if (size >= 1e-3 && size < 1e6) return sign + shortened(fixed(size, decimals(size)), "", size, tolerance);
  const [mantissa, exponent] = size.toExponential(2).split("e");
  const end = `e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
  return sign + signed(shortened(mantissa, end, size, tolerance));
}

/** @param {number} size */
function decimals(size) {
  const before = Math.floor(Math.log10(size)) + 1;
  return before < 0 ? 3 - before : Math.max(1, Math.min(3, 5 - before));
}

/** Round half to even, as Python does. @param {number} size @param {number} digits */
function fixed(size, digits) {
  const scaled = size * 10 ** digits;
  const isHalf = scaled - Math.floor(scaled) === 0.5 && scaled / 10 ** digits === size;
  const near = isHalf && Math.floor(scaled) % 2 === 0 ? Math.floor(scaled) / 10 ** digits : size;
  return near.toFixed(digits);
}

/** @param {string} digits @param {string} exponent @param {number} value @param {number} tolerance */
function shortened(digits, exponent, value, tolerance) {
  const isExact = Math.abs(Number(digits + exponent) - value) <= tolerance * value;
  return (isExact && digits.includes(".") ? digits.replace(/0+$/, "").replace(/\.$/, "") : digits) + exponent;
}
