// @ts-check
/** What answers the messages of a saved page of a graph: the data that widgets/explorer_page.py has put into it. */

import { makeFolds } from "./folds.js";

/** @typedef {Record<string, any>} Changes */

const LINE = /^(?:line\s*|:)(\d+)$/i;

/**
 * @param {any} book
 * @param {(trait: string) => any} get the state of the page
 * @returns {(message: any) => Changes} what a message sets
 */
export function makeBook(book, get) {
  const [first] = book.graphs;
  const folds = makeFolds(book.graphs, book.words, shown);
  const { picture, holder } = folds;
  let by = get("flow").by ?? null;
  let withPath = Boolean(get("path").text);
  let wanted = get("found").text ?? "";
  /** @type {number | null} */
  let at = get("found").at ?? null;
  /** @type {number | null} */
  let moment = get("frame").k ?? null;

  /** @param {number[]} steps */
  const boxes = (steps) => [...new Set(steps.map((step) => holder(0, step)))];

  // ---- what depends on which groups are open
  /** @param {number} i @returns {Changes} */
  function shown(i) {
    const scene = picture(i);
    const nodes = { nodes: folds.drawn(i, book.graphs[i].readings) };
    if (i) {
      const with_ = (/** @type {string} */ trait, /** @type {any} */ value) => get(trait).map((/** @type {any} */ old, /** @type {number} */ k) => (k === i - 1 ? value : old));
      return { order_scenes: with_("order_scenes", scene), order_readings: with_("order_readings", nodes), ...chosen(get("selected")) };
    }
    const lines = Object.entries(book.lines).map(([line, steps]) => [line, boxes(steps)]);
    return {
      scene, readings: nodes, changed: [], plan: { ...get("plan"), nodes: folds.drawn(0, first.plan) },
      listing: get("listing").lines ? { ...get("listing"), at: Object.fromEntries(lines) } : {},
      health: { ...get("health"), signs: folds.drawn(0, first.signs) }, ...flow(), ...frame(), ...found(), ...chosen(get("selected")),
    };
  }

  function flow() {
    const now = folds.key(0);
    return { flow: by ? first.flows[now][by] : {}, path: withPath ? first.paths[now] : {} };
  }

  function frame() {
    if (moment === null) return { frame: {}, frame_buffers: [] };
    const { frame: told, frame_buffers } = book.frames[moment];
    const growing = picture(0).nodes.map((/** @type {any} */ { id }) => [id, told.growing[id < 0 ? first.groups[id].step : id]]);
    return {
      frame: {
        ...told, nodes: boxes(told.nodes), growing: Object.fromEntries(growing.filter(([, sum]) => sum)),
        edge: lineHere(0, told.edge),
      },
      frame_buffers,
    };
  }

  // ---- opening and closing
  /** @param {boolean} all */
  function foldAll(all) {
    return book.graphs.reduce((/** @type {Changes} */ changes, /** @type {any} */ { groups }, /** @type {number} */ i) => {
      const ids = all ? Object.keys(groups).filter((id) => !groups[id].run).map(Number) : [];
      const next = folds.turn(i, new Set(ids));
      const merged = (/** @type {string} */ trait) => (next[trait] && changes[trait] ? { [trait]: [...changes[trait].slice(0, i - 1), ...next[trait].slice(i - 1)] } : {});
      return { ...changes, ...next, ...merged("order_scenes"), ...merged("order_readings"), notice: changes.notice || next.notice };
    }, {});
  }

  // ---- choosing and searching
  /** @param {number | null} id @returns {Changes} */
  function chosen(id) {
    if (id === null) return { selected: null, detail: {}, detail_buffers: [] };
    const i = Math.max(0, book.graphs.findIndex((/** @type {any} */ graph, /** @type {number} */ k) => k && (id in graph.groups || graph.own.includes(id))));
    const drawn = new Set(picture(i).nodes.map((/** @type {any} */ node) => node.id));
    const box = holder(i, id);
    if (!drawn.has(box)) return chosen(null);
    const { detail, detail_buffers } = book.details[box];
    return { selected: box, detail: { ...detail, answer: answerHere(i, detail.answer) }, detail_buffers };
  }

  /** A line between two steps, between the boxes that hold them now. @param {number} i @param {any} edge */
  function lineHere(i, edge) {
    const ends = edge && [holder(i, edge.from), holder(i, edge.to)];
    return edge && { from: ends[0], to: ends[1], nth: ends[0] === edge.from && ends[1] === edge.to ? edge.nth : 0 };
  }

  /** @param {number} i @param {import("./answer.js").Answer} answer */
  function answerHere(i, answer) {
    const comes = answer.comes.map((value) => ({
      ...value, edges: value.edges.map((edge) => lineHere(i, edge)), shares: value.shares.map((share) => ({ ...share, edge: lineHere(i, share.edge) })),
    }));
    return { ...answer, comes };
  }

  /** While walking, choosing a step goes to the moment that is about it. @param {number | null} id */
  function select(id) {
    if (id === null) return chosen(null);
    const about = book.moments[id < 0 ? first.groups[id]?.step : id];
    if (moment === null || !about) return chosen(id);
    moment = about[Number(moment >= get("plan").start)];
    return { ...chosen(id), ...frame() };
  }

  /** @param {number} step */
  function reveal(step) {
    const groups = folds.around(0, step);
    const isOpen = groups.every((group) => folds.isOpen(0, group));
    return { ...(isOpen ? {} : folds.also(0, groups)), ...select(step) };
  }

  /** The steps that are found, as display/search.py finds them. */
  function matches() {
    const text = wanted.trim().toLowerCase();
    const line = text.match(LINE);
    return !text ? [] : Object.keys(book.search).map(Number).filter((id) => {
      const [words, ...lines] = book.search[id];
      return line ? lines.includes(Number(line[1])) : words.includes(text);
    });
  }

  function found() {
    const steps = matches();
    /** @type {Record<number, number>} */
    const counts = {};
    for (const step of steps) counts[holder(0, step)] = (counts[holder(0, step)] ?? 0) + 1;
    return { found: { text: wanted, count: steps.length, at, boxes: counts } };
  }

  /** @param {number} way */
  function next(way) {
    const steps = matches();
    if (!steps.length) return {};
    at = ((at ?? (way > 0 ? -1 : 0)) + way + steps.length) % steps.length;
    return { ...reveal(steps[at]), ...found() };
  }

  /** @type {Record<string, (message: any) => Changes>} */
  const answers = {
    select: ({ id }) => select(id),
    open: ({ id }) => folds.unfold(id),
    close: ({ id }) => folds.fold(id),
    "open all": () => foldAll(true),
    "close all": () => foldAll(false),
    find: ({ text }) => ([wanted, at] = [text, null]) && found(),
    go: ({ by: way }) => next(way),
    colour: ({ by: measure }) => ((by = measure), flow()),
    path: ({ show }) => ((withPath = show), { ...(show && book.born !== null ? reveal(book.born) : {}), ...flow() }),
    look: ({ show, scale }) => ({ look: { show, scale } }),
    walk: ({ to }) => ((moment = to !== null && to < book.frames.length ? to : null), frame()),
  };
  return (message) => answers[message.do]?.(message) ?? {};
}
