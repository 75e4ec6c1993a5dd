// @ts-check
/** What a person does with a picture: choose, open and close, walk, search, colour. Each changes what is looked at. */

import { placesIn } from "./tree.js";

/** @typedef {import("./mind.js").Look} Look */

const LINE = /^(?:line\s*|:)(\d+)$/i;

/**
 * The steps that match a text, in order: it is part of their names, function or scope, or names their line.
 * @param {Record<string, [string, ...(number | null)[]]>} words of every step, as views/graph/labels.py tells them
 * @param {string} text
 */
export function matches(words, text) {
  const wanted = text.trim().toLowerCase();
  const line = wanted.match(LINE);
  return !wanted ? [] : Object.keys(words).map(Number).filter((id) => {
    const [own, ...lines] = words[id];
    return line ? lines.includes(Number(line[1])) : own.includes(wanted);
  });
}

/** The open groups of a graph, as a look holds them. @param {number} order @param {Set<number>} groups */
const wish = (order, groups) => ({ [order]: [...groups].sort((a, b) => a - b) });

/**
 * Opening and closing groups.
 * @param {import("./brain.js").Brain} brain
 * @returns {Record<string, (message: any, done?: () => void) => void>}
 */
export function makeFolding({ look, open, answer }) {
  const places = () => placesIn(answer(["program"]), look());

  /** A group, in its tree with what is open there. @param {number} id */
  function groupAt(id) {
    const { trees, opened } = places();
    const order = trees.findIndex((/** @type {any} */ tree) => tree.hasGroup(id));
    return { order, tree: trees[order], now: opened[order] };
  }

  /** Open groups in all graphs. @param {(tree: any) => Set<number>} groups @param {() => void} [done] */
  const openAll = (groups, done) => open([Object.assign({}, ...places().trees.map((/** @type {any} */ tree, /** @type {number} */ order) => wish(order, groups(tree))))], {}, done);

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
 * @param {import("./brain.js").Brain} brain
 * @returns {Record<string, (message: any, done?: () => void) => void>}
 */
export function makeActs(brain) {
  const { look, change, open, answer, data } = brain;
  const places = () => placesIn(answer(["program"]), look());

  /** The box of a chosen step; while walking, the moment that is about it. @param {number | null} id @returns {Partial<Look>} */
  function choosing(id) {
    if (id === null) return { selected: null };
    const { home, holder } = places();
    const [order, { moment }] = [home(id), look()];
    const box = holder(order, id);
    const { known, first, sends } = data().readings.nodes[box] ?? {};
    if (moment === null || order || (known ?? null) === null) return { selected: box };
    return { selected: box, moment: moment < data().plan.start ? known : sends ?? first ?? moment, pick: null };
  }

  /** Open what is around a step of the function, and choose it. @param {number} step @param {Partial<Look>} also @param {() => void} [done] */
  function reveal(step, also, done) {
    const { trees, opened } = places();
    const [around, now] = [trees[0].around(step), opened[0]];
    if (around.every((/** @type {number} */ group) => now.has(group))) return change({ ...also, ...choosing(step) }, done);
    open([wish(0, new Set([...now, ...around])), wish(0, new Set(around))], { ...also, selected: step }, done);
  }

  /** To the next match, or back. @param {number} by @param {() => void} [done] */
  function go(by, done) {
    const { at, search } = look();
    const words = search.trim() ? answer(["search"]) : {};
    if (!words) return change({}, () => go(by, done)); // they are on their way
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
        const born = show ? answer(["path"])?.born ?? null : null;
        if (born === null) done?.();
        else reveal(born, {}, done);
      });
    },
    look: ({ show, scale }, done) => change({ arrays: { show, scale } }, done),
    walk({ to, pick }, done) {
      const isThere = to !== null && to >= 0 && to < data().plan.count;
      change({ moment: isThere ? to : null, pick: isThere ? pick ?? null : null }, done);
    },
    window: ({ key, row, column }, done) => change({ corners: [...look().corners.filter((/** @type {any[]} */ [other]) => other !== key), [key, row, column]] }, done),
  };
}
