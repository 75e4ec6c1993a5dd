// @ts-check
/** The derivative explorer: curves with a point that can be dragged, and what the derivatives say there. */

import { makeBox } from "./controls.js";
import { colorMap, isDark } from "./colors.js";
import { makeCurves } from "./curves.js";
import { button, html, set, short, write } from "./dom.js";
import { makeGraph } from "./graph.js";
import { makeLink } from "./link.js";

export default () => {
  /** @type {ReturnType<typeof makeLink>} */
  let link; // one per model: its views share the line to the kernel
  return {
    initialize(/** @type {{model: any}} */ { model }) {
      link = makeLink(model);
      return link.close;
    },
    render(/** @type {{model: any, el: HTMLElement}} */ { model, el }) {
      return makeDerivatives(model, el, link);
    },
  };
};

/**
 * @param {any} model
 * @param {HTMLElement} el
 * @param {ReturnType<typeof makeLink>} link
 * @returns {() => void} removes the view
 */
function makeDerivatives(model, el, link) {
  const get = (/** @type {string} */ name) => model.get(name);
  const words = get("words");
  const move = (/** @type {number} */ value, final = true) => {
    point.show(value);
    link.send({ do: "move", key: "x", index: null, value, final });
  };
  const point = makePoint(move);
  const curves = makeCurves(() => get("control"), move);
  const numbers = makeNumbers();
  const growth = makeGrowth(words);
  const graphs = makeGraphs(words.curve_graphs, (open) => link.send({ do: "graphs", open }));
  const order = makeOrder(words.curve_order, get("most"), (n) => link.send({ do: "order", order: n }));
  const title = html("h3", { class: "al-function" });
  const busy = html("span", { class: "al-busy", role: "status" });
  const problem = html("div", { class: "al-error", role: "alert", hidden: true });
  const projector = button("Projector", () => set(projector, { "aria-pressed": String(root.classList.toggle("al-projector")) }), { "aria-pressed": "false" });
  const root = html("div", { class: "al-root al-derivatives", onfocusin: keepArrows },
    html("div", { class: "al-view" },
      html("header", { class: "al-header" }, title, order.root, busy, html("div", { class: "al-buttons" }, projector)),
      problem,
      html("div", { class: "al-curves-body" }, curves.first, html("div", { class: "al-side" }, point.root, numbers.root, growth.root), curves.others),
      graphs.root));

  /** @type {any} */
  let drawn;

  function paintPanels() {
    curves.draw((drawn = get("panels")));
    order.show(get("panels").length - 1);
    write(title, get("panels")[0].name + "(x)");
    paint();
  }

  function paint() {
    if (drawn !== get("panels")) return paintPanels(); // another order: these are its numbers
    curves.move(get("moving"));
    numbers.show(get("moving"));
    growth.show(get("growth"));
    graphs.show(get("graphs"), get("panels"), get("scenes"), get("readings"), map);
    showPoint();
  }

  function showPoint() {
    if (link.state === "idle") point.update(get("control")); // while an answer is due, the user's hand is ahead
    const error = get("error");
    problem.hidden = !error && link.state !== "silent";
    write(problem, link.state === "silent" ? words.live_silent : error ? `${error.type}: ${error.message}` : link.asleep ? words.live_saved : "");
    write(busy, link.state === "busy" ? words.live_computing : "");
    root.classList.toggle("al-late", ["busy", "silent"].includes(link.state));
  }

  /** @type {import("./colors.js").ColorMap} */
  let map;
  function paintTheme() {
    const scheme = isDark(root) ? "dark" : "light";
    root.style.colorScheme = scheme;
    const { stops, ...theme } = get("palette")[scheme];
    map = colorMap(stops);
    for (const [name, color] of Object.entries(theme)) root.style.setProperty(`--al-${name}`, color);
    get("lines")[scheme].forEach((/** @type {string} */ color, /** @type {number} */ i) => root.style.setProperty(`--al-line${i}`, color));
    paintPanels();
  }

  el.append(root);
  paintTheme();
  const theme = new MutationObserver(paintTheme);
  theme.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "data-jp-theme-name"] });
  const listeners = Object.entries({ "change:panels": paintPanels, "change:moving": paint, "change:scenes": paint, "change:graphs": paint, "change:error": showPoint });
  for (const [event, listener] of listeners) model.on(event, listener);
  const unwatch = link.watch(showPoint);
  return () => {
    for (const [event, listener] of listeners) model.off(event, listener);
    unwatch();
    theme.disconnect();
    graphs.close();
    root.remove();
  };
}

/** JupyterLab takes the arrow keys for its own shortcuts, unless the focused element refuses that. @param {FocusEvent} event */
function keepArrows(event) {
  /** @type {Element} */ (event.target).setAttribute("data-lm-suppress-shortcuts", "true");
}

