// @ts-check
/** The buttons of a player, the same in every view. */

import { html, svg } from "./dom.js";

export const ICONS = {
  // as on every player: a triangle plays, one with a bar goes one step, two with a bar go to the end
  first: "M1.4 3h1.8v10H1.4zM9 3v10L3.6 8zM14.6 3v10L9.2 8z",
  back: "M3 3h2v10H3zM13 3v10L6 8z",
  play: "M4 2.5v11L13 8z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  next: "M3 3v10l7-5zM11 3h2v10h-2z",
  last: "M1.4 3v10l5.4-5zM7 3v10l5.4-5zM12.8 3h1.8v10h-1.8z",
};

/** @param {keyof ICONS} icon @param {string} label @param {() => void} action */
export function tool(icon, label, action) {
  return html(
    "button.al-tool",
    { type: "button", "aria-label": label, title: label, onclick: action },
    svg("svg.al-icon", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: ICONS[icon] })),
  );
}
