// @ts-check
/** What is seldom changed, behind one line that says how it stands: dtype, mode, device. */

import { choice, html, write } from "./dom.js";

/** @param {(setting: string, value: string) => void} choose */
export function makeSettings(choose) {
  const summary = html("summary", { class: "al-summary" });
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
    root: html("details", { class: "al-more" }, summary, choices),
    /** @param {{name: string, label: string, value: string, values: string[]}[]} settings */
    update(settings) {
      if (built !== (built = JSON.stringify(settings.map((s) => [s.name, s.values])))) build(settings);
      for (const { name, value } of settings) selects.get(name).value = value;
      write(summary, settings.map(({ label, value }) => `${label} ${value || "mixed"}`).join(" \u00b7 "));
    },
  };
}
