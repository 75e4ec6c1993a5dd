// @ts-check
/** The part that chooses between value and gradient, and how numbers become colours. */

import { html, set, write } from "./dom.js";

const NAMES = { value: "Value", gradient: "Gradient", both: "Both", linear: "Linear", symlog: "Symmetric log" };
const FIRST_DECADES = 3;

/** @param {import("./explorer.js").View} view */
export function makeHeatSettingsPart({ get, send }) {
  const show = makeSegments("What is shown", ["value", "gradient", "both"], (name) => choose({ show: name }));
  const scale = makeSegments("Scale of the colours", ["linear", "symlog"], (name) => choose({ decades: name === "symlog" ? FIRST_DECADES : null }));
  const decades = html("input", { type: "range", class: "al-range", min: 1, step: 1, "aria-label": "Powers of ten that the colours tell apart",
    oninput: () => choose({ decades: Number(decades.value) }) });
  const powers = html("span");
  const range = html("label", { class: "al-heat-decades" }, decades, powers);
  const shared = html("input", { type: "checkbox", onchange: () => choose({ shared: shared.checked }) });
  const one = html("label", { class: "al-heat-shared" }, shared, "One scale for all");

  /** @param {Record<string, any>} change */
  function choose(change) {
    const { show: what, decades: many, shared: all } = get("picture").settings;
    send({ do: "choose", show: what, decades: many, shared: all, ...change });
  }

  function paint() {
    const { show: what, shows, decades: many, most, shared: all, several } = get("picture").settings;
    show.root.hidden = !shows.length;
    show.choose(what);
    scale.choose(many === null ? "linear" : "symlog");
    range.hidden = many === null;
    set(decades, { max: most });
    decades.value = String(many ?? FIRST_DECADES);
    write(powers, many === 1 ? "1 power of ten" : `${many} powers of ten`);
    one.hidden = !several;
    shared.checked = all;
  }

  return { needsKernel: true, places: { header: [show.root, scale.root, range, one] }, on: { picture: paint }, paint };
}

/**
 * Buttons in a row, of which one is chosen.
 * @param {string} label
 * @param {(keyof typeof NAMES)[]} values
 * @param {(value: string) => void} chosen
 */
function makeSegments(label, values, chosen) {
  const group = `al-segments-${Math.random()}`; // of this view alone
  const choices = values.map((value) => html("input", {
    type: "radio", class: "al-button", name: group, value, "data-text": NAMES[value], "aria-label": NAMES[value], onchange: () => chosen(value),
  }));
  return {
    root: html("div", { class: "al-segments", role: "radiogroup", "aria-label": label }, ...choices),
    /** @param {string} value */
    choose: (value) => choices.forEach((choice) => (choice.checked = choice.value === value)),
  };
}
