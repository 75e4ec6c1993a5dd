// @ts-check
/**
 * The picture of a surface: colours, level lines, the cross at which its numbers are read, the start of a ball, and its
 * path. The start can be dragged here, and its two numbers can be changed at the axes.
 */

import { paint } from "../live/colors.js";
import { makeBox } from "../live/controls.js";
import { html, lay, set, short, svg, write } from "../live/dom.js";
import { ARROWS, A_CLICK, claim, clamp, draggable, isHovering, placeIn, snapped } from "../live/hand.js";
import { floats } from "../live/heatmap.js";
import { arrow, axes, legend } from "./surface_axes.js";

const LEAP = 5; // grid points that the cross moves with Shift
const FINE = 200; // steps of a drag from one end to the other
const MADE_FOR = 12; // the font size for which the positions beside the axes are made
export const FIRST_COLOR = 1; // of lines: the first one is as blue as the surface

/** @typedef {[number, number]} Place coordinates on the axes */

/**
 * The callbacks for a point that is pointed at, and for a ball that is placed or held; and its start.
 * @typedef {{looked: (here: string) => void, put: ((place: Place, held: boolean) => void) | null, start: () => Place |
 *   null}} Act
 */

/**
 * @param {import("../graph/explorer.js").View} view
 * @param {Act} act
 */
