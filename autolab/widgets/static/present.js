// @ts-check
/** The part that presents: the graph, the player and the sentence fill the screen. Escape leaves. */

import { button } from "./dom.js";

/** @param {import("./explorer.js").View} view @param {(factor: number) => void} enlarge @returns {import("./explorer.js").Part} */
export function makePresenting(view, enlarge) {
  const { root } = view;
  const LARGER = 5 / 3; // letters of 12 pixels become 20

  /** @param {boolean} on */
  function show(on) {
    if (on === root.classList.contains("al-present")) return;
    root.classList.toggle("al-present", on);
    enlarge(on ? LARGER : 1);
  }

  /** Where a page may not have the whole screen, the view fills the window. */
  async function present() {
    show(true);
    await root.requestFullscreen?.().catch(() => {});
    /** @type {HTMLElement | null} */ (root.querySelector(".al-keys .al-tool[aria-label=Play]"))?.focus();
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    if (event.key !== "Escape" || !root.classList.contains("al-present")) return;
    event.stopPropagation();
    if (document.fullscreenElement === root) document.exitFullscreen();
    show(false);
  }

  const left = () => document.fullscreenElement !== root && show(false);
  root.addEventListener("fullscreenchange", left);
  document.addEventListener("keydown", pressed, true);
  return { places: { menu: [button("Present", present)] }, close: () => document.removeEventListener("keydown", pressed, true) };
}
