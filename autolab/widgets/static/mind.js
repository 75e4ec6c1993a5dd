// @ts-check
/** What the live graph looks at, and what must be known to show it. */

import { makeActs } from "./acts.js";
import { showing } from "./showing.js";
import { placesIn } from "./tree.js";

/**
 * What is looked at: the open groups of each graph, the chosen box, the moment of the walk and its picked cell, the
 * measure of the colours, the path of the first NaN, what is searched for and which match was gone to, how arrays are
 * shown, where the windows of large ones begin, which way the graph runs, and whether each array has colours of its own.
 * @typedef {{open: Record<string, number[]>, selected: number | null, moment: number | null, pick: any[] | null, colour: string | null, path: boolean, search: string, at: number | null, arrays: {show: string, scale: string}, corners: [string | number, number, number][], direction: string, own: boolean}} Look
 */

/** @type {Look} */
const AT_REST = { open: {}, selected: null, moment: null, pick: null, colour: null, path: false, search: "", at: null, arrays: { show: "both", scale: "asinh" }, corners: [], direction: "auto", own: false };

/**
 * A panel may have questions of its own: the names under which its part finds the answers, with the questions; null if nothing is asked now.
 * @typedef {(look: any, box: (id: number) => number, program: any) => Record<string, any[] | null>} Asks
 */

/** The mind of a view with these panels. @param {(((view: any) => any) & {asks?: Asks})[]} panels @returns {import("./brain.js").Mind} */
export function makeMind(panels) {
  const own = (/** @type {Look} */ look, /** @type {import("./brain.js").Answer} */ answer) =>
    Object.assign({}, ...panels.map(({ asks }) => asks?.(look, placesIn(answer(["program"]), look).box, answer(["program"]))));
  return {
    look: AT_REST, settled, acts: makeActs, words: (answer) => answer(["program"]).words,
    questions,
    panels: (look, answer) => Object.values(own(look, answer)).filter(Boolean),
    shown(before, look, answer) {
      const more = Object.entries(own(look, answer)).map(([name, question]) => [name, question && !answer(question)?.refused ? answer(question) ?? null : null]);
      return { ...showing(before, look, answer), ...Object.fromEntries(more) };
    },
  };
}

/** @param {Look} look @param {import("./brain.js").Answer} answer @returns {any[][]} */
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

/** What is not there any more is not looked at. @param {Look} look @param {import("./brain.js").Answer} answer @returns {Look} */
function settled(look, answer) {
  const gone = (/** @type {any[]} */ question) => answer(question) === null;
  const selected = look.selected !== null && gone(["detail", placesIn(answer(["program"]), look).box(look.selected)]) ? null : look.selected;
  const moment = look.moment !== null && gone(["frame", look.moment, look.pick]) ? null : look.moment;
  return selected === look.selected && moment === look.moment ? look : { ...look, selected, moment, pick: moment === null ? null : look.pick };
}
