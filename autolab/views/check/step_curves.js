// @ts-check
/** What the step size shows: the numeric derivative at one step, the error over all of them, the Taylor remainder. */

import { makeChart } from "../live/chart.js";
import { captioned, fillTrack, html, makeRadios, set, tellOrHide, write } from "../live/dom.js";
import { clamp } from "../live/hand.js";
import { makeLines } from "./chosen_element.js";

/** @param {import("../graph/explorer.js").View} view */
export function makeCurvesPart({ get, send }) {
  const words = get("words");
  const title = html("h3.al-title");
  const ways = makeRadios([
    [words.lens_one, choose],
    [words.lens_all, () => direct()],
  ]);
  const turn = html("input.al-range.al-order-range", {
    type: "range",
    min: 0,
    step: 1,
    "aria-label": words.lens_directions,
    oninput: () => direct(Number(turn.value)),
  });
  const turned = html("output.al-own", { "aria-hidden": "true" });
  const turning = html("label.al-order-control", html("span.al-caption", words.lens_directions), turn, turned);
  const slider = html("input.al-range", {
    type: "range",
    min: 0,
    "aria-label": words.lens_step,
    oninput: () => send({ do: "turn", to: { at_step: Number(slider.value) } }),
  });
  const size = html("span.al-where");
  const lines = makeLines();
  const charts = [0, 1].map(() => makeChart());
  const notes = charts.map(() => html("p.al-sentence"));
  const moved = html("p.al-apart");
  const absent = html("p.al-note", words.lens_not_saved);
  const body = html(
    "div.al-lens-curves-body",
    html(
      "div.al-lens-step",
      html("div", html("div.al-input-head", html("span.al-name", words.lens_step), size), slider),
      lines.root,
      moved,
    ),
    ...charts.map((chart, k) => html("div.al-lens-curve", chart.root, notes[k])),
  );
  const root = html(
    "section.al-lens-curves",
    { "aria-label": words.lens_steps },
    html(
      "header.al-trio-head",
      title,
      captioned(
        { role: "radiogroup", "aria-label": words.lens_moves },
        words.lens_moves,
        html("div.al-segments", ...ways),
      ),
      turning,
    ),
    absent,
    body,
  );

  /**
   * Move all of the input: in the k-th of the directions that there are, or in the last that was shown.
   * @param {number} [k]
   */
  function direct(k) {
    const at = k ?? Math.max(0, place());
    send({ do: "turn", to: { whole: true, direction: get("directions")[at][0] } });
  }

  /** Move the chosen element alone. */
  function choose() {
    send({ do: "turn", to: { whole: false } });
  }

  /** Where the direction is among those that there are: a saved page holds those that were measured. */
  const place = () =>
    get("directions").findIndex((/** @type {[number, string]} */ [seed]) => seed === get("look").direction);

  function paint() {
    const [{ whole, direction: seed, at_step: wished }, directions, study] = [
      get("look"),
      get("directions"),
      get("study") ?? {},
    ];
    const label = whole && place() >= 0 ? directions[place()][1] : get("chosen").moves;
    root.hidden = !label;
    if (root.hidden) return;
    write(title, label);
    ways.forEach((way, k) => (way.checked = whole === (k === 1)));
    ways[1].disabled = !directions.length;
    turning.hidden = !whole || !directions.length;
    slide(turn, place(), directions.length - 1, String(seed));
    write(turned, String(seed));
    body.hidden = !study.charts;
    absent.hidden = !get("still") || Boolean(study.charts);
    if (!study.charts) return;
    const last = study.steps.length - 1;
    const at = clamp(wished, 0, last);
    const [step, mark, numeric, error] = study.steps[at];
    slide(slider, at, last, step);
    write(size, `h = ${step}`);
    lines.update([
      ["analytic", words.lens_analytic, study.analytic],
      ["numeric", words.lens_at_step, numeric],
      ["error", words.lens_difference, error],
    ]);
    tellOrHide(moved, study.moved_on);
    charts.forEach(
      (chart, k) => (chart.update({ ...study.charts[k], mark: k ? null : mark }), write(notes[k], study.notes[k])),
    );
  }

  return {
    places: { middle: [root] },
    on: { "study chosen directions look": paint },
    paint,
    close: () => charts.forEach((chart) => chart.close()),
  };
}

/**
 * Put a slider where it belongs, unless a hand is on it.
 * @param {any} slider
 * @param {number} at
 * @param {number} last
 * @param {string} text
 */
function slide(slider, at, last, text) {
  set(slider, { max: last, "aria-valuetext": text });
  if (document.activeElement !== slider) slider.value = String(at);
  fillTrack(slider, at / Math.max(1, last));
}
