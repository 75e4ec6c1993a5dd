// @ts-check
/** The parts of the live graph, and the types of parts. */

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
]; // in each place of the page, in this order

/**
 * @typedef {"header" | "inputs" | "alert" | "middle" | "side" | "below" | "foot" | "menu" | "end"} Place
 */
/** @typedef {import("../live/link.js").State} State */

/**
 * The source of a view's data, by name, and the destination of its messages; `answer` returns the answer to a single
 * question.
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
 * What a part can use. `line` is the line of the graph that is selected in this page, `hand` what is being moved in it
 * at the moment, in words.
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
 * A feature of the view: its elements by place, and what it does when traits change ("scene readings" names two), when
 * the whole is painted (initially, and after a change of theme), when the state of the link changes, when the text is
 * enlarged by a factor, and at the end; also what the sentence says while the part has something to say, which is read
 * aloud if it `reads` what is pointed at. Above the picture (`middle`) are its title and at most one switch (`header`),
 * below it the one control (`foot`); all else is in the `menu`. Parts that need a kernel are omitted from a saved page,
 * except the inputs, which cannot be moved there.
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
