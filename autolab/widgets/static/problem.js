// @ts-check
/** The part that says what is going on or wrong: computing, the user's error, no answer from the kernel. */

import { button, html, write } from "./dom.js";

/** @param {import("./explorer.js").View} view */
export function makeProblemPart({ get, link, root }) {
  const busy = html("span", { class: "al-busy", role: "status" });
  const stop = button("Stop", () => link.stop({ do: "stop" }), { hidden: true });
  const work = html("div", { class: "al-work" }, busy, stop);
  const what = html("div", { class: "al-error-what" });
  const where = html("div", { class: "al-error-where" });
  const statement = html("div", { class: "al-code" });
  const stale = html("div", { class: "al-error-stale" });
  const panel = html("div", { class: "al-error", role: "alert", hidden: true }, what, where, statement, stale);

  /** It lies over what is old, so that nothing moves, least of all the slider in hand: over the graph, or the first part. */
  function paint() {
    const graph = root.querySelector(".al-main");
    if (graph && !graph.contains(work)) graph.append(work);
    show();
  }

  /** The picture below the panel is then not for these inputs. */
  function show() {
    const [error, words] = [get("error"), get("words")];
    const silent = link.state === "silent";
    panel.hidden = !error && !silent;
    write(what, silent ? words.live_silent : error ? `${error.type}: ${error.message}` : "");
    write(where, !silent && error?.file ? `${error.file}, line ${error.line}` : "");
    write(statement, (!silent && error?.statement) || "");
    const ended = !silent && error?.ended; // then the graph shows what led there
    write(stale, ended ? words.live_ended : words.live_stale);
    root.classList.toggle("al-stale", !panel.hidden && !ended);
    showWork();
  }

  /** While the kernel computes, the picture is that of the point before. */
  function showWork() {
    const [computing, words] = [get("computing"), get("words")];
    const text = { running: `${words.live_computing} ${words.live_old}`, stopping: words.live_stopping }[/** @type {string} */ (computing)];
    write(busy, text ?? (link.state === "busy" ? words.live_computing : ""));
    stop.hidden = !computing;
    stop.disabled = computing === "stopping";
    root.classList.toggle("al-computing", Boolean(computing));
  }

  return { places: { alert: [panel, work] }, on: { "error computing": show }, paint, linked: show };
}
