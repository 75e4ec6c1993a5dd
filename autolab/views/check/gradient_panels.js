// @ts-check
/** For each input three heatmaps side by side: analytic, numeric, error. One cell is chosen, in all three. */

import { makeHeatLegend, paint } from "../live/colors.js";
import {
  SCALES,
  captioned,
  html,
  layOverCells,
  makeBadge,
  makeSegments,
  set,
  short,
  tellOrHide,
  write,
} from "../live/dom.js";
import { ARROWS, cellUnder, claim } from "../live/hand.js";
import { floats, labelled, print } from "../live/heatmap.js";

const KINDS = ["analytic", "numeric", "error"];

/** @typedef {{key: number, row: number, column: number}} Cell */

/**
 * The message that chooses a cell of an input, or its worst element, and moves that.
 * @param {number} input
 * @param {number[] | null} cell
 */
export const toCell = (input, cell = null) => ({ do: "turn", to: { input, cell, whole: false } });

/** @param {import("../graph/explorer.js").View} view */
export function makeTriosPart(view) {
  const { get, send } = view;
  const keys = html("p.al-note", get("words").lens_keys);
  const root = html("div.al-trios");
  const scales = makeSegments(get("words").lens_colors, SCALES, (scale) => send({ do: "turn", to: { scale } }));
  const colors = captioned({ class: "al-order-control al-sans" }, get("words").lens_colors, scales.root);
  /** @type {Cell | null} */
  let ahead = null; // where the user's hand is, while the kernel follows
  /** @type {ReturnType<typeof makeTrio>[]} */
  let trios = [];
  let built = "";

  /** @param {number} key @param {number} row @param {number} column */
  function choose(key, row, column) {
    const { rows, cols } = get("check").panels[key];
    if (row < 0 || row >= rows || column < 0 || column >= cols) return;
    const mine = (ahead = { key, row, column });
    send(toCell(key, [row, column]), () => ahead === mine && ((ahead = null), mark()));
    mark();
  }

  const here = () => ahead ?? { ...get("chosen"), key: get("chosen").input };

  function mark() {
    trios.forEach((trio, key) => trio.mark(here().key === key ? here() : null, get("check").panels[key].worst));
  }

  function fill() {
    const { panels } = get("check");
    const structure = JSON.stringify(
      panels.map((/** @type {any} */ p) => [
        p.name,
        p.shape,
        KINDS.map((kind) => p.arrays[kind].absent ?? [p.arrays[kind].rows, p.arrays[kind].cols]),
      ]),
    );
    if (built !== (built = structure)) {
      trios = panels.map((/** @type {any} */ panel, /** @type {number} */ key) =>
        makeTrio(view, panel, (row, column) => choose(key, row, column), here),
      );
      root.replaceChildren(...trios.map((trio) => trio.root));
    }
    panels.forEach((/** @type {any} */ panel, /** @type {number} */ key) => trios[key].update(panel));
    scales.choose(get("look").scale);
    colors.hidden = keys.hidden = !root.querySelector("canvas");
    mark();
  }

  return { places: { header: [colors], middle: [root, keys] }, on: { "check look": fill, chosen: mark }, paint: fill };
}

/**
 * @param {import("../graph/explorer.js").View} view
 * @param {any} first
 * @param {(row: number, column: number) => void} choose
 * @param {() => Cell} here
 */
