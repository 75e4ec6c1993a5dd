// @ts-check
/** The derivative explorer: curves with a point that can be dragged, and what the derivatives say there. */

import { makeFolding, placesIn } from "../graph/acts.js";
import { makeGraph } from "../graph/graph.js";
import { makeBrain, unpacked } from "../live/brain.js";
import { makeComputingPart, makeStaleNoticePart } from "../live/computing.js";
import { makeControl } from "../live/controls.js";
import { captioned, fillTrack, html, set, tellOrHide, write } from "../live/dom.js";
import { makeAsking } from "../live/link.js";
import { makeCurves } from "../live/plot.js";
import { makeWidget } from "../live/view.js";

/**
 * In a saved page the point is the `k`-th of those that it holds.
 * @param {any} look
 * @returns {Record<string, any[]>}
 */
const asked = ({ order, k }) => ({
  curves: ["curves"],
  point: ["point", k],
  highest: ["order", order, k],
  growth: ["growth"],
});

const ASKING = makeAsking({ graphs: false, open: {}, order: 0, k: null }, asked, (brain) => ({
  graphs: ({ open }, done) => brain.change({ graphs: open }, done),
  ...makeFolding(brain),
}));

/** The graphs are asked for while they are open. @type {import("../live/brain.js").Mind} */
const CURVES = {
  ...ASKING,
  questions: (look, answer) => [
    ...ASKING.questions(look, answer),
    ...(!look.graphs ? [] : answer(["program"]) ? placesIn(answer(["program"]), look).pictures : [["program"]]),
  ],
  shown(before, look, answer) {
    const told = { ...ASKING.shown(before, look, answer), graphs: look.graphs };
    const program = look.graphs && answer(["program"]);
    if (!program) return { ...told, scenes: [], readings: [] };
    const { trees, about } = placesIn(program, look);
    const each = (/** @type {string} */ kind) =>
      trees.map((/** @type {any} */ _, /** @type {number} */ order) => unpacked(answer(about(kind, order))));
    return { ...told, scenes: each("scene"), readings: each("numbers").map((/** @type {any} */ { nodes }) => nodes) };
  },
  words: (answer) => answer(["program"]).words,
};

export default () =>
  makeWidget([makeOrderPart, makeComputingPart, makeStaleNoticePart, makePlotsPart, makeGraphsPart], makeBrain(CURVES));

/** The function's name, and up to which derivative it is shown. @param {import("../graph/explorer.js").View} view */
function makeOrderPart({ get, send, root, link }) {
  const title = html("h3.al-function");
  const range = html("input.al-range.al-order-range", {
    type: "range",
    min: 0,
    step: 1,
    "aria-label": get("words").curve_order,
    oninput: () => show(Number(range.value)),
    onchange: () => send({ do: "turn", to: { order: Number(range.value) } }),
  });
  const value = html("output.al-own");
  root.classList.add("al-derivatives");

  /** @param {number} order */
  function show(order) {
    const { most } = get("curves");
    set(range, { max: most });
    range.value = String(order);
    write(value, String(order));
    fillTrack(range, order / Math.max(1, most));
  }

  function paint() {
    write(title, get("curves").panels[0].name + "(x)");
    if (link.state === "idle" && !get("computing")) show(get("look").order); // until then the user's hand is ahead
  }

  return {
    places: {
      header: [title, html("label.al-order-control", html("span.al-caption", get("words").curve_order), range, value)],
    },
    on: { "look curves error computing": paint },
    paint,
    linked: paint,
  };
}

/** The plots, the point on them, and its numbers. @param {import("../graph/explorer.js").View} view */
function makePlotsPart({ get, send, link, root: view }) {
  const control = () => get("point").control;
  const move = (/** @type {number} */ value, final = true) => {
    point.update({ ...control(), value });
    send(
      get("still") ? { do: "turn", to: { k: nearest(value) } } : { do: "move", key: "x", index: null, value, final },
    );
  };
  const point = makeControl(control(), { move: (_, __, value, final) => move(value, final) });
  const curves = makeCurves(control, move);
  const numbers = makeNumbers();
  const growth = makeGrowth(get("words"));
  const body = html(
    "div.al-curves-body",
    curves.first,
    html("div.al-curves-side", point.element, html("div.al-curves-words", numbers.root, growth.root)),
    curves.others,
  );
  /** @type {any} */
  let drawn;

  /** The sample of a saved page next to a place. @param {number} value */
  function nearest(value) {
    const { samples } = get("curves");
    return samples.reduce(
      (/** @type {number} */ best, /** @type {number} */ x, /** @type {number} */ k) =>
        Math.abs(x - value) < Math.abs(samples[best] - value) ? k : best,
      0,
    );
  }

  function paint() {
    const { order } = get("look");
    const panels = get("curves").panels.slice(0, order + 1);
    if (drawn !== (drawn = JSON.stringify(panels))) curves.draw(panels);
    const moving = { ...get("point"), ...get("highest") };
    curves.move(moving);
    numbers.show(moving, order);
    growth.show(get("growth").slice(0, order + 1));
    if (link.state === "idle") point.update(control()); // while an answer is due, the user's hand is ahead
  }

  /** While an answer is due, the numbers are those of the point before. */
  function linked() {
    view.classList.toggle("al-late", ["busy", "silent"].includes(link.state));
    if (link.state === "idle") point.update(control());
  }

  return {
    places: { middle: [body] },
    on: { "look curves point highest growth": paint },
    paint,
    linked,
    close: curves.close,
  };
}

