// @ts-check
/**
 * The parts for the state of the computation: running, the user's error, outdated numbers; and the settings.
 */

import { button, choice, html, write } from "./dom.js";

/** @param {import("../graph/explorer.js").View} view */
export function makeComputingPart({ get, link, root }) {
  const busy = html("span.al-busy", { role: "status" });
  const stop = button("Stop", () => link.stop({ do: "stop" }), { hidden: true });
  const work = html("div.al-work", busy, stop);
  const what = html("div.al-error-what");
  const where = html("div.al-note");
  const statement = html("div.al-code");
  const stale = html("div.al-note");
  const panel = html("div.al-error", { role: "alert", hidden: true }, what, where, statement, stale);

  /** Show the error. The picture below it is then not for these inputs. */
  function show() {
    const [error, words] = [get("error"), get("words")];
    const silent = link.state === "silent";
    panel.hidden = !error && !silent;
    write(what, silent ? words.live_silent : error ? `${error.type}: ${error.message}` : "");
    write(where, !silent && error?.file ? `${error.file}, line ${error.line}` : "");
    write(statement, (!silent && error?.statement) || "");
    const ended = !silent && error?.ended; // then the graph shows what led to the error
    write(stale, ended ? words.live_ended : words.live_stale);
    root.classList.toggle("al-stale", !panel.hidden && !ended);
    showWork();
  }

  /** While the kernel computes, the picture is that of the point before. */
  function showWork() {
    const [computing, words] = [get("computing"), get("words")];
    const text = { running: `${words.live_computing} ${words.live_old}`, stopping: words.live_stopping }[
      /** @type {string} */ (computing)
    ];
    write(busy, text ?? (link.state === "busy" ? words.live_computing : ""));
    stop.hidden = !computing;
    stop.disabled = computing === "stopping";
    root.classList.toggle("al-computing", Boolean(computing));
  }

  const places = { alert: [panel], middle: [work] }; // over the old picture, so that nothing moves
  return { places, on: { "error computing": show }, paint: show, linked: show };
}

// The part that says when the numbers are not those that the notebook would give now.

/** @param {import("../graph/explorer.js").View} view */
export function makeStaleNoticePart({ get, send, link, root }) {
  const text = html("span");
  const again = button("Compute again", () => send({ do: "again" }));
  const panel = html("div.al-since", { role: "status", hidden: true }, text, again);

  function show() {
    const { text: since, again: follows } = get("since");
    const words = get("words");
    const saved = link.gone ? words.live_gone : link.asleep && words.live_saved;
    panel.hidden = !since && !saved;
    write(text, saved || since || "");
    again.hidden = Boolean(saved) || !follows;
    root.classList.toggle("al-since-then", !panel.hidden);
  }

  return { needsKernel: true, places: { alert: [panel] }, on: { since: show }, paint: show, linked: show };
}

// Settings that are seldom changed (dtype, mode, device), collapsed to a line with their present values.

/** @param {(setting: string, value: string) => void} choose */
export function makeSettings(choose) {
  const summary = html("summary.al-summary");
  const choices = html("div.al-choices", { role: "group", "aria-label": "Settings" });
  /** @type {Map<string, any>} */
  let selects = new Map();
  let built = "";

  /** @param {any[]} settings */
  function build(settings) {
    selects = new Map(
      settings.map(({ name, label, values }) => {
        const select = choice(values, { "aria-label": label, onchange: () => choose(name, select.value) });
        return [name, select];
      }),
    );
    choices.replaceChildren(...settings.map(({ name, label }) => html("label.al-setting", label, selects.get(name))));
  }

  return {
    root: html("details.al-more", summary, choices),
    /** @param {{name: string, label: string, value: string, values: string[]}[]} settings */
    update(settings) {
      if (built !== (built = JSON.stringify(settings.map((s) => [s.name, s.values])))) build(settings);
      for (const { name, value } of settings) selects.get(name).value = value;
      write(summary, settings.map(({ label, value }) => `${label} ${value || "mixed"}`).join(" \u00b7 "));
    },
  };
}
