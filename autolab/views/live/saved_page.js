// @ts-check
/** The host of a saved page: it replaces the kernel, with the answers that were stored in the page. */

import { makeMotion } from "../graph/moving.js";
import { addPlaygroundLink } from "./playground_link.js";
import { followTheme } from "./theme.js";
import { unzipped } from "./unzip.js";

/** @param {() => any} widget the default export of a view's module @param {"auto" | "light" | "dark"} look */
export async function openPage(widget, look) {
  const { type, textContent: text } = /** @type {any} */ (document.getElementById("saved"));
  const isZipped = type === "application/gzip";
  const saved = JSON.parse(isZipped ? await unzipped(Uint8Array.from(atob(text), (c) => c.charCodeAt(0))) : text);
  const { state, buffers, places } = saved;
  const views = buffers.map(
    (/** @type {string} */ text) => new DataView(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer),
  );
  for (const [path, index] of places) {
    const holder = path.slice(0, -1).reduce((/** @type {any} */ at, /** @type {string} */ key) => at[key], saved);
    holder[path.at(-1)] = views[index];
  }
  followTheme(look);
  const get = (/** @type {string} */ name) => state[name];
  const model = makeModel(state, makeMoving(saved, get, makeAnswers(saved, get)));
  const view = widget();
  view.initialize({ model });
  const place = document.querySelector("main") ?? document.body;
  view.render({ model, el: place });
  addPlaygroundLink(model, place);
  fillFrame();
}

/**
 * Answers the questions of a page from its stored answers, and refuses all others.
 * @param {any} saved
 * @param {(trait: string) => any} get
 */
function makeAnswers({ state, answers = {}, boxes = [], first = [], refusal = state.words.still }, get) {
  /** @param {string} key */
  function answer(key) {
    const [shelf, found] = answers[key] ?? ["answers", { refused: refusal }];
    if (!found?.boxes) return [shelf, found];
    const shared = boxes[JSON.parse(key)[1]];
    const picked = Object.entries(shared).map(([field, all]) => [
      field,
      Object.fromEntries(
        found.boxes.filter((/** @type {string} */ id) => id in all).map((/** @type {string} */ id) => [id, all[id]]),
      ),
    ]);
    return [shelf, { ...found, ...Object.fromEntries(picked) }];
  }

  /** The answers by shelf; answers that the page has already stay the same objects. @param {string[]} keys */
  function answered(keys) {
    /** @type {Record<string, any>} */
    const shelves = { page: {}, numbers: {}, answers: {} };
    for (const key of keys) {
      const before = Object.keys(shelves).find((name) => key in (get(name) ?? {}));
      const [shelf, found] = before ? [before, get(before)[key]] : answer(key);
      shelves[shelf][key] = found;
    }
    return shelves;
  }

  if (first.length) Object.assign(state, answered(first));
  return (/** @type {any} */ { do: what, look, questions }) =>
    what === "look"
      ? { look, ...answered(questions.map((/** @type {any} */ question) => JSON.stringify(question))) }
      : {};
}

/**
 * Lets the inputs move, if the page holds a program that gives Python's numbers in this browser. What the program does
 * not compute, such as formulas with numbers, is then no longer shown.
 * @param {any} saved
 * @param {(trait: string) => any} get
 * @param {(message: any) => Record<string, any>} answer
 */
function makeMoving({ state, motion }, get, answer) {
  if (!motion) return answer;
  const { words, ...data } = motion;
  const say = (/** @type {string} */ sentence) => (state.words = { ...state.words, still: sentence });
  const moving = data.program ? makeMotion(data) : null;
  if (!moving) {
    say(data.why ?? words.apart);
    return answer;
  }
  state.moves = true;
  say(words.moves);

  /** @param {Record<string, any>} shelf */
  const anew = (shelf) =>
    Object.fromEntries(Object.entries(shelf).map(([key, found]) => [key, moving.answer(key, found, words.moved)]));
  return (/** @type {any} */ message) => {
    if (message.do !== "move") {
      const found = answer(message);
      if (!moving.isMoved || !found.numbers) return found;
      return { ...found, numbers: anew(found.numbers), answers: anew(found.answers) };
    }
    const follows = moving.move(message);
    const still = { ...get("words"), still: follows ? words.moved : words.elsewhere };
    return { numbers: anew(get("numbers")), answers: anew(get("answers")), words: still, point: moving.point() };
  };
}

/**
 * In a frame of another page, such as a notebook, make this page as high as its content; heights that depend on the
 * window use a typical one.
 */
function fillFrame() {
  const frame = /** @type {HTMLElement | null} */ (window.frameElement);
  if (!frame) return;
  document.body.style.setProperty("--al-window", "800px");
  new ResizeObserver(() => (frame.style.height = `${document.body.offsetHeight}px`)).observe(document.body);
}

/**
 * A model that answers its messages at once.
 * @param {Record<string, any>} state
 * @param {(message: any) => Record<string, any>} answer
 */
function makeModel(state, answer) {
  /** @type {Map<string, Set<() => void>>} */
  const listeners = new Map();

  /** @param {Record<string, any>} changes */
  function change(changes) {
    const changed = Object.keys(changes).filter((name) => changes[name] !== state[name]);
    Object.assign(state, changes);
    for (const name of changed) for (const listener of [...(listeners.get(`change:${name}`) ?? [])]) listener();
  }

  return {
    get: (/** @type {string} */ name) => state[name],
    on(/** @type {string} */ event, /** @type {() => void} */ listener) {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener));
    },
    off: (/** @type {string} */ event, /** @type {() => void} */ listener) => listeners.get(event)?.delete(listener),
    send(/** @type {any} */ { seq, ...message }) {
      queueMicrotask(() => change({ ...answer(message), ack: seq }));
    },
  };
}
