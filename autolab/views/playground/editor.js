// @ts-check
/** A small editor: plain text in which Tab and Enter indent, as programs need it. */

import { html } from "../live/dom.js";

const STEP = "    ";
const FEWEST_LINES = 8;
const MOST_LINES = 24;

/**
 * @param {string} label
 * @param {() => void} run
 */
export function makeEditor(label, run) {
  const area = /** @type {HTMLTextAreaElement} */ (
    html("textarea", { class: "al-play-editor", "aria-label": label, spellcheck: "false", autocapitalize: "off" })
  );
  let leaves = false; // Escape was pressed: the next Tab goes on to what comes after the editor

  /** Write at the caret, so that the browser can undo it. @param {string} text */
  function type(text) {
    area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
    fit();
  }

  const line = () => area.value.slice(area.value.lastIndexOf("\n", area.selectionStart - 1) + 1, area.selectionStart);

  function fit() {
    area.rows = Math.min(MOST_LINES, Math.max(FEWEST_LINES, area.value.split("\n").length));
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    const leaving = leaves;
    leaves = event.key === "Escape";
    if (event.key === "Enter" && (event.shiftKey || event.ctrlKey || event.metaKey)) run();
    else if (event.key === "Enter") type(`\n${/^ */.exec(line())?.[0] ?? ""}${/:\s*$/.test(line()) ? STEP : ""}`);
    else if (event.key === "Tab" && !event.shiftKey && !leaving) type(STEP);
    else return;
    event.preventDefault();
  }

  area.addEventListener("keydown", pressed);
  area.addEventListener("input", fit);
  return {
    element: area,
    program: () => area.value,
    replace(/** @type {string} */ program) {
      area.value = program;
      fit();
    },
  };
}
