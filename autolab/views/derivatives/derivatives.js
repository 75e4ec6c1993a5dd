// @ts-check
/** The derivative explorer: curves on a common axis with a draggable point, and their formulas beside them. */

import { makeFolding, placesIn } from "../graph/acts.js";
import { makeBrain, unpacked } from "../live/brain.js";
import { makeStaleNoticePart } from "../live/computing.js";
import { button, captioned, html, lay, makeRadios, makeSegments, set, tellOrHide, write } from "../live/dom.js";
import { makeAsking } from "../live/asking.js";
import { math } from "../live/mathml.js";
import { makeCurves } from "../live/plot.js";
import { makeSavePart } from "../live/save_shown.js";
import { makeWidget } from "../live/view.js";
import { makeGraphsPart } from "./derivative_graphs.js";

/**
 * In a saved page, the point is the `k`-th of the stored ones.
 * @param {any} look
 * @returns {Record<string, any[]>}
 */
const asked = ({ order, k, derived }) => ({
  curves: ["curves"],
  formulas: ["formulas"],
  point: ["point", k],
  highest: ["order", order, k],
  growth: ["growth"],
  ...(derived && { derivation: ["derivation", derived] }),
});

/**
 * The initial look, with the order whose derivation is shown, the step selected in the graphs, and the formulas' form.
 */
const LOOK = { graphs: false, open: {}, order: 0, k: null, derived: null, chosen: null, formulas: "simplified" };
const ASKING = makeAsking(LOOK, asked, (brain) => ({
  graphs: ({ open }, done) => brain.change({ graphs: open }, done),
  ...makeFolding(brain),
}));

/** The mind of the view; it asks for the graphs only while they are open. @type {import("../live/brain.js").Mind} */
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
  makeWidget(
    [makeOrderPart, makeStaleNoticePart, makePlotsPart, makeDerivationPart, makeMenuPart, makeGraphsPart, makeSavePart],
    makeBrain(CURVES),
  );

/** The function's name, and the choice of the highest derivative. @param {import("../graph/explorer.js").View} view */
function makeOrderPart({ get, send, root, link }) {
  const title = html("h2.al-function");
  const choices = makeRadios(
    Array.from({ length: 11 }, (_, order) => [String(order), () => send({ do: "turn", to: { order } })]),
    (order) => `${get("words").curve_order} ${order}`,
  );
  const row = html("div.al-segments");
  const label = { role: "radiogroup", "aria-label": get("words").curve_order };
  root.classList.add("al-derivatives");

  function paint() {
    const { most, panels } = get("curves");
    write(title, panels[0].name);
    if (row.childElementCount !== most + 1) row.replaceChildren(...choices.slice(0, most + 1));
    const handIsAhead = link.state !== "idle" || get("computing");
    if (!handIsAhead || !choices.some((choice) => choice.checked)) choices[get("look").order].checked = true;
  }

  return {
    places: { header: [title, captioned(label, get("words").curve_order, row)] },
    on: { "look curves error computing": paint },
    paint,
    linked: paint,
  };
}

