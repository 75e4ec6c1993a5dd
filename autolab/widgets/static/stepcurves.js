// @ts-check
/** What the step size shows: the numeric derivative at one step, the error over all of them, the Taylor remainder. */

import { makeChart } from "./chart.js";
import { makeLines } from "./chosen.js";
import { html, set, write } from "./dom.js";

/** @param {import("./explorer.js").View} view */
export function makeCurvesPart({ get, send, root: view }) {
  const words = get("words");
  const title = html("h3", { class: "al-title" });
  const group = `al-moves-${Math.random()}`; // of this view alone
  const ways = [words.lens_one, words.lens_all].map((text, k) => html("input", {
    type: "radio", class: "al-button", name: group, "data-text": text, "aria-label": text, onchange: () => (k ? direct() : choose()),
  }));
  const turn = html("input", { type: "range", class: "al-range al-order-range", min: 0, step: 1, "aria-label": words.lens_directions, oninput: () => direct(Number(turn.value)) });
  const turned = html("output", { class: "al-own", "aria-hidden": "true" });
  const turning = html("label", { class: "al-order-control" }, html("span", { class: "al-caption" }, words.lens_directions), turn, turned);
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
      html("div", { class: "al-order-control", role: "radiogroup", "aria-label": words.lens_moves }, html("span", { class: "al-caption" }, words.lens_moves), html("div", { class: "al-segments" }, ...ways)), turning),
    absent, body);

  /** Move all of the input: in the k-th of the directions that there are, or in the last that was shown. @param {number} [k] */
  function direct(k) {
    const { seed, directions } = get("along"); // a saved page holds those that were measured
    const at = k ?? Math.max(0, directions.indexOf(seed));
    send({ do: "along", key: get("chosen").input, seed: directions[at] });
  }

  /** Move the chosen element alone. */
  function choose() {
    const { input, row, column } = get("chosen");
    send({ do: "cell", key: input, row, column });
  }

  function paint() {
    const [{ whole, label, seed, directions }, study] = [get("along"), get("study")];
    root.hidden = !label;
    if (root.hidden) return;
    write(title, label);
    ways.forEach((way, k) => (way.checked = whole === (k === 1)));
    ways[1].disabled = !directions.length;
    turning.hidden = !whole || !directions.length;
    slide(turn, directions.indexOf(seed), directions.length - 1, String(seed));
    write(turned, String(seed));
    body.hidden = !study.charts;
    absent.hidden = !get("still") || Boolean(study.charts);
    if (!study.charts) return;
    const last = study.steps.length - 1;
    const at = Math.min(get("at_step"), last);
    const [step, place, numeric, error] = study.steps[at];
    slide(slider, at, last, step);
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

/** Put a slider where it belongs, unless a hand is on it. @param {any} slider @param {number} at @param {number} last @param {string} text */
function slide(slider, at, last, text) {
  set(slider, { max: last, "aria-valuetext": text });
  if (document.activeElement !== slider) slider.value = String(at);
  for (const [name, value] of [["--al-from", 0], ["--al-to", at / Math.max(1, last)]]) slider.style.setProperty(String(name), `${100 * Number(value)}%`);
}
