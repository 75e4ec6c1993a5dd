// @ts-check
/** The user's actions on a picture: select, open and close, walk, search, colour. Each changes the look. */

/** @typedef {import("./showing.js").Look} Look */

const LINE = /^(?:line\s*|:)(\d+)$/i;

/**
 * The steps that match a text, in order: it is part of their name, function or scope, or is their line.
 * @param {Record<string, [string, ...(number | null)[]]>} words of every step, from views/graph/labels.py
 * @param {string} text
 */
export function matches(words, text) {
  const wanted = text.trim().toLowerCase();
  const line = wanted.match(LINE);
  return !wanted
    ? []
    : Object.keys(words)
        .map(Number)
        .filter((id) => {
          const [own, ...lines] = words[id];
          return line ? lines.includes(Number(line[1])) : own.includes(wanted);
        });
}

/** The open groups of a graph, in the form of a look. @param {number} order @param {Set<number>} groups */
const wish = (order, groups) => ({ [order]: [...groups].sort((a, b) => a - b) });

/**
 * Opening and closing groups.
 * @param {import("../live/brain.js").Brain} brain
 * @returns {Record<string, (message: any, done?: () => void) => void>}
 */
export function makeFolding({ look, open, answer }) {
  const places = () => placesIn(answer(["program"]), look());

  /** The tree of a group, with the groups that are open there. @param {number} id */
  function groupAt(id) {
    const { trees, opened } = places();
    const order = trees.findIndex((/** @type {any} */ tree) => tree.hasGroup(id));
    return { order, tree: trees[order], now: opened[order] };
  }

  /** Open groups in all graphs. @param {(tree: any) => Set<number>} groups @param {() => void} [done] */
  const openAll = (groups, done) =>
    open(
      [
        Object.assign(
          {},
          ...places().trees.map((/** @type {any} */ tree, /** @type {number} */ order) => wish(order, groups(tree))),
        ),
      ],
      {},
      done,
    );

  return {
    open({ id }, done) {
      const { order, tree, now } = groupAt(id);
      const alone = tree.alone(id);
      open([wish(order, new Set([...now, ...alone])), wish(order, alone)], {}, done);
    },
    close({ id }, done) {
      const { order, tree, now } = groupAt(id);
      open([wish(order, tree.without(id, now)), wish(order, new Set(tree.around(id)))], {}, done);
    },
    "open all": (_, done) => openAll((tree) => tree.everything(), done),
    "close all": (_, done) => openAll(() => new Set(), done),
  };
}

/**
 * @param {import("../live/brain.js").Brain} brain
 * @returns {Record<string, (message: any, done?: () => void) => void>}
 */
export function makeActs(brain) {
  const { look, change, open, answer, data } = brain;
  const places = () => placesIn(answer(["program"]), look());

  /**
   * Select the box of a step; during a walk, go to its moment.
   * @param {number | null} id
   * @returns {Partial<Look>}
   */
  function choosing(id) {
    if (id === null) return { selected: null };
    const { home, holder } = places();
    const [order, { moment }] = [home(id), look()];
    const box = holder(order, id);
    const { known, first, sends } = data().readings.nodes[box] ?? {};
    if (moment === null || order || (known ?? null) === null) return { selected: box };
    return { selected: box, moment: moment < data().plan.start ? known : (sends ?? first ?? moment), pick: null };
  }

  /**
   * Open the groups around a step of the function, and select it.
   * @param {number} step
   * @param {Partial<Look>} also
   * @param {() => void} [done]
   */
  function reveal(step, also, done) {
    const { trees, opened } = places();
    const [around, now] = [trees[0].around(step), opened[0]];
    if (around.every((/** @type {number} */ group) => now.has(group)))
      return change({ ...also, ...choosing(step) }, done);
    open([wish(0, new Set([...now, ...around])), wish(0, new Set(around))], { ...also, selected: step }, done);
  }

  /** Go to the next match, or back. @param {number} by @param {() => void} [done] */
  function go(by, done) {
    const { at, search } = look();
    const words = search.trim() ? answer(["search"]) : {};
    if (!words) return change({}, () => go(by, done)); // the words have been requested
    const steps = matches(words, search);
    if (!steps.length) return done?.();
    const next = ((at ?? (by > 0 ? -1 : 0)) + by + steps.length) % steps.length;
    reveal(steps[next], { at: next }, done);
  }

  return {
    visit: ({ open: groups, also }, done) => open([groups], also, done),
    select: ({ id }, done) => change(choosing(id), done),
    ...makeFolding(brain),
    find: ({ text }, done) => change({ search: text.slice(0, 100), at: null }, done),
    go: ({ by }, done) => go(by, done),
    colour: ({ by }, done) => change({ colour: by }, done),
    path({ show }, done) {
      change({ path: show }, () => {
        const born = show ? (answer(["path"])?.born ?? null) : null;
        if (born === null) done?.();
        else reveal(born, {}, done);
      });
    },
    look: ({ show, scale }, done) => change({ arrays: { show, scale } }, done),
    walk({ to, pick }, done) {
      const isThere = to !== null && to >= 0 && to < data().plan.count;
      change({ moment: isThere ? to : null, pick: isThere ? (pick ?? null) : null }, done);
    },
    window: ({ key, row, column }, done) =>
      change(
        { corners: [...look().corners.filter((/** @type {any[]} */ [other]) => other !== key), [key, row, column]] },
        done,
      ),
  };
}

