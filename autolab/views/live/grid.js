// @ts-check
/** An array as cells: drag one, or use the arrow keys, and the number follows. Of a large array, a window of cells. */

import { SHADES, entry } from "./colors.js";
import { entitled, makeBox } from "./controls.js";
import { button, choice, html, inCell, set, write } from "./dom.js";

export const PIXELS_PER_RANGE = 240; // a drag of a number over this length crosses the whole range

/** @typedef {{x: number, y: number, value: number, axis: "" | "x" | "y"}} Drag */

/** @param {import("./controls.js").Control} first @param {import("./controls.js").Act} act */
export function makeGrid(first, act) {
  let control = first;
  /** @type {import("./colors.js").ColorMap} */
  let colors;
  /** @type {(number | null)[][]} */
  let values = [];
  let chosen = [0, 0];
  /** @type {Drag | null} */
  let drag = null;

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
      onpointerdown: (event) => grab(event, i, j),
      onpointermove: dragged,
      onpointerup: released,
      onpointercancel: released,
    });
  }

  /** The place in the flattened array. @param {number} i @param {number} j */
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
    write(cell, value === null ? "\u00d7" : inCell(value, cells[0].length > 5));
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

  /** @param {PointerEvent} event @param {number} i @param {number} j */
  function grab(event, i, j) {
    if (event.button !== 0 || drag) return;
    cells[i][j].setPointerCapture(event.pointerId);
    choose(i, j);
    drag = { x: event.clientX, y: event.clientY, value: values[i][j] ?? 0, axis: "" };
  }

  /** Up or to the right is more; the direction of the first pixels counts. @param {PointerEvent} event */
  function dragged(event) {
    if (!drag) return;
    const way = { x: event.clientX - drag.x, y: drag.y - event.clientY };
    if (!drag.axis) {
      if (Math.max(Math.abs(way.x), Math.abs(way.y)) < 3) return;
      drag.axis = Math.abs(way.x) > Math.abs(way.y) ? "x" : "y";
    }
    const value = drag.value + (way[drag.axis] / PIXELS_PER_RANGE) * (control.max - control.min);
    const inside = Math.max(control.min, Math.min(control.max, value));
    change(Math.round(inside / control.step) * control.step, false);
  }

  function released() {
    const moved = drag?.axis;
    drag = null;
    if (moved) change(values[chosen[0]][chosen[1]] ?? 0, true);
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

/** The index as the user writes it. @param {number[]} shape @param {number} k */
export function bracketOf(shape, k) {
  const index = [];
  for (const n of [...shape].reverse()) {
    index.unshift(k % n);
    k = Math.floor(k / n);
  }
  return `[${index.join(", ")}]`;
}

// Random numbers for an array: the same seed draws the same numbers.

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
  return html(
    "div.al-draw",
    button("Draw", draw, { "aria-label": `Draw ${control.label} at random` }),
    kind,
    html("span.al-draw-numbers", html("label", "scale ", size.element), html("label", "seed ", start.element)),
  );
}

// A large array as a small picture, on which the window of cells is chosen: by pointer, or with the arrow keys.

const WINDOW = 8;

/** @param {import("./controls.js").Control} first @param {import("./controls.js").Act} act */
function makeMap(first, act) {
  let control = first;
  const canvas = html("canvas.al-map-canvas", {
    role: "img",
    tabindex: 0,
    onpointerdown: grab,
    onpointermove: moved,
    onkeydown: pressed,
  });
  const frame = html("div.al-map-window");
  const note = html("span.al-note");
  const picture = html("div.al-map-picture", canvas, frame);

  /** @param {number} row @param {number} column */
  function show(row, column) {
    act.window(control, Math.round(row), Math.round(column)); // Python keeps the window inside
  }

  /** @param {PointerEvent} event */
  function grab(event) {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    moved(event);
  }

  /** The window's middle follows the pointer. @param {PointerEvent} event */
  function moved(event) {
    if (!canvas.hasPointerCapture(event.pointerId)) return;
    const area = canvas.getBoundingClientRect();
    const { rows, columns } = control.map;
    show(
      ((event.clientY - area.top) / area.height) * rows - WINDOW / 2,
      ((event.clientX - area.left) / area.width) * columns - WINDOW / 2,
    );
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    const { top, left } = control.map;
    const way = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      PageUp: [-WINDOW, 0],
      PageDown: [WINDOW, 0],
    }[event.key];
    if (!way) return;
    event.preventDefault();
    const far = event.shiftKey ? WINDOW : 1;
    show(top + way[0] * far, left + way[1] * far);
  }

  /** @param {import("./colors.js").ColorMap} colors */
  function paint({ bytes }) {
    const { shades } = control.map;
    set(canvas, { width: shades[0].length, height: shades.length });
    const image = new ImageData(canvas.width, canvas.height);
    shades.flat().forEach((/** @type {number | null} */ shade, /** @type {number} */ k) => {
      if (shade !== null)
        image.data.set(bytes.subarray(4 * entry(shade / SHADES), 4 * entry(shade / SHADES) + 4), 4 * k);
    });
    canvas.getContext("2d").putImageData(image, 0, 0);
  }

  return {
    element: html("div.al-map", picture, note),
    /** @param {import("./controls.js").Control} next @param {import("./colors.js").ColorMap} colors */
    update(next, colors) {
      control = next;
      const { rows, columns, top, left } = next.map;
      const [high, wide] = [Math.min(WINDOW, rows), Math.min(WINDOW, columns)];
      paint(colors);
      picture.style.aspectRatio = String(Math.max(0.6, Math.min(4, columns / rows)));
      const place = { top: top / rows, left: left / columns, height: high / rows, width: wide / columns };
      for (const [name, part] of Object.entries(place)) frame.style[name] = `${100 * part}%`;
      const down = `rows ${top}\u2013${top + high - 1} of ${rows}`;
      const shown = `${down}, columns ${left}\u2013${left + wide - 1} of ${columns}`;
      write(note, shown);
      set(canvas, {
        "aria-label": `All of ${next.label}; the cells below are ${shown}. The arrow keys choose others.`,
      });
    },
  };
}
