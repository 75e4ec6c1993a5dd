// @ts-check
/** The check lens: analytic and numeric gradients side by side, and what tells a wrong one from a rough difference. */

import { makeGraph } from "../graph/graph.js";
import { makeSourcePart } from "../graph/source.js";
import { makeBrain } from "../live/brain.js";
import { makeComputingPart, makeStaleNoticePart } from "../live/computing.js";
import { button, captioned, codeLine, html, makeBadge, makeRadios, set, tellOrHide, write } from "../live/dom.js";
import { makeAsking } from "../live/link.js";
import { makeWidget } from "../live/view.js";
import { makeChosenPart } from "./chosen_element.js";
import { makeTriosPart, toCell } from "./gradient_panels.js";
import { makeCurvesPart } from "./step_curves.js";

export default () =>
  makeWidget(
    [
      makeVerdictPart,
      makeAgainPart,
      makeComputingPart,
      makeStaleNoticePart,
      makeTriosPart,
      makeChosenPart,
      makeBackwardPart,
      makeNodesPart,
      makeSourcePart,
      makeCurvesPart,
    ],
    makeBrain(LENS),
  );

/**
 * Which check is looked at (`seed` null: the one that was given), which cell of which input (null: its worst element),
 * whether that moves or the whole input, in which direction, in which scale of colours, at which step.
 */
const AT_REST = {
  order: 1,
  seed: null,
  input: 0,
  cell: null,
  whole: false,
  direction: 1,
  scale: "linear",
  at_step: 34,
};

/** @param {any} look */
const known = ({ order, seed, input, cell }) => ({
  check: ["check", order, seed],
  chosen: ["chosen", order, seed, input, cell],
  directions: ["directions", order, seed, input],
});

/** What is recorded and measured while the rest is shown. @param {any} look */
const measured = ({ order, seed, input, cell, whole, direction }) => ({
  scenery: ["scenery", order, seed],
  study: ["study", order, seed, input, whole ? direction : cell],
});

const ASKING = makeAsking(AT_REST, known, undefined, measured);

/** @type {import("../live/brain.js").Mind} */
const LENS = {
  ...ASKING,
  shown(before, look, answer) {
    const { scenery, ...told } = ASKING.shown(before, look, answer);
    return { ...told, ...NO_SCENERY, ...scenery, selected: scenery?.takers?.[look.input] ?? null };
  },
};

const NO_SCENERY = {
  scene: {},
  readings: {},
  listing: {},
  inputs: [],
  suspects: [],
  backwards: [],
  takers: [],
  frame: {},
};

/** The verdict and its reasons in words. @param {import("../graph/explorer.js").View} view */
function makeVerdictPart({ get, send }) {
  const title = html("h2.al-function");
  const badge = makeBadge();
  const says = html("p");
  const findings = html("ul.al-findings");
  const panel = html(
    "section.al-verdict",
    { "aria-label": get("words").lens_verdict, "aria-live": "polite" },
    badge.root,
    html("div", says, findings),
  );
  let written = "";

  /** @typedef {[label: string, begin: string, differs: string, end: string]} Line */
  /** @param {{text: string, hint: string, formulas: Line[], input: number | null, innocent: boolean}} finding */
  function item({ text, hint, formulas, input, innocent }) {
    const show = input === null ? [] : [button(get("words").lens_show, () => send(toCell(input)))];
    const words = [html("p", text)];
    if (formulas.length) words.push(html("dl.al-formulas", ...formulas.flatMap(line)));
    if (hint) words.push(html("p.al-note", hint));
    return html("li", { class: innocent ? "al-innocent" : null }, html("div", ...words), ...show);
  }

  /** A formula with its label; what the other one has not is marked. @param {Line} line */
  function line([label, begin, differs, end]) {
    return [html("dt", label), html("dd", begin, differs && html("mark", differs), end)];
  }

  function paint() {
    const { title: name, verdict, word, says: quiet, findings: found } = get("check");
    write(title, name);
    badge.show(verdict, word);
    set(panel, { "data-verdict": verdict });
    tellOrHide(says, quiet);
    if (written === (written = JSON.stringify(found))) return;
    findings.replaceChildren(...found.map(item));
  }

  return { places: { header: [title], alert: [panel] }, on: { check: paint }, paint };
}

/**
 * Another draw of the random upstream gradient, and the second order.
 * @param {import("../graph/explorer.js").View} view
 */
function makeAgainPart({ get, send, link }) {
  const words = get("words");
  const choices = makeRadios(
    get("check").orders.map((/** @type {[number, number | null]} */ [order, seed]) => [
      String(order),
      () => send({ do: "turn", to: { order, seed, cell: null } }),
    ]),
    (order) => `${words.lens_order} ${order}`,
  );
  const draw = html("span.al-caption");
  const role = { role: "radiogroup", "aria-label": words.lens_order };
  const orders = captioned(role, words.lens_order, html("div.al-segments", ...choices));

  function paint() {
    if (link.state !== "idle") return; // while an answer is due, the user's hand is ahead
    const { orders: all, draw: text } = get("check");
    const { order } = get("look");
    orders.hidden = draw.hidden = all.length < 2; // in a saved page that holds one
    choices.forEach((choice, k) => (choice.checked = all[k][0] === order));
    write(draw, text);
  }

  const again = get("still")
    ? []
    : [button(words.lens_again, () => send({ do: "turn", to: { seed: (get("look").seed ?? -1) + 1, cell: null } }))];
  return { places: { header: [orders, draw], menu: again }, on: { "check look": paint }, paint, linked: paint };
}

// Where a gradient comes from: the graph of the function, and the backward that somebody wrote.

/** The graph; choosing an input in it chooses its worst element. @param {import("../graph/explorer.js").View} view */
function makeNodesPart(view) {
  const { get, send } = view;
  const graph = makeGraph((id) => {
    const key = get("inputs").indexOf(id);
    if (key >= 0) send(toCell(key));
  }, null);
  graph.root.classList.add("al-main");
  const root = html("section", { "aria-label": get("words").lens_where }, graph.root);

  function paint() {
    const scene = get("scene");
    root.hidden = !scene.nodes;
    if (root.hidden) return;
    graph.update(scene, get("readings").nodes, view.colors);
    graph.choose(get("selected"));
    const suspects = get("suspects");
    for (const node of root.querySelectorAll(".al-node"))
      node.classList.toggle("al-suspect", suspects.includes(Number(node.getAttribute("data-id"))));
  }

  return {
    places: { side: [root] },
    on: { "scene readings selected suspects": paint },
    paint,
    enlarge: graph.zoom.enlarge,
    close: graph.close,
  };
}

/** The source of each backward that somebody wrote. @param {import("../graph/explorer.js").View} view */
function makeBackwardPart({ get }) {
  const root = html("div.al-backwards");
  let written = "";

  /** @param {{title: string, file: string, first: number, lines: string[]}} code */
  function listing({ title, file, first, lines }) {
    return html(
      "details.al-listing",
      { open: true },
      html("summary.al-caption", `${title} \u00b7 ${file}`),
      html(
        "div.al-source",
        { role: "group", "aria-label": title },
        ...lines.map((line, i) =>
          html(
            "div.al-source-line",
            html("span.al-line-number", { "aria-hidden": "true" }, String(first + i)),
            codeLine(line),
          ),
        ),
      ),
    );
  }

  function paint() {
    if (written === (written = JSON.stringify(get("backwards")))) return;
    root.replaceChildren(...get("backwards").map(listing));
    root.hidden = !get("backwards").length;
  }

  return { places: { side: [root] }, on: { backwards: paint }, paint };
}