// The outline of a graph: the groups around a step, and the box that shows it when some of them are open.

/**
 * @typedef {{first: number[], groups: [number, number | null, boolean, number | null, number | null][], steps: [number,
 *   number, number | null][], own?: [number, number][]}} Outline
 * as described in views/graph/questions.py
 */

/** @type {WeakMap<object, ReturnType<typeof makeTree>>} */
const trees = new WeakMap();

/** The tree of an outline, which is built only once. @param {Outline} outline */
function treeOf(outline) {
  if (!trees.has(outline)) trees.set(outline, makeTree(outline));
  return /** @type {ReturnType<typeof makeTree>} */ (trees.get(outline));
}

/** @param {Outline} outline */
function makeTree({ first, groups, steps, own }) {
  const byId = new Map(groups.map((group) => [group[0], group]));
  const parents = new Map(groups.map(([id, parent]) => [id, parent]));
  const inStretches = (/** @type {[number, number, ...any][]} */ stretches, /** @type {number} */ id) =>
    stretches.find(([from, to]) => from <= id && id <= to);

  /** @param {number} id */
  function parentOf(id) {
    if (!parents.has(id)) parents.set(id, inStretches(steps, id)?.[2] ?? null); // the id of a step
    return parents.get(id) ?? null;
  }

  /** The groups around a step or group, from the outside in. @param {number} id @returns {number[]} */
  function around(id) {
    const parent = parentOf(id);
    return parent === null ? [] : [...around(parent), parent];
  }

  /**
   * The only child of a group, the only child of that one, and so on, which open with it.
   * @param {number} id
   * @returns {number[]}
   */
  function onlyChildren(id) {
    const only = byId.get(id)?.[4] ?? null;
    return only === null ? [] : [only, ...onlyChildren(only)];
  }

  return {
    first: new Set(first),
    around,
    /** Whether a step or group belongs to this graph. @param {number} id */
    has: (id) => byId.has(id) || (id >= 0 && Boolean(inStretches(own ?? steps, id))),
    hasGroup: (/** @type {number} */ id) => byId.has(id),
    /** The box that shows a step or group. @param {number} id @param {Set<number>} open */
    holder: (id, open) => around(id).find((group) => !open.has(group)) ?? id,
    /** The step whose numbers a box shows. @param {number} id */
    result: (id) => (id < 0 ? (byId.get(id)?.[3] ?? null) : id),
    /** A group, opened together with those around it and with its only children. @param {number} id */
    alone: (id) => new Set([id, ...around(id), ...onlyChildren(id)]),
    /**
     * The groups that stay open when one is closed, without those inside it.
     * @param {number} id
     * @param {Set<number>} open
     */
    without: (id, open) => new Set([...open].filter((group) => group !== id && !around(group).includes(id))),
    /** All groups except runs. */
    everything: () => new Set(groups.filter(([, , isRun]) => !isRun).map(([id]) => id)),
  };
}

/**
 * The boxes of steps in the graphs of a program.
 * @param {any} program the answer to ["program"]
 * @param {{open: Record<string, number[]>, direction?: string, own?: boolean}} look with the open groups of those
 *   graphs where the user has opened or closed any
 */
export function placesIn(program, { open, direction = "auto", own = false }) {
  const ours = program.graphs.map(treeOf);
  const opened = ours.map((/** @type {any} */ tree, /** @type {number} */ order) =>
    open[order] ? new Set(open[order]) : tree.first,
  );
  const holder = (/** @type {number} */ order, /** @type {number} */ id) => ours[order].holder(id, opened[order]);
  const home = (/** @type {number} */ id) =>
    Math.max(
      0,
      ours.findIndex((/** @type {any} */ tree, /** @type {number} */ order) => order && tree.has(id)),
    );

  /**
   * The open groups, in the form of a question: null as long as they are the initial ones.
   * @param {number} order
   */
  function asked(order) {
    const [groups, first] = [opened[order], ours[order].first];
    const isFirst = groups.size === first.size && [...groups].every((id) => first.has(id));
    return isFirst ? null : [...groups].sort((/** @type {number} */ a, /** @type {number} */ b) => a - b);
  }

  return {
    trees: ours,
    opened,
    holder,
    home,
    asked,
    /** The question for the picture of a graph, or for the numbers in it. @param {string} kind @param {number} order */
    about: (kind, order) => [kind, order, asked(order), kind === "scene" ? direction : own],
    /** The questions whose answers draw all graphs. */
    pictures: [
      ["program"],
      ...ours.flatMap((/** @type {any} */ _, /** @type {number} */ order) => [
        ["scene", order, asked(order), direction],
        ["numbers", order, asked(order), own],
      ]),
    ],
    /** The box of a step or group in its own graph. @param {number} id */
    box: (id) => holder(home(id), id),
  };
}
