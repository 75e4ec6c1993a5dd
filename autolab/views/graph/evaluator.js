// @ts-check
/**
 * Runs a program that Python traced: a straight line of steps over flat arrays, each of a fixed table of operations.
 * There is no derivative here: those are steps like all others.
 */

const [EPS, EPS32] = [2 ** -52, 2 ** -23];
const MOST_ELEMENTS = 2e6;

/**
 * An operand: the slot, where its first element stands, its strides and its shape.
 * @typedef {[number, number, number[], number[]]} View
 * @typedef {{slots: [number, string][], inputs: [number, number][], constants: [number, any][], steps: [string, number,
 *   View[], number[], any][], guards: [View, boolean][], outputs: View[]}} Program
 */

/** @param {number[]} shape */
const count = (shape) => shape.reduce((a, b) => a * b, 1);

/** The places of the elements of a view, in order. @param {View} view */
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

/** NumPy's: halves go to the even number. @param {number} x */
function rint(x) {
  const near = Math.round(x);
  return near - x === 0.5 && near % 2 ? near - 1 : near === 0 ? x * 0 : near;
}

/** NumPy's: 1 to any power is 1, also to NaN; -1 to an infinite one. @param {number} x @param {number} y */
const power = (x, y) => (x === 1 || (x === -1 && Math.abs(y) === Infinity) ? 1 : x ** y);

/** With the sign of the divisor. @param {number} x @param {number} y */
function remainder(x, y) {
  const rest = x % y;
  return rest && rest < 0 !== y < 0 ? rest + y : rest || (y < 0 ? -0 : 0) * (Number.isNaN(rest) ? NaN : 1);
}

/** @param {number} x @param {number} y */
function logaddexp(x, y) {
  if (x === y) return x + Math.LN2;
  return x > y ? x + Math.log1p(Math.exp(y - x)) : y > x ? y + Math.log1p(Math.exp(x - y)) : NaN;
}

const truth = (/** @type {(x: number, y: number) => boolean} */ test) => (/** @type {any} */ x, /** @type {any} */ y) =>
  Number(test(x, y));
const negative = (/** @type {number} */ x) => x < 0 || Object.is(x, -0);
const larger = (/** @type {number} */ x, /** @type {number} */ y) => (x !== x || y !== y ? NaN : x >= y ? x : y);
const smaller = (/** @type {number} */ x, /** @type {number} */ y) => (x !== x || y !== y ? NaN : x <= y ? x : y);
const floorDivide = (/** @type {number} */ x, /** @type {number} */ y) =>
  y === 0 ? x / y : Math.round((x - remainder(x, y)) / y);

/** @type {Record<string, (x: number, y: number, z: number) => number>} */
const ELEMENTWISE = {
  copy: (x) => x,
  negative: (x) => -x,
  absolute: Math.abs,
  sign: (x) => (x > 0 ? 1 : x < 0 ? -1 : x),
  square: (x) => x * x,
  reciprocal: (x) => 1 / x,
  exp: Math.exp,
  exp2: (x) => 2 ** x,
  expm1: Math.expm1,
  log: Math.log,
  log1p: Math.log1p,
  log2: Math.log2,
  log10: Math.log10,
  sqrt: Math.sqrt,
  cbrt: Math.cbrt,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  arcsin: Math.asin,
  arccos: Math.acos,
  arctan: Math.atan,
  arcsinh: Math.asinh,
  arccosh: Math.acosh,
  arctanh: Math.atanh,
  floor: Math.floor,
  ceil: Math.ceil,
  trunc: Math.trunc,
  rint,
  isfinite: truth(Number.isFinite),
  isnan: truth(Number.isNaN),
  isinf: (x) => Number(Math.abs(x) === Infinity),
  signbit: truth(negative),
  logical_not: (x) => Number(!x && x === x),
  degrees: (x) => x * (180 / Math.PI),
  rad2deg: (x) => x * (180 / Math.PI),
  radians: (x) => x * (Math.PI / 180),
  deg2rad: (x) => x * (Math.PI / 180),
  add: (x, y) => x + y,
  subtract: (x, y) => x - y,
  multiply: (x, y) => x * y,
  divide: (x, y) => x / y,
  power,
  float_power: power,
  maximum: larger,
  minimum: smaller,
  fmax: (x, y) => (x !== x ? y : y !== y ? x : larger(x, y)),
  fmin: (x, y) => (x !== x ? y : y !== y ? x : smaller(x, y)),
  arctan2: Math.atan2,
  hypot: Math.hypot,
  logaddexp,
  logaddexp2: (x, y) => logaddexp(x * Math.LN2, y * Math.LN2) / Math.LN2,
  copysign: (x, y) => (negative(y) ? -Math.abs(x) : Math.abs(x)),
  remainder,
  fmod: (x, y) => x % y,
  floor_divide: floorDivide,
  heaviside: (x, y) => (x !== x ? NaN : x < 0 ? 0 : x > 0 ? 1 : y),
  less: truth((x, y) => x < y),
  less_equal: truth((x, y) => x <= y),
  greater: truth((x, y) => x > y),
  greater_equal: truth((x, y) => x >= y),
  equal: truth((x, y) => x === y),
  not_equal: truth((x, y) => x !== y),
  logical_and: (x, y) => Number((x || x !== x) && (y || y !== y) ? 1 : 0),
  logical_or: (x, y) => Number(x || x !== x || y || y !== y ? 1 : 0),
  logical_xor: (x, y) => Number(Boolean(x || x !== x) !== Boolean(y || y !== y)),
  where: (x, y, z) => (x || x !== x ? y : z),
};

