// @ts-check
/** Records that came as columns, as widgets/columns.py sends many of them. */

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

/** @param {{$columns: Record<string, any[] | {of: any[], at: number[]}>, count: number, names: string[] | null}} packed */
function records({ $columns: columns, count, names }) {
  const fields = Object.entries(columns).map(([field, values]) => /** @type {const} */ ([field, Array.isArray(values) ? values : values.at.map((k) => values.of[k])]));
  const rows = Array.from({ length: count }, (_, k) => Object.fromEntries(fields.map(([field, values]) => [field, values[values.length > 1 ? k : 0]])));
  return names ? Object.fromEntries(names.map((name, k) => [name, rows[k]])) : rows;
}
