// @ts-check
/**
 * Runs a program that Python traced: a straight-line sequence of steps on flat arrays, each an operation from a fixed
 * table. There is no differentiation here: derivatives are steps like all others.
 */

import { ELEMENTWISE, EXACT, LINALG, REDUCE, SCAN, SETTLED, matrix } from "./operations.js";

const [EPS, EPS32] = [2 ** -52, 2 ** -23];
const MOST_ELEMENTS = 2e6;

/**
 * @typedef {import("./operations.js").Jog} Jog
 * @typedef {import("./operations.js").Numbers} Numbers
 * An operand: the slot, the offset of its first element, its strides and its shape.
 * @typedef {[number, number, number[], number[]]} View
 * @typedef {{slots: [number, string][], inputs: [number, number][], constants: [number, any][], steps: [string, number,
 *   View[], number[], any][], guards: [View, boolean][], outputs: View[]}} Program
 */

/** @param {number[]} shape */
const count = (shape) => shape.reduce((a, b) => a * b, 1);

/** The flat indices of the elements of a view, in order. @param {View} view */
function placesOf([, offset, strides, shape]) {
  const places = new Int32Array(count(shape));
  const index = shape.map(() => 0);
  for (let i = 0, at = offset; i < places.length; i++) {
    places[i] = at;
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      at += strides[axis];
      if (++index[axis] < shape[axis]) break;
      at -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return places;
}

/**
 * @param {Program} program
 * @returns an object that runs it
 * @throws if it is not a valid program
 */
export function makeEvaluator(program) {
  check(program);
  /** @type {Map<string, Int32Array>} */
  const known = new Map();
  const places = (/** @type {View} */ view) => {
    const key = JSON.stringify(view.slice(1));
    if (!known.has(key)) known.set(key, placesOf(view));
    return /** @type {Int32Array} */ (known.get(key));
  };
  const fixed = new Map(program.constants.map(([slot, values]) => [slot, constant(values, program.slots[slot][0])]));
  const steps = program.steps.map((step) => ({ ...prepared(step, places), rounds: rounding(step, program.slots) }));
  const looks = program.outputs.map((view) => /** @type {const} */ ([view[0], places(view)]));
  const guards = program.guards.map(([view, answer]) => /** @type {const} */ ([view[0], places(view)[0], answer]));

  return {
    /**
     * The outputs for these inputs, and whether all branches are those that Python took.
     * @param {number[][]} inputs
     * @param {"" | "all" | "unsettled"} [jogged] perturb every result and every term of a sum by two roundings, or
     *   only those whose rounding may depend on the platform
     * @param {number} [seed] of the perturbations; those of -1 are opposite to those of 1
     * @returns {{outputs: Float64Array[], fits: boolean}}
     */
    run(inputs, jogged = "", seed = 2 ** 31 * Math.random()) {
      const draw = drawing(seed);
      /** @type {Numbers[]} */
      const slots = [];
      for (const [slot, values] of fixed) slots[slot] = values;
      program.inputs.forEach(([slot], i) => (slots[slot] = inputs[i]));
      for (const { out, compute, rounds } of steps) {
        const kind = program.slots[out][1];
        const size = 2 * (kind === "float32" ? EPS32 : EPS);
        const jogs = rounds && (jogged === "all" || jogged === rounds);
        const jog = (/** @type {number} */ x) => (jogs && Number.isFinite(x) ? x + x * size * draw() : x);
        const found = compute(slots, jog, castTo(kind) ?? Number);
        if (jogs) for (let i = 0; i < found.length; i++) found[i] = jog(found[i]);
        const cast = castTo(kind);
        if (cast) for (let i = 0; i < found.length; i++) found[i] = cast(found[i]);
        slots[out] = found;
      }
      return {
        outputs: looks.map(([slot, at]) => taken(slots[slot], at)),
        fits: guards.every(([slot, at, answer]) => Boolean(slots[slot][at]) === answer),
      };
    },
  };
}

/**
 * The elements at these flat indices; `Float64Array.from` takes many times as long.
 * @param {Numbers} values @param {ArrayLike<number>} places
 */
function taken(values, places) {
  const found = new Float64Array(places.length);
  for (let i = 0; i < found.length; i++) found[i] = values[places[i]];
  return found;
}

/** How a step rounds; "" if it does not. @param {Program["steps"][number]} step @param {Program["slots"]} slots */
function rounding([name, out, views], slots) {
  const kind = slots[out][1];
  const isExact = EXACT.has(name) && views.every(([slot]) => slots[slot][1] === kind || !isFloat(slots[slot][1]));
  return isExact || !isFloat(kind) ? "" : SETTLED.has(name) ? "settled" : "unsettled";
}

/**
 * The conversion of a number to a dtype, if one is needed; guards of the program ensure that integers do not overflow.
 * @param {string} kind @returns {((x: number) => number) | null}
 */
function castTo(kind) {
  if (kind === "float32") return Math.fround;
  if (kind === "bool") return (x) => Number(x !== 0);
  return isFloat(kind) ? null : (x) => Math.trunc(x) + 0; // removes the sign of -0
}

const isFloat = (/** @type {string} */ kind) => kind.startsWith("float");

/** Pseudorandom numbers from -1 to 1, determined by the seed. @param {number} seed */
function drawing(seed) {
  let state = Math.abs(seed);
  return () => Math.sign(seed) * (((state = Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 31 - 1);
}

/** @param {any} values @param {number} size */
function constant(values, size) {
  if (Array.isArray(values)) return Float64Array.from(values, Number); // in JSON, "NaN" and "Infinity" are texts
  return "all" in values
    ? new Float64Array(size).fill(Number(values.all))
    : Float64Array.from({ length: size }, (_, i) => values.from + i * values.by);
}

/**
 * @param {Program["steps"][number]} step
 * @param {(view: View) => Int32Array} places
 * @returns {{out: number, compute: (slots: Numbers[], jog: Jog, hold: Jog) => Numbers}}
 */
function prepared([name, out, views, shape, attributes], places) {
  const at = views.map(places);
  const [first, second] = views;
  const all = (/** @type {Numbers[]} */ slots, /** @type {number} */ k) => taken(slots[views[k][0]], at[k]);
  const n = count(shape);

  if (name in ELEMENTWISE) {
    const f = ELEMENTWISE[name];
    const [a, b, c] = at;
    const isSum = name === "add" || name === "subtract";
    return {
      out,
      compute(slots, jog) {
        const found = new Float64Array(n);
        const [x, y, z] = views.map(([slot]) => slots[slot]);
        if (c) for (let i = 0; i < n; i++) found[i] = f(x[a[i]], y[b[i]], z[c[i]]);
        else if (b && isSum) for (let i = 0; i < n; i++) found[i] = f(jog(x[a[i]]), jog(y[b[i]]), 0);
        else if (b) for (let i = 0; i < n; i++) found[i] = f(x[a[i]], y[b[i]], 0);
        else for (let i = 0; i < n; i++) found[i] = f(x[a[i]], 0, 0);
        return found;
      },
    };
  }
  if (name in REDUCE) {
    const inner = count(shape.slice(shape.length - attributes.n));
    const outer = count(shape.slice(0, shape.length - attributes.n));
    return {
      out,
      compute(slots, jog, hold) {
        const x = all(slots, 0);
        const found = new Float64Array(outer);
        for (let i = 0; i < outer; i++) found[i] = REDUCE[name](x, i * inner, inner, jog, hold);
        return found;
      },
    };
  }
  if (name in SCAN) {
    const row = shape[shape.length - 1];
    return {
      out,
      compute(slots, jog, hold) {
        const x = [...all(slots, 0)];
        return Array.from({ length: n / row }, (_, i) => SCAN[name](x.slice(i * row, (i + 1) * row), jog, hold)).flat();
      },
    };
  }
  if (name in LINALG) {
    const rows = first[3][first[3].length - 1];
    const isVector = second?.[3].length === 1;
    const columns = !second || isVector ? 1 : second[3][second[3].length - 1];
    const stacks = count(first[3].slice(0, -2));
    return {
      out,
      compute(slots) {
        const [a, b] = [all(slots, 0), second ? all(slots, 1) : []];
        return Array.from({ length: stacks }, (_, k) =>
          LINALG[name](
            matrix(a, rows, rows, k * rows * rows),
            second ? matrix(b, rows, columns, (k * rows * columns) % b.length) : [],
            attributes.part ?? 0,
          ),
        ).flat();
      },
    };
  }
  return { out, compute: (slots, jog) => OWN[name]({ at, all: (k) => all(slots, k), shape, attributes, views, jog }) };
}

/**
 * @typedef {{at: Int32Array[], all: (k: number) => Float64Array, shape: number[], attributes: any, views: View[], jog:
 *   Jog}} Given
 */

/** The flat indices for an index. @param {Given} given @param {number} from the first operand that is an index */
function indexed({ all, attributes: { base, parts = [] } }, from) {
  const indices = parts.map((/** @type {any} */ _, /** @type {number} */ k) => all(from + k));
  return base.map((/** @type {number} */ place, /** @type {number} */ i) => {
    for (let k = 0; k < parts.length; k++) {
      const [stride, size, which] = parts[k];
      const index = indices[k][which[i]];
      if (!(index >= -size && index < size)) throw new RangeError("a computed index is out of bounds");
      place += stride * (index < 0 ? index + size : index);
    }
    return place;
  });
}

/** @type {Record<string, (given: Given) => Numbers>} */
const OWN = {
  pick(given) {
    return taken(given.all(0), indexed(given, 1));
  },
  drop(given) {
    const [found, values] = [given.all(0), given.all(1)];
    indexed(given, 2).forEach((/** @type {number} */ place, /** @type {number} */ i) => {
      if (given.attributes.mode === "add") found[place] += given.jog(values[i]);
      else found[place] = values[i];
    });
    return found;
  },
  put({ all, shape, attributes: { offset, strides } }) {
    const [found, values] = [all(0), all(1)];
    placesOf([0, offset, strides, shape]).forEach((place, i) => (found[place] = values[i]));
    return found;
  },
  join: ({ all, views }) => views.flatMap((_, k) => [...all(k)]),
  matmul({ all, views: [a, b], jog }) {
    const [x, y] = [all(0), all(1)];
    const [m, inner] = a[3].slice(-2);
    const columns = b[3][b[3].length - 1];
    const stacks = count(a[3].slice(0, -2));
    const found = new Float64Array(stacks * m * columns);
    for (let s = 0, at = 0; s < stacks; s++)
      for (let i = 0; i < m; i++)
        for (let j = 0; j < columns; j++, at++) {
          let sum = 0;
          for (let k = 0; k < inner; k++) sum += jog(x[(s * m + i) * inner + k] * y[(s * inner + k) * columns + j]);
          found[at] = sum;
        }
    return found;
  },
};

/** Check a program: names, slots and indices are verified before anything runs. @param {Program} program */
function check({ slots, inputs, constants, steps, guards, outputs }) {
  const written = new Set([...inputs.map(([slot]) => slot), ...constants.map(([slot]) => slot)]);
  const refuse = (/** @type {string} */ why) => {
    throw new TypeError(`this is no program: ${why}`);
  };
  let elements = 0;
  /** @param {View} view */
  function reads([slot, offset, strides, shape]) {
    if (!written.has(slot)) refuse(`slot ${slot} is read before it is written`);
    const size = count(shape);
    elements += size;
    if (!size) return;
    const far = strides.map((stride, i) => stride * (shape[i] - 1));
    const low = offset + far.reduce((sum, d) => sum + Math.min(d, 0), 0);
    const high = offset + far.reduce((sum, d) => sum + Math.max(d, 0), 0);
    if (!(low >= 0 && high < slots[slot][0])) refuse(`slot ${slot} has no such places`);
  }
  for (const [name, out, views, shape] of steps) {
    if (![ELEMENTWISE, REDUCE, SCAN, LINALG, OWN].some((table) => Object.hasOwn(table, name))) refuse(`${name}`);
    views.forEach(reads);
    elements += count(shape);
    if (!slots[out] || written.has(out)) refuse(`slot ${out} is written twice`);
    written.add(out);
  }
  for (const view of [...outputs, ...guards.map(([view]) => view)]) reads(view);
  if (elements > MOST_ELEMENTS) refuse("it is too large");
}

/** The names of all operations. */
export const operations = () => [ELEMENTWISE, REDUCE, SCAN, LINALG, OWN].flatMap(Object.keys);
