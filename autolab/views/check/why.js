// @ts-check
/** Why an element is wrong: its numbers, the difference over the step, and the user-written backward. */

import { makeChart } from "../live/chart.js";
import { button, codeLine, html, makeSegments, tellOrHide, write } from "../live/dom.js";

/** The message that shows the pictures of an input, with nothing selected. @param {number} input */
export const toInput = (input) => ({ do: "turn", to: { input, cell: null, whole: false, graph: false } });

/** Whether the user has asked about a cell, or about the whole input. @param {any} look */
export const isOpen = ({ cell, whole, graph }) => !graph && Boolean(cell || whole);

/** @param {import("../graph/explorer.js").View} view */
export function makeWhyPart({ get, send }) {
  const words = get("words");
  const name = html("h3.al-title");
  const lines = html("dl.al-numbers-list");
  const judgement = html("p.al-judgement");
  const back = button(words.lens_back, () => send(toInput(get("look").input)));
  const chart = makeChart();
  const kinds = makeSegments(words.lens_why, { steps: words.lens_steps, taylor: words.lens_taylor }, (kind) =>
    send({ do: "turn", to: { taylor: kind === "taylor" } }),
  );
  const curve = html("div.al-why-curve", kinds.root, chart.root);
  const hint = html("p.al-note");
  const code = html("div.al-why-code");
  const root = html(
    "section.al-why",
    { "aria-label": words.lens_why },
    html("div.al-why-numbers", { "aria-live": "polite" }, name, lines, judgement, hint, back),
    curve,
    code,
  );
  let written = "";

  function paint() {
    const [look, { lines: numbers = [], label, says, wrong }] = [get("look"), get("chosen")];
    root.hidden = !isOpen(look);
    if (root.hidden) return;
    const directions = get("directions").find((/** @type {[number, string]} */ [seed]) => seed === look.direction);
    write(name, look.whole ? (directions?.[1] ?? "") : label);
    lines.replaceChildren(
      ...(look.whole ? [] : numbers).map((/** @type {string[]} */ [kind, title, text]) =>
        html("div", { "data-kind": kind }, html("dt", title), html("dd", text)),
      ),
    );
    tellOrHide(judgement, !look.whole && says);
    judgement.classList.toggle("al-apart", wrong);
    tellOrHide(hint, get("panel").hint);
    showCurve();
    showCode(look.input);
  }

  function showCurve() {
    const { taylor } = get("look");
    const shown = get("study")?.charts?.[Number(taylor)];
    curve.hidden = !shown;
    kinds.choose(taylor ? "taylor" : "steps");
    if (shown) chart.update({ ...shown, title: "" }); // the switch above shows what it is
  }

  /** Show the backwards from which the gradient may come, with the lines that return it. @param {number} input */
  function showCode(input) {
    const listings = get("scenery").backwards?.[input] ?? [];
    code.hidden = !listings.length;
    if (written === (written = JSON.stringify(listings))) return;
    code.replaceChildren(...listings.map(makeBackward));
    for (const line of code.querySelectorAll(".al-now"))
      line.parentElement.scrollTop = line.offsetTop + line.offsetHeight - line.parentElement.clientHeight;
  }

  return {
    places: { middle: [root] },
    on: { "look panel chosen directions study scenery": paint },
    paint,
    close: chart.close,
  };
}

/** @param {{title: string, first: number, lines: string[], returns: number[]}} backward */
function makeBackward({ title, first, lines, returns }) {
  const rows = lines.map((line, i) =>
    html(
      returns.includes(first + i) ? "div.al-source-line.al-now" : "div.al-source-line",
      html("span.al-line-number", { "aria-hidden": "true" }, String(first + i)),
      codeLine(line),
    ),
  );
  const source = html("div.al-source", { role: "group", "aria-label": title, tabindex: 0 }, ...rows);
  return html("section.al-listing", html("h4.al-caption", title), source);
}
