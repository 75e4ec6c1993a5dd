// @ts-check
/** The part that opens fused functions into their steps, and says whether both agree. */

import { button, html } from "./dom.js";

/** @param {import("./explorer.js").View} view */
export function makeOpeningsPart({ get, send }) {
  const buttons = html("div", { class: "al-fused" });
  const proofs = html("div", { class: "al-proofs", role: "status" });
  let shown = "";

  function paint() {
    const { functions, proofs: found } = get("openings");
    buttons.hidden = !functions.length;
    if (shown === (shown = JSON.stringify([functions, found]))) return;
    const focused = buttons.contains(document.activeElement) ? [...buttons.children].indexOf(document.activeElement) : -1;
    buttons.replaceChildren(...(get("still") ? [] : functions.map((/** @type {any} */ { name, text, open }) =>
      button(text, () => send({ do: "choose", setting: open ? "close" : "open", value: name }), { "aria-pressed": String(open) }))));
    buttons.children[focused]?.focus();
    proofs.replaceChildren(...found.map((/** @type {any} */ { text, agrees }) =>
      html("p", { class: `al-proof${agrees ? "" : " al-apart"}` }, `${agrees ? "\u2713" : "\u2717"} ${text}`)));
  }

  return { places: { menu: [buttons], below: [proofs] }, on: { openings: paint }, paint };
}
