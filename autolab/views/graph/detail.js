// @ts-check
/**
 * Everything about the chosen box: where its gradient comes from and goes, numbers or heatmaps, where it is in the
 * code.
 */

import { makeBox } from "../live/controls.js";
import { KINDS_SHOWN, SCALES, button, html, makeSegments, set, write } from "../live/dom.js";
import { floats, makeHeatmap } from "../live/heatmap.js";
import { comesParts, handsParts } from "./answer.js";

/**
 * @typedef {{id: number, title: string, facts: string[][], backward_code: string | null, source: {file: string, line:
 *   number, statement: string} | null, rules: {text: string, filled: string | null, parameter: string}[], arrays:
 *   any[], answer: import("./answer.js").Answer}} Detail
 */

/**
 * @typedef {{show: keyof typeof KINDS_SHOWN, scale: keyof typeof SCALES}} Look what is shown of the arrays, and in
 *   which colours
 */

// beside the numbers and heatmaps
const SHOWN_ABOVE = new Set(["value", "gradient", "shape", "minimum", "maximum", "NaN", "infinite"]);

/**
 * @param {(change: Partial<Look>) => void} choose
 * @param {((step: number, value: number | null) => void) | null} intervene puts a value in place of what a step
 *   computes; null where nothing computes
 */
export function makeDetail(choose, intervene) {
  const title = html("h3.al-title");
  const numbers = html("div.al-pair");
  const status = html("p.al-status");
  const [comes, hands, source] = [html("div.al-comes"), html("div"), html("div")];
  const facts = html("dl.al-facts");
  const rest = html("details.al-rest", html("summary.al-summary", "Type, device, time"), facts);
  /** @type {Record<string, ReturnType<typeof makeReadout>>} */
  const readouts = { value: makeReadout("value"), gradient: makeReadout("gradient") };
  numbers.append(readouts.value.root, readouts.gradient.root);
  const show = makeSegments("What is shown", KINDS_SHOWN, (value) => choose({ show: value }));
  const scale = makeSegments("Scale of the colours", SCALES, (value) => choose({ scale: value }));
  const settings = html("div.al-detail-look", show.root, scale.root);
  const whatIf = makeWhatIf(intervene);
  let written = "";

  return {
    root: html(
      "section.al-detail",
      { "aria-label": "The selected step" },
      title,
      comes,
      status,
      hands,
      whatIf.root,
      settings,
      numbers,
      source,
      rest,
    ),
    /**
     * @param {Detail} detail
     * @param {DataView[]} buffers
     * @param {string} sentence about its gradient, where there is something to say
     * @param {import("./answer.js").Edge | null} line that was chosen
     * @param {Look} look
     * @param {import("../live/colors.js").ColorMap} colors
     * @param {Record<string, string>} said
     */
    update(detail, buffers, sentence, line, look, colors, said) {
      write(title, detail.title);
      whatIf.show(detail, said);
      const drawn = detail.arrays.filter((array) => array.bars);
      settings.hidden = !drawn.length;
      show.root.hidden = drawn.length < 2;
      show.choose(look.show);
      scale.choose(look.scale);
      const texts = new Map(/** @type {[string, string][]} */ (detail.facts));
      for (const [name, readout] of Object.entries(readouts)) {
        const array = detail.arrays.find((a) => a.which === (name === "value" ? "value" : "grad"));
        readout.update(
          texts.get(name),
          texts.get("shape"),
          array,
          array && floats(buffers[array.buffer]),
          look.scale,
          colors,
        );
        if (drawn.length > 1 && look.show !== "both" && look.show !== name) readout.root.hidden = true;
      }
      numbers.classList.toggle("al-arrays", drawn.length > 0);
      write(status, sentence);
      status.hidden = !sentence;
      const words = JSON.stringify([
        detail.answer,
        line,
        detail.rules,
        detail.source,
        detail.backward_code,
        detail.facts,
      ]);
      if (words === written) return;
      written = words;
      comes.replaceChildren(...comesParts(detail.answer, line));
      hands.replaceChildren(...handsParts(detail.answer, detail.rules, detail.backward_code));
      source.replaceChildren(...sourceLines(detail));
      facts.replaceChildren(
        ...detail.facts
          .filter(([name]) => !SHOWN_ABOVE.has(name))
          .map(([name, text]) => html("div", html("dt", name), html("dd", text))),
      );
    },
  };
}

/** Another value for what a step computes. @param {((step: number, value: number | null) => void) | null} intervene */
function makeWhatIf(intervene) {
  let step = 0;
  const box = makeBox("", (value) => intervene?.(step, value));
  const words = html("span");
  const undo = button("", () => intervene?.(step, null));
  const root = html("div.al-what-if", html("label", words, " ", box.element), undo);
  return {
    root,
    /** @param {any} detail @param {Record<string, string>} said */
    show({ id, what_if: found }, said) {
      root.hidden = !found || !intervene;
      if (root.hidden) return;
      step = id;
      const question = found.value === null ? said.what_if_each : said.what_if;
      write(words, question);
      set(box.element, { "aria-label": `${question}, number` });
      write(undo, said.what_if_undo);
      undo.hidden = !found.replaced;
      if (found.value !== null) box.show(found.value);
    },
  };
}

/** A number, or an array as a heatmap. @param {string} name */
function makeReadout(name) {
  const number = html("div.al-big");
  const note = html("div.al-note");
  const heatmap = makeHeatmap();
  const caption = html("div.al-caption");
  const root = html("div", { class: `al-readout-${name}` }, caption, number, heatmap.root, note);
  return {
    root,
    /**
     * @param {string | undefined} text
     * @param {string | undefined} shape
     * @param {any} array
     * @param {Float32Array} data
     * @param {Look["scale"]} scale
     * @param {import("../live/colors.js").ColorMap} colors
     */
    update(text, shape, array, data, scale, colors) {
      root.hidden = text === undefined;
      write(caption, shape && shape !== "()" ? `${name} \u00b7 ${shape}` : name);
      const drawn = array?.bars;
      heatmap.root.hidden = !drawn;
      number.hidden = drawn;
      note.hidden = !drawn;
      if (!drawn) return write(number, text ?? "");
      heatmap.update({ ...array, ...array.bars[scale] }, data, colors);
      write(note, array.caption);
    },
  };
}

/** @param {Detail} detail */
function sourceLines({ source }) {
  if (!source) return [];
  return [html("h4", `${source.file}, line ${source.line}`), html("div.al-code", source.statement)];
}