export function makeSurfacePicture(view, { looked, put, start }) {
  const { get } = view;
  const words = get("words");
  const canvas = html("canvas", { "aria-hidden": "true" });
  const [ground, inside, way] = [svg("g"), svg("svg"), svg("svg")];
  const cross = svg("path.al-surface-cross");
  const ring = svg("circle.al-surface-start", { r: 7 });
  const lines = svg(
    "svg.al-surface-lines",
    {
      tabindex: 0,
      role: "application",
      "aria-roledescription": "surface",
      onpointerleave: (/** @type {PointerEvent} */ event) => isHovering(event) && look(null),
      onblur: () => look(null),
      onkeydown: pressed,
      ...draggable(grab, drag, (_, event) => put?.(at(event), false)),
    },
    ground,
    inside,
    way,
    ring,
    cross,
  );
  lines.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => event.buttons || look(nearest(event)));
  const key = html("div.al-surface-key", { hidden: true });
  const boxes = put && !get("still") ? [0, 1].map(makeAxisBox) : [];
  const root = html("div.al-surface-frame", canvas, lines, key, ...boxes.map(({ element }) => element));
  /** @type {[number, number] | null} row and column of the grid */
  let here = null;
  /** @type {[number, number] | null} */
  let reached = null; // with keys
  /** @type {{rolls: any[], step: number}} */
  let rolling = { rolls: [], step: 0 };

  const ends = (/** @type {number} */ axis) => {
    const places = get("surface").places[axis];
    return { min: places[0], max: places.at(-1), step: (places.at(-1) - places[0]) / FINE };
  };
  const x = (/** @type {number} */ value) => get("surface").box.x + share(value, 0) * get("surface").box.w;
  const y = (/** @type {number} */ value) => get("surface").box.y + (1 - share(value, 1)) * get("surface").box.h;
  const share = (/** @type {number} */ value, /** @type {number} */ axis) =>
    (value - ends(axis).min) / (ends(axis).max - ends(axis).min);

  /** The position of the pointer, as fractions of the axes. @param {MouseEvent} event @returns {Place} */
  function under(event) {
    const { box, width, height } = get("surface");
    const { across, down } = placeIn(event, root);
    return [(across * width - box.x) / box.w, 1 - (down * height - box.y) / box.h];
  }

  /** The coordinates of the pointer, clipped to the surface. @param {MouseEvent} event @returns {Place} */
  function at(event) {
    const [left, up] = under(event).map((part, axis) => {
      const range = ends(axis);
      return snapped(range.min + part * (range.max - range.min), range);
    });
    return [left, up];
  }

  /** The grid point nearest to the pointer. @param {MouseEvent} event @returns {[number, number]} */
  function nearest(event) {
    const [column, row] = under(event).map((part, axis) => {
      const last = get("surface").places[axis].length - 1;
      return clamp(Math.round(part * last), 0, last);
    });
    return [row, column];
  }

  /** @param {PointerEvent} event */
  function grab(event) {
    if (!put || under(event).some((part) => part < 0 || part > 1)) return false;
    look(null);
    put(at(event), true);
    return true;
  }

  /** @param {boolean} _ @param {PointerEvent} event */
  function drag(_, event) {
    put?.(at(event), true);
  }

  /** @param {[number, number] | null} place */
  function look(place) {
    if (String(place) === String(here)) return;
    here = place;
    looked(here ? here.join(" ") : "");
    mark();
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    const [across, up] = get("surface").places;
    const far = event.shiftKey ? LEAP : 1;
    const move = ARROWS[event.key];
    if (!move && event.key !== "Enter" && event.key !== " ") return;
    claim(event);
    const [row, column] = here ?? reached ?? [(up.length - 1) >> 1, (across.length - 1) >> 1];
    if (move) {
      reached = [clamp(row - far * move[0], 0, up.length - 1), clamp(column + far * move[1], 0, across.length - 1)];
      return look(reached);
    }
    look(null); // the sentence is about the ball then
    put?.([across[column], up[row]], false);
  }

  /** The start's number on an axis, which can be typed, dragged, or moved with keys. @param {number} axis */
  function makeAxisBox(axis) {
    const box = makeBox(get("surface").names[axis], (value) => go(value, false));
    const move = (/** @type {number} */ value, /** @type {boolean} */ held) => {
      const place = start();
      if (place) put?.(axis ? [place[0], value] : [value, place[1]], held);
    };
    const go = (/** @type {number} */ value, /** @type {boolean} */ held) =>
      move(clamp(value, ends(axis).min, ends(axis).max), held);
    return {
      ...box,
      element: set(box.element, {
        class: `al-box al-surface-number al-surface-number-${"xy"[axis]}`,
        onmousedown: (event) => document.activeElement === box.element || event.preventDefault(),
        onkeydown(event) {
          const steps = { ArrowUp: 1, ArrowDown: -1 }[event.key];
          const place = start();
          if (!steps || !place) return;
          claim(event);
          go(snapped(place[axis] + steps * ends(axis).step * (event.shiftKey ? 10 : 1), ends(axis)), false);
        },
        ...draggable(
          (event) => ({ x: event.clientX, y: event.clientY, moved: false }),
          (hold, event) => {
            hold.moved ||= Math.hypot(event.clientX - hold.x, event.clientY - hold.y) > A_CLICK;
            if (hold.moved) move(at(event)[axis], true);
          },
          (hold, event) => (hold.moved ? move(at(event)[axis], false) : box.element.select()),
        ),
      }),
    };
  }

  /** Draw the cross and the start. */
  function mark() {
    const [across, up] = get("surface").places;
    set(cross, { d: here ? `M${x(across[here[1]]) - 7} ${y(up[here[0]])}h14m-7 -7v14` : null });
    const place = start();
    ring.style.display = place ? "" : "none";
    boxes.forEach((box, axis) => {
      box.element.hidden = !place;
      if (place) box.show(place[axis]);
    });
    if (!place) return;
    const { box, width, height } = get("surface");
    const [left, top] = [x(place[0]), y(place[1])];
    set(ring, { cx: left, cy: top });
    if (!boxes.length) return;
    lay(boxes[0].element, { left: left / width, top: (box.y + box.h) / height });
    lay(boxes[1].element, { left: box.x / width, top: top / height });
    const over = boxes.map(({ element }) => element.getBoundingClientRect());
    for (const text of ground.querySelectorAll("text")) {
      const at = text.getBoundingClientRect();
      const isCut = over.some((o) => at.left < o.right && at.right > o.left && at.top < o.bottom && at.bottom > o.top);
      text.style.visibility = isCut ? "hidden" : "";
    }
  }

  function update() {
    const shown = get("surface");
    const { box, width, height, side } = shown;
    lay(canvas, { left: box.x / width, top: box.y / height, width: box.w / width, height: box.h / height });
    root.style.setProperty("--al-shape", String(width / height));
    paint(canvas, { rows: side, cols: side, scale: 1 }, floats(shown.cells), view.colors);
    const told = `${shown.description} ${words[get("still") ? "still" : "rest"]}`;
    set(lines, { "aria-label": told });
    for (const part of [inside, way]) {
      const [px, py, w, h] = [box.x, box.y, box.w, box.h];
      set(part, { x: px, y: py, width: w, height: h, viewBox: `${px} ${py} ${w} ${h}` });
    }
    inside.replaceChildren(
      ...shown.levels.map((/** @type {string} */ d) => svg("path.al-surface-level", { d })),
      ...(get("arrows") ?? []).map((/** @type {number[]} */ from) => svg("path.al-surface-arrow", { d: arrow(from) })),
    );
    // letters keep their size on the screen, whatever the size of the picture
    const unit = width / (root.clientWidth || width);
    const letter = (unit * Number.parseFloat(getComputedStyle(root).fontSize)) / MADE_FOR;
    root.style.setProperty("--al-unit", String(unit));
    ground.replaceChildren(...axes(shown, letter), ...legend(shown, letter, view.colors, words[`tone_${shown.tone}`]));
    const drawn = ground.getBBox(); // in a small picture, the letters are outside of its frame
    const [left, top] = [Math.min(0, drawn.x), Math.min(0, drawn.y)];
    const [w, h] = [Math.max(width, drawn.x + drawn.width) - left, Math.max(height, drawn.y + drawn.height) - top];
    set(lines, { viewBox: `${left} ${top} ${w} ${h}` });
    lay(lines, { left: left / width, top: top / height, width: w / width, height: h / height });
    mark();
    draw();
  }

  /** Draw the paths of the balls up to a step. */
  function draw() {
    const { rolls, step } = rolling;
    way.replaceChildren(
      ...rolls.flatMap(({ places }, k) => {
        const past = places.slice(0, step + 1);
        const [cx, cy] = past.at(-1);
        const color = `var(--al-line${FIRST_COLOR + k})`;
        const line = { stroke: color, "stroke-dasharray": k ? `var(--al-dash${FIRST_COLOR + k})` : null };
        return [
          svg("path.al-surface-rest", { d: `M${places.join("L")}`, ...line }),
          svg("path.al-surface-halo", { d: `M${past.join("L")}` }),
          svg("path.al-surface-way", { d: `M${past.join("L")}`, ...line }),
          svg("circle.al-surface-ball", { cx, cy, r: 7, fill: color }),
        ];
      }),
    );
  }

  const resized = new ResizeObserver(() => get("surface") && update());
  resized.observe(root);
  return {
    root,
    update,
    mark,
    /** The nearest starting point for which a saved page holds a path. @param {Place} place @returns {string} */
    nearestStart(place) {
      const far = (/** @type {string} */ start) =>
        Math.hypot(...start.split(" ").map((value, axis) => share(Number(value), axis) - share(place[axis], axis)));
      const starts = /** @type {string[]} */ (get("surface").starts);
      return starts.reduce((best, start) => (far(start) < far(best) ? start : best));
    },
    /** The numbers at the grid point that is pointed at, which are never interpolated. */
    says() {
      const { places, names, losses } = get("surface");
      if (!here) return "";
      const [row, column] = here;
      const known = get("look").here === here.join(" ") ? get("slope") : null;
      const loss = known?.loss ?? short(floats(losses)[row * places[0].length + column]);
      const slope = known ? `gradient (${known.slope.join(", ")})` : get("still") ? words.unknown : "\u2026";
      const place = [column, row].map((k, axis) => `${names[axis]} = ${short(places[axis][k])}`);
      return `${place.join(", ")}: loss ${loss}, ${slope}`;
    },
    /** @param {any[]} rolls @param {number} step */
    roll(rolls, step) {
      rolling = { rolls, step };
      key.hidden = rolls.length < 2;
      key.replaceChildren(
        ...rolls.map(({ optimizer }, k) => {
          const name = html("span", optimizer);
          name.style.setProperty("--al-way", `var(--al-line${FIRST_COLOR + k})`);
          return name;
        }),
      );
      draw();
      mark();
    },
    close: () => resized.disconnect(),
  };
}
