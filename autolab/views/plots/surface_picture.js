// @ts-check
/** The picture of a surface: colours, level lines, arrows, the cross that reads its numbers, the way of the ball. */

import { paint } from "../live/colors.js";
import { html, lay, set, short, svg, write } from "../live/dom.js";
import { ARROWS, claim, clamp, placeIn } from "../live/hand.js";
import { floats } from "../live/heatmap.js";

const HEAD = 4; // of an arrow
const LEAP = 5; // points that the cross moves with Shift

/**
 * @param {import("../graph/explorer.js").View} view
 * @param {{looked: (here: string) => void, put: ((ball: string) => void) | null}} act
 */
export function makeSurfacePicture(view, { looked, put }) {
  const { get } = view;
  const words = get("words");
  const hint = put ? words.hint : words.hint_still;
  const canvas = html("canvas", { "aria-hidden": "true" });
  const ground = svg("g");
  const inside = svg("svg");
  const way = svg("svg");
  const cross = svg("path.al-surface-cross");
  const lines = svg(
    "svg.al-surface-lines",
    {
      tabindex: 0,
      role: "application",
      "aria-roledescription": "surface",
      onpointermove: (event) => look(nearest(event)),
      onpointerleave: () => look(null),
      onclick: (event) => (look(nearest(event)), drop()),
      onkeydown: pressed,
    },
    ground,
    inside,
    way,
    cross,
  );
  const reading = html("p.al-surface-reading", { role: "status" });
  const bar = html("div.al-surface-ramp");
  const ticks = html("div.al-surface-ticks");
  const caption = html("span.al-caption");
  const legend = html("div.al-surface-legend", caption, html("div", bar, ticks));
  const frame = html("div.al-surface-frame", canvas, lines);
  const notes = html("p.al-note");
  const root = html("div.al-surface-picture", frame, reading, legend, notes);
  /** @type {[number, number] | null} row and column of the grid */
  let here = null;

  const x = (/** @type {number} */ k) => get("surface").box.x + part(k, 0) * get("surface").box.w;
  const y = (/** @type {number} */ k) => get("surface").box.y + (1 - part(k, 1)) * get("surface").box.h;
  const part = (/** @type {number} */ k, /** @type {number} */ axis) => k / (get("surface").places[axis].length - 1);

  /** The point of the grid that is next to the pointer. @param {MouseEvent} event @returns {[number, number]} */
  function nearest(event) {
    const { box, width, height, places } = get("surface");
    const { across, down } = placeIn(event, lines);
    const [left, up] = [(across * width - box.x) / box.w, 1 - (down * height - box.y) / box.h];
    const at = (/** @type {number} */ share, /** @type {number} */ axis) =>
      clamp(Math.round(share * (places[axis].length - 1)), 0, places[axis].length - 1);
    return [at(up, 1), at(left, 0)];
  }

  /** @param {[number, number] | null} place */
  function look(place) {
    if (String(place) === String(here)) return;
    here = place;
    looked(here ? here.join(" ") : "");
    read();
  }

  function drop() {
    if (!here || !put) return;
    const [across, up] = get("surface").places;
    put(`${across[here[1]]} ${up[here[0]]}`);
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    const [across, up] = get("surface").places;
    const far = event.shiftKey ? LEAP : 1;
    const move = ARROWS[event.key];
    if (!move && event.key !== "Enter" && event.key !== " ") return;
    claim(event);
    const [row, column] = here ?? [(up.length - 1) >> 1, (across.length - 1) >> 1];
    const [down, right] = move ?? [0, 0];
    look([clamp(row - far * down, 0, up.length - 1), clamp(column + far * right, 0, across.length - 1)]);
    if (!move) drop();
  }

  /** The numbers at the cross: those that were computed, never between them. */
  function read() {
    const { places, names, losses } = get("surface");
    set(cross, { d: here ? `M${x(here[1]) - 7} ${y(here[0])}h14m-7 -7v14` : null });
    if (!here) return write(reading, hint);
    const [row, column] = here;
    const known = get("look").here === here.join(" ") ? get("slope") : null;
    const loss = known?.loss ?? short(floats(losses)[row * places[0].length + column]);
    const away = get("still") ? words.unknown : "\u2026";
    const slope = known ? `gradient (${known.slope.join(", ")})` : away;
    write(
      reading,
      `${names[0]} = ${short(places[0][column])}, ${names[1]} = ${short(places[1][row])}: loss ${loss}, ${slope}`,
    );
  }

  function update() {
    const shown = get("surface");
    const { box, width, height, side } = shown;
    lay(canvas, { left: box.x / width, top: box.y / height, width: box.w / width, height: box.h / height });
    frame.style.aspectRatio = `${width} / ${height}`;
    paint(canvas, { rows: side, cols: side, scale: 1 }, floats(shown.cells), view.colors);
    set(lines, { viewBox: `0 0 ${width} ${height}`, "aria-label": `${shown.description} ${hint}` });
    for (const part of [inside, way]) {
      const [px, py, w, h] = [box.x, box.y, box.w, box.h];
      set(part, { x: px, y: py, width: w, height: h, viewBox: `${px} ${py} ${w} ${h}` });
    }
    inside.replaceChildren(
      ...shown.levels.map((/** @type {string} */ d) => svg("path.al-surface-level", { d })),
      ...shown.arrows.map((/** @type {number[]} */ ends) => svg("path.al-surface-arrow", { d: arrow(ends) })),
    );
    ground.replaceChildren(...axes(shown));
    bar.style.background = `linear-gradient(to right, ${[0, 0.25, 0.5, 0.75, 1].map((t) => view.colors.css(t - 1))})`;
    write(caption, words[`tone_${shown.tone}`]);
    ticks.replaceChildren(
      ...shown.ticks.map((/** @type {[number, string]} */ [share, text]) => {
        const tick = html("span", text);
        tick.style.left = `${100 * share}%`;
        return tick;
      }),
    );
    write(notes, `${shown.note} ${words.arrows}`);
    read();
  }

  return {
    root,
    update,
    read,
    /** The way of the ball up to a step. @param {{places: [number, number][]} | null} found @param {number} at */
    roll(found, at) {
      const past = found?.places.slice(0, at + 1) ?? [];
      const [cx, cy] = past.at(-1) ?? [0, 0];
      way.replaceChildren(
        ...(found
          ? [
              svg("path.al-surface-rest", { d: `M${found.places.join("L")}` }),
              svg("path.al-surface-way", { d: `M${past.join("L")}` }),
              ...past.slice(0, -1).map(([px, py]) => svg("circle.al-surface-dot", { cx: px, cy: py, r: 2.5 })),
              svg("circle.al-surface-ball", { cx, cy, r: 7 }),
            ]
          : []),
      );
    },
  };
}

