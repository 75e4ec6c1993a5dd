// @ts-check
/**
 * A network drawn unit by unit over the plane of its two features: a small picture for each unit, lines whose width
 * shows the weight, and beside them the result with the examples, or the selected unit with its gradients.
 */

import { paint } from "../live/colors.js";
import { button, html, lay, set, short, svg, tellOrHide, write } from "../live/dom.js";
import { floats } from "../live/heatmap.js";

const UNIT = 46; // side of a unit's picture, and distances, in the units of the drawing
const GAP = 12;
const BETWEEN = 96;
const WIDEST = 7;
const FAINT = 0.18; // opacity of a line that does not lead to the selected unit

/**
 * @typedef {{units: string[], titles: string[], note: string, pictures: DataView[], weights: (number | null)[][], bias:
 *   (number | null)[], gradients: (number | null)[][] | null, bias_gradients: (number | null)[] | null}} Column
 * @typedef {{title: string, absent: string, columns: Column[], classes: number, result: DataView,
 *   zero: string}} Net
 * @typedef {{side: number, low: number[], high: number[], x: [number, number][], t: number[], axes:
 *   string}} Examples
 */

/** @param {import("../graph/explorer.js").View} view */
export function makeBoundary(view) {
  const { get } = view;
  const words = get("words");
  const absent = html("p.al-status");
  const lines = svg("svg.al-net-lines", { "aria-hidden": "true" });
  const boxes = html("div");
  const drawing = html("div.al-net", { role: "group", "aria-label": words.plane }, lines, boxes);
  const large = makePlane();
  const told = html("p.al-note.al-net-told", { role: "status" });
  const table = html("table.al-net-table");
  const back = button(words.back, () => choose(null));
  const side = html("div.al-net-side", told, large.root, table, back);
  const notes = html("p.al-note");
  const panel = html("section.al-boundary", { "aria-label": words.plane }, absent, drawing, side, notes);
  /** @type {[number, number] | null} layer and unit */
  let chosen = null;

  /** @param {[number, number] | null} place */
  function choose(place) {
    const isSame = place && chosen && place.join() === chosen.join();
    chosen = isSame ? null : place;
    show();
  }

  function show() {
    /** @type {Net | null} */
    const net = get("boundary");
    panel.hidden = !get("examples") || !net;
    if (!net || panel.hidden) return;
    tellOrHide(absent, net.absent);
    for (const part of [drawing, side, notes]) part.hidden = Boolean(net.absent);
    if (net.absent) return;
    if (chosen && !net.columns[chosen[0]]?.units[chosen[1]]) chosen = null;
    draw(net);
    tell(net);
    write(notes, [words.weights, ...net.columns.map(({ note }) => note)].filter(Boolean).join(" "));
  }

  /** @param {Net} net */
  function draw({ columns }) {
    const high = Math.max(...columns.map(({ units }) => units.length)) * (UNIT + GAP);
    const wide = columns.length * (UNIT + BETWEEN) - BETWEEN;
    const left = (/** @type {number} */ i) => i * (UNIT + BETWEEN);
    const top = (/** @type {number} */ i, /** @type {number} */ j) =>
      (high - columns[i].units.length * (UNIT + GAP)) / 2 + j * (UNIT + GAP);
    set(lines, { viewBox: `0 0 ${wide} ${high}` });
    drawing.style.aspectRatio = `${wide} / ${high}`;
    drawing.style.maxWidth = `${wide / 12}em`; // so that a unit is at most about 4 em wide
    lines.replaceChildren(
      ...columns.flatMap((column, i) => {
        const greatest = Math.max(...column.weights.flat().map((w) => Math.abs(w ?? 0)), 1e-30);
        return column.weights.flatMap((row, j) =>
          row.map((weight, k) => {
            const [x, y, u, v] = [left(i - 1) + UNIT, top(i - 1, k) + UNIT / 2, left(i), top(i, j) + UNIT / 2];
            const isNear = !chosen || (chosen[0] === i && chosen[1] === j);
            return svg("path", {
              d: `M${x} ${y}C${x + BETWEEN / 2} ${y} ${u - BETWEEN / 2} ${v} ${u} ${v}`,
              stroke: weight === null ? "currentColor" : view.colors.css(Math.sign(weight) * 0.75),
              "stroke-width": (0.4 + (WIDEST * Math.abs(weight ?? 0)) / greatest).toFixed(2),
              "stroke-dasharray": weight === null ? "3 3" : null,
              opacity: isNear ? null : FAINT,
            });
          }),
        );
      }),
    );
    const names = columns.flatMap(({ units }, i) => units.map((_, j) => `${i},${j}`));
    if (names.join(" ") !== boxes.dataset.names) {
      boxes.dataset.names = names.join(" ");
      boxes.replaceChildren(
        ...columns.flatMap(({ units, titles }, i) =>
          units.map((unit, j) => {
            const box = html(
              "button.al-net-unit",
              { type: "button", "aria-label": titles[j], title: unit, onclick: () => choose([i, j]) },
              html("canvas"),
            );
            return lay(box, { left: left(i) / wide, top: top(i, j) / high, width: UNIT / wide });
          }),
        ),
      );
    }
    columns.forEach(({ pictures }, i) =>
      pictures.forEach((picture, j) => {
        const box = boxes.children[names.indexOf(`${i},${j}`)];
        set(box, { "aria-pressed": String(chosen?.[0] === i && chosen[1] === j) });
        paintAlone(box.firstElementChild, floats(picture), view.colors);
      }),
    );
  }

  /** Show the large picture, and what leads to the selected unit. @param {Net} net */
  function tell({ columns, classes, result, zero }) {
    const examples = get("examples");
    const column = chosen && columns[chosen[0]];
    write(told, column && chosen ? column.titles[chosen[1]] : words.result);
    back.hidden = !chosen;
    if (column && chosen) large.update(examples, floats(column.pictures[chosen[1]]), 1, "", view.colors);
    else large.update(examples, floats(result), classes, zero, view.colors);
    const rows = [];
    if (column?.weights.length && chosen) {
      const [i, j] = chosen;
      const row = (/** @type {string} */ name, /** @type {any} */ value, /** @type {any} */ gradient) =>
        html(
          "tr",
          html("th", { scope: "row" }, name),
          html("td", written(value)),
          html("td.al-net-gradient", gradient === undefined ? "" : written(gradient)),
        );
      rows.push(
        html("tr", ...[words.from, words.weight, words.gradient_of].map((w) => html("th", { scope: "col" }, w))),
        ...columns[i - 1].units.map((name, k) => row(name, column.weights[j][k], column.gradients?.[j][k])),
        row(words.bias, column.bias[j], column.bias_gradients?.[j]),
      );
    }
    table.replaceChildren(...rows);
    table.hidden = !rows.length;
  }

  return { root: panel, show };
}

