// @ts-check
/** The one menu of a view: everything that is not needed yet. It closes with Escape and with a click elsewhere. */

import { html } from "./dom.js";

/** @param {Element[]} parts one below the other */
export function makeMenu(parts) {
  const summary = html("summary", { class: "al-tool", "aria-label": "Menu", title: "Menu" }, "\u22ef");
  const panel = html("div", { class: "al-menu-panel" }, ...parts);
  const root = html("details", { class: "al-menu", onkeydown: pressed }, summary, panel);

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    if (event.key !== "Escape" || !root.open) return;
    event.stopPropagation(); // the box stays chosen
    root.open = false;
    summary.focus();
  }

  const outside = (/** @type {Event} */ event) => root.open && !event.composedPath().includes(root) && (root.open = false);
  document.addEventListener("pointerdown", outside, true);
  return { root, close: () => document.removeEventListener("pointerdown", outside, true) };
}

/** What is in the menu while the graph is small, and above it when it is large. @param {Element} part */
export function makeMovable(part) {
  const [menu, middle] = [html("div", { class: "al-slot" }, part), html("div", { class: "al-slot" })];
  return { menu, middle, place: (/** @type {boolean} */ inMenu) => part.parentNode !== (inMenu ? menu : middle) && (inMenu ? menu : middle).append(part) };
}
