// @ts-check
/** The live graph: which parts it has, and what a part is. */

import { makeBrain } from "../live/brain.js";
import { makeStaleNoticePart } from "../live/computing.js";
import { makeSaveAsPart } from "../live/save_as.js";
import { makeWidget } from "../live/view.js";
import { makeOrdersPart } from "../steps/orders.js";
import { makePlayerPart, makeSentencePart } from "../steps/player.js";
import { makeAddressPart } from "./address.js";
import { makeDetailPart } from "./detail.js";
import { makeHistogramPart } from "./histogram.js";
import { makeInputsPart } from "./inputs.js";
import { makeFlowPart, makeKeyPart, makeExpandFusedPart, makeSearchPart } from "./overview.js";
import { makeGraphPart } from "./picture.js";
import { makePredictions } from "./predictions.js";
import { makeMind } from "./showing.js";
import { makeSourcePart } from "./source.js";

const PARTS = [
  makeInputsPart,
  makeSearchPart,
  makeFlowPart,
  makeGraphPart,
  makeOrdersPart,
  makeExpandFusedPart,
  makePlayerPart,
  makeSentencePart,
  makeStaleNoticePart,
  makeDetailPart,
  makeHistogramPart,
  makeSourcePart,
  makeSaveAsPart,
  makeAddressPart,
  makeKeyPart,
]; // in each place of the page they stand in this order

/**
 * @typedef {"header" | "inputs" | "alert" | "middle" | "side" | "below" | "foot" | "menu" | "end"} Place
 */
/** @typedef {import("../live/link.js").State} State */

/**
 * Where a view's data comes from, by name, and where its messages go; `answer` has the answer to a question that was
 * asked once.
 * @typedef {{
 *   get: (name: string) => any,
 *   on: (event: string, listener: () => void) => void,
 *   off: (event: string, listener: () => void) => void,
 *   send: (message: any, done?: () => void) => void,
 *   answer?: (question: any[]) => any,
 *   close: () => void,
 * }} Source
 */

/**
 * What a part can use. `line` is the line of the graph that was chosen in this page, `hand` what is being
 * moved in it just now, in words.
 * @typedef {{
 *   get: (name: string) => any,
 *   send: (message: any, done?: () => void) => void,
 *   answer: any,
 *   link: ReturnType<typeof import("../live/link.js").makeLink>,
 *   colors: import("../live/colors.js").ColorMap,
 *   root: HTMLElement,
 *   line: import("./answer.js").Edge | null,
 *   hand: string,
 * }} View
 */

/**
 * A feature of the view: what it puts where, what it does when traits change ("scene readings" names two), when the
 * whole is to be painted (at first, and with another theme), when the state of the link changes, when the text becomes
 * so many times larger, and at the end; and what the one sentence says while the part has to say something, which is
 * read aloud where it `reads` what is pointed at. Above the picture (`middle`) stand its title and at most one switch
 * (`header`), below it the one control (`foot`); all else is in the `menu`. What needs a kernel is left out of a saved
 * page, but for the inputs, which stand still there.
 * @typedef {{
 *   places?: Partial<Record<Place, HTMLElement[]>>,
 *   says?: () => any,
 *   on?: Record<string, () => void>,
 *   paint?: () => void,
 *   linked?: (state: State) => void,
 *   enlarge?: (factor: number) => void,
 *   needsKernel?: boolean,
 *   reads?: boolean,
 *   close?: () => void,
 * }} Part
 */

export default () =>
  makeWidget(PARTS, (model, link) => {
    const ahead = makePredictions(model, link);
    const source = makeBrain(makeMind(PARTS))(ahead.model, ahead.link);
    const close = () => (source.close(), ahead.close());
    return { ...source, close };
  });
