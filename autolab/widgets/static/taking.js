// @ts-check
/** The part with which the view is taken away: a file that the kernel makes of what is shown, for the browser to save. */

import { isDark } from "./colors.js";
import { html } from "./dom.js";

/** @param {import("./explorer.js").View} view */
export function makeTakingPart({ get, send, answer, root }) {
  const ways = Object.entries(get("ways"));
  const choice = html("select", { class: "al-button al-take", "aria-label": get("ways")[""], onchange: take },
    ...ways.map(([suffix, words]) => html("option", { value: suffix }, words)));

  function take() {
    const suffix = choice.value;
    choice.value = "";
    const question = ["file", suffix, isDark(root) ? "dark" : "light"];
    if (suffix) send({ do: "ask", question }, () => save(answer(question)));
  }

  /** @param {{name: string, kind: string, bytes: DataView} | undefined} file not there if it could not be made: the reason is told */
  function save(file) {
    if (!file) return;
    const url = URL.createObjectURL(new Blob([/** @type {any} */ (file.bytes)], { type: file.kind }));
    html("a", { href: url, download: file.name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
    send({ do: "settle" }); // a saved notebook need not hold it
  }

  return { places: { menu: get("still") === "page" ? [] : [choice] } };
}
