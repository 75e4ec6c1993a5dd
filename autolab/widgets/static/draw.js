// @ts-check
/** Random numbers for an array: the same seed draws the same numbers. */

import { makeBox } from "./box.js";
import { button, choice, html } from "./dom.js";

const SEEDS = 2 ** 32;

/** @param {import("./controls.js").Control} control @param {import("./controls.js").Act} act */
export function makeDraw(control, act) {
  let [scale, seed] = [1, 0];
  let last = "";
  const kind = choice(["normal", "uniform"], { "aria-label": `${control.label}, distribution` });
  const size = makeBox(`${control.label}, scale`, (value) => {
    scale = value > 0 ? value : scale;
    size.show(scale);
  });
  const start = makeBox(`${control.label}, seed`, (value) => {
    seed = Math.max(0, Math.min(SEEDS - 1, Math.round(value)));
    last = "";
    start.show(seed);
  });

  /** The first draw uses the seed that is shown; each further one the next seed. */
  function draw() {
    if (last === `${kind.value} ${scale} ${seed}`) start.show((seed = (seed + 1) % SEEDS));
    last = `${kind.value} ${scale} ${seed}`;
    act.draw(control, kind.value, scale, seed);
  }

  size.show(scale);
  start.show(seed);
  return html("div", { class: "al-draw" }, button("Draw", draw, { "aria-label": `Draw ${control.label} at random` }), kind,
    html("span", { class: "al-draw-numbers" }, html("label", {}, "scale ", size.element), html("label", {}, "seed ", start.element)));
}
