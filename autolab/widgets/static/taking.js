// @ts-check
/** The part with which the view is taken away: a file that the kernel makes of what is shown, for the browser to save. */

import { isDark } from "./colors.js";
import { html } from "./dom.js";

/** @param {import("./explorer.js").View} view */
export function makeTakingPart({ get, send, root }) {
  const ways = Object.entries(get("ways"));
  const choice = html("select", { class: "al-button al-take", "aria-label": get("ways")[""], onchange: take },
    ...ways.map(([suffix, words]) => html("option", { value: suffix }, words)));

  function take() {
    const suffix = choice.value;
    choice.value = "";
    if (suffix) send({ do: "take", suffix, look: isDark(root) ? "dark" : "light" }, save);
  }

  function save() {
    const { name, kind } = get("taken");
    if (!name) return; // it could not be made: the reason is told
    const url = URL.createObjectURL(new Blob([get("taken_bytes")], { type: kind }));
    html("a", { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
    send({ do: "taken" });
  }

  return { places: { menu: get("still") === "page" ? [] : [choice] } };
}
