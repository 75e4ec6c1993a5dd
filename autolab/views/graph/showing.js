// @ts-check
/** What the parts of a view show, by name, made of the answers: steps become the boxes in which they stand. */

import { unpacked } from "../live/brain.js";
import { makeActs, matches, placesIn } from "./acts.js";

/**
 * @param {Record<string, any>} before what was shown until now: what has not changed stays the same object
 * @param {Look} look
 * @param {(question: any[]) => any} answer
 * @returns {Record<string, any>}
 */
export function showing(before, look, answer) {
  const program = answer(["program"]);
  const { trees, asked, about, home, holder, box } = placesIn(program, look);
  const each = (/** @type {string} */ kind) =>
    trees.map((/** @type {any} */ _, /** @type {number} */ order) => unpacked(answer(about(kind, order))));
  const [scenes, numbers] = [each("scene"), each("numbers")];
  const free = answer(["free", look.corners]);
  const [scene, readings] = [scenes[0], numbers[0]];
  const made = before.made ?? new Map();

  /**
   * Made anew only if what it is made of has changed.
   * @param {string} name
   * @param {any[]} of
   * @param {() => any} make
   */
  function memo(name, of, make) {
    const last = made.get(name);
    if (
      last &&
      last.of.length === of.length &&
      last.of.every((/** @type {any} */ one, /** @type {number} */ i) => one === of[i])
    )
      return last.value;
    const value = make();
    made.set(name, { of, value });
    return value;
  }

  /**
   * The same, for what is made anew with every number and yet seldom says something else: then nobody is told.
   * @param {string} name
   * @param {any[]} of
   * @param {() => any} make
   */
  function calm(name, of, make) {
    const last = made.get(name)?.value;
    return memo(name, of, () => {
      const value = make();
      return JSON.stringify(value) === JSON.stringify(last) ? last : value;
    });
  }

  const boxes = (/** @type {number[]} */ steps) => [...new Set(steps.map((step) => holder(0, step)))];

  /** A line between two steps, between the boxes that hold them now. @param {number} order @param {any} edge */
  function line(order, edge) {
    if (!edge) return edge;
    const [from, to] = [holder(order, edge.from), holder(order, edge.to)];
    return { from, to, nth: from === edge.from && to === edge.to ? edge.nth : 0 };
  }

  /** @param {any} found */
  function detailHere(found) {
    if (!found) return {};
    const order = home(found.id);
    const comes = found.answer.comes.map((/** @type {any} */ value) => ({
      ...value,
      edges: value.edges.map((/** @type {any} */ edge) => line(order, edge)),
      shares: value.shares.map((/** @type {any} */ share) => ({ ...share, edge: line(order, share.edge) })),
    }));
    return { ...found, answer: { ...found.answer, comes } };
  }

  /** @param {any} found */
  function frameHere(found) {
    if (!found) return {};
    const tree = trees[0];
    const growing = scene.nodes
      .map((/** @type {any} */ { id }) => [id, found.growing[/** @type {any} */ (tree.result(id))]])
      .filter((/** @type {any[]} */ [, sum]) => sum);
    return { ...found, nodes: boxes(found.nodes), edge: line(0, found.edge), growing: Object.fromEntries(growing) };
  }

  function foundHere() {
    const steps = matches(answer(["search"]) ?? {}, look.search);
    /** @type {Record<number, number>} */
    const counts = {};
    for (const step of steps) counts[holder(0, step)] = (counts[holder(0, step)] ?? 0) + 1;
    return { text: look.search, count: steps.length, at: look.at, boxes: counts };
  }

  /** @param {any} path */
  function pathHere(path) {
    if (!path) return {};
    const ends = (/** @type {number | null} */ step) => (step === null ? [] : boxes([step]));
    return {
      ...path,
      values: boxes(path.values),
      gradients: boxes(path.gradients),
      born: ends(path.born),
      because: ends(path.because),
    };
  }

  const { selected, moment, colour } = look;
  const chosen = selected === null ? null : box(selected);
  const drawn = chosen === null ? scene : scenes[home(chosen)];
  const detail = chosen === null ? null : answer(["detail", chosen]);
  const frame = moment === null ? null : answer(["frame", moment, look.pick]);
  const path = look.path ? answer(["path"]) : null;
  const search = look.search.trim() ? answer(["search"]) : null;
  const { words } = program;
  return {
    made,
    scene,
    readings,
    changed: memo("changed", [scene, readings], () => changedIn(before, scene, readings)),
    selected: detail && drawn.nodes.some((/** @type {any} */ node) => node.id === chosen) ? chosen : null,
    detail: memo("detail", [detail, drawn], () => detailHere(detail)),
    plan: calm("plan", [readings, words], () => ({
      count: readings.count,
      walks: readings.walks,
      start: readings.start,
      moving: readings.moving,
      words,
    })),
    forward: calm("forward", [free], () => free.forward ?? EMPTY),
    frame: memo("frame", [frame, scene], () => frameHere(frame)),
    listing: memo("listing", [program, scene], () => ({
      ...program.listing,
      ...(program.listing.lines
        ? {
            at: Object.fromEntries(Object.entries(program.listing.at).map(([number, steps]) => [number, boxes(steps)])),
          }
        : {}),
    })),
    found: memo("found", [search, look.search, look.at, scene], foundHere),
    flow: (colour && answer(["flow", colour, asked(0)])) || EMPTY,
    path: memo("path", [path, scene], () => pathHere(path)),
    health: calm("health", [readings, program], () => ({
      told: readings.told,
      none: readings.none,
      nan: readings.nan,
      measures: program.measures,
      signs: readings.signs,
    })),
    orders: memo("orders", [program, free.order, free.wrt], () => ({
      ...program,
      most: free.most ?? program.most,
      order: free.order ?? program.order,
      wrt: free.order === undefined ? program.wrt : free.wrt,
    })),
    order_scenes: memo("order_scenes", scenes.slice(1), () => scenes.slice(1)),
    order_readings: memo("order_readings", numbers.slice(1), () => numbers.slice(1)),
    openings: calm("openings", [program, readings], () => ({ functions: program.fused, proofs: readings.proofs })),
    ways: program.ways,
    arrays: look.arrays,
    controls: free.controls,
    rest: free.rest,
    settings: free.settings,
  };
}