/** The plots with the point, and the formula beside each. @param {import("../graph/explorer.js").View} view */
function makePlotsPart({ get, send, link, root: view }) {
  let touched = false;
  const move = (/** @type {number} */ value, final = true) => {
    touched = true;
    send(
      get("still") ? { do: "turn", to: { k: nearest(value) } } : { do: "move", key: "x", index: null, value, final },
    );
  };
  /** @type {{formula: HTMLElement, number: HTMLElement, written: string}[]} */
  let words = [];
  const curves = makeCurves(() => get("point").control, move, headOf, true);
  const stack = html("div.al-stack");
  /** @type {any} */
  let drawn;

  /** The sample of a saved page nearest to a value. @param {number} value */
  function nearest(value) {
    const { samples } = get("curves");
    return samples.reduce(
      (/** @type {number} */ best, /** @type {number} */ x, /** @type {number} */ k) =>
        Math.abs(x - value) < Math.abs(samples[best] - value) ? k : best,
      0,
    );
  }

  /** @param {any} panel */
  function headOf({ order, note }) {
    const formula = html("div.al-formula");
    const number = html("output.al-own", { "data-order": order });
    words[order] = { formula, number, written: "" };
    return [formula, number, order ? "" : curves.legend, html("span.al-caption", note)];
  }

  /** Write the formula; if it does not fit, in a narrower form, or in a part that scrolls. @param {number} order */
  function writeFormula(order) {
    const { formula } = words[order];
    const { name, title, ...written } = get("formulas")[order];
    const { derived, formulas } = get("look");
    const derive = () => send({ do: "turn", to: { derived: derived === order ? null : order } });
    const act = { type: "button", title, onclick: derive, "aria-expanded": String(derived === order) };
    const head = /** @type {HTMLElement} */ (formula.parentElement);
    const fits = () => head.scrollHeight <= head.clientHeight + 1 && head.scrollWidth <= head.clientWidth + 1;
    for (const [shown, kind] of [
      [written[formulas], ""],
      [written[formulas], "al-tight"],
      [written[formulas], "al-tight al-part"],
      [name, ""],
    ]) {
      if (!shown) continue;
      const tree = math(shown, `al-math ${kind}`);
      formula.replaceChildren(order ? html("button.al-derive", act, tree) : tree);
      set(formula, { tabindex: !order && kind.endsWith("al-part") && 0 }); // keyboard scrolling: it has no button
      if (fits()) break;
    }
  }

  function paint() {
    const { order, derived, formulas } = get("look");
    const panels = get("curves").panels.slice(0, order + 1);
    const fresh = drawn !== (drawn = JSON.stringify(panels));
    if (fresh) {
      words = [];
      curves.draw(panels);
      stack.replaceChildren(...curves.roots());
      stack.style.setProperty("--al-orders", String(order));
    }
    curves.move({ ...get("point"), ...get("highest") });
    words.forEach(({ number }, k) => {
      const { text, exact } = get("point").values[k];
      write(number, `= ${text}`);
      set(number, { title: exact });
    });
    const written = JSON.stringify([get("formulas"), derived, formulas]);
    if (fresh || written !== words[0].written) words.forEach((_, k) => writeFormula(k));
    words[0].written = written;
  }

  /** While an answer is pending, the numbers are those of the point before. */
  function linked() {
    view.classList.toggle("al-late", ["busy", "silent"].includes(link.state));
  }

  const wider = new ResizeObserver(() => words.forEach((_, k) => writeFormula(k)));
  wider.observe(stack);
  return {
    places: { middle: [stack] },
    says: () => {
      const { rest } = get("words");
      return touched ? get("highest").said : get("still") ? "" : `${get("highest").said} ${rest}`;
    },
    on: { "look curves point highest formulas": paint },
    paint,
    linked,
    close() {
      wider.disconnect();
      curves.close();
    },
  };
}

/** The derivation of a derivative, rule by rule. @param {import("../graph/explorer.js").View} view */
function makeDerivationPart({ get, send }) {
  const title = html("h3.al-function");
  const shut = button("\u00d7", () => send({ do: "turn", to: { derived: null } }), { "aria-label": "Close" });
  const note = html("p.al-note");
  const list = html("ol.al-derivation");
  const root = html("section.al-derived", html("div.al-derived-head", title, shut), note, list);
  const side = html("div.al-slot");

  /** @param {any} line @param {boolean} here whether the numbers are those of the point */
  function lineOf({ rule, formula, numbers, step }, here) {
    const shown = [html("span.al-caption", rule), math(here ? numbers : formula, "al-math")];
    if (step === null) return html("li", shown);
    const find = () => send({ do: "turn", to: { graphs: true, chosen: step } });
    const act = { type: "button", title: get("words").curve_in_graph, onclick: find };
    return html("li", html("button.al-derive", act, shown));
  }

  function paint() {
    const { derived, order } = get("look");
    const found = derived && derived <= order ? get("derivation") : null;
    side.replaceChildren(...(found ? [root] : []));
    if (!found) return;
    write(title, found.title);
    tellOrHide(note, found.note);
    list.replaceChildren(...found.lines.map((/** @type {any} */ line) => lineOf(line, found.x === get("point").x)));
  }

  return { places: { side: [side] }, on: { "look point": paint }, paint };
}

/**
 * The form of the formulas, the polynomial, the growth of the graph, and the button for the graphs.
 * @param {any} view
 */
function makeMenuPart({ get, send }) {
  const words = get("words");
  const kinds = { simplified: words.curve_simplified, computed: words.curve_as_computed };
  const written = makeSegments(words.curve_formulas, kinds, (formulas) => send({ do: "turn", to: { formulas } }));
  const polynomial = html("div.al-polynomial");
  const growth = makeGrowth(words);
  const graphs = button(words.curve_graphs, () => send({ do: "graphs", open: !get("graphs") }), {
    hidden: !words.curve_graphs, // a saved page may have none
  });

  function paint() {
    const { order, formulas } = get("look");
    written.choose(formulas);
    tellOrHide(polynomial, get("highest").polynomial.replace(/\(x (.) /g, "(x\u00a0$1\u00a0")); // one line
    growth.show(get("growth").slice(0, order + 1));
    set(graphs, { "aria-pressed": String(Boolean(get("graphs"))) });
  }

  return {
    places: { menu: [captioned({}, words.curve_formulas, written.root), polynomial, growth.root, graphs] },
    on: { "look highest growth graphs": paint },
    paint,
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
          ].map(([kind, count]) => lay(html("i", { class: `al-growth-bar ${kind}` }), { width: count / most }));
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
