// @ts-check
/** The parts of the view of a loss surface, on which one can point, and on which optimizers move balls. */

import { makeBrain } from "../live/brain.js";
import { makeChart } from "../live/chart.js";
import { makeBox } from "../live/controls.js";
import { makeStaleNoticePart } from "../live/computing.js";
import { button, captioned, choice, fillTrack, html, makeSegments, write } from "../live/dom.js";
import { clamp } from "../live/hand.js";
import { makeAsking } from "../live/asking.js";
import { makePlayer } from "../live/tools.js";
import { makeSavePart } from "../live/save_shown.js";
import { makeWidget } from "../live/view.js";
import { FIRST_COLOR, makeSurfacePicture } from "./surface_picture.js";

const PACE = 220; // milliseconds per step while it plays
const MOST_STEPS = 500;
const TONES = { linear: "Linear", log: "Log", rank: "Rank" };
const RACERS = ["SGD", "MomentumSGD", "Adam"];

/** All fields are text or integers, because the text of a question is also its key in Python. */
const SURFACE = makeAsking(
  { tone: "", ball: /** @type {string | null} */ (null), balls: "", steps: 0, here: "", arrows: false, curve: false },
  ({ tone, ball, balls, steps }) => ({ surface: ["surface", tone], roll: ["roll", ball, balls, steps] }),
  () => ({}),
  ({ here, arrows }) => ({ slope: ["slope", here], arrows: ["arrows", arrows] }),
);

export default () => makeWidget([makeSurfacePart, makeSavePart, makeStaleNoticePart], makeBrain(SURFACE));

/**
 * The picture, the player of the paths, the sentence and, in the menu, the optimizers.
 * @param {import("../graph/explorer.js").View} view
 */
function makeSurfacePart(view) {
  const { get, send, root } = view;
  const words = get("words");
  const still = Boolean(get("still"));
  const turn = (/** @type {any} */ to) => send({ do: "turn", to });
  root.classList.add("al-surface");

  /** @type {[number, number] | null} */
  let hand = null; // where the user drags the start, ahead of the kernel
  let held = false;
  const picture = makeSurfacePicture(view, {
    looked: (here) => turn({ here }),
    put: still && !get("surface").starts.length ? null : put,
    start: () => hand ?? /** @type {[number, number]} */ (get("look").ball?.split(" ").map(Number) ?? null),
  });
  const player = makeRollPlayer(show);
  const chart = makeChart((step) => player.go(step));
  const close = button("Close", () => turn({ curve: false }));
  const side = html("section.al-aside", chart.root, close);

  const offered = Object.entries(TONES).filter(([tone]) => get("surface").tones.includes(tone));
  const tones = makeSegments("Colours", Object.fromEntries(offered), (tone) => turn({ tone }));
  const toneNote = html("span.al-caption");
  const arrows = html("input", { type: "checkbox", onchange: () => turn({ arrows: arrows.checked }) });
  const curve = button("Loss at each step", () => turn({ curve: !get("look").curve }));
  const balls = makeBallSettings(view, turn);
  const menu = [
    captioned({}, "Colours", tones.root, toneNote),
    html("label.al-setting", arrows, "Gradients as arrows"),
    html("p.al-caption", words.arrows),
    ...(get("surface").plane ? [html("p.al-caption", get("surface").plane)] : []),
    curve,
    ...(still ? [] : [balls.race, balls.root]),
  ];

  /** @param {[number, number]} place @param {boolean} isHeld */
  function put(place, isHeld) {
    [hand, held] = [still ? null : place, isHeld];
    picture.mark();
    turn({ ball: still ? picture.nearestStart(place) : place.join(" ") });
  }

  /** @type {any} */
  let shown; // the paths that are shown: new ones are shown at their end, unless the start is being dragged
  let atStart = false;

  function paint() {
    const { tone, note } = get("surface");
    tones.choose(tone);
    write(toneNote, note);
    balls.update();
    const { arrows: withArrows, curve: withCurve, ball } = get("look");
    arrows.checked = withArrows;
    if (hand?.join(" ") === ball) hand = null;
    const roll = get("roll");
    if (roll !== shown || atStart !== held) player.restart(rollsOf(roll), held);
    [shown, atStart] = [roll, held];
    player.root.hidden = curve.hidden = !roll || Boolean(roll.absent);
    side.hidden = !withCurve || curve.hidden;
    picture.update();
    show();
  }

  function show() {
    const roll = get("roll");
    picture.roll(rollsOf(roll), player.at);
    if (roll?.chart) chart.update({ ...roll.chart, from: FIRST_COLOR, mark: player.at });
    root.dispatchEvent(new Event("al-line"));
  }

  /** The positions of the balls at the player's step: of one with its gradient, of several with the lowest one. */
  function told() {
    const [first, ...others] = rollsOf(get("roll"));
    if (!first) return "";
    const step = `step ${player.at} of ${player.last}`;
    const now = (/** @type {any} */ { numbers }) => numbers[Math.min(player.at, numbers.length - 1)];
    const { place, loss, slope } = now(first);
    const rest = player.at === player.last && first.told ? ` ${first.told}` : "";
    if (!others.length)
      return `${first.optimizer}, ${step}: (${place.join(", ")}), loss ${loss}, gradient (${slope.join(", ")}).${rest}`;
    if (!player.at) return `All start at (${place.join(", ")}), loss ${loss}.`;
    const [best, ...behind] = [first, ...others]
      .map((roll) => ({ name: roll.optimizer, ...now(roll) }))
      .sort((a, b) => (a.value ?? Infinity) - (b.value ?? Infinity));
    const losses = behind.map((roll) => `${roll.name} ${roll.loss}`);
    return `At ${step} ${best.name} is lowest, loss ${best.loss}; ${losses.join(", ")}.`;
  }

  return {
    places: {
      header: [html("h2.al-function", get("surface").title)],
      middle: [picture.root],
      side: [side],
      foot: [player.root],
      menu,
    },
    on: { "surface roll look arrows": paint, slope: () => {} },
    paint,
    reads: true,
    says: () => (held ? "" : picture.says()) || told(),
    close: () => (player.close(), chart.close(), picture.close()),
  };
}