/** @type {any[]} */
const NONE = [];
const EMPTY = {};

/**
 * The boxes whose numbers are others than before, in the same picture.
 * @param {Record<string, any>} before
 * @param {any} scene
 * @param {any} readings
 */
function changedIn(before, scene, readings) {
  if (before.scene?.key !== scene.key) return NONE;
  const old = before.readings.nodes;
  const isSame = (/** @type {any} */ a, /** @type {any} */ b) =>
    a.value === b.value &&
    a.grad === b.grad &&
    a.status === b.status &&
    sameCells(a.value_cells, b.value_cells) &&
    sameCells(a.grad_cells, b.grad_cells);
  return Object.entries(readings.nodes)
    .filter(([id, node]) => !isSame(node, old[id]))
    .map(([id]) => Number(id));
}

/** @param {any[][] | null} a @param {any[][] | null} b */
function sameCells(a, b) {
  return (
    a === b ||
    Boolean(
      a &&
        b &&
        a.length === b.length &&
        a.every((row, i) => row.length === b[i].length && row.every((cell, j) => cell === b[i][j])),
    )
  );
}

// What the live graph looks at, and what must be known to show it.

/**
 * What is looked at: the open groups of each graph, the chosen box, the moment of the walk and its picked cell, the
 * measure of the colours, the path of the first NaN, what is searched for and which match was gone to, how arrays are
 * shown, where the windows of large ones begin, which way the graph runs, and whether each array has colours of its
 * own.
 * @typedef {{open: Record<string, number[]>, selected: number | null, moment: number | null, pick: any[] | null,
 *   colour: string | null, path: boolean, search: string, at: number | null, arrays: {show: string, scale: string},
 *   corners: [string | number, number, number][], direction: string, own: boolean}} Look
 */

/** @type {Look} */
const AT_REST = {
  open: {},
  selected: null,
  moment: null,
  pick: null,
  colour: null,
  path: false,
  search: "",
  at: null,
  arrays: { show: "both", scale: "asinh" },
  corners: [],
  direction: "auto",
  own: false,
};

/**
 * A panel may have questions of its own: the names under which its part finds the answers, with the questions; null if
 * nothing is asked now.
 * @typedef {(look: any, box: (id: number) => number, program: any) => Record<string, any[] | null>} Asks
 */

/**
 * The mind of a view with these panels.
 * @param {(((view: any) => any) & {asks?: Asks})[]} panels
 * @returns {import("../live/brain.js").Mind}
 */
export function makeMind(panels) {
  const own = (/** @type {Look} */ look, /** @type {import("../live/brain.js").Answer} */ answer) =>
    Object.assign(
      {},
      ...panels.map(({ asks }) => asks?.(look, placesIn(answer(["program"]), look).box, answer(["program"]))),
    );
  return {
    look: AT_REST,
    settled,
    acts: makeActs,
    words: (answer) => answer(["program"]).words,
    questions,
    panels: (look, answer) => Object.values(own(look, answer)).filter(Boolean),
    shown(before, look, answer) {
      const more = Object.entries(own(look, answer)).map(([name, question]) => [
        name,
        question && !answer(question)?.refused ? (answer(question) ?? null) : null,
      ]);
      return { ...showing(before, look, answer), ...Object.fromEntries(more) };
    },
  };
}

/** @param {Look} look @param {import("../live/brain.js").Answer} answer @returns {any[][]} */
function questions(look, answer) {
  const { pictures, asked, box } = placesIn(answer(["program"]), look);
  return [
    ...pictures,
    ["free", look.corners],
    ...(look.selected === null ? [] : [["detail", box(look.selected)]]),
    ...(look.moment === null ? [] : [["frame", look.moment, look.pick]]),
    ...(look.colour ? [["flow", look.colour, asked(0)]] : []),
    ...(look.path ? [["path"]] : []),
    ...(look.search.trim() ? [["search"]] : []),
  ];
}

/**
 * What is not there any more is not looked at.
 * @param {Look} look
 * @param {import("../live/brain.js").Answer} answer
 * @returns {Look}
 */
function settled(look, answer) {
  const gone = (/** @type {any[]} */ question) => answer(question) === null;
  const selected =
    look.selected !== null && gone(["detail", placesIn(answer(["program"]), look).box(look.selected)])
      ? null
      : look.selected;
  const moment = look.moment !== null && gone(["frame", look.moment, look.pick]) ? null : look.moment;
  return selected === look.selected && moment === look.moment
    ? look
    : { ...look, selected, moment, pick: moment === null ? null : look.pick };
}
