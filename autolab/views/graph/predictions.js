// @ts-check
/**
 * While the kernel computes a move, the page computes it too, with the program that also moves a saved page: the
 * numbers in the picture follow the hand at once, also where the kernel is far away. What the kernel says counts. A
 * program that says something else is given up.
 */

import { unpacked } from "../live/brain.js";
import { imported } from "../live/imported.js";

const STAYS = ["look", "ask", "hello"]; // after these messages the function and its point are as they were

/**
 * Stands between a model with its link to the kernel, and what shows them.
 * @param {any} model
 * @param {ReturnType<typeof import("../live/link.js").makeLink>} link
 */
export function makePredictions(model, link) {
  /** @type {typeof import("./moving.js") | null} */
  let module = null; // comes with the first move
  /** @type {ReturnType<typeof import("./moving.js").makeMotion>} */
  let program = null;
  /** @type {any[] | null} */
  let since = null; // the moves after which a program was asked for that is not there yet
  let isRefused = false;
  let isAhead = false; // the numbers that are shown are the program's
  /** @type {{of: any, is: any}} */
  let made = { of: null, is: null }; // these, made of the kernel's for the point before
  /** @type {Set<() => void>} */
  const listeners = new Set();

  function tell() {
    for (const listener of [...listeners]) listener();
  }

  /** Show what the kernel says. */
  function follow() {
    if (!isAhead) return;
    isAhead = false;
    tell();
  }

  /** The function is another one, or at another point than is known here. */
  function forget() {
    program = since = null;
    isRefused = false;
    follow();
  }

  /** When the kernel has answered everything, it is right. */
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
    /** What shows the numbers finds them here. */
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
    /** What moves them sends it through here. */
    link: {
      watch: link.watch,
      /** @param {any} message @param {() => void} [done] */
      send(message, done) {
        link.send(message, done);
        if (model.get("still")) return; // nobody computes, or a saved page does
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
