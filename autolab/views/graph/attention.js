// @ts-check
/** Attention weights: a heatmap for each head, with the tokens along its sides. */

import { html, write } from "../live/dom.js";
import { labelled, makeHeatmap } from "../live/heatmap.js";

const FEW_LETTERS = 3; // with tokens of at most this many letters, a matrix can be small
const [LABELS, LABELS_OF_SMALL] = [12, 8]; // maximum along a side

export function makeHeads() {
  const choice = html("select", { onchange: draw });
  const words = html("span");
  const chooser = html("label.al-example", words, " ", choice);
  const row = html("div.al-heads");
  /** @type {ReturnType<typeof makeHead>[]} */
  let shown = [];
  /** @type {[any, Float32Array, import("../live/colors.js").ColorMap]} */
  let last;

  function draw() {
    const [facts, data, colors] = last;
    const size = facts.rows * facts.cols;
    shown.forEach((head, k) => {
      const start = (Number(choice.value) * shown.length + k) * size;
      head.update(facts, data.subarray(start, start + size), colors, k);
    });
  }

  return {
    root: html("div", chooser, row),
    /** @param {any} facts @param {Float32Array} data @param {import("../live/colors.js").ColorMap} colors */
    update(facts, data, colors) {
      /** @type {import("../live/heatmap.js").Heads} */
      const { titles, example } = facts.heads;
      const examples = data.length / (titles.length * facts.rows * facts.cols);
      if (choice.childElementCount !== examples) {
        choice.replaceChildren(...Array.from({ length: examples }, (_, k) => html("option", { value: k }, String(k))));
      }
      chooser.hidden = examples < 2;
      write(words, example);
      if (shown.length !== titles.length) {
        shown = titles.map(makeHead);
        row.replaceChildren(...shown.map((head) => head.root));
      }
      row.classList.toggle("al-small", fitsMany(facts));
      last = [facts, data, colors];
      draw();
    },
  };
}

/** The matrix of one head. */
function makeHead() {
  const [top, left] = ["top", "left"].map((side) => html(`div.al-tokens.al-${side}`, { "aria-hidden": "true" }));
  const heatmap = makeHeatmap((frame) => html("div.al-sided", top, left, frame));
  const title = html("div.al-caption");
  return {
    root: html("div.al-head", title, heatmap.root),
    /**
     * @param {any} facts
     * @param {Float32Array} data
     * @param {import("../live/colors.js").ColorMap} colors
     * @param {number} k its index
     */
    update(facts, data, colors, k) {
      write(title, facts.heads.titles[k]);
      const [rows, columns] = facts.heads.tokens;
      const most = fitsMany(facts) ? LABELS_OF_SMALL : LABELS;
      label(left, rows, "top", most);
      label(top, columns, "left", most);
      heatmap.update({ ...facts, part: facts.heads.titles[k], min: null, max: null, nan: 0, inf: 0 }, data, colors);
    },
  };
}

/** Whether several matrices fit side by side. @param {any} facts */
const fitsMany = (facts) => !labelled(facts) && mostLetters(facts.heads.tokens.flat()) <= FEW_LETTERS;

/** @param {string[]} labels */
const mostLetters = (labels) => Math.max(...labels.map((text) => text.length));

/**
 * As many labels along a side as fit; single letters are upright.
 * @param {HTMLElement} side
 * @param {string[]} labels
 * @param {string} from
 * @param {number} most
 */
function label(side, labels, from, most) {
  const step = Math.ceil(labels.length / most);
  side.style.setProperty("--al-letters", String(mostLetters(labels)));
  side.classList.toggle("al-upright", mostLetters(labels) === 1);
  side.replaceChildren(
    ...labels.flatMap((text, k) => {
      if (k % step) return [];
      const mark = html("span", text);
      mark.style.setProperty(from, `${(100 * (k + 0.5)) / labels.length}%`);
      return [mark];
    }),
  );
}
