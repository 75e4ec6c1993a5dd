// @ts-check
/** What the step size shows: the numeric derivative at one step, the error over all of them, the Taylor remainder. */

import { makeChart } from "./chart.js";
import { makeLines } from "./chosen.js";
import { button, html, set, write } from "./dom.js";

/** @param {import("./explorer.js").View} view */
export function makeCurvesPart({ get, send, root: view }) {
  const words = get("words");
  const title = html("h3", { class: "al-title" });
  const group = `al-moves-${Math.random()}`; // of this view alone
  const ways = [words.lens_one, words.lens_all].map((text, k) => html("input", {
    type: "radio", class: "al-button", name: group, "data-text": text, "aria-label": text, onchange: () => (k ? direct(get("along").seed) : choose()),
  }));
  const other = button(words.lens_other, () => direct(get("along").seed + 1));
  const slider = html("input", { type: "range", class: "al-range", min: 0, "aria-label": words.lens_step, oninput: () => send({ do: "step", k: Number(slider.value) }) });
  const size = html("span", { class: "al-where" });
  const lines = makeLines();
  const charts = [0, 1].map(() => makeChart(get("dashes")));
  const notes = charts.map(() => html("p", { class: "al-sentence" }));
  const moved = html("p", { class: "al-apart" });
  const absent = html("p", { class: "al-note" }, words.lens_not_saved);
  const body = html("div", { class: "al-lens-curves-body" },
    html("div", { class: "al-lens-step" }, html("div", {}, html("div", { class: "al-input-head" }, html("span", { class: "al-name" }, words.lens_step), size), slider), lines.root, moved),
    ...charts.map((chart, k) => html("div", { class: "al-lens-curve" }, chart.root, notes[k])));
  const root = html("section", { class: "al-lens-curves", "aria-label": words.lens_steps },
    html("header", { class: "al-trio-head" }, title,
      html("div", { class: "al-order-control", role: "radiogroup", "aria-label": words.lens_moves }, html("span", { class: "al-caption" }, words.lens_moves), html("div", { class: "al-segments" }, ...ways)), other),
    absent, body);

  /** Move all of the input. @param {number} seed */
  function direct(seed) {
    const { of } = get("along"); // in a saved page there are so many directions
    send({ do: "along", key: get("chosen").input, seed: of ? seed % of : seed });
  }

  /** Move the chosen element alone. */
  function choose() {
    const { input, row, column } = get("chosen");
    send({ do: "cell", key: input, row, column });
  }

  function paint() {
    const [{ whole, label }, study] = [get("along"), get("study")];
    root.hidden = !label;
    write(title, label ?? "");
    ways.forEach((way, k) => (way.checked = whole === (k === 1)));
    other.hidden = !whole;
    body.hidden = !study.charts;
    absent.hidden = !get("still") || Boolean(study.charts);
    if (!study.charts) return;
    const last = study.steps.length - 1;
    const at = Math.min(get("at_step"), last);
    const [step, place, numeric, error] = study.steps[at];
    set(slider, { max: last, "aria-valuetext": step });
    if (document.activeElement !== slider) slider.value = String(at);
    for (const [name, value] of [["--al-from", 0], ["--al-to", at / last]]) slider.style.setProperty(String(name), `${100 * Number(value)}%`);
    write(size, `h = ${step}`);
    lines.update([["analytic", words.lens_analytic, study.analytic], ["numeric", words.lens_at_step, numeric], ["error", words.lens_difference, error]]);
    write(moved, study.moved_on);
    moved.hidden = !study.moved_on;
    charts.forEach((chart, k) => (chart.update({ ...study.charts[k], mark: k ? null : place }), write(notes[k], study.notes[k])));
  }

  function color() {
    const scheme = view.style.colorScheme;
    get("lines")[scheme].forEach((/** @type {string} */ line, /** @type {number} */ i) => view.style.setProperty(`--al-line${i}`, line));
    paint();
  }

  return { places: { middle: [root] }, on: { "study along at_step": paint }, paint: color, close: () => charts.forEach((chart) => chart.close()) };
}