/** @typedef {(x: number) => number} Jog what rounding may do to a number */
/** @typedef {Float64Array | number[]} Numbers */

/** What reduces `n` numbers from `start` on. @type {Record<string, (x: Numbers, start: number, n: number, jog: Jog) =>
 * number>} */
const REDUCE = {
  sum(x, start, n, jog) {
    let sum = 0;
    for (let i = start; i < start + n; i++) sum += jog(x[i]);
    return sum;
  },
  prod(x, start, n) {
    let product = 1;
    for (let i = start; i < start + n; i++) product *= x[i];
    return product;
  },
  max: (x, start, n) => fold(larger, x, start, n),
  min: (x, start, n) => fold(smaller, x, start, n),
  argmax(x, start, n) {
    for (let i = 0; i < n; i++) if (x[start + i] !== x[start + i]) return i;
    let best = 0;
    for (let i = 1; i < n; i++) if (x[start + i] > x[start + best]) best = i;
    return best;
  },
};

/** @param {(a: number, b: number) => number} choose @param {Numbers} x @param {number} start @param {number} n */
function fold(choose, x, start, n) {
  let found = x[start];
  for (let i = start + 1; i < start + n; i++) found = choose(found, x[i]);
  return found;
}

const order = (/** @type {number} */ a, /** @type {number} */ b) =>
  a !== a ? (b !== b ? 0 : 1) : b !== b ? -1 : a < b ? -1 : a > b ? 1 : 0;

/** Along a row. @type {Record<string, (row: number[], jog: Jog) => number[]>} */
const SCAN = {
  cumsum: (row, jog) => ((sum) => row.map((x) => (sum += jog(x))))(0),
  cumprod: (row) => ((product) => row.map((x) => (product *= x)))(1),
  sort: (row) => [...row].sort(order),
  argsort: (row) => row.map((_, i) => i).sort((a, b) => order(row[a], row[b]) || a - b),
};

// Square matrices, as lists of rows.

/** @param {Numbers} x @param {number} n @param {number} m @param {number} [start] @returns {number[][]} */
const matrix = (x, n, m, start = 0) =>
  Array.from({ length: n }, (_, i) => Array.from({ length: m }, (_, j) => x[start + i * m + j]));

/** Gauss's elimination: the pivots, and the right sides solved for. @param {number[][]} a @param {number[][]} b */
function eliminated(a, b) {
  const n = a.length;
  const pivots = [];
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(a[i][k]) > Math.abs(a[best][k])) best = i;
    if (best !== k) {
      [a[k], a[best], b[k], b[best]] = [a[best], a[k], b[best], b[k]];
      pivots.push(-a[k][k]);
    } else pivots.push(a[k][k]);
    for (let i = k + 1; i < n; i++) {
      const f = a[k][k] ? a[i][k] / a[k][k] : 0;
      for (let j = k; j < n; j++) a[i][j] -= f * a[k][j];
      for (let j = 0; j < b[i].length; j++) b[i][j] -= f * b[k][j];
    }
  }
  return pivots;
}

/** @param {number[][]} a @param {number[][]} b */
function solved(a, b) {
  if (eliminated(a, b).some((pivot) => !pivot)) throw new RangeError("a matrix has no inverse");
  for (let k = a.length - 1; k >= 0; k--)
    for (let j = 0; j < b[k].length; j++) {
      for (let i = k + 1; i < a.length; i++) b[k][j] -= a[k][i] * b[i][j];
      b[k][j] /= a[k][k];
    }
  return b.flat();
}

