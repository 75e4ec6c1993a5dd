// @ts-check
/** The monitor of a training: curves, the state of one parameter now or earlier, and a button that stops it. */

import { makeBrain } from "../live/brain.js";
import { makeCharts } from "../live/chart.js";
import { button, choice, fillTrack, html, options, set, tellOrHide, write } from "../live/dom.js";
import { floats, makeHeatmap } from "../live/heatmap.js";
import { makeAsking } from "../live/link.js";
import { makeWidget } from "../live/view.js";
import { makeBoundaryPart } from "./boundary.js";

/**
 * Which state is looked at (null: the latest), and what of it; a page waits for no old state to say how training goes.
 */
const TRAINING = makeAsking(
  { at: /** @type {number | null} */ (null), path: "", which: "gradient" },
  () => ({ training: ["training"], examples: ["examples"] }),
  () => ({}),
  ({ at, path, which }) => ({ state: ["state", at, path, which], boundary: ["boundary", at] }),
);

export default () => makeWidget([makeHeadPart, makeBoundaryPart, makeChartsPart, makePastPart], makeBrain(TRAINING));

/** The title, where training is, and the Stop button. @param {import("../graph/explorer.js").View} view */
function makeHeadPart({ get, link, root }) {
  const words = get("words");
  const title = html("h2.al-function");
  const stage = html("span.al-monitor-stage", { role: "status" });
  const status = html("span.al-monitor-status");
  const stop = button(words.stop, () => link.stop({ do: "stop" }), { class: "al-button al-stop" });
  const problem = html("div.al-error", { role: "alert", hidden: true });
  root.classList.add("al-monitor");

  function show() {
    const [{ title: name, stage: now, status: told }, error] = [get("training"), get("error")];
    write(title, name);
    tellOrHide(stage, link.asleep ? words.saved : now && words[now]);
    stage.classList.toggle("al-monitor-stage-running", now === "running" && !link.asleep);
    write(status, told.join(" \u00b7 "));
    stop.hidden = !now || link.asleep;
    stop.disabled = now === "stopping";
    problem.hidden = !error && link.state !== "silent";
    write(problem, error ? `${error.type}: ${error.message}` : words.live_silent);
  }

  const changed = () => (link.heard(), show()); // who paints is awake, though an answer may have to wait
  return {
    places: { header: [title, stage, status], alert: [problem], foot: [stop] },
    on: { "training error": changed },
    paint: show,
    linked: show,
  };
}

/** The curves, with a mark at the state that is looked at. @param {import("../graph/explorer.js").View} view */
function makeChartsPart({ get }) {
  const panel = html("div.al-charts");
  const empty = html("p.al-note", get("words").nothing);
  const charts = makeCharts(panel);

  function show() {
    const [wanted, mark] = [get("training").charts, get("state")?.at ?? null];
    if (wanted.length) empty.remove();
    else panel.append(empty);
    charts.update(wanted.map((/** @type {any} */ chart) => ({ ...chart, mark, lines: chart.lines.map(withNumbers) })));
  }

  return {
    places: { middle: [panel] },
    on: { "training state": show },
    paint: show,
    close: charts.close,
  };
}

/** A line whose numbers came as bytes; NaN is a gap. @param {any} line */
function withNumbers(line) {
  return { ...line, x: [...floats(line.x)], y: Array.from(floats(line.y), (v) => (Number.isNaN(v) ? null : v)) };
}

/**
 * One parameter or gradient as a heatmap, now or after an earlier update.
 * @param {import("../graph/explorer.js").View} view
 */
function makePastPart(view) {
  const { get, send, link } = view;
  const words = get("words");
  const heading = html("h3.al-chart-title");
  const param = html("select.al-choice", { "aria-label": words.value, onchange: choose });
  const which = choice(
    [
      ["gradient", words.gradient_of],
      ["value", words.value],
    ],
    { "aria-label": `${words.value}, ${words.gradient_of}`, onchange: choose },
  );
  const heatmap = makeHeatmap();
  const absent = html("p.al-status");
  const silent = html("p.al-note");
  const caption = html("p.al-note");
  const slider = html("input.al-range", { type: "range", min: 0, "aria-label": words.past, oninput: scrub });
  const place = html("span.al-place");
  const follow = button(words.follow, () => turn({ at: null }));
  const [first, last] = [html("span"), html("span")];
  const panel = html(
    "section.al-past",
    heading,
    html("div.al-past-head", param, which),
    heatmap.root,
    absent,
    caption,
    silent,
    html("div.al-past-head", html("span.al-caption", words.past), place, follow),
    slider,
    html("div.al-ends", { "aria-hidden": "true" }, first, last),
  );
  const turn = (/** @type {any} */ to) => send({ do: "turn", to });
  let named = "";

  function choose() {
    turn({ path: param.value, which: which.value });
  }

  function scrub() {
    const { places } = get("training");
    turn({ at: Number(slider.value) === places.length - 1 ? null : places[Number(slider.value)] });
  }

  function show() {
    const { places, params } = get("training");
    panel.hidden = !places.length;
    if (panel.hidden || !get("state")) return; // it is on its way
    const { at, path, which: shown, heat } = get("state");
    if (JSON.stringify(params) !== named) {
      named = JSON.stringify(params);
      param.replaceChildren(...options(params));
    }
    param.value = path;
    which.value = shown;
    write(heading, heat.title);
    const drawn = !heat.absent;
    heatmap.root.hidden = !drawn;
    tellOrHide(absent, heat.absent);
    tellOrHide(caption, drawn && heat.caption);
    tellOrHide(silent, heat.silent);
    if (drawn)
      heatmap.update({ ...heat, which: heat.which === "value" ? "value" : "grad" }, floats(heat.cells), view.colors);
    const index = at === null ? places.length - 1 : places.indexOf(at);
    set(slider, { max: places.length - 1, "aria-valuetext": heat.title });
    slider.value = String(index);
    fillTrack(slider, places.length > 1 ? index / (places.length - 1) : 1);
    write(first, String(places[0]));
    write(last, String(places[places.length - 1]));
    write(place, at === null ? words.latest : heat.title);
    for (const control of [param, which, slider]) control.disabled = link.asleep;
    follow.disabled = at === null || link.asleep;
  }

  return { places: { middle: [panel] }, on: { "training state": show }, paint: show, linked: show };
}
