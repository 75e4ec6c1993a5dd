// @ts-check
/**
 * Everything about the chosen box: where its gradient comes from and goes, numbers or heatmaps, where it is in the
 * code.
 */

import { KINDS_SHOWN, SCALES, button, html, makeSegments, set, write } from "../live/dom.js";
import { floats, makeHeatmap } from "../live/heatmap.js";
import { math } from "../live/mathml.js";
import { makeBox } from "../live/number_field.js";

/**
 * @typedef {{id: number, title: string, facts: string[][], backward_code: string | null, source: {file: string, line:
 *   number, statement: string} | null, rules: {text: string, filled: string | null, parameter: string}[], arrays:
 *   any[], answer: Answer}} Detail
 */

/**
 * @typedef {{show: keyof typeof KINDS_SHOWN, scale: keyof typeof SCALES}} Look what is shown of the arrays, and in
 *   which colours
 */

// beside the numbers and heatmaps
const SHOWN_ABOVE = new Set(["value", "gradient", "shape", "minimum", "maximum", "NaN", "infinite"]);

/**
 * @param {(change: Partial<Look>) => void} choose
 * @param {((step: number, value: number | null) => void) | null} intervene puts a value in place of what a step
 *   computes; null where nothing computes
 */
export function makeDetail(choose, intervene) {
  const title = html("h3", { class: "al-title" });
  const numbers = html("div", { class: "al-pair" });
  const status = html("p", { class: "al-status" });
  const [comes, hands, source] = [html("div", { class: "al-comes" }), html("div"), html("div")];
  const facts = html("dl", { class: "al-facts" });
  const rest = html(
    "details",
    { class: "al-rest" },
    html("summary", { class: "al-summary" }, "Type, device, time"),
    facts,
  );
  /** @type {Record<string, ReturnType<typeof makeReadout>>} */
  const readouts = { value: makeReadout("value"), gradient: makeReadout("gradient") };
  numbers.append(readouts.value.root, readouts.gradient.root);
  const show = makeSegments("What is shown", KINDS_SHOWN, (value) => choose({ show: value }));
  const scale = makeSegments("Scale of the colours", SCALES, (value) => choose({ scale: value }));
  const settings = html("div", { class: "al-detail-look" }, show.root, scale.root);
  const whatIf = makeWhatIf(intervene);
  let written = "";

  return {
    root: html(
      "section",
      { class: "al-detail", "aria-label": "The selected step" },
      title,
      comes,
      status,
      hands,
      whatIf.root,
      settings,
      numbers,
      source,
      rest,
    ),
    /**
     * @param {Detail} detail
     * @param {DataView[]} buffers
     * @param {string} sentence about its gradient, where there is something to say
     * @param {Edge | null} line that was chosen
     * @param {Look} look
     * @param {import("../live/colors.js").ColorMap} colors
     * @param {Record<string, string>} said
     */
    update(detail, buffers, sentence, line, look, colors, said) {
      write(title, detail.title);
      whatIf.show(detail, said);
      const drawn = detail.arrays.filter((array) => array.bars);
      settings.hidden = !drawn.length;
      show.root.hidden = drawn.length < 2;
      show.choose(look.show);
      scale.choose(look.scale);
      const texts = new Map(/** @type {[string, string][]} */ (detail.facts));
      for (const [name, readout] of Object.entries(readouts)) {
        const array = detail.arrays.find((a) => a.which === (name === "value" ? "value" : "grad"));
        readout.update(
          texts.get(name),
          texts.get("shape"),
          array,
          array && floats(buffers[array.buffer]),
          look.scale,
          colors,
        );
        if (drawn.length > 1 && look.show !== "both" && look.show !== name) readout.root.hidden = true;
      }
      numbers.classList.toggle("al-arrays", drawn.length > 0);
      write(status, sentence);
      status.hidden = !sentence;
      const words = JSON.stringify([
        detail.answer,
        line,
        detail.rules,
        detail.source,
        detail.backward_code,
        detail.facts,
      ]);
      if (words === written) return;
      written = words;
      comes.replaceChildren(...comesParts(detail.answer, line));
      hands.replaceChildren(...handsParts(detail.answer, detail.rules, detail.backward_code));
      source.replaceChildren(...sourceLines(detail));
      facts.replaceChildren(
        ...detail.facts
          .filter(([name]) => !SHOWN_ABOVE.has(name))
          .map(([name, text]) => html("div", {}, html("dt", {}, name), html("dd", {}, text))),
      );
    },
  };
}

/**
 * Another value for what a step computes.
 * @param {((step: number, value: number | null) => void) | null} intervene
 */
function makeWhatIf(intervene) {
  let step = 0;
  const box = makeBox("", (value) => intervene?.(step, value));
  const words = html("span");
  const undo = button("", () => intervene?.(step, null));
  const root = html("div", { class: "al-what-if" }, html("label", {}, words, " ", box.element), undo);
  return {
    root,
    /** @param {any} detail @param {Record<string, string>} said */
    show({ id, what_if: found }, said) {
      root.hidden = !found || !intervene;
      if (root.hidden) return;
      step = id;
      const question = found.value === null ? said.what_if_each : said.what_if;
      write(words, question);
      set(box.element, { "aria-label": `${question}, number` });
      write(undo, said.what_if_undo);
      undo.hidden = !found.replaced;
      if (found.value !== null) box.show(found.value);
    },
  };
}

