// @ts-check
/** The outline of a graph: which groups are around a step, and in which box it stands where some of them are open. */

/**
 * @typedef {{first: number[], groups: [number, number | null, boolean, number | null, number | null][], steps: [number, number, number | null][], own?: [number, number][]}} Outline
 * as views/graph/questions.py tells it
 */

/** @type {WeakMap<object, ReturnType<typeof makeTree>>} */
const trees = new WeakMap();

/** The tree of an outline, made once. @param {Outline} outline */
export function treeOf(outline) {
  if (!trees.has(outline)) trees.set(outline, makeTree(outline));
  return /** @type {ReturnType<typeof makeTree>} */ (trees.get(outline));
}

/** @param {Outline} outline */
function makeTree({ first, groups, steps, own }) {
  const byId = new Map(groups.map((group) => [group[0], group]));
  const parents = new Map(groups.map(([id, parent]) => [id, parent]));
  const inStretches = (/** @type {[number, number, ...any][]} */ stretches, /** @type {number} */ id) => stretches.find(([from, to]) => from <= id && id <= to);

  /** @param {number} id */
  function parentOf(id) {
    if (!parents.has(id)) parents.set(id, inStretches(steps, id)?.[2] ?? null); // a step
    return parents.get(id) ?? null;
  }

  /** The groups around a step or group, the outermost first. @param {number} id @returns {number[]} */
  function around(id) {
    const parent = parentOf(id);
    return parent === null ? [] : [...around(parent), parent];
  }

  /** What is opened with a group, as it holds nothing else. @param {number} id @returns {number[]} */
  function onlyChildren(id) {
    const only = byId.get(id)?.[4] ?? null;
    return only === null ? [] : [only, ...onlyChildren(only)];
  }

  return {
    first: new Set(first),
    around,
    /** Whether the graph is the home of a step or group. @param {number} id */
    has: (id) => byId.has(id) || (id >= 0 && Boolean(inStretches(own ?? steps, id))),
    hasGroup: (/** @type {number} */ id) => byId.has(id),
    /** The box in which a step or group stands. @param {number} id @param {Set<number>} open */
    holder: (id, open) => around(id).find((group) => !open.has(group)) ?? id,
    /** The step whose numbers a box shows. @param {number} id */
    result: (id) => (id < 0 ? byId.get(id)?.[3] ?? null : id),
    /** A group open with what is around it, and with what it holds if that is one group alone. @param {number} id */
    alone: (id) => new Set([id, ...around(id), ...onlyChildren(id)]),
    /** What is left open when a group is closed: what was open in it is forgotten. @param {number} id @param {Set<number>} open */
    without: (id, open) => new Set([...open].filter((group) => group !== id && !around(group).includes(id))),
    /** Every group but the runs. */
    everything: () => new Set(groups.filter(([, , isRun]) => !isRun).map(([id]) => id)),
  };
}

/**
 * Where steps stand in the graphs of a program.
 * @param {any} program the answer to ["program"]
 * @param {{open: Record<string, number[]>, direction?: string, own?: boolean}} look with the open groups of those graphs in which something was opened or closed
 */
export function placesIn(program, { open, direction = "auto", own = false }) {
  const ours = program.graphs.map(treeOf);
  const opened = ours.map((/** @type {any} */ tree, /** @type {number} */ order) => (open[order] ? new Set(open[order]) : tree.first));
  const holder = (/** @type {number} */ order, /** @type {number} */ id) => ours[order].holder(id, opened[order]);
  const home = (/** @type {number} */ id) => Math.max(0, ours.findIndex((/** @type {any} */ tree, /** @type {number} */ order) => order && tree.has(id)));

  /** The open groups as a question names them: null as long as they are those that are open at first. @param {number} order */
  function asked(order) {
    const [groups, first] = [opened[order], ours[order].first];
    const isFirst = groups.size === first.size && [...groups].every((id) => first.has(id));
    return isFirst ? null : [...groups].sort((/** @type {number} */ a, /** @type {number} */ b) => a - b);
  }

  return {
    trees: ours, opened, holder, home, asked,
    /** The question for the picture of a graph, or for the numbers in it. @param {string} kind @param {number} order */
    about: (kind, order) => [kind, order, asked(order), kind === "scene" ? direction : own],
    /** The questions whose answers draw all graphs. */
    pictures: [["program"], ...ours.flatMap((/** @type {any} */ _, /** @type {number} */ order) => [["scene", order, asked(order), direction], ["numbers", order, asked(order), own]])],
    /** The box of a step or group in its own graph. @param {number} id */
    box: (id) => holder(home(id), id),
  };
}
