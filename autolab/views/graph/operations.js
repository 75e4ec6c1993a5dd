// @ts-check
/** The operations of a program, with NumPy's results: the table of the evaluator. */

/** As in NumPy: round half to even. @param {number} x */
export function rint(x) {
  const near = Math.round(x);
  return near - x === 0.5 && near % 2 ? near - 1 : near === 0 ? x * 0 : near;
}

/**
 * As in NumPy: 1 to any power is 1, even to NaN, and so is -1 to an infinite power.
 * @param {number} x
 * @param {number} y
 */
const power = (x, y) => (x === 1 || (x === -1 && Math.abs(y) === Infinity) ? 1 : x ** y);

/** The remainder with the sign of the divisor. @param {number} x @param {number} y */
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

/** As in NumPy, in its order of operations: the remainder is subtracted first. @param {number} x @param {number} y */
function floorDivide(x, y) {
  const rest = x % y;
  if (y === 0 || rest !== rest) return y === 0 ? x / y : NaN;
  const whole = (x - rest) / y - (rest && rest < 0 !== y < 0 ? 1 : 0);
  if (!whole) return (x / y) * 0;
  const low = Math.floor(whole);
  return whole - low > 0.5 ? low + 1 : low;
}

/** Functions that have the same name in JavaScript and in NumPy. */
const SAME = /** @type {"exp"[]} */ (
  "exp expm1 log log1p log2 log10 sqrt cbrt sin cos tan sinh cosh tanh floor ceil trunc hypot".split(" ")
);

/** @type {Record<string, (x: number, y: number, z: number) => number>} */
export const ELEMENTWISE = {
  copy: (x) => x,
  negative: (x) => -x,
  absolute: Math.abs,
  sign: (x) => (x > 0 ? 1 : x < 0 ? -1 : x),
  square: (x) => x * x,
  reciprocal: (x) => 1 / x,
  ...Object.fromEntries(SAME.map((name) => [name, Math[name]])),
  exp2: (x) => 2 ** x,
  arcsin: Math.asin,
  arccos: Math.acos,
  arctan: Math.atan,
  arcsinh: Math.asinh,
  arccosh: Math.acosh,
  arctanh: Math.atanh,
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

/** Operations that return one of their numbers, or its magnitude: tests for equality rely on the lack of rounding. */
export const EXACT = new Set(
  [
    "copy negative absolute sign maximum minimum fmax fmin copysign where heaviside floor ceil trunc rint",
    "max min sort pick put join",
  ].flatMap((names) => names.split(" ")),
);

/** Operations whose rounding, for one or two numbers, is the same on all platforms. */
export const SETTLED = new Set(["add", "subtract", "multiply", "divide", "square", "reciprocal", "sqrt"]);

/** @typedef {(x: number) => number} Jog a perturbation of the size of rounding */
/** @typedef {Float64Array | number[]} Numbers */

/** Reductions of `n` numbers from `start` on. @type {Record<string, (x: Numbers, start: number, n: number, jog: Jog,
 * hold: Jog) => number>} */
export const REDUCE = {
  sum(x, start, n, jog) {
    let sum = 0;
    for (let i = start; i < start + n; i++) sum += jog(x[i]);
    return sum;
  },
  prod(x, start, n, _, hold) {
    let product = 1;
    for (let i = start; i < start + n; i++) product = hold(product * x[i]);
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

/** Operations along a row. @type {Record<string, (row: number[], jog: Jog, hold: Jog) => number[]>} */
export const SCAN = {
  cumsum: (row, jog) => ((sum) => row.map((x) => (sum += jog(x))))(0),
  cumprod: (row, _, hold) => ((product) => row.map((x) => (product = hold(product * x))))(1),
  sort: (row) => [...row].sort(order),
  argsort: (row) => row.map((_, i) => i).sort((a, b) => order(row[a], row[b]) || a - b),
};

// Square matrices, as lists of rows.

/** @param {Numbers} x @param {number} n @param {number} m @param {number} [start] @returns {number[][]} */
export const matrix = (x, n, m, start = 0) =>
  Array.from({ length: n }, (_, i) => Array.from({ length: m }, (_, j) => x[start + i * m + j]));

/**
 * Gaussian elimination: the pivots, and the solutions for the right-hand sides.
 * @param {number[][]} a
 * @param {number[][]} [b]
 */
function eliminated(a, b = a.map(() => [])) {
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
export const LINALG = {
  inv: (a) =>
    solved(
      a,
      a.map((_, i) => a.map((_, j) => Number(i === j))),
    ),
  solve: (a, b) => solved(a, b),
  det: (a) => [eliminated(a).reduce((x, y) => x * y, 1)],
  slogdet(a, _, part) {
    const pivots = eliminated(a);
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
