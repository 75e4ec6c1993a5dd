// @ts-check
/** A large array as a small picture, on which the window of cells is chosen: by pointer, or with the arrow keys. */

import { entry, SHADES } from "./colors.js";
import { html, set, write } from "./dom.js";

const WINDOW = 8;

/** @param {import("./controls.js").Control} first @param {import("./controls.js").Act} act */
export function makeMap(first, act) {
  let control = first;
  const canvas = html("canvas", { class: "al-map-canvas", role: "img", tabindex: 0, onpointerdown: grab, onpointermove: moved, onkeydown: pressed });
  const frame = html("div", { class: "al-map-window" });
  const note = html("span", { class: "al-note" });
  const picture = html("div", { class: "al-map-picture" }, canvas, frame);

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
    show(((event.clientY - area.top) / area.height) * rows - WINDOW / 2, ((event.clientX - area.left) / area.width) * columns - WINDOW / 2);
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    const { top, left } = control.map;
    const way = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], PageUp: [-WINDOW, 0], PageDown: [WINDOW, 0] }[event.key];
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
      if (shade !== null) image.data.set(bytes.subarray(4 * entry(shade / SHADES), 4 * entry(shade / SHADES) + 4), 4 * k);
    });
    canvas.getContext("2d").putImageData(image, 0, 0);
  }

  return {
    element: html("div", { class: "al-map" }, picture, note),
    /** @param {import("./controls.js").Control} next @param {import("./colors.js").ColorMap} colors */
    update(next, colors) {
      control = next;
      const { rows, columns, top, left } = next.map;
      const [high, wide] = [Math.min(WINDOW, rows), Math.min(WINDOW, columns)];
      paint(colors);
      picture.style.aspectRatio = String(Math.max(0.6, Math.min(4, columns / rows)));
      const place = { top: top / rows, left: left / columns, height: high / rows, width: wide / columns };
      for (const [name, part] of Object.entries(place)) frame.style[name] = `${100 * part}%`;
      const shown = `rows ${top}\u2013${top + high - 1} of ${rows}, columns ${left}\u2013${left + wide - 1} of ${columns}`;
      write(note, shown);
      set(canvas, { "aria-label": `All of ${next.label}; the cells below are ${shown}. The arrow keys choose others.` });
    },
  };
}
