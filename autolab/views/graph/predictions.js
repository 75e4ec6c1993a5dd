// @ts-check
/**
 * While the kernel computes a move, the page computes it, too, with the program that also moves a saved page: the
 * numbers in the picture follow the hand at once, even if the kernel is far away. The kernel has the last word: a
 * program that disagrees with it is discarded.
 */

import { unpacked } from "../live/brain.js";
import { imported } from "../live/imported.js";

const STAYS = ["look", "ask", "hello"]; // messages that change neither the function nor its point

/**
 * A layer between a model with its link to the kernel, and the view.
 * @param {any} model
 * @param {ReturnType<typeof import("../live/link.js").makeLink>} link
 */
export function makePredictions(model, link) {
  /** @type {typeof import("./moving.js") | null} */
  let module = null; // loaded with the first move
  /** @type {ReturnType<typeof import("./moving.js").makeMotion>} */
  let program = null;
  /** @type {any[] | null} */
  let since = null; // the moves since a program was requested that has not arrived yet
  let isRefused = false;
  let isAhead = false; // whether the numbers shown are the program's
  /** @type {{of: any, is: any}} */
  let made = { of: null, is: null }; // these numbers, made from the kernel's for the point before
  /** @type {Set<() => void>} */
  const listeners = new Set();

  function tell() {
    for (const listener of [...listeners]) listener();
  }

  /** Show the kernel's numbers. */
  function follow() {
    if (!isAhead) return;
    isAhead = false;
    tell();
  }

  /** Discard the program: the function, or its point, is not the one known here. */
  function forget() {
    program = since = null;
    isRefused = false;
    follow();
  }

  /** Compare with the kernel once it has answered everything. */
  function compare() {
    if (link.state !== "idle" || model.get("condition").computing) return;
    const isRight = Object.entries(model.get("numbers")).every(([key, found]) => program?.agrees(key, unpacked(found)));
    if (program && !isRight) forget();
    else follow();
  }

  function ask() {
    const mine = (since = /** @type {any[]} */ ([]));
    /** @param {string} what @param {(answer: any) => void} then */
    const once = (what, then) =>
      link.send({ do: "ask", question: [what] }, () => then(model.get("answers")[JSON.stringify([what])]));
    const refuse = () => {
      if (mine !== since) return;
      since = null;
      isRefused = true;
    };
    /** @param {any} motion */
    const begin = (motion) => {
      if (mine !== since) return;
      const made = module?.makeMotion(motion) ?? null;
      if (!made) return refuse();
      since = null;
      if (mine.every((move) => made.move(move))) program = made;
    };
    once("motion", (motion) => {
      if (!motion?.program) refuse();
      else if (module) begin(motion);
      else
        once("module", (text) =>
          imported(text).then((found) => {
            module = found;
            begin(motion);
          }, refuse),
        );
    });
  }

  /** @param {any} message */
  function predict(message) {
    if (link.state === "silent") return forget();
    since?.push(message);
    if (program?.move(message)) {
      isAhead = true;
      made.of = null;
      tell();
    } else if (program) forget();
    if (!program && !since && !isRefused) ask();
  }

  /** @param {string} name of a trait */
  function get(name) {
    const found = model.get(name);
    if (name !== "numbers" || !isAhead) return found;
    if (made.of !== found) {
      const each = Object.entries(found).map(([key, answer]) => [key, program?.ahead(key, unpacked(answer))]);
      made = { of: found, is: Object.fromEntries(each) };
    }
    return made.is;
  }

  const unwatch = link.watch((state) => (state === "idle" ? compare() : state === "silent" && forget()));
  const events = ["numbers", "condition"].map((name) => `change:${name}`);
  for (const event of events) model.on(event, compare);

  return {
    /** The model for the view. */
    model: {
      get,
      on(/** @type {string} */ event, /** @type {() => void} */ listener) {
        model.on(event, listener);
        if (event === "change:numbers") listeners.add(listener);
      },
      off(/** @type {string} */ event, /** @type {() => void} */ listener) {
        model.off(event, listener);
        if (event === "change:numbers") listeners.delete(listener);
      },
    },
    /** The link for the view's messages. */
    link: {
      watch: link.watch,
      /** @param {any} message @param {() => void} [done] */
      send(message, done) {
        link.send(message, done);
        if (model.get("still")) return; // nothing computes, or a saved page does
        if (message.do === "move") predict(message);
        else if (!STAYS.includes(message.do)) forget();
      },
    },
    close() {
      unwatch();
      for (const event of events) model.off(event, compare);
    },
  };
}
