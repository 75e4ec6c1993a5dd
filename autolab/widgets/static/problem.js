// @ts-check
/** The part that says what is going on or wrong: computing, the user's error, no answer from the kernel. */

import { html, write } from "./dom.js";

/** @param {import("./explorer.js").View} view */
export function makeProblemPart({ get, link, root }) {
  const words = get("words");
  const busy = html("span", { class: "al-busy", role: "status" });
  const what = html("div", { class: "al-error-what" });
  const where = html("div", { class: "al-error-where" });
  const statement = html("div", { class: "al-code" });
  const stale = html("div", { class: "al-error-stale" });
  const panel = html("div", { class: "al-error", role: "alert", hidden: true }, what, where, statement, stale);

  /** The picture below the panel is then not for these inputs. */
  function show() {
    const error = get("error");
    const silent = link.state === "silent";
    panel.hidden = !error && !silent;
    write(what, silent ? words.live_silent : error ? `${error.type}: ${error.message}` : "");
    write(where, !silent && error?.file ? `${error.file}, line ${error.line}` : "");
    write(statement, (!silent && error?.statement) || "");
    write(stale, words.live_stale);
    root.classList.toggle("al-stale", !panel.hidden);
    write(busy, link.state === "busy" ? "computing\u2026" : "");
  }

  return { places: { header: [busy], alert: [panel] }, on: { error: show }, paint: show, linked: show };
}
