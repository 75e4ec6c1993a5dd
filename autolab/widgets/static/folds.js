// @ts-check
/** Groups of steps that open and close in a saved page: which stand open, and the pictures that the page holds. */

/** @typedef {Record<string, any>} Changes */

/**
 * @param {any[]} graphs what widgets/folds.py holds of each
 * @param {{none: string, others: string}} words for where a picture is not held
 * @param {(i: number) => Changes} shown the traits that show a graph as it is open now
 */
export function makeFolds(graphs, words, shown) {
  const open = graphs.map((graph) => new Set(graph.now));
  const keyOf = (/** @type {Set<number>} */ groups) => [...groups].sort((a, b) => a - b).join(",");
  const picture = (/** @type {number} */ i) => graphs[i].pictures[keyOf(open[i])];

  /** The entries of those boxes that are drawn. @param {number} i @param {Changes} values */
  const drawn = (i, values) =>
    Object.fromEntries(picture(i).nodes.filter((/** @type {any} */ n) => n.id in values).map((/** @type {any} */ n) => [n.id, values[n.id]]));

  /** The groups around a step or group. @param {number} i @param {number} id @returns {number[]} */
  function around(i, id) {
    const parent = graphs[i].parents[id];
    return parent === undefined ? [] : [...around(i, parent), parent];
  }

  /** The box in which a step or group stands. @param {number} i @param {number} id */
  const holder = (i, id) => around(i, id).find((group) => !open[i].has(group)) ?? id;

  /** @param {number} i @param {Set<number>} groups @param {Set<number>} [instead] @returns {Changes} */
  function turn(i, groups, instead) {
    const next = [groups, instead].find((some) => some && keyOf(some) in graphs[i].pictures);
    if (!next) return { notice: words.none };
    open[i] = next;
    return { ...shown(i), notice: next === groups ? "" : words.others };
  }

  /** @param {number} id */
  const graphOf = (id) => graphs.findIndex((graph) => id in graph.groups);

  return {
    picture, drawn, around, holder, turn,
    key: (/** @type {number} */ i) => keyOf(open[i]),
    isOpen: (/** @type {number} */ i, /** @type {number} */ id) => open[i].has(id),
    /** Open some groups beside those that are open; or where that picture is not held, these alone. @param {number} i @param {number[]} groups */
    also: (i, groups) => turn(i, new Set([...open[i], ...groups]), new Set(groups)),
    /** @param {number} id @returns {Changes} */
    unfold(id) {
      const i = graphOf(id);
      return this.also(i, graphs[i].groups[id].alone);
    },
    /** @param {number} id @returns {Changes} */
    fold(id) {
      const i = graphOf(id);
      const rest = [...open[i]].filter((group) => group !== id && !around(i, group).includes(id));
      return turn(i, new Set(rest), new Set(around(i, id)));
    },
  };
}
