// @ts-check
/** The part that says when the numbers are not those that the notebook would give now. */

import { button, html, write } from "./dom.js";

/** @param {import("./explorer.js").View} view */
export function makeSincePart({ get, send, link, root }) {
  const text = html("span");
  const again = button("Compute again", () => send({ do: "again" }));
  const panel = html("div", { class: "al-since", role: "status", hidden: true }, text, again);

  function show() {
    const { text: since, again: follows } = get("since");
    const saved = link.asleep && get("words").live_saved;
    panel.hidden = !since && !saved;
    write(text, saved || since || "");
    again.hidden = Boolean(saved) || !follows;
    root.classList.toggle("al-since-then", !panel.hidden);
  }

  return { needsKernel: true, places: { alert: [panel] }, on: { since: show }, paint: show, linked: show };
}
