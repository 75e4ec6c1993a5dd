// @ts-check
/** The check lens: analytic and numeric gradients side by side, and what tells a wrong one from a rough difference. */

import { makeBadge } from "./badge.js";
import { makeChosenPart } from "./chosen.js";
import { makeCurvesPart } from "./stepcurves.js";
import { button, html, set, write } from "./dom.js";
import { makeProblemPart } from "./problem.js";
import { makeSincePart } from "./since.js";
import { makeSourcePart } from "./source.js";
import { makeTriosPart } from "./trios.js";
import { makeWidget } from "./view.js";
import { makeBackwardPart, makeNodesPart } from "./where.js";

export default () => makeWidget([makeVerdictPart, makeAgainPart, makeProblemPart, makeSincePart, makeTriosPart, makeChosenPart, makeBackwardPart, makeNodesPart, makeSourcePart, makeCurvesPart]);

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
    const show = input === null ? [] : [button(get("words").lens_show, () => send({ do: "worst", key: input }))];
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
function makeAgainPart({ get, send }) {
  const words = get("words");
  const group = `al-check-order-${Math.random()}`; // of this view alone
  const choices = get("check").orders.map((/** @type {number} */ order) => html("input", {
    type: "radio", class: "al-button", name: group, "data-text": order, "aria-label": `${words.lens_order} ${order}`, onchange: () => send({ do: "order", order }),
  }));
  const draw = html("span", { class: "al-caption" });
  const orders = html("div", { class: "al-order-control", role: "radiogroup", "aria-label": words.lens_order },
    html("span", { class: "al-caption" }, words.lens_order), html("div", { class: "al-segments" }, ...choices));

  function paint() {
    const { order, orders: all, draw: text } = get("check");
    orders.hidden = draw.hidden = all.length < 2; // in a saved page that holds one
    choices.forEach((/** @type {HTMLInputElement} */ choice, /** @type {number} */ k) => (choice.checked = all[k] === order));
    write(draw, text);
  }

  const again = get("still") ? [] : [button(words.lens_again, () => send({ do: "check again" }))];
  return { places: { header: [orders, draw], buttons: again }, on: { "check ack": paint }, paint };
}