/** The values of all derivatives at the point, the polynomial, and what there is to say. */
function makeNumbers() {
  const table = html("table.al-values");
  const formula = html("div.al-polynomial");
  const notes = html("div.al-curve-notes", { role: "status" });
  return {
    root: html("div.al-curve-numbers", table, formula, notes),
    /** @param {any} moving @param {number} order */
    show({ values, polynomial, notes: said }, order) {
      table.replaceChildren(
        ...values
          .slice(0, order + 1)
          .map((/** @type {any} */ one, /** @type {number} */ k) =>
            html(
              "tr",
              html("th", { scope: "row" }, one.name),
              html("td.al-value-number", { title: one.exact, "data-order": k }, one.text),
              html("td.al-caption", one.meaning),
            ),
          ),
      );
      write(formula, polynomial.replace(/\(x (.) /g, "(x\u00a0$1\u00a0")); // a bracket stays on one line
      notes.replaceChildren(...said.map((/** @type {string} */ text) => html("p.al-note", text)));
    },
  };
}

/** Two bars for each order. @param {Record<string, string>} words */
function makeGrowth(words) {
  const rows = html("div.al-growth-rows");
  const key = (/** @type {string} */ kind, /** @type {string} */ text) =>
    html("span.al-growth-key", html("i", { class: kind }), text);
  const root = html(
    "section.al-growth",
    { "aria-label": words.curve_growth },
    html("h4", words.curve_growth),
    html("div.al-growth-keys", key("al-computed", words.curve_computed), key("al-written", words.curve_written)),
    rows,
  );
  return {
    root,
    /** @param {any[]} found */
    show(found) {
      root.hidden = !found.length;
      const most = Math.max(1, ...found.map(({ steps, unshared }) => Math.max(steps, unshared)));
      rows.replaceChildren(
        ...found.flatMap(({ name, steps, unshared, words: said }) => {
          const bars = [
            ["al-computed", steps],
            ["al-written", unshared],
          ].map(([kind, count]) => {
            const bar = html("i", { class: `al-growth-bar ${kind}` });
            bar.style.width = `${(100 * count) / most}%`;
            return bar;
          });
          return [
            html("span.al-growth-name", name),
            html("span.al-growth-bars", ...bars),
            html("span.al-caption", said),
          ];
        }),
      );
    },
  };
}

/** The graphs, drawn and computed only while they are open. @param {import("../graph/explorer.js").View} view */
function makeGraphsPart(view) {
  const { get, send } = view;
  const panels = html("div.al-derivative-graphs");
  const notice = html("p.al-note", { role: "status" });
  const head = html("summary.al-summary", get("words").curve_graphs);
  const root = html(
    "details.al-graphs",
    { ontoggle: () => root.open !== opened && send({ do: "graphs", open: root.open }) },
    head,
    notice,
    panels,
  );
  let opened = false;
  let fresh = false; // drawn for the first time: the result is to be seen
  /** @type {ReturnType<typeof makeGraph>[]} */
  let graphs = [];
  /** @type {number | null} */
  let chosen = null;
  const toggle = (/** @type {boolean} */ open, /** @type {number} */ id) => send({ do: open ? "open" : "close", id });

  /** @param {number | null} id */
  function choose(id) {
    chosen = id;
    for (const graph of graphs) graph.choose(id);
  }

  function close() {
    for (const graph of graphs.splice(0)) graph.close();
  }

  function paint() {
    const scenes = get("scenes").slice(0, get("look").order + 1);
    if (opened !== get("graphs")) root.open = opened = get("graphs");
    if (graphs.length !== scenes.length) {
      close();
      graphs = scenes.map(() => makeGraph(choose, toggle));
      panels.replaceChildren(...graphs.map((graph) => graph.root));
      panels.style.setProperty("--al-columns", String(graphs.length === 4 ? 2 : Math.min(graphs.length, 3)));
      fresh = true;
    }
    graphs.forEach((graph, k) => {
      graph.head.replaceChildren(html("span.al-own", get("curves").panels[k].name));
      graph.update(scenes[k], get("readings")[k], view.colors);
      if (fresh) graph.revealOutputs();
    });
    fresh = false;
    choose(chosen); // boxes are drawn anew where a group opens
    tellOrHide(notice, get("notice"));
  }

  return { places: { below: [root] }, on: { "graphs scenes readings look notice": paint }, paint, close };
}