/** The centre of a cell of a picture, in percent. @param {number} cell @param {number} side */
const middle = (cell, side) => (100 * (cell + 0.5)) / side;

/** @param {number | null} value */
const written = (value) => (value === null ? "NaN" : short(value, 3));

/**
 * Paint a square of numbers with its own colour scale; 0 is transparent.
 * @param {any} canvas
 * @param {Float32Array} data
 * @param {import("../live/colors.js").ColorMap} colors
 */
function paintAlone(canvas, data, colors) {
  const side = Math.sqrt(data.length);
  paint(canvas, { rows: side, cols: side, scale: strongest(data) }, data, colors);
}

/** @param {Float32Array} data */
const strongest = (data) => data.reduce((most, v) => (Number.isFinite(v) ? Math.max(most, Math.abs(v)) : most), 0);

/** A plane with the examples, and the line where numbers change sign. */
function makePlane() {
  const canvas = html("canvas.al-net-plane", { "aria-hidden": "true" });
  const points = svg("svg.al-net-points", { viewBox: "0 0 100 100", preserveAspectRatio: "none" });
  const axes = html("p.al-note");
  const root = html("div", html("div.al-net-frame-large", canvas, points), axes);
  return {
    root,
    /**
     * @param {Examples} examples
     * @param {Float32Array} data
     * @param {number} classes 1: a unit; 2: the value that separates two classes at 0; more: class indices
     * @param {string} zero the path of the line along which it is 0
     * @param {import("../live/colors.js").ColorMap} colors
     */
    update({ side, low, high, x, t, axes: told }, data, classes, zero, colors) {
      const many = classes > 2;
      if (many) paintClasses(canvas, side, data);
      else paintAlone(canvas, data, colors);
      const place = (/** @type {number} */ v, /** @type {number} */ i) =>
        middle(((side - 1) * (v - low[i])) / (high[i] - low[i]), side);
      const binary = Math.max(...t) < 2;
      points.replaceChildren(
        ...(zero ? [svg("path.al-net-zero", { d: zero })] : []),
        ...x.flatMap(([across, up], n) => {
          const d = `M${place(across, 0).toFixed(2)} ${(100 - place(up, 1)).toFixed(2)}h0`;
          const stroke = binary ? colors.css(t[n] ? 0.95 : -0.95) : `var(--al-line${t[n] % 8})`;
          return [svg("path.al-net-point.al-net-ring", { d }), svg("path.al-net-point", { d, stroke })];
        }),
      );
      write(axes, told);
    },
  };
}

/**
 * Paint the colours of classes, paler than those of their examples.
 * @param {any} canvas
 * @param {number} side
 * @param {Float32Array} data
 */
function paintClasses(canvas, side, data) {
  set(canvas, { width: side, height: side });
  const context = canvas.getContext("2d");
  const style = getComputedStyle(canvas);
  context.globalAlpha = 0.35;
  data.forEach((k, n) => {
    context.fillStyle = style.getPropertyValue(`--al-line${k % 8}`);
    context.fillRect(n % side, Math.floor(n / side), 1, 1);
  });
}
