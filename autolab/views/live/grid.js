// @ts-check
/** An array as cells: drag one, or use the arrow keys, and the number follows. A large array has a window of cells. */

import { SHADES, paint } from "./colors.js";
import { entitled, makeBox } from "./controls.js";
import { bracketOf, button, choice, html, inCell, layOverCells, set, write } from "./dom.js";
import { ARROWS, clamp, draggable, placeIn, pulled } from "./hand.js";

/** @param {import("./controls.js").Control} first @param {import("./controls.js").Act} act */
export function makeGrid(first, act) {
  let control = first;
  /** @type {import("./colors.js").ColorMap} */
  let colors;
  /** @type {(number | null)[][]} */
  let values = [];
  let chosen = [0, 0];

  const drags = draggable(grab, dragged, released);
  const where = html("span.al-where");
  const box = makeBox(first.label, (value) => change(value, true));
  const cells = first.values.map((/** @type {any[]} */ row, /** @type {number} */ i) =>
    row.map((_, j) => makeCell(i, j)),
  );
  const table = html(
    "div.al-cells",
    { role: "group", "aria-label": first.label },
    ...cells.map((/** @type {HTMLElement[]} */ row) => html("div.al-row", ...row)),
  );
  table.style.setProperty("--al-columns", cells[0].length);
  table.classList.toggle("al-broad", cells[0].length > 3);
  table.classList.toggle("al-tight", cells[0].length > 5);
  const map = first.map && makeMap(first, act);

  /** @param {number} i @param {number} j */
  function makeCell(i, j) {
    return html("div.al-cell", {
      role: "spinbutton",
      tabindex: -1,
      onfocus: () => choose(i, j),
      onkeydown: pressed,
      ...drags,
    });
  }

  /** The index in the flattened array. @param {number} i @param {number} j */
  const flat = (i, j) => control.first + i * control.stride + j;

  /** @param {number} i @param {number} j */
  function choose(i, j) {
    set(cells[chosen[0]][chosen[1]], { tabindex: -1 });
    chosen = [i, j];
    set(cells[i][j], { tabindex: 0 });
    write(where, bracketOf(control.shape, flat(i, j)));
    box.show(values[i][j]);
  }

  /** @param {number} i @param {number} j */
  function paint(i, j) {
    const value = values[i][j];
    const t = (value ?? 0) / Math.max(Math.abs(control.min), Math.abs(control.max));
    const cell = set(cells[i][j], {
      "aria-label": control.label + bracketOf(control.shape, flat(i, j)),
      "aria-valuenow": value,
      "aria-valuetext": value === null && "not finite",
      title: value ?? "not finite",
    });
    write(cell, value === null ? "\u00d7" : inCell(value, cells[0].length > 5 ? 5 : Infinity));
    cell.style.background = colors.css(t);
    cell.style.color = colors.ink(t);
  }

  /** @param {number} value @param {boolean} final */
  function change(value, final) {
    const [i, j] = chosen;
    values[i][j] = Number(value.toPrecision(12)); // 0.1 + 0.2 is to read 0.3
    paint(i, j);
    box.show(values[i][j]);
    act.move(control, flat(i, j), values[i][j], final);
  }

  /** @param {PointerEvent} event @returns {import("./hand.js").Pull} */
  function grab(event) {
    const k = cells.flat().indexOf(event.currentTarget);
    choose(Math.floor(k / cells[0].length), k % cells[0].length);
    return { x: event.clientX, y: event.clientY, value: values[chosen[0]][chosen[1]] ?? 0, axis: "" };
  }

  /** @param {import("./hand.js").Pull} hold @param {PointerEvent} event */
  function dragged(hold, event) {
    const value = pulled(hold, event, control);
    if (value !== null) change(value, false);
  }

  /** @param {import("./hand.js").Pull} hold */
  function released(hold) {
    if (hold.axis) change(values[chosen[0]][chosen[1]] ?? 0, true);
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    const [i, j] = chosen;
    const sign = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (sign) change((values[i][j] ?? 0) + sign * (event.shiftKey ? 10 : 1) * control.step, true);
    else if (step) {
      const all = cells.flat();
      all[(all.indexOf(cells[i][j]) + step + all.length) % all.length].focus();
    } else if (event.key === "Enter") box.element.focus();
    else return;
    event.preventDefault();
  }

  return {
    element: entitled(first, [where, box.element], [...(map ? [map.element] : []), table, makeDraw(first, act)]),
    /** @param {import("./controls.js").Control} next @param {import("./colors.js").ColorMap} scheme */
    update(next, scheme) {
      control = next;
      colors = scheme;
      values = next.values.map((/** @type {any[]} */ row) => [...row]);
      values.forEach((row, i) => row.forEach((_, j) => paint(i, j)));
      choose(chosen[0], chosen[1]);
      map?.update(next, scheme);
    },
  };
}

