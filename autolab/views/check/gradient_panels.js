// @ts-check
/** Three heatmaps of an input side by side (analytic, numeric, error), and its formulas. A cell is selected in all. */

import { makeHeatLegend, rampOf } from "../live/colors.js";
import { html, layOverCells, set, short, tellOrHide, write } from "../live/dom.js";
import { ARROWS, cellUnder, claim } from "../live/hand.js";
import { floats, labelled, makeColoredCells } from "../live/heatmap.js";
import { isOpen, toInput } from "./why.js";

const KINDS = ["analytic", "numeric", "error"];

/** @typedef {{row: number, column: number}} Cell */

/** @param {import("../graph/explorer.js").View} view */
export function makeTrioPart(view) {
  const { get, send } = view;
  const words = get("words");
  const root = html("section.al-trio");
  const formulas = html("dl.al-formulas");
  /** @type {Cell | null} */
  let ahead = null; // the cell that the user has reached, while the kernel follows
  /** @type {ReturnType<typeof makeMap | typeof makeAbsent>[]} */
  let maps = [];
  let built = "";
  let told = "";

  /** @param {number} row @param {number} column */
  function choose(row, column) {
    const { rows, cols } = get("panel");
    if (row < 0 || row >= rows || column < 0 || column >= cols) return;
    const mine = (ahead = { row, column });
    send({ do: "turn", to: { cell: [row, column], whole: false } }, () => ahead === mine && ((ahead = null), mark()));
    mark();
  }

  const here = () => ahead ?? get("chosen");
  const asked = () => ahead ?? (isOpen(get("look")) && !get("look").whole ? get("chosen") : null);

  /** Handle a click on a cell; a second one goes back. @param {Cell} cell */
  function click({ row, column }) {
    const before = asked();
    if (before?.row === row && before.column === column) send(toInput(get("look").input));
    else choose(row, column);
  }

  function mark() {
    const { worst, verdict } = get("panel");
    for (const map of maps) map.mark(asked(), verdict === "right" ? null : worst);
  }

  /** @param {any} arrays */
  function build(arrays) {
    const first = KINDS.find((kind) => !arrays[kind].absent);
    maps = KINDS.map((kind) =>
      arrays[kind].absent ? makeAbsent() : makeMap(view, click, choose, here, kind === first),
    );
    const heads = KINDS.map((kind) => html("h4", words[`lens_${kind}`], html("span", words[`lens_${kind}_says`])));
    root.replaceChildren(...maps.map((map, k) => html("div.al-trio-map", heads[k], map.root)));
    // room for the numbers in the cells
    const wide = KINDS.map((kind) => (arrays[kind].cols && labelled(arrays[kind]) ? arrays[kind].cols : 0));
    root.style.setProperty("--al-least", `${Math.max(12, ...wide.map((n) => (n > 4 ? 3.05 : 4.2) * n))}em`);
  }

  function fill() {
    const { name, shape, verdict, arrays, formulas: lines } = get("panel");
    root.hidden = get("look").graph;
    formulas.hidden = !lines.length || root.hidden || isOpen(get("look"));
    const structure = JSON.stringify(KINDS.map((kind) => [arrays[kind].absent, arrays[kind].rows, arrays[kind].cols]));
    if (built !== (built = structure)) build(arrays);
    set(root, { "aria-label": name, "data-verdict": verdict });
    KINDS.forEach((kind, k) => {
      const bars = arrays[kind].bars?.[get("look").scale];
      maps[k].update({ ...arrays[kind], ...bars }, `${words[`lens_${kind}`]}, ${name}, ${shape}. ${words.rest}`);
    });
    if (told !== (told = JSON.stringify(lines))) formulas.replaceChildren(...lines.flatMap(makeFormula));
    mark();
  }

  return { places: { middle: [root, formulas] }, on: { "check panel look": fill, chosen: mark }, paint: fill };
}

/**
 * A formula with its label; what differs from the other formula is marked.
 * @param {[label: string, begin: string, differs: string, end: string]} line
 */
function makeFormula([label, begin, differs, end]) {
  return [html("dt", label), html("dd", begin, differs && html("mark", differs), end)];
}

function makeAbsent() {
  const root = html("p.al-absent-map");
  return { root, update: (/** @type {any} */ { absent }) => write(root, absent), mark() {} };
}

/**
 * @param {import("../graph/explorer.js").View} view
 * @param {(cell: Cell) => void} click
 * @param {(row: number, column: number) => void} choose
 * @param {() => Cell} here
 * @param {boolean} isFirst whether it is the first of the three, which the Tab key reaches
 */
function makeMap(view, click, choose, here, isFirst) {
  const tabindex = isFirst ? 0 : -1;
  const [worstMark, chosenMark] = [html("div.al-worst"), html("div.al-mark")];
  // behind the cells, which are transparent where nothing was measured
  const halves = html("div.al-halves", { "aria-hidden": "true" });
  const cells = makeColoredCells({ tabindex, onclick: clicked, onkeydown: pressed }, ".al-mini", worstMark, chosenMark);
  cells.frame.prepend(halves);
  const [low, high, bar] = [html("span"), html("span"), html("span.al-ramp")];
  // a small scale, if the cells have numbers
  const ends = html("div.al-scale", { "aria-hidden": "true" }, low, bar, high);
  const legend = makeHeatLegend(true);
  const note = html("p.al-note");
  let size = { rows: 1, cols: 1 };

  /** @param {MouseEvent} event */
  function clicked(event) {
    const cell = cellUnder(event, cells.canvas, size);
    if (cell) click(cell);
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    const step = event.key === "Enter" ? [0, 0] : ARROWS[event.key];
    if (!step) return;
    claim(event);
    const { row, column } = here();
    choose(row + step[0], column + step[1]);
  }

  return {
    root: html("div", cells.frame, ends, legend.root, note),
    /** @param {any} facts @param {string} label */
    update(facts, label) {
      size = facts;
      const { colors } = view;
      const data = floats(facts.cells);
      cells.frame.classList.toggle("al-blank", facts.blank === true);
      halves.replaceChildren(
        ...(facts.halves ?? []).map((/** @type {number[]} */ block) => layOverCells(html("div"), block, facts)),
      );
      cells.update(facts, data, colors, label);
      legend.update(facts, colors);
      const isPlain = labelled(facts) && facts.threshold === null; // else the bar shows where powers of ten begin
      const isClear = !facts.scale; // the error of a right input, whose colours have no meaning
      legend.root.toggleAttribute("hidden", isPlain || isClear);
      ends.hidden = !isPlain || isClear;
      const [from, to] = facts.ends;
      bar.style.background = rampOf(colors, from, to);
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
