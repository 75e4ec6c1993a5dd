// @ts-check
/** What is seldom moved, behind one line that says how it stands: upstream gradients, dtype, mode, device. */

import { makeControls } from "./controls.js";
import { choice, html, short, write } from "./dom.js";

/**
 * @param {import("./controls.js").Act} act
 * @param {(setting: string, value: string) => void} choose
 */
export function makeSettings(act, choose) {
  const summary = html("summary", { class: "al-summary" });
  const upstream = makeControls(act, { class: "al-controls", "aria-label": "Upstream gradients" });
  const choices = html("div", { class: "al-choices", role: "group", "aria-label": "Settings" });
  /** @type {Map<string, any>} */
  let selects = new Map();
  let built = "";

  /** @param {any[]} settings */
  function build(settings) {
    selects = new Map(settings.map(({ name, label, values }) => {
      const select = choice(values, { "aria-label": label, onchange: () => choose(name, select.value) });
      return [name, select];
    }));
    choices.replaceChildren(...settings.map(({ name, label }) => html("label", { class: "al-setting" }, label, selects.get(name))));
  }

  return {
    root: html("details", { class: "al-more" }, summary, html("div", { class: "al-controls" }, choices), upstream.root),
    /**
     * @param {import("./controls.js").Control[]} controls
     * @param {{name: string, label: string, value: string, values: string[]}[]} settings
     * @param {import("./colors.js").ColorMap} colors
     */
    update(controls, settings, colors) {
      if (built !== (built = JSON.stringify(settings.map((s) => [s.name, s.values])))) build(settings);
      upstream.update(controls, colors);
      for (const { name, value } of settings) selects.get(name).value = value;
      write(summary, [...controls.map(reading), ...settings.map(({ label, value }) => `${label} ${value || "mixed"}`)].join(" \u00b7 "));
    },
  };
}

/** @param {import("./controls.js").Control} control */
function reading({ label, value, values }) {
  const all = values?.flat() ?? [value];
  if (!values) return `${label} ${value === null ? "not finite" : short(value)}`;
  return `${label} ${all.every((/** @type {number} */ v) => v === all[0]) ? `all ${short(all[0])}` : "as set"}`;
}