// Random numbers for an array: the same seed gives the same numbers.

const SEEDS = 2 ** 32;

/** @param {import("./controls.js").Control} control @param {import("./controls.js").Act} act */
function makeDraw(control, act) {
  let [scale, seed] = [1, 0];
  let last = "";
  const kind = choice(["normal", "uniform"], { "aria-label": `${control.label}, distribution` });
  const size = makeBox(`${control.label}, scale`, (value) => {
    scale = value > 0 ? value : scale;
    size.show(scale);
  });
  const start = makeBox(`${control.label}, seed`, (value) => {
    seed = clamp(Math.round(value), 0, SEEDS - 1);
    last = "";
    start.show(seed);
  });

  /** The first draw uses the seed that is shown, each further one the next seed. */
  function draw() {
    if (last === `${kind.value} ${scale} ${seed}`) start.show((seed = (seed + 1) % SEEDS));
    last = `${kind.value} ${scale} ${seed}`;
    act.draw?.(control, kind.value, scale, seed);
  }

  size.show(scale);
  start.show(seed);
  return html(
    "div.al-draw",
    button("Draw", draw, { "aria-label": `Draw ${control.label} at random` }),
    kind,
    html("span.al-draw-numbers", html("label", "scale ", size.element), html("label", "seed ", start.element)),
  );
}

// A large array as a small picture, on which the window of cells is moved with the pointer or the arrow keys.

const WINDOW = 8;

/** @param {import("./controls.js").Control} first @param {import("./controls.js").Act} act */
function makeMap(first, act) {
  let control = first;
  const canvas = html("canvas.al-map-canvas", {
    role: "img",
    tabindex: 0,
    ...draggable((event) => (moved(true, event), true), moved),
    onkeydown: pressed,
  });
  const frame = html("div.al-map-window");
  const note = html("span.al-note");
  const picture = html("div.al-map-picture", canvas, frame);

  /** @param {number} row @param {number} column */
  function show(row, column) {
    act.window?.(control, Math.round(row), Math.round(column)); // Python keeps the window inside
  }

  /** The centre of the window follows the pointer. @param {boolean} _ @param {PointerEvent} event */
  function moved(_, event) {
    const { across, down } = placeIn(event, canvas);
    show(down * control.map.rows - WINDOW / 2, across * control.map.columns - WINDOW / 2);
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    const { top, left } = control.map;
    const way = { ...ARROWS, PageUp: [-WINDOW, 0], PageDown: [WINDOW, 0] }[event.key];
    if (!way) return;
    event.preventDefault();
    const far = event.shiftKey ? WINDOW : 1;
    show(top + way[0] * far, left + way[1] * far);
  }

  return {
    element: html("div.al-map", picture, note),
    /** @param {import("./controls.js").Control} next @param {import("./colors.js").ColorMap} colors */
    update(next, colors) {
      control = next;
      const { rows, columns, top, left } = next.map;
      const [high, wide] = [Math.min(WINDOW, rows), Math.min(WINDOW, columns)];
      const shades = next.map.shades;
      paint(canvas, { rows: shades.length, cols: shades[0].length, scale: SHADES }, shades.flat(), colors);
      picture.style.aspectRatio = String(clamp(columns / rows, 0.6, 4));
      layOverCells(frame, [top, left, high, wide], { rows, cols: columns });
      const down = `rows ${top}\u2013${top + high - 1} of ${rows}`;
      const shown = `${down}, columns ${left}\u2013${left + wide - 1} of ${columns}`;
      write(note, shown);
      set(canvas, {
        "aria-label": `All of ${next.label}; the cells below are ${shown}. The arrow keys choose others.`,
      });
    },
  };
}