/** @type {Record<string, (a: number[][], b: number[][], part: number) => number[]>} */
const LINALG = {
  inv: (a) => solved(a, a.map((_, i) => a.map((_, j) => Number(i === j)))),
  solve: (a, b) => solved(a, b),
  det: (a) => [eliminated(a, a.map(() => [])).reduce((x, y) => x * y, 1)],
  slogdet(a, _, part) {
    const pivots = eliminated(a, a.map(() => []));
    return part
      ? [pivots.reduce((sum, x) => sum + Math.log(Math.abs(x)), 0)]
      : [pivots.reduce((sign, x) => sign * Math.sign(x), 1)];
  },
  cholesky(a) {
    const l = a.map((row) => row.map(() => 0));
    for (let i = 0; i < a.length; i++)
      for (let j = 0; j <= i; j++) {
        let rest = a[i][j];
        for (let k = 0; k < j; k++) rest -= l[i][k] * l[j][k];
        if (i === j && !(rest > 0)) throw new RangeError("a matrix is not positive definite");
        l[i][j] = i === j ? Math.sqrt(rest) : rest / l[j][j];
      }
    return l.flat();
  },
};

/**
 * @param {Program} program
 * @returns what runs it
 * @throws if it is no program
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
  const steps = program.steps.map((step) => prepared(step, places));
  const looks = program.outputs.map((view) => /** @type {const} */ ([view[0], places(view)]));
  const guards = program.guards.map(([view, answer]) => /** @type {const} */ ([view[0], places(view)[0], answer]));

  return {
    /**
     * The outputs for these inputs, and whether every branch that Python took is taken here.
     * @param {number[][]} inputs
     * @param {boolean} [jogged] disturb every result and every term of a sum by two roundings
     * @returns {{outputs: Float64Array[], fits: boolean}}
     */
    run(inputs, jogged = false) {
      /** @type {Numbers[]} */
      const slots = [];
      for (const [slot, values] of fixed) slots[slot] = values;
      program.inputs.forEach(([slot], i) => (slots[slot] = inputs[i]));
      for (const { out, compute } of steps) {
        const kind = program.slots[out][1];
        const size = 2 * (kind === "float32" ? EPS32 : EPS);
        const isFloat = kind.startsWith("float");
        const jog = jogged && isFloat ? (/** @type {number} */ x) => rounded(x, size) : same;
        const found = compute(slots, jog);
        if (jogged && isFloat) for (let i = 0; i < found.length; i++) found[i] = jog(found[i]);
        if (kind === "float32") for (let i = 0; i < found.length; i++) found[i] = Math.fround(found[i]);
        slots[out] = found;
      }
      return {
        outputs: looks.map(([slot, at]) => Float64Array.from(at, (i) => slots[slot][i])),
        fits: guards.every(([slot, at, answer]) => Boolean(slots[slot][at]) === answer),
      };
    },
  };
}

const same = (/** @type {number} */ x) => x;

/** @param {number} x @param {number} size */
const rounded = (x, size) => (Number.isFinite(x) ? x + x * size * (2 * Math.random() - 1) : x);

/** @param {any} values @param {number} size */
function constant(values, size) {
  if (Array.isArray(values)) return Float64Array.from(values, Number); // "NaN", "Infinity" are texts in JSON
  return "all" in values
    ? new Float64Array(size).fill(Number(values.all))
    : Float64Array.from({ length: size }, (_, i) => values.from + i * values.by);
}

/**
 * @param {Program["steps"][number]} step
 * @param {(view: View) => Int32Array} places
 * @returns {{out: number, compute: (slots: Numbers[], jog: Jog) => Numbers}}
 */
function prepared([name, out, views, shape, attributes], places) {
  const at = views.map(places);
  const [first, second] = views;
  const all = (/** @type {Numbers[]} */ slots, /** @type {number} */ k) =>
    Float64Array.from(at[k], (i) => slots[views[k][0]][i]);
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
      compute(slots, jog) {
        const x = all(slots, 0);
        return Float64Array.from({ length: outer }, (_, i) => REDUCE[name](x, i * inner, inner, jog));
      },
    };
  }
  if (name in SCAN) {
    const row = shape[shape.length - 1];
    return {
      out,
      compute(slots, jog) {
        const x = [...all(slots, 0)];
        return Array.from({ length: n / row }, (_, i) => SCAN[name](x.slice(i * row, (i + 1) * row), jog)).flat();
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
  const own = OWN[name];
  if (!own) throw new TypeError(`no operation is called ${name}`);
  return { out, compute: (slots, jog) => own({ at, all: (k) => all(slots, k), shape, attributes, views, jog }) };
}

/**
 * @typedef {{at: Int32Array[], all: (k: number) => Float64Array, shape: number[], attributes: any, views: View[], jog:
 *   Jog}} Given
 */

/** The places that an index means. @param {Given} given @param {number} from the first operand that is an index */
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
    const x = given.all(0);
    return Float64Array.from(indexed(given, 1), (/** @type {number} */ i) => x[i]);
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

/** Whether this is a program: names, slots and places are looked at before anything runs. @param {Program} program */
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