/** Slider and number of the point. @param {(value: number, final?: boolean) => void} move */
function makePoint(move) {
  const range = html("input", { type: "range", class: "al-range", "aria-label": "x" });
  const box = makeBox("x", (value) => move(value));
  const [low, high] = [html("span"), html("span")];
  let [least, most] = [0, 1];
  set(range, { oninput: () => move(Number(range.value), false), onchange: () => move(Number(range.value)) });

  /** @param {number} value */
  function show(value) {
    range.value = String(value);
    box.show(value);
    const [zero, here] = [0, value].map((v) => Math.max(0, Math.min(1, (v - least) / (most - least))));
    range.style.setProperty("--al-from", `${100 * Math.min(zero, here)}%`);
    range.style.setProperty("--al-to", `${100 * Math.max(zero, here)}%`);
  }

  return {
    root: html("div", { class: "al-input" }, html("div", { class: "al-input-head" }, html("span", { class: "al-name" }, "x"), box.element),
      range, html("div", { class: "al-ends", "aria-hidden": "true" }, low, high)),
    show,
    /** @param {any} control */
    update({ min, max, step, value }) {
      [least, most] = [min, max];
      set(range, { min, max, step });
      write(low, short(min));
      write(high, short(max));
      show(value);
    },
  };
}

/** The values of all derivatives at the point, the polynomial, and what there is to say. */
function makeNumbers() {
  const table = html("table", { class: "al-values" });
  const formula = html("div", { class: "al-polynomial" });
  const notes = html("div", { class: "al-curve-notes", role: "status" });
  return {
    root: html("div", { class: "al-curve-numbers" }, table, formula, notes),
    /** @param {any} moving */
    show({ values, polynomial, notes: said }) {
      table.replaceChildren(...values.map((/** @type {any} */ one, /** @type {number} */ k) => html("tr", {},
        html("th", { scope: "row" }, one.name), html("td", { class: "al-value-number", title: one.exact, "data-order": k }, one.text), html("td", { class: "al-caption" }, one.meaning))));
      write(formula, polynomial.replace(/\(x (.) /g, "(x\u00a0$1\u00a0")); // a bracket stays on one line
      notes.replaceChildren(...said.map((/** @type {string} */ text) => html("p", { class: "al-note" }, text)));
    },
  };
}

/** Two bars for each order. @param {Record<string, string>} words */
function makeGrowth(words) {
  const rows = html("div", { class: "al-growth-rows" });
  const key = (/** @type {string} */ kind, /** @type {string} */ text) => html("span", { class: "al-growth-key" }, html("i", { class: kind }), text);
  const root = html("section", { class: "al-growth", "aria-label": words.curve_growth }, html("h4", {}, words.curve_growth),
    html("div", { class: "al-growth-keys" }, key("al-computed", words.curve_computed), key("al-written", words.curve_written)), rows);
  return {
    root,
    /** @param {any[]} found */
    show(found) {
      root.hidden = !found.length;
      rows.replaceChildren(...found.flatMap(({ name, wide, wider, words: said }) => {
        const bars = [["al-computed", wide], ["al-written", wider]].map(([kind, width]) => {
          const bar = html("i", { class: `al-growth-bar ${kind}` });
          bar.style.width = `${width}%`;
          return bar;
        });
        return [html("span", { class: "al-growth-name" }, name), html("span", { class: "al-growth-bars" }, ...bars), html("span", { class: "al-caption" }, said)];
      }));
    },
  };
}

/** The graphs, drawn and computed only while they are open. @param {string} summary @param {(open: boolean) => void} toggle */
function makeGraphs(summary, toggle) {
  const panels = html("div", { class: "al-derivative-graphs" });
  const head = html("summary", { class: "al-summary" }, summary);
  const root = html("details", { class: "al-graphs", ontoggle: () => root.open !== opened && toggle(root.open) }, head, panels);
  let opened = false;
  let fresh = false; // drawn for the first time: the result is to be seen
  /** @type {ReturnType<typeof makeGraph>[]} */
  let graphs = [];
  const choose = (/** @type {number} */ id) => graphs.forEach((graph) => graph.choose(id));

  function close() {
    for (const graph of graphs.splice(0)) graph.close();
  }

  return {
    root,
    close,
    /** @param {boolean} open @param {any[]} names @param {any[]} scenes @param {any[]} readings @param {any} colors */
    show(open, names, scenes, readings, colors) {
      if (opened !== open) root.open = opened = open;
      if (graphs.length !== scenes.length) {
        close();
        graphs = scenes.map(() => makeGraph(choose, null));
        panels.replaceChildren(...graphs.map((graph) => graph.root));
        panels.style.setProperty("--al-columns", String(graphs.length === 4 ? 2 : Math.min(graphs.length, 3)));
        fresh = true;
      }
      graphs.forEach((graph, k) => {
        graph.head.replaceChildren(html("span", { class: "al-own" }, names[k]?.name ?? ""));
        graph.update(scenes[k], readings[k], colors);
        if (fresh) graph.revealOutputs();
      });
      fresh = false;
    },
  };
}

/** @param {string} label @param {number} most @param {(order: number) => void} choose */
function makeOrder(label, most, choose) {
  const range = html("input", { type: "range", class: "al-range al-order-range", min: 0, max: most, step: 1, "aria-label": label, onchange: () => choose(Number(range.value)) });
  const value = html("output", { class: "al-own" });
  set(range, { oninput: () => write(value, range.value) });
  return {
    root: html("label", { class: "al-order-control" }, html("span", { class: "al-caption" }, label), range, value),
    /** @param {number} order */
    show(order) {
      range.value = String(order);
      write(value, String(order));
      range.style.setProperty("--al-from", "0%");
      range.style.setProperty("--al-to", `${(100 * order) / Math.max(1, most)}%`);
    },
  };
}