/**
 * A number, or an array as a heatmap.
 * @param {string} name
 */
function makeReadout(name) {
  const number = html("div", { class: "al-big" });
  const note = html("div", { class: "al-note" });
  const heatmap = makeHeatmap();
  const caption = html("div", { class: "al-caption" });
  const root = html("div", { class: `al-readout-${name}` }, caption, number, heatmap.root, note);
  return {
    root,
    /**
     * @param {string | undefined} text
     * @param {string | undefined} shape
     * @param {any} array
     * @param {Float32Array} data
     * @param {Look["scale"]} scale
     * @param {import("../live/colors.js").ColorMap} colors
     */
    update(text, shape, array, data, scale, colors) {
      root.hidden = text === undefined;
      write(caption, shape && shape !== "()" ? `${name} \u00b7 ${shape}` : name);
      const drawn = array?.bars;
      heatmap.root.hidden = !drawn;
      number.hidden = drawn;
      note.hidden = !drawn;
      if (!drawn) return write(number, text ?? "");
      heatmap.update({ ...array, ...array.bars[scale] }, data, colors);
      write(note, array.caption);
    },
  };
}

/** @param {Detail} detail */
function sourceLines({ source }) {
  if (!source) return [];
  return [html("h4", {}, `${source.file}, line ${source.line}`), html("div", { class: "al-code" }, source.statement)];
}

// The answer of the chosen box: where its gradient comes from, share by share, and what it hands on.

/** A long formula scrolls, by keyboard too. @param {HTMLElement} formula */
const scrolled = (formula) => set(formula, { tabindex: 0 });

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
 * @typedef {{comes: Value[], hands: {parameter: string, to: string, text: string, numbers: string[], edge: Edge}[],
 *   ends: string, sentence: string}} Answer
 */

/** @param {Edge | null} a @param {Edge | null} b */
export const sameEdge = (a, b) => Boolean(a && b) && a?.from === b?.from && a?.to === b?.to && a?.nth === b?.nth;

/**
 * Where the gradient comes from, as elements; of a chosen line first what comes along it.
 * @param {Answer} answer
 * @param {Edge | null} line
 */
export function comesParts({ comes }, line) {
  const along = comes.flatMap((value) =>
    value.shares.filter((share) => sameEdge(share.edge, line)).map((share) => alongParts(value, share)),
  );
  const sums = comes.flatMap((value) => valueParts(value, comes.length > 1, line));
  return [...along.flat(), ...(sums.length ? [html("h4", {}, "Where its gradient comes from"), ...sums] : [])];
}

/**
 * The share that comes along a line, and the local derivative that made it.
 * @param {Value} value
 * @param {Share} share
 */
function alongParts({ total, index, count }, share) {
  const whole = count > 1 ? ` of ${total}` : "";
  return [
    html("h4", {}, "The share along this line"),
    html(
      "p",
      { class: "al-sum" },
      html("b", {}, share.number),
      html("span", {}, `${whole} ${share.way}${index && `, at ${index}`}`),
    ),
    ...(share.math ? [scrolled(math(share.math, "al-pairs"))] : []),
    ...calculation(share),
    html("p", { class: "al-note" }, share.sentence),
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
      html("span", {}, ` ${share.way}`),
    ];
  };
  const place = index ? [html("span", { class: "al-index" }, `${index}: `)] : [];
  const sum =
    count === 1
      ? [html("span", {}, ` ${shares[0].way}`)]
      : [
          " = ",
          ...shares.slice(0, terms).flatMap(term),
          ...(count > terms ? [` + \u2026 (${count} shares, the greatest first)`] : []),
        ];
  return [
    ...(named ? [html("p", { class: "al-caption" }, value.name)] : []),
    html("p", { class: "al-sum" }, ...place, html("b", {}, total), ...sum),
    ...(index ? [html("p", { class: "al-caption" }, `${index} is ${value.of}.`)] : []),
    ...why(value),
  ];
}

/**
 * The chain rule with its numbers below the symbols; of arrays the rule of each share and its numbers.
 * @param {Value} value
 */
function why({ shares, terms, math: rule }) {
  return rule ? [scrolled(math(rule, "al-pairs"))] : shares.slice(0, terms).flatMap(calculation);
}

/** @param {Share} share */
function calculation({ rule, numbers }) {
  if (!rule && !numbers.length) return [];
  return [
    html(
      "div",
      { class: "al-rule" },
      ...(rule ? [html("div", {}, rule)] : []),
      ...numbers.map((text) => html("div", { class: "al-filled" }, text)),
    ),
  ];
}

/**
 * What the box hands on, as elements.
 * @param {Answer} answer
 * @param {{text: string, filled: string | null, parameter: string}[]} rules
 * @param {string | null} code of a backward that somebody wrote
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
  const parts = [...lines, ...others].map(([text, numbers]) =>
    html(
      "div",
      { class: "al-rule" },
      html("div", {}, text),
      ...numbers.map((filled) => html("div", { class: "al-filled" }, filled)),
    ),
  );
  if (code) parts.push(html("div", { class: "al-code" }, code));
  if (ends) parts.push(html("p", {}, ends));
  return parts.length ? [html("h4", {}, "What it hands on"), ...parts] : [];
}
