// @ts-check
/**
 * All about the selected box: where its gradient comes from and goes, numbers or heatmaps, its position in the code.
 */

import { makeBox } from "../live/controls.js";
import { KINDS_SHOWN, SCALES, button, html, makeSegments, set, tellOrHide, write } from "../live/dom.js";
import { floats, makeHeatmap } from "../live/heatmap.js";
import { comesParts, handsParts } from "./answer.js";
import { makeHeads } from "./attention.js";
import { chosenLine } from "./picture.js";

/**
 * @typedef {{id: number, title: string, facts: string[][], backward_code: string | null, source: {file: string, line:
 *   number, statement: string} | null, rules: {text: string, filled: string | null, parameter: string}[], arrays:
 *   any[], answer: import("./answer.js").Answer}} Detail
 */

/**
 * @typedef {{show: keyof typeof KINDS_SHOWN, scale: keyof typeof SCALES}} Look what is shown of the arrays, and in
 *   which colour scale
 */

// facts that the numbers and heatmaps show
const SHOWN_ABOVE = new Set(["value", "gradient", "shape", "minimum", "maximum", "NaN", "infinite"]);

/** @param {import("./explorer.js").View} view */
export function makeDetailPart(view) {
  const { get, send } = view;
  const choose = (/** @type {Partial<Look>} */ change) => send({ do: "look", ...get("arrays"), ...change });
  const title = html("h3.al-title");
  const numbers = html("div.al-pair");
  const status = html("p.al-status");
  const [comes, hands, source] = [html("div.al-comes"), html("div"), html("div")];
  const facts = html("dl.al-facts");
  const rest = html("details.al-rest", html("summary.al-summary", "Type, device, time"), facts);
  /** @type {Record<string, ReturnType<typeof makeReadout>>} */
  const readouts = { value: makeReadout(view, "value"), gradient: makeReadout(view, "gradient") };
  numbers.append(readouts.value.root, readouts.gradient.root);
  const show = makeSegments("What is shown", KINDS_SHOWN, (value) => choose({ show: value }));
  const scale = makeSegments("Scale of the colours", SCALES, (value) => choose({ scale: value }));
  const settings = html("div.al-detail-look", show.root, scale.root);
  const whatIf = makeWhatIf(view);
  let written = "";

  const root = html(
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
  );

  function paint() {
    root.hidden = get("selected") === null;
    if (root.hidden) return;
    /** @type {Detail} */
    const detail = get("detail");
    const [line, look] = [chosenLine(view), get("arrays")];
    write(title, detail.title);
    whatIf.show(detail);
    const drawn = detail.arrays.filter((array) => array.bars);
    settings.hidden = !drawn.length;
    show.root.hidden = drawn.length < 2;
    show.choose(look.show);
    scale.choose(look.scale);
    for (const [name, readout] of Object.entries(readouts)) {
      readout.update(detail);
      if (drawn.length > 1 && look.show !== "both" && look.show !== name) readout.root.hidden = true;
    }
    numbers.classList.toggle("al-arrays", drawn.length > 0);
    tellOrHide(status, (get("readings").nodes[detail.id] ?? detail).status); // if there is something to say
    const { answer, rules, source: code, backward_code: backward, facts: told } = detail;
    if (written === (written = JSON.stringify([answer, line, rules, code, backward, told]))) return;
    comes.replaceChildren(...comesParts(answer, line));
    hands.replaceChildren(...handsParts(answer, rules, backward));
    source.replaceChildren(
      ...(code ? [html("h4", `${code.file}, line ${code.line}`), html("div.al-code", code.statement)] : []),
    );
    facts.replaceChildren(
      ...told
        .filter(([name]) => !SHOWN_ABOVE.has(name))
        .map(([name, text]) => html("div", html("dt", name), html("dd", text))),
    );
  }

  view.root.addEventListener("al-line", paint);
  return { places: { side: [root] }, on: { "detail arrays": paint }, paint };
}

/** A field for a value that replaces the result of a step. @param {import("./explorer.js").View} view */
function makeWhatIf({ get, send }) {
  const intervene = (/** @type {number | null} */ value) => send({ do: "intervene", step, value, final: true });
  let step = 0;
  const box = makeBox("", intervene);
  const words = html("span");
  const undo = button("", () => intervene(null));
  const root = html("div.al-what-if", html("label", words, " ", box.element), undo);
  return {
    root,
    /** @param {any} detail */
    show({ id, what_if: found }) {
      root.hidden = !found || get("still"); // if nothing can compute
      if (root.hidden) return;
      const said = get("plan").words;
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

/** A number, or an array as a heatmap. @param {import("./explorer.js").View} view @param {string} name */
function makeReadout(view, name) {
  const number = html("div.al-big");
  const note = html("div.al-note");
  const [heatmap, heads] = [makeHeatmap(), makeHeads()];
  const caption = html("div.al-caption");
  const root = html("div", { class: `al-readout-${name}` }, caption, number, heatmap.root, heads.root, note);
  return {
    root,
    /** @param {Detail} detail */
    update({ facts, arrays }) {
      const texts = new Map(/** @type {[string, string][]} */ (facts));
      const [text, shape] = [texts.get(name), texts.get("shape")];
      const array = arrays.find(({ which }) => which === (name === "value" ? "value" : "grad"));
      root.hidden = text === undefined;
      write(caption, shape && shape !== "()" ? `${name} \u00b7 ${shape}` : name);
      const drawn = array?.bars;
      heatmap.root.hidden = !drawn || array.heads;
      heads.root.hidden = !array?.heads;
      number.hidden = drawn;
      note.hidden = !drawn;
      if (!drawn) return write(number, text ?? "");
      const data = floats(array.cells);
      const shown = array.heads ? heads : heatmap;
      shown.update({ ...array, ...array.bars[view.get("arrays").scale] }, data, view.colors);
      write(note, array.caption);
    },
  };
}
