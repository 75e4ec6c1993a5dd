// @ts-check
/** The answer of the selected box: where its gradient comes from, share by share, and what it sends on. */

import { html, set } from "../live/dom.js";
import { math } from "../live/mathml.js";

/** Make a long formula scrollable by keyboard. @param {HTMLElement} formula */
export const scrolled = (formula) => set(formula, { tabindex: 0 });

/** @typedef {{from: number, to: number, nth: number}} Edge */
/**
 * @typedef {{way: string, number: string, sentence: string, edge: Edge | null, line: number | null, math:
 *   import("../live/mathml.js").Formula | null, rule: string | null, numbers: string[]}} Share
 */
/**
 * @typedef {{name: string, index: string, of: string, total: string, shares: Share[], count: number, terms: number,
 *   math: import("../live/mathml.js").Formula | null, edges: Edge[], says: string}} Value
 */
/**
 * @typedef {{kind?: string, comes: Value[], hands: {parameter: string, to: string, text: string, numbers: string[],
 *   edge: Edge}[], ends: string, sentence: string}} Answer
 */

/** @param {Edge | null} a @param {Edge | null} b */
export const sameEdge = (a, b) => Boolean(a && b) && a?.from === b?.from && a?.to === b?.to && a?.nth === b?.nth;

/**
 * Where the gradient comes from, as elements; for a selected line, first what comes along it.
 * @param {Answer} answer
 * @param {Edge | null} line
 */
export function comesParts({ comes, kind = "gradient" }, line) {
  const along = comes.flatMap((value) =>
    value.shares.filter((share) => sameEdge(share.edge, line)).map((share) => alongParts(value, share)),
  );
  const sums = comes.flatMap((value) => valueParts(value, comes.length > 1, line));
  return [...along.flat(), ...(sums.length ? [html("h4", `Where its ${kind} comes from`), ...sums] : [])];
}

/**
 * The share that comes along a line, and the local derivative in it.
 * @param {Value} value
 * @param {Share} share
 */
function alongParts({ total, index, count }, share) {
  const whole = count > 1 ? ` of ${total}` : "";
  return [
    html("h4", "The share along this line"),
    html("p.al-sum", html("b", share.number), html("span", `${whole} ${share.way}${index && `, at ${index}`}`)),
    ...(share.math ? [scrolled(math(share.math, "al-pairs"))] : []),
    ...calculation(share),
    html("p.al-note", share.sentence),
  ];
}

/** @param {Value} value @param {boolean} named @param {Edge | null} line */
function valueParts(value, named, line) {
  const { shares, count, terms, total, index } = value;
  const lit = (/** @type {Share} */ share) => (sameEdge(share.edge, line) ? "al-lit" : null);
  const term = (/** @type {Share} */ share, /** @type {number} */ k) => {
    const minus = k > 0 && share.number.startsWith("\u2212");
    return [
      ...(k ? [minus ? " \u2212 " : " + "] : []),
      html("b", { class: lit(share) }, minus ? share.number.slice(1) : share.number),
      html("span", ` ${share.way}`),
    ];
  };
  const place = index ? [html("span.al-index", `${index}: `)] : [];
  const sum =
    count === 1
      ? [html("span", ` ${shares[0].way}`)]
      : [
          " = ",
          ...shares.slice(0, terms).flatMap(term),
          ...(count > terms ? [` + \u2026 (${count} shares, the greatest first)`] : []),
        ];
  return [
    ...(named ? [html("p.al-caption", value.name)] : []),
    html("p.al-sum", ...place, html("b", total), ...sum),
    ...(index ? [html("p.al-caption", `${index} is ${value.of}.`)] : []),
    ...why(value),
  ];
}

/**
 * The chain rule with numbers below the symbols; for arrays, the rule of each share and its numbers.
 * @param {Value} value
 */
function why({ shares, terms, math: rule }) {
  return rule ? [scrolled(math(rule, "al-pairs"))] : shares.slice(0, terms).flatMap(calculation);
}

/** @param {Share} share */
function calculation({ rule, numbers }) {
  if (!rule && !numbers.length) return [];
  return [ruleLines(numbers, rule && html("div", rule))];
}

/** A rule with its numbers below. @param {string[]} numbers @param {import("../live/dom.js").Content[]} rule */
export const ruleLines = (numbers, ...rule) =>
  html("div.al-rule", ...rule, ...numbers.map((text) => html("div.al-filled", text)));

/**
 * What the box sends on, as elements.
 * @param {Answer} answer
 * @param {{text: string, filled: string | null, parameter: string}[]} rules
 * @param {string | null} code of a user-written backward
 */
export function handsParts({ hands, ends }, rules, code) {
  const numbersOf = (/** @type {string} */ parameter) =>
    hands.find((share) => share.parameter === parameter)?.numbers ?? [];
  const lines = rules.map(
    ({ text, filled, parameter }) =>
      /** @type {[string, string[]]} */ ([text, filled ? [filled] : numbersOf(parameter)]),
  );
  const others = hands
    .filter(({ parameter }) => !rules.some((rule) => rule.parameter === parameter))
    .map(({ to, text, numbers }) => /** @type {[string, string[]]} */ ([`to ${to}: ${text}`, numbers]));
  const parts = [...lines, ...others].map(([text, numbers]) => ruleLines(numbers, html("div", text)));
  if (code) parts.push(html("div.al-code", code));
  if (ends) parts.push(html("p", ends));
  return parts.length ? [html("h4", "What it passes on"), ...parts] : [];
}
