// @ts-check
/** The check lens: analytic and numeric gradients side by side, and what tells a wrong one from a rough difference. */

import { makeAsking } from "./asking.js";
import { makeBadge } from "./badge.js";
import { makeBrain } from "./brain.js";
import { makeChosenPart } from "./chosen.js";
import { makeCurvesPart } from "./stepcurves.js";
import { button, html, set, write } from "./dom.js";
import { makeProblemPart } from "./problem.js";
import { makeSincePart } from "./since.js";
import { makeSourcePart } from "./source.js";
import { makeTriosPart, toCell } from "./trios.js";
import { makeWidget } from "./view.js";
import { makeBackwardPart, makeNodesPart } from "./where.js";

export default () => makeWidget([makeVerdictPart, makeAgainPart, makeProblemPart, makeSincePart, makeTriosPart, makeChosenPart, makeBackwardPart, makeNodesPart, makeSourcePart, makeCurvesPart], makeBrain(LENS));

/**
 * Which check is looked at (`seed` null: the one that was given), which cell of which input (null: its worst element),
 * whether that moves or the whole input, in which direction, in which scale of colours, at which step.
 */
const AT_REST = { order: 1, seed: null, input: 0, cell: null, whole: false, direction: 1, scale: "linear", at_step: 34 };

/** @param {any} look */
const known = ({ order, seed, input, cell }) => ({ check: ["check", order, seed], chosen: ["chosen", order, seed, input, cell], directions: ["directions", order, seed, input] });

/** What is recorded and measured while the rest is shown. @param {any} look */
const measured = ({ order, seed, input, cell, whole, direction }) => ({ scenery: ["scenery", order, seed], study: ["study", order, seed, input, whole ? direction : cell] });

const ASKING = makeAsking(AT_REST, known, undefined, measured);

/** @type {import("./brain.js").Mind} */
const LENS = {
  ...ASKING,
  shown(before, look, answer) {
    const { scenery, ...told } = ASKING.shown(before, look, answer);
    return { ...told, ...NO_SCENERY, ...scenery, selected: scenery?.takers?.[look.input] ?? null };
  },
};

const NO_SCENERY = { scene: {}, readings: {}, listing: {}, inputs: [], suspects: [], backwards: [], takers: [], frame: {} };

/** The verdict and its reasons in words. @param {import("./explorer.js").View} view */
function makeVerdictPart({ get, send }) {
  const title = html("h2", { class: "al-function" });
  const badge = makeBadge();
  const says = html("p");
  const findings = html("ul", { class: "al-findings" });
  const panel = html("section", { class: "al-verdict", "aria-label": get("words").lens_verdict, "aria-live": "polite" }, badge.root, html("div", {}, says, findings));
  let written = "";

  /** @param {{text: string, hint: string, input: number | null, innocent: boolean}} finding */
  function item({ text, hint, input, innocent }) {
    const show = input === null ? [] : [button(get("words").lens_show, () => send(toCell(input)))];
    return html("li", { class: innocent ? "al-innocent" : null }, html("div", {}, html("p", {}, text), ...(hint ? [html("p", { class: "al-note" }, hint)] : [])), ...show);
  }

  function paint() {
    const { title: name, verdict, word, says: quiet, findings: found } = get("check");
    write(title, name);
    badge.show(verdict, word);
    set(panel, { "data-verdict": verdict });
    write(says, quiet);
    says.hidden = !quiet;
    if (written === (written = JSON.stringify(found))) return;
    findings.replaceChildren(...found.map(item));
  }

  return { places: { header: [title], top: [panel] }, on: { check: paint }, paint };
}

/** Another draw of the random upstream gradient, and the second order. @param {import("./explorer.js").View} view */
function makeAgainPart({ get, send, link }) {
  const words = get("words");
  const group = `al-check-order-${Math.random()}`; // of this view alone
  const choices = get("check").orders.map((/** @type {[number, number | null]} */ [order, seed]) => html("input", {
    type: "radio", class: "al-button", name: group, "data-text": order, "aria-label": `${words.lens_order} ${order}`, onchange: () => send({ do: "turn", to: { order, seed, cell: null } }),
  }));
  const draw = html("span", { class: "al-caption" });
  const orders = html("div", { class: "al-order-control", role: "radiogroup", "aria-label": words.lens_order },
    html("span", { class: "al-caption" }, words.lens_order), html("div", { class: "al-segments" }, ...choices));

  function paint() {
    if (link.state !== "idle") return; // while an answer is due, the user's hand is ahead
    const { orders: all, draw: text } = get("check");
    const { order } = get("look");
    orders.hidden = draw.hidden = all.length < 2; // in a saved page that holds one
    choices.forEach((/** @type {HTMLInputElement} */ choice, /** @type {number} */ k) => (choice.checked = all[k][0] === order));
    write(draw, text);
  }

  const again = get("still") ? [] : [button(words.lens_again, () => send({ do: "turn", to: { seed: (get("look").seed ?? -1) + 1, cell: null } }))];
  return { places: { header: [orders, draw], buttons: again }, on: { "check look": paint }, paint, linked: paint };
}
