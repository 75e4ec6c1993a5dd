// @ts-check
/**
 * What a page looks at, and what it shows of it: only this module knows both. It asks a kernel, or a saved page, for
 * answers, and tells the parts of the view what has changed.
 */

import { CONDITION } from "./link.js";

const SHELVES = ["page", "numbers", "answers"];

/**
 * What a view looks at and shows: its initial `look`; the `questions` that must be answered to show a look, and those
 * of its `panels`, which can wait; the `settled` look, once they are answered; what the parts are `shown`, by name,
 * given the data that was shown before; and the `acts` of a user, which change the look.
 * @typedef {(question: any[]) => any} Answer
 * @typedef {{look: () => any, change: (change: any, done?: () => void) => void, open: (wishes: Record<string,
 *   number[]>[], also: any, done?: () => void) => void, answer: Answer, data: () => Record<string, any>}} Brain
 * @typedef {{look: any, questions: (look: any, answer: Answer) => any[][], panels: (look: any, answer: Answer) =>
 *   any[][], settled: (look: any, answer: Answer) => any, shown: (before: Record<string, any>, look: any, answer:
 *   Answer) => Record<string, any>, acts: (brain: Brain) => Record<string, (message: any, done?: () => void) => void>,
 *   words: (answer: Answer) => Record<string, string>}} Mind
 */

/**
 * @param {Mind} mind
 * @returns {(model: any, link: Pick<ReturnType<typeof import("./link.js").makeLink>, "send" | "watch">) =>
 *   import("../graph/explorer.js").Source}
 */
