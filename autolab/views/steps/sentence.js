// @ts-check
/** The part that says in one sentence what one looks at: a step of the walk, a line, a box, or what can be done. */

import { sameEdge } from "../graph/detail.js";
import { chosenLine } from "../graph/picture.js";
import { html, write } from "../live/dom.js";
import { termsOf } from "./orders.js";

/** @param {import("../graph/explorer.js").View} view */
export function makeSentencePart(view) {
  const { get, root } = view;
  const text = html("p", { class: "al-sentence" });

  function sentence() {
    const { answer, status } = get("detail");
    const line = chosenLine(view);
    const share =
      line &&
      answer?.comes
        .flatMap((/** @type {import("../graph/detail.js").Value} */ value) => value.shares)
        .find((/** @type {any} */ one) => sameEdge(one.edge, line));
    if (view.hand) return view.hand;
    return (
      get("frame").spoken ??
      share?.sentence ??
      (answer && (answer.sentence || status)) ??
      (get("still")
        ? get("words").still
        : root.classList.contains("al-by-terms")
          ? termsOf(get).rest
          : get("words").rest)
    );
  }

  const paint = () => write(text, sentence());
  root.addEventListener("al-line", paint);
  // A saved page that moves has other words after a move.
  const told = `frame detail terms curves${view.get("still") === "page" ? " words" : ""}`;
  return { places: { foot: [text] }, on: { [told]: paint }, paint };
}
