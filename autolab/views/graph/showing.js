// @ts-check
/**
 * The data that the parts of a view show, by name, from the answers: steps are replaced by the boxes that show them.
 */

import { unpacked } from "../live/brain.js";
import { makeActs, matches, placesIn } from "./acts.js";

/**
 * @param {Record<string, any>} before what was shown so far: unchanged data stays the same object
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
   * Compute data again only if its inputs have changed.
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
   * The same for data that depends on every number and yet seldom changes: then the parts are not notified.
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

  /** A line between two steps, as one between the boxes that show them now. @param {number} order @param {any} edge */
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
 * The boxes whose numbers have changed, in the same picture.
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

// The look of the live graph, and the questions to be answered to show it.

/**
 * The look: the open groups of each graph, the selected box, the moment of the walk and its selected cell, the measure
 * of the colours, the path of the first NaN, the search and its present match, how arrays are shown, where the windows
 * of large ones begin, the direction of the graph, and whether each array has a colour scale of its own.
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
 * A panel may have its own questions, by the names under which its part finds the answers; null if nothing is asked
 * now.
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
 * Remove from the look what no longer exists.
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
