// @ts-check
/** A loss surface that is pointed at, and a ball that an optimizer moves over it: which parts the view has. */

import { makeBrain } from "../live/brain.js";
import { makeChart } from "../live/chart.js";
import { makeComputingPart } from "../live/computing.js";
import { button, choice, fillTrack, html, makeSegments, set, write } from "../live/dom.js";
import { clamp } from "../live/hand.js";
import { makeAsking } from "../live/link.js";
import { makeBox } from "../live/controls.js";
import { makeWidget } from "../live/view.js";
import { makeSurfacePicture } from "./surface_picture.js";

const PACE = 220; // milliseconds from step to step while it plays
const MOST_STEPS = 500;
const TONES = { linear: "Linear", log: "Log", rank: "Rank" };

/** Everything is text or a whole number: a question's text is its key in Python as well. */
const SURFACE = makeAsking(
  { tone: "", ball: /** @type {string | null} */ (null), optimizer: "", settings: "", steps: 0, here: "" },
  ({ tone, ball, optimizer, settings, steps }) => ({
    surface: ["surface", tone],
    roll: ["roll", ball, optimizer, settings, steps],
  }),
  () => ({}),
  ({ here }) => ({ slope: ["slope", here] }),
);

export default () => makeWidget([makeSurfacePart, makeComputingPart], makeBrain(SURFACE));

/**
 * The picture, the settings of the optimizer, the player and the curve.
 * @param {import("../graph/explorer.js").View} view
 */
function makeSurfacePart(view) {
  const { get, send, root } = view;
  const words = get("words");
  const still = Boolean(get("still"));
  const turn = (/** @type {any} */ to) => send({ do: "turn", to });
  root.classList.add("al-surface");

  const offered = Object.entries(TONES).filter(([tone]) => get("surface").tones.includes(tone));
  const tones = makeSegments("Colours", Object.fromEntries(offered), (tone) => turn({ tone }));
  const picture = makeSurfacePicture(view, {
    looked: (here) => turn({ here }),
    put: still ? null : (ball) => turn({ ball }),
  });
  const ball = makeBallSettings(view, turn);
  const player = makeRollPlayer(show);
  const told = html("p.al-note", { role: "status" });
  const chart = makeChart();
  const side = html("div.al-surface-side", ball.root, told, player.root, chart.root);
  const panel = html("div.al-surface-body", picture.root, side);
  /** @type {any} */
  let shown; // the way that is shown: another one begins at its end

  function paint() {
    tones.choose(get("surface").tone);
    picture.update();
    ball.update();
    const roll = get("roll");
    const drawn = roll && !roll.absent;
    write(told, !roll ? words.none : roll.absent || roll.told);
    told.classList.toggle("al-surface-absent", Boolean(roll?.absent));
    for (const part of [player.root, chart.root]) part.hidden = !drawn;
    if (roll !== shown) player.restart(drawn ? roll.places.length - 1 : 0);
    shown = roll;
    show();
  }

  /** The ball at the step of the player. */
  function show() {
    const roll = get("roll");
    const drawn = roll && !roll.absent ? roll : null;
    picture.roll(drawn, player.at);
    if (!drawn) return;
    const { place, loss, slope } = drawn.numbers[Math.min(player.at, drawn.numbers.length - 1)];
    player.tell(`(${place.join(", ")}), loss ${loss}, gradient (${slope.join(", ")})`);
    chart.update({ ...drawn.chart, mark: player.at });
  }

  return {
    places: { header: [html("h2.al-function", get("surface").title)], menu: [tones.root], middle: [panel] },
    on: { "surface roll": paint, slope: picture.read },
    paint,
    close: () => (player.close(), chart.close()),
  };
}

/** Which optimizer moves the ball, with which settings. @param {any} view @param {(to: any) => void} turn */
function makeBallSettings({ get }, turn) {
  const { optimizers } = get("surface");
  const still = Boolean(get("still"));
  const select = choice(Object.keys(optimizers), {
    "aria-label": "Optimizer",
    disabled: still,
    onchange: () => {
      const settings = optimizers[select.value].map((/** @type {string[]} */ [, value]) => value).join(" ");
      turn({ optimizer: select.value, settings });
    },
  });
  const steps = makeBox("steps", (value) => turn({ steps: clamp(Math.round(value), 1, MOST_STEPS) }));
  const boxes = html("div.al-surface-boxes");
  const root = html(
    "div.al-surface-settings",
    { role: "group", "aria-label": "Optimizer and its settings" },
    select,
    boxes,
    named("steps", steps.element),
  );
  /** @type {ReturnType<typeof makeBox>[]} */
  let fields = [];
  let built = "";

  return {
    root,
    update() {
      const { optimizer, settings, steps: many } = get("look");
      const values = settings.split(" ");
      if (built !== optimizer) {
        built = optimizer;
        const change = (/** @type {number} */ k) => (/** @type {number} */ value) =>
          turn({
            settings: get("look")
              .settings.split(" ")
              .map((/** @type {string} */ old, /** @type {number} */ i) => (i === k ? String(value) : old))
              .join(" "),
          });
        const keys = optimizers[optimizer].map((/** @type {string[]} */ [key]) => key);
        fields = keys.map((/** @type {string} */ key, /** @type {number} */ k) => makeBox(key, change(k)));
        boxes.replaceChildren(...fields.map((field, k) => named(keys[k], field.element)));
      }
      select.value = optimizer;
      fields.forEach((field, k) => field.show(Number(values[k])));
      steps.show(many);
      for (const field of [...fields, steps]) set(field.element, { readonly: still });
    },
  };
}

/** @param {string} name @param {Element} field */
const named = (name, field) => html("label.al-surface-box", html("span.al-name", name), field);

/** Step by step, or played. @param {() => void} moved */
function makeRollPlayer(moved) {
  let [at, last] = [0, 0];
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  const slider = html("input.al-range", { type: "range", min: 0, step: 1, "aria-label": "Step" });
  slider.oninput = () => (stop(), go(Number(slider.value)));
  const back = button("\u25c0", () => (stop(), go(at - 1)), { "aria-label": "Step back", title: "Step back" });
  const play = button("Play", () => (timer ? stop() : start()));
  const on = button("\u25b6", () => (stop(), go(at + 1)), { "aria-label": "Step forward", title: "Step forward" });
  const place = html("p.al-surface-place");
  const root = html(
    "div.al-surface-player",
    { role: "group", "aria-label": "The path of the ball" },
    html("div.al-surface-keys", back, play, on, slider),
    place,
  );

  function stop() {
    clearInterval(timer);
    timer = undefined;
    write(play, "Play");
  }

  function start() {
    if (at === last) go(0);
    timer = setInterval(() => (at < last ? go(at + 1) : stop()), PACE);
    write(play, "Pause");
  }

  /** @param {number} step */
  function go(step) {
    at = clamp(step, 0, last);
    slider.value = String(at);
    fillTrack(slider, last && at / last);
    back.disabled = at === 0;
    on.disabled = at === last;
    moved();
  }

  return {
    root,
    get at() {
      return at;
    },
    /** Another way: its end is shown. @param {number} steps */
    restart(steps) {
      stop();
      at = last = steps;
      set(slider, { max: steps });
      go(steps);
    },
    /** @param {string} text */
    tell(text) {
      const words = `Step ${at} of ${last}: ${text}`;
      write(place, words);
      set(slider, { "aria-valuetext": words });
    },
    close: stop,
  };
}