export const makeBrain = (mind) => (model, link) => {
  let look = { ...mind.look, ...model.get("look") };
  /** @type {Record<string, any>} */
  let data = {}; // the data that is shown, by name
  /** @type {Map<string, Set<() => void>>} */
  const listeners = new Map();
  /** @type {any[]} */
  let seen = []; // what `data` was computed from
  let kept = model.get("look"); // the kernel's copy for all pages
  let notice = "";
  let asked = ""; // the questions that have been sent, as text

  /** @param {any[]} question */
  function answer(question) {
    const key = JSON.stringify(question);
    for (const shelf of SHELVES) {
      const found = model.get(shelf);
      if (key in found) return found[key];
    }
    return undefined;
  }

  const questions = () => [...mind.questions(look, answer), ...mind.panels(look, answer)];

  /** The reason why an answer is refused; undefined if none is. */
  const refusal = () =>
    mind
      .questions(look, answer)
      .map(answer)
      .find((found) => found?.refused)?.refused;

  /** Ask the questions of the present look, from now on. @param {() => void} [done] */
  function ask(done) {
    const wanted = questions();
    asked = JSON.stringify(wanted);
    link.send({ do: "look", look, questions: wanted }, () => {
      if (asked === JSON.stringify(wanted)) asked = "";
      update();
      done?.();
      update();
    });
  }

  /** @param {any} change @param {() => void} [done] */
  function change(change, done) {
    look = { ...look, ...change };
    notice = "";
    ask(done);
    update();
  }

  /**
   * Open other groups, according to the first of several wishes that is granted.
   * @param {Record<string, number[]>[]} wishes @param {any} also @param {() => void} [done]
   */
  function open([wish, ...others], also, done, words = "") {
    const before = look;
    change({ ...also, open: { ...look.open, ...wish } }, () => {
      const why = refusal();
      if (!why) notice = words;
      else if (others.length) {
        look = before;
        return open(others, also, done, mind.words(answer).page_others_closed);
      } else {
        look = before;
        ask();
        notice = why;
      }
      done?.();
    });
  }

  /** Show the answers, once all are there, and ask for those that are missing. */
  function update() {
    adopt();
    const parts = [...SHELVES.map((shelf) => model.get(shelf)), look, notice, model.get("condition")];
    if (parts.every((part, i) => part === seen[i])) return;
    seen = parts;
    const answers = mind.questions(look, answer).map(answer);
    const isWhole = questions().every((question) => answer(question) !== undefined);
    /** @type {Record<string, any>} */
    let next = { ...data, notice };
    for (const name of CONDITION) next[name] = model.get("condition")[name];
    if (!isWhole && asked !== JSON.stringify(questions())) ask();
    if (!answers.some((found) => found === undefined || found?.refused)) {
      look = mind.settled(look, answer);
      next = { ...next, look, ...mind.shown(data, look, answer) };
    }
    const changed = Object.keys(next).filter((name) => next[name] !== data[name]);
    data = next;
    const heard = new Set(changed.flatMap((name) => [...(listeners.get(name) ?? [])]));
    for (const listener of heard) listener();
  }

  /** Adopt the look of another page of this view, or of the kernel, unless this page is just changing its own. */
  function adopt() {
    if (asked || kept === model.get("look")) return;
    kept = model.get("look");
    look = { ...mind.look, ...kept };
  }

  const events = [...SHELVES, "look", "condition"].map((name) => `change:${name}`);
  for (const event of events) model.on(event, update);
  const turn = (/** @type {any} */ { to }, /** @type {() => void} */ done) => change(to, done);
  /** @type {Record<string, (message: any, done?: any) => void>} */
  const acts = { turn, ...mind.acts({ look: () => look, change, open, answer, data: () => data }) };
  const unwatch = link.watch(update); // before the views watch: when they hear of an answer, it is shown

  return {
    /** @param {string} name */
    get: (name) => (name in data ? data[name] : model.get(name)),
    /** The answer to a single question. @param {any[]} question */
    answer,
    /** @param {any} message @param {() => void} [done] */
    send(message, done) {
      const act = acts[message.do];
      if (message.do === "settle") ask();
      else if (act) act(message, done);
      else link.send(message, done);
    },
    /** @param {string} event @param {() => void} listener */
    on(event, listener) {
      const name = event.slice("change:".length);
      if (!(name in data)) return model.on(event, listener);
      listeners.set(name, (listeners.get(name) ?? new Set()).add(listener));
    },
    /** @param {string} event @param {() => void} listener */
    off(event, listener) {
      const name = event.slice("change:".length);
      if (!(name in data)) return model.off(event, listener);
      listeners.get(name)?.delete(listener);
    },
    close() {
      unwatch();
      for (const event of events) model.off(event, update);
    },
  };
};

// Records sent as columns by views/live/columns.py.

/** @type {WeakMap<object, any>} */
const made = new WeakMap(); // immutable values are converted only once

/** The value of a trait, with columns converted to records. @param {any} value @returns {any} */
export function unpacked(value) {
  if (!value || Object.getPrototypeOf(value) !== Object.prototype) return Array.isArray(value) ? each(value) : value;
  if (!made.has(value))
    made.set(
      value,
      Object.fromEntries(Object.entries(value).map(([name, item]) => [name, item?.$columns ? records(item) : item])),
    );
  return made.get(value);
}

/** @param {any[]} list */
function each(list) {
  return list.some((item) => item && typeof item === "object") ? list.map(unpacked) : list;
}

/** @param {{$columns: Record<string, any>, count: number, names: string[] | null}} packed */
function records({ $columns: columns, count, names }) {
  const fields = Object.entries(columns).map(
    ([field, values]) => /** @type {const} */ ([field, column(values, count)]),
  );
  const rows = Array.from({ length: count }, (_, k) =>
    Object.fromEntries(fields.map(([field, values]) => [field, values[k]])),
  );
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

/**
 * Integers from the run lengths of their differences.
 * @param {{from: number, steps: number[], times: number[]}} climb
 */
function climbed({ from, steps, times }) {
  let at = from;
  return [from, ...steps.flatMap((step, k) => Array.from({ length: times[k] }, () => (at += step)))];
}

/** Texts, completed with the words that each repeats from the one before. @param {string[]} rest */
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
