// @ts-check
/** What a function makes of numbers that can be moved: which parts the view has. */

import { makeChart } from "./chart.js";
import { makeControls } from "./controls.js";
import { button, choice, html, write } from "./dom.js";
import { makeHeatPart } from "./heatgroup.js";
import { makeProblemPart } from "./problem.js";
import { makeWidget } from "./view.js";

export default () => makeWidget([makeKnobsPart, makeProblemPart, makeToldPart, makeLinesPart, makeHeatPart]);

/** Sliders, choices, and the button that draws again. @param {import("./explorer.js").View} view */
function makeKnobsPart(view) {
  const { get, send, link, root } = view;
  root.classList.add("al-interact");
  const title = html("h2", { class: "al-function" }, get("title"));
  const nothing = () => {};
  const sliders = makeControls({ move: ({ key }, _, value) => send({ do: "set", key, value }), draw: nothing, window: nothing }, { class: "al-controls", "aria-label": "Inputs" });
  const selects = get("choices").map((/** @type {any} */ { name, label, values }) => {
    const select = choice(values, { "aria-label": label, onchange: () => send({ do: "set", key: name, value: select.value }) });
    return select;
  });
  const labels = get("choices").map((/** @type {any} */ { label }, /** @type {number} */ i) => html("label", { class: "al-setting" }, html("span", { class: "al-name" }, label), selects[i]));
  const again = button(get("words").interact_draw, () => send({ do: "throw" }));

  function paint() {
    if (link.state !== "idle") return; // while an answer is due, the user's hand is ahead of the kernel
    sliders.update(get("sliders"), view.colors);
    get("choices").forEach((/** @type {any} */ { value }, /** @type {number} */ i) => (selects[i].value = value));
  }

  const knobs = [...(get("sliders").length ? [sliders.root] : []), ...labels];
  return {
    places: { header: [title], buttons: get("dice") && !get("still") ? [again] : [], inputs: knobs.length ? [html("div", { class: "al-inputs" }, ...knobs)] : [] },
    on: { "sliders choices": paint },
    paint,
    linked: paint,
  };
}

/** What the function says. @param {import("./explorer.js").View} view */
function makeToldPart({ get }) {
  const root = html("div", { class: "al-said", role: "status" });

  function paint() {
    const told = get("told");
    while (root.children.length > told.length) root.lastElementChild.remove();
    told.forEach((/** @type {string} */ text, /** @type {number} */ i) => write(root.children[i] ?? root.appendChild(html("p")), text));
    root.hidden = !told.length;
  }

  return { places: { middle: [root] }, on: { told: paint }, paint };
}

/** A chart for each that the function returned. @param {import("./explorer.js").View} view */
function makeLinesPart({ get, root }) {
  const panel = html("div", { class: "al-line-charts" });
  /** @type {ReturnType<typeof makeChart>[]} */
  let charts = [];

  function paint() {
    const wanted = get("charts");
    panel.hidden = !wanted.length;
    if (charts.length !== wanted.length) {
      for (const chart of charts) chart.close();
      charts = wanted.map(() => makeChart(get("lines").dashes));
      panel.replaceChildren(...charts.map((chart) => chart.root));
    }
    charts.forEach((chart, i) => chart.update(wanted[i]));
  }

  function color() {
    get("lines")[root.style.colorScheme].forEach((/** @type {string} */ line, /** @type {number} */ i) => root.style.setProperty(`--al-line${i}`, line));
    paint();
  }

  return { places: { middle: [panel] }, on: { charts: paint }, paint: color, close: () => charts.forEach((chart) => chart.close()) };
}