function makeTrio(view, first, choose, here) {
  const { get } = view;
  const words = get("words");
  const badge = makeBadge();
  const maps = KINDS.map((kind) => (first.arrays[kind].absent ? makeAbsent() : makeMap(view, choose, here)));
  const root = html(
    "section.al-trio",
    { "aria-label": first.name },
    html("header.al-trio-head", html("h3.al-name", first.name), html("span.al-where", first.shape), badge.root),
    html(
      "div.al-trio-maps",
      ...KINDS.map((kind, i) =>
        html(
          "div.al-trio-map",
          html("h4", words[`lens_${kind}`]),
          html("p.al-note", words[`lens_${kind}_says`]),
          maps[i].root,
        ),
      ),
    ),
  );
  const alike = KINDS.every(
    (kind) => first.arrays[kind].absent && first.arrays[kind].absent === first.arrays.analytic.absent,
  );
  if (alike) root.lastElementChild.replaceWith(html("p.al-note", first.arrays.analytic.absent));
  const wide = Math.max(...KINDS.map((kind) => first.arrays[kind].cols ?? 1));
  const numbered = KINDS.some((kind) => first.arrays[kind].cols && labelled(first.arrays[kind]));
  root.style.setProperty("--al-least", `${numbered ? Math.max(11, 3.05 * wide) : 12}em`);
  return {
    root,
    /** @param {any} panel */
    update(panel) {
      badge.show(panel.verdict, panel.word);
      set(root, { "data-verdict": panel.verdict });
      KINDS.forEach((kind, i) =>
        maps[i].update(
          { ...panel.arrays[kind], ...panel.arrays[kind].bars?.[get("look").scale] },
          `${words[`lens_${kind}`]}, ${panel.name}, ${panel.shape}`,
        ),
      );
    },
    /** @param {Cell | null} chosen @param {[number, number] | null} worst */
    mark(chosen, worst) {
      for (const map of maps) map.mark(chosen, worst);
    },
  };
}

function makeAbsent() {
  const root = html("p.al-absent-map");
  return { root, update: (/** @type {any} */ { absent }) => write(root, absent), mark() {} };
}

/**
 * @param {import("../graph/explorer.js").View} view
 * @param {(row: number, column: number) => void} choose
 * @param {() => Cell} here
 */
function makeMap(view, choose, here) {
  const canvas = html("canvas.al-canvas", { role: "img", tabindex: 0, onclick: clicked, onkeydown: pressed });
  const numbers = html("div.al-numbers", { "aria-hidden": "true" });
  const [worstMark, chosenMark] = [html("div.al-worst"), html("div.al-mark")];
  // behind the cells, which are clear where nothing was measured
  const halves = html("div.al-halves", { "aria-hidden": "true" });
  const frame = html("div.al-frame.al-mini", halves, canvas, numbers, worstMark, chosenMark);
  const [low, high, bar] = [html("span"), html("span"), html("canvas.al-bar")];
  // where the numbers stand in the cells
  const ends = html("div.al-scale", { "aria-hidden": "true" }, low, bar, high);
  const legend = makeHeatLegend(true);
  const note = html("p.al-note");
  let size = { rows: 1, cols: 1 };

  /** @param {MouseEvent} event */
  function clicked(event) {
    const cell = cellUnder(event, canvas, size);
    if (cell) choose(cell.row, cell.column);
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    const step = ARROWS[event.key];
    if (!step) return;
    claim(event);
    const { row, column } = here();
    choose(row + step[0], column + step[1]);
  }

  return {
    root: html("div", frame, ends, legend.root, note),
    /** @param {any} facts @param {string} label */
    update(facts, label) {
      size = facts;
      const { colors } = view;
      const data = floats(view.get("check").cells[facts.buffer]);
      set(canvas, { "aria-label": label });
      frame.classList.toggle("al-labelled", labelled(facts));
      frame.classList.toggle("al-blank", facts.blank === true);
      frame.style.setProperty("--al-rows", facts.rows);
      frame.style.setProperty("--al-cols", facts.cols);
      halves.replaceChildren(
        ...(facts.halves ?? []).map((/** @type {number[]} */ block) => layOverCells(html("div"), block, facts)),
      );
      paint(canvas, facts, data, colors);
      print(numbers, facts, data, colors);
      legend.update(facts, colors);
      const isPlain = labelled(facts) && facts.threshold === null; // else the bar says where the powers of ten begin
      const isClear = !facts.scale; // the error of a right input: no colour means anything
      legend.root.toggleAttribute("hidden", isPlain || isClear);
      ends.hidden = !isPlain || isClear;
      const [from, to] = facts.ends;
      paint(
        bar,
        { rows: 1, cols: 255, scale: 1 },
        Float32Array.from({ length: 255 }, (_, k) => from + ((to - from) * k) / 254),
        colors,
      );
      write(low, short(from * facts.scale, 3));
      write(high, short(to * facts.scale, 3));
      tellOrHide(note, facts.caption);
    },
    /** @param {Cell | null} chosen @param {[number, number] | null} worst */
    mark(chosen, worst) {
      layOverCells(chosenMark, chosen && [chosen.row, chosen.column], size);
      layOverCells(worstMark, worst, size);
    },
  };
}
