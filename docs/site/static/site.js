// @ts-check
/** Pages that move, in frames, are as light or dark as the page around them. */

/** @type {Set<HTMLIFrameElement>} */
const loaded = new Set();

/** By how many pixels a frame grows on paper: two more lines of a sentence that wraps. */
const PAPER = 64;

/** Hand on the theme as the part of the address after #, which loads nothing again. @param {HTMLIFrameElement} frame */
function tellTheme(frame) {
  frame.contentWindow?.location.replace(`${frame.src}#${document.documentElement.dataset.theme}`);
}

function frameLoaded(/** @type {Event} */ { target }) {
  if (!(target instanceof HTMLIFrameElement) || !target.classList.contains("moving") || loaded.has(target)) return;
  loaded.add(target);
  tellTheme(target);
}

document.addEventListener("load", frameLoaded, true); // this event does not rise
const themes = new MutationObserver(() => loaded.forEach(tellTheme));
themes.observe(document.documentElement, { attributeFilter: ["data-theme"] });

/** On paper frames are narrower than on the screen, and what is in them is higher. @param {number} by */
function growFrames(by) {
  for (const frame of loaded) frame.style.height = `${frame.offsetHeight + by}px`;
}

addEventListener("beforeprint", () => growFrames(PAPER));
addEventListener("afterprint", () => growFrames(-PAPER));

/** The gallery: what is typed leaves the cards in whose words it occurs. @param {HTMLFormElement} form */
function searchCards(form) {
  const cards = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".gallery-cards li")]);
  const field = /** @type {HTMLInputElement} */ (form.querySelector("input"));
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const card of cards) {
      const text = (card.textContent ?? "").toLowerCase();
      card.hidden = !words.every((word) => text.includes(word));
    }
    const shown = cards.filter((card) => !card.hidden).length;
    const told = /** @type {HTMLElement} */ (form.querySelector("output"));
    told.textContent = words.length ? `${shown} of ${cards.length}` : "";
  });
}

addEventListener("DOMContentLoaded", () => {
  for (const button of document.querySelectorAll(".search-button-field")) {
    button.setAttribute("aria-label", (button.textContent ?? "").replace(/\s+/g, " ").trim()); // with the keys it shows
  }
  for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll(".gallery-search"))) {
    searchCards(form);
  }
});
