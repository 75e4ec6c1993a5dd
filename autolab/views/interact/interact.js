// @ts-check
/**
 * The parts of the view of a function's results for numbers that can be moved.
 *
 * In a saved page, `at` is one of the stored positions of the knobs: the index of each knob's value, in order.
 */

import { HEAT, heatActs, heatQuestion, makeHeatPart } from "../heatmap/group.js";
import { makeBrain } from "../live/brain.js";
import { makeCharts } from "../live/chart.js";
import { makeStaleNoticePart } from "../live/computing.js";
import { makeControls } from "../live/controls.js";
import { button, choice, html } from "../live/dom.js";
import { makeAsking } from "../live/asking.js";
import { makeSavePart } from "../live/save_shown.js";
import { makeWidget } from "../live/view.js";

/** @param {any} look @returns {Record<string, any[]>} */
function asked({ at, ...look }) {
  const there = at ? [at] : [];
  return { free: ["free", ...there], result: ["result", ...there], picture: [...heatQuestion(look), ...there] };
}

export default () =>
  makeWidget(
    [makeLinesPart, makeHeatPart, makeKnobsPart, makeSavePart, makeStaleNoticePart],
    makeBrain(makeAsking({ ...HEAT, at: null }, asked, heatActs)),
  );

/**
 * Sliders, choices, the button for new random numbers, and the function's output.
 * @param {import("../graph/explorer.js").View} view
 */
function makeKnobsPart(view) {
  const { get, send, link, root } = view;
  root.classList.add("al-interact");
  const { title, controls, settings, dice, places } = get("free");
  const still = Boolean(get("still"));
  const sliders = makeControls(
    { move: ({ key }, _, value) => (places ? turn(key, value) : send({ do: "move", key, value })) },
    { class: "al-controls", "aria-label": "Inputs" },
  );
  const selects = settings.map((/** @type {any} */ { name, label, values }) => {
    const select = choice(values, {
      "aria-label": label,
      onchange: () => (places ? turn(name, select.value) : send({ do: "choose", setting: name, value: select.value })),
    });
    return select;
  });
  const labels = settings.map((/** @type {any} */ { label }, /** @type {number} */ i) =>
    html("label.al-setting", html("span.al-name", label), selects[i]),
  );
  const again = button(get("words").interact_draw, () => send({ do: "draw" }));

  /**
   * Move to the nearest position that a saved page holds.
   * @param {string | number} name
   * @param {number | string} value
   */
  function turn(name, value) {
    const far = (/** @type {any} */ held) => (held === value ? 0 : Math.abs(held - Number(value)) || Infinity);
    const nearest = (/** @type {any[]} */ held) =>
      held.reduce((best, other, i) => (far(other) < far(held[best]) ? i : best), 0);
    const at = places.map((/** @type {[string, any[]]} */ [knob, held], /** @type {number} */ i) =>
      knob === name ? nearest(held) : get("look").at[i],
    );
    send({ do: "turn", to: { at } });
  }

  function paint() {
    if (link.state !== "idle") return; // while an answer is pending, the user is ahead of the kernel
    sliders.update(get("free").controls, view.colors);
    get("free").settings.forEach((/** @type {any} */ { value }, /** @type {number} */ i) => (selects[i].value = value));
  }

  /** While a slider is dragged, the pictures keep their height, so that it does not move up. @param {Event} event */
  function hold({ type }) {
    const middle = /** @type {HTMLElement} */ (root.querySelector(".al-middle"));
    middle.style.minHeight = type === "pointerdown" ? `${middle.offsetHeight}px` : "";
  }

  const knobs = [...(controls.length ? [sliders.root] : []), ...labels];
  const held = { onpointerdown: hold, onpointerup: hold, onpointercancel: hold };
  return {
    places: {
      header: [html("h2.al-function", title)],
      foot: dice && !still ? [again] : [],
      below: knobs.length ? [html("div.al-knobs", { inert: still && !places, ...held }, ...knobs)] : [],
    },
    on: { free: paint, result: () => {} },
    paint,
    linked: paint,
    says: () => get("result").told.join(" "),
  };
}

/** The charts that the function returned. @param {import("../graph/explorer.js").View} view */
function makeLinesPart({ get }) {
  const panel = html("div.al-line-charts");
  const charts = makeCharts(panel);

  function paint() {
    const wanted = get("result").charts;
    panel.hidden = !wanted.length;
    charts.update(wanted);
  }

  return { places: { middle: [panel] }, on: { result: paint }, paint, close: charts.close };
}
