// @ts-check
/** The read-out of the chosen element: both gradients, how far they are apart, and how far they may be. */

import { button, html, set, write } from "../live/dom.js";
import { toCell } from "./gradient_panels.js";

/** @param {import("../graph/explorer.js").View} view */
export function makeChosenPart({ get, send, link }) {
  const words = get("words");
  const name = html("h3.al-title");
  const lines = makeLines();
  const says = html("p.al-judgement");
  const worst = button(words.lens_worst, () => send(toCell(get("chosen").input)));
  const spoken = html("div.al-hidden", { "aria-live": "polite" });
  const root = html(
    "section.al-detail.al-chosen",
    { "aria-label": words.lens_chosen },
    html("h4", words.lens_chosen),
    name,
    lines.root,
    says,
    worst,
    spoken,
  );

  function paint() {
    const chosen = get("chosen");
    root.hidden = chosen.input === undefined;
    if (root.hidden) return;
    write(name, chosen.label);
    lines.update(chosen.lines);
    write(says, chosen.says);
    says.classList.toggle("al-apart", chosen.wrong);
    set(worst, { disabled: chosen.is_worst || !chosen.worst });
    if (link.state === "idle")
      write(
        spoken,
        [
          chosen.label,
          ...chosen.lines.map((/** @type {string[]} */ line) => line.slice(1).join(" ")),
          chosen.says,
        ].join(", "),
      );
  }

  return { places: { side: [root] }, on: { chosen: paint }, paint, linked: paint };
}

/** Names and numbers, one below the other. */
export function makeLines() {
  const root = html("dl.al-numbers-list");
  return {
    root,
    /** @param {[string, string, string][]} lines kind, name and number */
    update(lines) {
      const kinds = JSON.stringify(lines.map(([kind, name]) => [kind, name]));
      if (root.dataset.kinds !== kinds) {
        root.dataset.kinds = kinds;
        root.replaceChildren(
          ...lines.map(([kind, name]) => html("div", { "data-kind": kind }, html("dt", name), html("dd"))),
        );
      }
      lines.forEach(([, , text], i) => write(root.children[i].lastElementChild, text));
    },
  };
}
