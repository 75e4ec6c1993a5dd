// @ts-check
/** What answers the messages about the graphs in a saved page of the derivative explorer. */

import { makeFolds } from "./folds.js";

/**
 * @param {any} book
 * @returns {(message: any) => Record<string, any>} what a message sets
 */
export function makeGraphsBook({ graphs, words }) {
  const folds = makeFolds(graphs, words, drawn);

  function drawn() {
    return {
      scenes: graphs.map((/** @type {any} */ _, /** @type {number} */ i) => folds.picture(i)),
      readings: graphs.map((/** @type {any} */ { readings }, /** @type {number} */ i) => folds.drawn(i, readings)),
    };
  }

  return ({ do: what, id, open }) => {
    if (what === "graphs") return { graphs: open, ...(open ? drawn() : { scenes: [], readings: [] }) };
    return what === "open" ? folds.unfold(id) : what === "close" ? folds.fold(id) : {};
  };
}
