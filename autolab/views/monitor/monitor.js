// @ts-check
/** The monitor of a training: its curves, a Stop button and, on a click, the state after one update. */

import { makeBrain } from "../live/brain.js";
import { makeCharts } from "../live/chart.js";
import { button, choice, fillTrack, html, options, set, tellOrHide, write } from "../live/dom.js";
import { floats, makeHeatmap } from "../live/heatmap.js";
import { makeAsking } from "../live/asking.js";
import { makeSavePart } from "../live/save_shown.js";
import { makeWidget } from "../live/view.js";
import { makeBoundary } from "./boundary.js";

const COLUMNS = [1, 1, 2, 2, 2, 3, 3]; // by number of charts; more charts are in four columns

/**
 * The state that is looked at (null: the latest), the part of it, and whether it is shown. A page does not wait for an
 * old state before it shows the progress of training.
 */
const TRAINING = makeAsking(
  { at: /** @type {number | null} */ (null), path: "", which: "gradient", open: false },
  () => ({ training: ["training"], examples: ["examples"] }),
  () => ({}),
  ({ at, path, which }) => ({ state: ["state", at, path, which], boundary: ["boundary", at] }),
);

export default () => makeWidget([makeHeadPart, makeChartsPart, makeStatePart, makeSavePart], makeBrain(TRAINING));

/**
 * The acts of the view, such as to look at the kept state nearest to an update.
 * @param {import("../graph/explorer.js").View} view
 */
const makeTurn = ({ get, send }) => ({
  turn: (/** @type {any} */ to) => send({ do: "turn", to }),
  /** @param {number} update */
  lookAt(update) {
    const { places } = get("training");
    if (!places.length) return;
    const near = places.reduce((/** @type {number} */ best, /** @type {number} */ at) =>
      Math.abs(at - update) < Math.abs(best - update) ? at : best,
    );
    send({ do: "turn", to: { at: near === places.at(-1) ? null : near, open: true } });
  },
});

/** The title, the control, and the progress of training. @param {import("../graph/explorer.js").View} view */
function makeHeadPart(view) {
  const { get, link, root } = view;
  const words = get("words");
  const title = html("h2.al-function");
  const stop = button(words.stop, () => link.stop({ do: "stop" }), { class: "al-button al-stop" });
  const slider = html("input.al-range", { type: "range", min: 0, "aria-label": words.past, oninput: scrub });
  const [first, last] = [html("span"), html("span")];
  const past = html("div.al-track", slider, html("div.al-ends", { "aria-hidden": "true" }, first, last));
  const spent = html("p.al-caption");
  root.classList.add("al-monitor");

  function scrub() {
    makeTurn(view).lookAt(get("training").places[Number(slider.value)]);
  }

  function show() {
    const [{ title: name, stage: now, places, spent: told }, state] = ["training", "state"].map(get);
    write(title, name);
    write(spent, told);
    stop.hidden = !now || link.asleep;
    stop.disabled = now === "stopping";
    past.hidden = (Boolean(now) && !link.asleep) || places.length < 2;
    const at = state?.at ?? null;
    const index = at === null ? places.length - 1 : places.indexOf(at);
    set(slider, { max: places.length - 1, "aria-valuetext": state?.heat.title });
    slider.value = String(index);
    fillTrack(slider, places.length > 1 ? index / (places.length - 1) : 1);
    slider.disabled = link.asleep;
    [first, last].forEach((end, i) => write(end, String(places.at(-i) ?? "")));
  }

  const changed = () => (link.heard(), show()); // the kernel is alive, although an answer may have to wait
  return {
    places: { header: [title], foot: [stop, past], menu: [spent] },
    on: { training: changed, state: show },
    paint: show,
    linked: show,
    says() {
      const { sentence, hint } = { ...get("training"), ...(get("look").open && get("state")?.told) };
      return (link.asleep && words.saved) || [sentence, hint].filter(Boolean).join(" ");
    },
  };
}

/** The curves, with a mark at the state that is looked at. @param {import("../graph/explorer.js").View} view */
function makeChartsPart(view) {
  const { get } = view;
  const panel = html("div.al-charts");
  const charts = makeCharts(panel, makeTurn(view).lookAt);

  function show() {
    const [wanted, mark] = [get("training").charts, (get("look").open && get("state")?.at) || null];
    const columns = COLUMNS[wanted.length] ?? 4;
    panel.style.setProperty("--al-columns", String(columns));
    panel.style.setProperty("--al-rows", String(Math.ceil(wanted.length / columns)));
    charts.update(wanted.map((/** @type {any} */ chart) => ({ ...chart, mark, lines: chart.lines.map(withNumbers) })));
  }

  return { places: { middle: [panel] }, on: { "training state look": show }, paint: show, close: charts.close };
}

/** A line with its numbers decoded from bytes; NaN is a gap. @param {any} line */
function withNumbers(line) {
  return { ...line, x: [...floats(line.x)], y: Array.from(floats(line.y), (v) => (Number.isNaN(v) ? null : v)) };
}

/**
 * The state after one update, beside the curves: a parameter or its gradient as a heatmap, and the network over the
 * plane of its features. The parameter is selected in the menu.
 * @param {import("../graph/explorer.js").View} view
 */
function makeStatePart(view) {
  const { get, link } = view;
  const { turn } = makeTurn(view);
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
  const choices = html("div.al-setting", html("span.al-caption", words.shown), param, which);
  const latest = button(words.latest, () => turn({ at: null, open: true }));
  const heatmap = makeHeatmap();
  const name = html("span.al-caption");
  const absent = html("p.al-status");
  const silent = html("p.al-note");
  const caption = html("p.al-note");
  const boundary = makeBoundary(view);
  const close = button("Close", () => turn({ at: null, open: false }));
  const side = html(
    "section.al-aside.al-past",
    { hidden: true },
    heading,
    boundary.root,
    name,
    heatmap.root,
    absent,
    caption,
    silent,
    close,
  );
  let named = "";

  function choose() {
    turn({ path: param.value, which: which.value, open: true });
  }

  function show() {
    const { params } = get("training");
    const state = get("state");
    choices.hidden = latest.hidden = !params.length;
    side.hidden = !get("look").open || !state;
    if (!state) return; // it has been requested
    const { path, which: shown, heat } = state;
    if (JSON.stringify(params) !== named) {
      named = JSON.stringify(params);
      param.replaceChildren(...options(params));
    }
    param.value = path;
    which.value = shown;
    for (const control of [param, which, latest]) control.disabled = link.asleep;
    if (side.hidden) return;
    write(heading, heat.title);
    write(name, `${path.replace(/^[/]/, "")}, ${shown === "value" ? words.value : words.gradient_of}`);
    const drawn = !heat.absent;
    heatmap.root.hidden = !drawn;
    tellOrHide(absent, heat.absent);
    tellOrHide(caption, drawn && heat.caption);
    tellOrHide(silent, heat.silent);
    if (drawn)
      heatmap.update({ ...heat, which: shown === "value" ? "value" : "grad" }, floats(heat.cells), view.colors);
    boundary.show();
  }

  return {
    places: { side: [side], menu: [choices, latest] },
    on: { "training state look boundary examples": show },
    paint: show,
    linked: show,
  };
}