/** @param {any} shown */
function axes({ box, x, y, names }) {
  const bottom = box.y + box.h;
  const text = (/** @type {number} */ at, /** @type {number} */ down, /** @type {string} */ words, kind = "") =>
    svg("text", { x: at, y: down, class: kind }, words);
  return [
    svg("rect.al-surface-edge", { x: box.x, y: box.y, width: box.w, height: box.h }),
    ...x.ticks.flatMap((/** @type {[number, string]} */ [at, words]) => [
      svg("path.al-surface-edge", { d: `M${at} ${bottom}v5` }),
      text(at, bottom + 19, words, "al-chart-middle"),
    ]),
    ...y.ticks.flatMap((/** @type {[number, string]} */ [at, words]) => [
      svg("path.al-surface-edge", { d: `M${box.x} ${at}h-5` }),
      text(box.x - 9, at + 4, words, "al-chart-left"),
    ]),
    text(box.x + box.w / 2, bottom + 39, names[0], "al-chart-middle"),
    svg("text.al-chart-middle", { transform: `translate(18 ${box.y + box.h / 2}) rotate(-90)` }, names[1]),
  ];
}

/** @param {number[]} ends */
function arrow([x, y, u, v]) {
  const angle = Math.atan2(v - y, u - x);
  const side = (/** @type {number} */ turn) =>
    `${(u - HEAD * Math.cos(angle + turn)).toFixed(1)} ${(v - HEAD * Math.sin(angle + turn)).toFixed(1)}`;
  return `M${x} ${y}L${u} ${v}M${side(0.5)}L${u} ${v}L${side(-0.5)}`;
}
