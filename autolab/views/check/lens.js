// @ts-check
/** The check lens: the wrong gradient beside the measured one, and why it is wrong; all else is one click away. */

import { makeGraph } from "../graph/graph.js";
import { makeBrain } from "../live/brain.js";
import { makeStaleNoticePart } from "../live/computing.js";
import { SCALES, button, captioned, choice, html, makeRadios, makeSegments, set, write } from "../live/dom.js";
import { claim } from "../live/hand.js";
import { makeAsking } from "../live/asking.js";
import { makeSavePart } from "../live/save_shown.js";
import { makeWidget } from "../live/view.js";
import { makeTrioPart } from "./gradient_panels.js";
import { isOpen, makeWhyPart, toInput } from "./why.js";

export default () =>
  makeWidget(
    [makeAnswerPart, makeTrioPart, makeWhyPart, makeNodesPart, makeChecksPart, makeSavePart, makeStaleNoticePart],
    makeBrain(LENS),
  );

/**
 * The look: the check (`seed` null is the given one) and its input; the cell, or the direction in which the whole input
 * moves (neither: no question about it); the colour scale; and whether the Taylor remainder or the graph is shown
 * instead of the usual display.
 */
const AT_REST = {
  order: 1,
  seed: null,
  input: 0,
  cell: null,
  whole: false,
  direction: 1,
  scale: "linear",
  taylor: false,
  graph: false,
};

/** @param {any} look */
const known = ({ order, seed, input, cell }) => ({
  check: ["check", order, seed],
  chosen: ["chosen", order, seed, input, cell],
  directions: ["directions", order, seed, input],
});

/** The questions about recordings and measurements, which can wait. @param {any} look */
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
    return { ...told, scenery: scenery ?? {}, panel: told.check.panels[look.input] ?? told.check.panels[0] };
  },
};

/** The verdict, the inputs, and the answer about the one that is shown. */
function makeAnswerPart(/** @type {import("../graph/explorer.js").View} */ { get, send, root }) {
  const words = get("words");
  const title = html("h2.al-function");
  const badge = html("span.al-verdict");
  const names = html("div.al-names");
  const MOST = 40; // letters in a row; names with more are in a list
  let built = "";
  let show = (/** @type {string} */ _) => {};

  /** @param {string[]} labels */
  function build(labels) {
    const turn = (/** @type {string} */ k) => send(toInput(Number(k)));
    names.hidden = labels.length < 2;
    if (labels.join("").length > MOST) {
      const entries = labels.map((label, k) => /** @type {[number, string]} */ ([k, label]));
      const list = choice(entries, { "aria-label": words.lens_inputs, onchange: () => turn(list.value) });
      names.replaceChildren(list);
      show = (k) => (list.value = k);
    } else {
      const segments = makeSegments(words.lens_inputs, Object.fromEntries(labels.entries()), turn);
      names.replaceChildren(segments.root);
      show = segments.choose;
    }
  }

  function paint() {
    const { title: name, verdict, word, panels } = get("check");
    write(title, name);
    write(set(badge, { "data-verdict": verdict }), word);
    const labels = panels.map((/** @type {any} */ panel) => panel.label);
    if (built !== (built = JSON.stringify(labels))) build(labels);
    show(String(get("look").input));
  }

  function says() {
    const [look, study, chosen] = [get("look"), get("study"), get("chosen")];
    const { says: found, hint } = get("panel");
    const told = study?.moved_on || study?.notes?.[Number(look.taylor)];
    const about = look.whole ? found : [chosen.label, chosen.says].filter(Boolean).join(": ");
    if (isOpen(look)) return told || (get("still") ? words.lens_not_saved : about);
    const more = chosen.input === undefined ? hint : !look.graph && words.rest;
    return [found, more, get("still") && words.still].filter(Boolean).join(" ");
  }

  root.addEventListener("keydown", (event) => {
    const look = get("look");
    if (event.key !== "Escape" || !(isOpen(look) || look.graph)) return;
    claim(event);
    send(toInput(look.input), () => /** @type {HTMLElement} */ (root.querySelector(".al-canvas"))?.focus());
  });
  return { places: { header: [title, badge, names] }, says, on: { "check look": paint }, paint };
}

/** The graph of the function, in place of the pictures; selecting an input in it goes back to these. */
function makeNodesPart(/** @type {import("../graph/explorer.js").View} */ view) {
  const { get, send } = view;
  const graph = makeGraph((id) => {
    const key = get("scenery").inputs.indexOf(id);
    if (key >= 0) send(toInput(key));
  }, null);
  const open = button(get("words").lens_graph, () => send({ do: "turn", to: { graph: !get("look").graph } }));

  function paint() {
    const { scene, readings, takers, suspects } = get("scenery");
    const { graph: isShown, input } = get("look");
    open.hidden = !scene;
    set(open, { "aria-pressed": String(isShown) });
    graph.root.hidden = !(scene && isShown);
    if (graph.root.hidden) return;
    graph.update(scene, readings.nodes, view.colors);
    graph.choose(takers[input]);
    for (const node of graph.root.querySelectorAll(".al-node"))
      node.classList.toggle("al-suspect", suspects.includes(Number(node.getAttribute("data-id"))));
  }

  return {
    places: { middle: [graph.root], menu: [open] },
    on: { "scenery look": paint },
    paint,
    enlarge: graph.zoom.enlarge,
    close: graph.close,
  };
}

/** The menu: the second order, another random upstream gradient, another direction, the colours. */
function makeChecksPart(/** @type {import("../graph/explorer.js").View} */ { get, send, link }) {
  const words = get("words");
  const choices = makeRadios(
    get("check").orders.map((/** @type {[number, number | null]} */ [order, seed]) => [
      String(order),
      () => send({ do: "turn", to: { order, seed, cell: null, whole: false } }),
    ]),
    (order) => `${words.lens_order} ${order}`,
  );
  const role = { role: "radiogroup", "aria-label": words.lens_order };
  const orders = captioned(role, words.lens_order, html("div.al-segments", ...choices));
  const draw = html("span.al-caption");
  const again = button(words.lens_again, () =>
    send({ do: "turn", to: { seed: (get("look").seed ?? -1) + 1, cell: null, whole: false } }),
  );
  const along = button(words.lens_along, () => {
    const { whole, direction } = get("look");
    const seeds = get("directions").map((/** @type {[number, string]} */ [seed]) => seed);
    const at = seeds.indexOf(direction) + Number(whole); // the next one at each click
    send({ do: "turn", to: { whole: true, graph: false, direction: seeds[at % seeds.length] } });
  });
  const scales = makeSegments(words.lens_colors, SCALES, (scale) => send({ do: "turn", to: { scale } }));

  function paint() {
    if (link.state !== "idle") return; // while an answer is pending, the user is ahead
    const [{ orders: all, draw: text }, { order, scale }] = [get("check"), get("look")];
    orders.hidden = all.length < 2; // in a saved page with a single order
    choices.forEach((choice, k) => (choice.checked = all[k]?.[0] === order));
    write(draw, text);
    along.hidden = !get("directions").length;
    scales.choose(scale);
  }

  const checks = get("still") ? [] : [html("div.al-order-control", again, draw)];
  return {
    places: { menu: [orders, ...checks, along, captioned({}, words.lens_colors, scales.root)] },
    on: { "check look directions": paint },
    paint,
    linked: paint,
  };
}
