// @ts-check
/** Records that came as columns, as views/live/columns.py sends many of them. */

/** @type {WeakMap<object, any>} */
const made = new WeakMap(); // what does not change is made once

/**
 * The value of a trait, with records where it has columns.
 * @param {any} value
 * @returns {any}
 */
export function unpacked(value) {
  if (!value || Object.getPrototypeOf(value) !== Object.prototype) return Array.isArray(value) ? each(value) : value;
  if (!made.has(value)) made.set(value, Object.fromEntries(Object.entries(value).map(([name, item]) => [name, item?.$columns ? records(item) : item])));
  return made.get(value);
}

/** @param {any[]} list */
function each(list) {
  return list.some((item) => item && typeof item === "object") ? list.map(unpacked) : list;
}

/** @param {{$columns: Record<string, any>, count: number, names: string[] | null}} packed */
function records({ $columns: columns, count, names }) {
  const fields = Object.entries(columns).map(([field, values]) => /** @type {const} */ ([field, column(values, count)]));
  const rows = Array.from({ length: count }, (_, k) => Object.fromEntries(fields.map(([field, values]) => [field, values[k]])));
  return names ? Object.fromEntries(names.map((name, k) => [name, rows[k]])) : rows;
}

/** @param {any} values @param {number} count @returns {any[]} */
function column(values, count) {
  if (values.steps) return climbed(values);
  if (values.of) return values.at.map((/** @type {number} */ k) => values.of[k]);
  if (values.after) return unfoldedTexts(values.after);
  if (values.sizes) return unfoldedCells(values.cells, column(values.sizes, count));
  return values.length === 1 ? Array(count).fill(values[0]) : values;
}

/** Whole numbers that go up or down in even steps. @param {{from: number, steps: number[], times: number[]}} climb */
function climbed({ from, steps, times }) {
  let at = from;
  return [from, ...steps.flatMap((step, k) => Array.from({ length: times[k] }, () => (at += step)))];
}

/** Texts, each with the words that it repeats of the one before. @param {string[]} rest */
function unfoldedTexts(rest) {
  /** @type {string[]} */
  let before = [];
  return rest.map((text) => (before = text.split(" ").map((word, k) => word || before[k])).join(" "));
}

/** Rows of shades. @param {string} base64 @param {(string | null)[]} sizes */
function unfoldedCells(base64, sizes) {
  const shades = Int8Array.from(atob(base64), (c) => c.charCodeAt(0));
  let at = 0;
  const next = () => (shades[at] === -128 ? (at++, null) : shades[at++]);
  const row = (/** @type {number} */ length) => Array.from({ length }, next);
  return sizes.map((size) => {
    const [length, columns] = (size ?? "").split(" ").map(Number);
    return size && Array.from({ length }, () => row(columns));
  });
}