/** @param {any} roll */
const rollsOf = (roll) => roll?.rolls ?? [];

/** The choice of the optimizers, with their settings. @param {any} view @param {(to: any) => void} turn */
function makeBallSettings({ get }, turn) {
  const { optimizers } = get("surface");
  const steps = makeBox("steps", (value) => turn({ steps: clamp(Math.round(value), 1, MOST_STEPS) }));
  const rows = html("div.al-surface-balls");
  const root = html(
    "div.al-surface-settings",
    { role: "group", "aria-label": "Optimizers and their settings" },
    rows,
    named("steps", steps.element),
  );
  const race = button("Race three optimizers", () => {
    const [[name, ...values], ...others] = parsed();
    const rate = values[optimizers[name].findIndex((/** @type {string[]} */ [key]) => key === "lr")];
    const racers = RACERS.map((racer) => [racer, ...(racer === name ? values : defaults(racer, rate))]);
    turn({ balls: balled(others.length ? [[name, ...values]] : racers) });
  });
  /** @type {{select: any, fields: ReturnType<typeof makeBox>[]}[]} */
  let built = [];
  let structure = "";

  /** Each ball as its optimizer and the numbers of its settings. @returns {string[][]} */
  const parsed = () =>
    get("look")
      .balls.split(";")
      .map((/** @type {string} */ one) => one.split(" "));
  const balled = (/** @type {string[][]} */ all) => all.map((one) => one.join(" ")).join(";");
  /** @param {string} name @param {string} [rate] the learning rate of another ball, for a fair race */
  const defaults = (name, rate) =>
    optimizers[name].map((/** @type {string[]} */ [key, value]) => (key === "lr" && rate) || value);
  /** @param {number} i @param {string[]} ball */
  const change = (i, ball) => turn({ balls: balled(parsed().map((one, k) => (k === i ? ball : one))) });

  /** @param {string[]} ball @param {number} i */
  function makeRow([name], i) {
    const select = choice(Object.keys(optimizers), {
      "aria-label": "Optimizer",
      onchange: () => change(i, [select.value, ...defaults(select.value)]),
    });
    const fields = optimizers[name].map((/** @type {string[]} */ [key], /** @type {number} */ k) =>
      makeBox(key, (value) =>
        change(
          i,
          parsed()[i].map((old, at) => (at === k + 1 ? String(value) : old)),
        ),
      ),
    );
    const boxes = fields.map((/** @type {any} */ field, /** @type {number} */ k) =>
      named(optimizers[name][k][0], field.element),
    );
    return { root: html("div.al-surface-boxes", select, ...boxes), select, fields };
  }

  return {
    root,
    race,
    update() {
      const all = parsed();
      const names = all.map(([name]) => name).join();
      if (structure !== (structure = names)) {
        const made = all.map(makeRow);
        rows.replaceChildren(...made.map((row) => row.root));
        built = made;
      }
      all.forEach(([name, ...values], i) => {
        built[i].select.value = name;
        built[i].fields.forEach((field, k) => field.show(Number(values[k])));
      });
      steps.show(get("look").steps);
      write(race, all.length > 1 ? "One optimizer alone" : "Race three optimizers");
    },
  };
}

/** @param {string} name @param {Element} field */
const named = (name, field) => html("label.al-surface-box", html("span.al-name", name), field);

/** @param {() => void} moved */
function makeRollPlayer(moved) {
  let [at, last] = [0, 0];
  const player = makePlayer("The path of the ball", "Step", { at: () => at, last: () => last, pace: () => PACE, go });

  /** @param {number} step @param {() => void} [done] */
  function go(step, done) {
    at = clamp(step, 0, last);
    player.show(`step ${at} of ${last}`);
    fillTrack(player.slider, last && at / last);
    moved();
    done?.();
  }

  return {
    root: player.root,
    go: player.jump,
    get at() {
      return at;
    },
    get last() {
      return last;
    },
    /** Show the end of new paths, or their start. @param {{places: any[]}[]} rolls @param {boolean} atStart */
    restart(rolls, atStart) {
      last = Math.max(1, ...rolls.map(({ places }) => places.length)) - 1;
      player.jump(atStart ? 0 : last);
    },
    close: player.pause,
  };
}
