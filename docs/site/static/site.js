// @ts-check
/** Pages that move, in frames, are as light or dark as the page around them. */

/** @type {Set<HTMLIFrameElement>} */
const loaded = new Set();

/** How many pixels wide a frame may be on paper, A4 or Letter. */
const PAPER = 660;

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

/** On paper frames are smaller but keep the width that they have inside: what they show does not learn of the paper's. */
function fitFrames(/** @type {boolean} */ printed) {
  for (const { style, offsetWidth, offsetHeight } of loaded) {
    const scale = Math.min(1, PAPER / offsetWidth);
    style.width = printed ? `${offsetWidth}px` : "";
    style.transform = printed ? `scale(${scale})` : "";
    style.marginBottom = printed ? `${(scale - 1) * offsetHeight}px` : "";
  }
}

let theme = ""; // on the screen, while paper is light
addEventListener("beforeprint", () => {
  const page = document.documentElement.dataset;
  [theme, page.theme] = [page.theme ?? "", "light"];
  fitFrames(true);
});
addEventListener("afterprint", () => {
  document.documentElement.dataset.theme = theme;
  fitFrames(false);
});

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

/** @typedef {{version: string, address: string, own: boolean}} Version  of this site; addresses begin at its front page */

/** List the other versions that lie beside this one. @param {HTMLDetailsElement} box @param {Version[]} versions */
function listVersions(box, versions) {
  const front = new URL(document.documentElement.dataset.content_root ?? "./", document.baseURI).href;
  for (const { version, address, own } of versions) {
    const link = document.createElement("a");
    link.textContent = version;
    link.href = new URL(address, front).href;
    if (own) link.setAttribute("aria-current", "true");
    link.addEventListener("click", (event) => {
      event.preventDefault();
      openVersion(link.href, location.href.slice(front.length));
    });
    const item = document.createElement("li");
    item.append(link);
    /** @type {Element} */ (box.querySelector("ul")).append(item);
  }
  box.hidden = false;
}

/** Go to the same page of another version, if it has this page and a server says so. @param {string} front @param {string} page */
async function openVersion(front, page) {
  const same = new URL(page, front).href;
  const there = await fetch(same, { method: "HEAD" }).catch(() => null); // files cannot be asked for
  location.href = there?.ok ? same : front;
}

addEventListener("DOMContentLoaded", () => {
  const versions = /** @type {{siteVersions?: Version[]}} */ (/** @type {unknown} */ (window)).siteVersions ?? [];
  for (const box of /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll(".versions"))) {
    if (versions.length > 1) listVersions(box, versions);
  }
  for (const button of document.querySelectorAll(".search-button-field")) {
    button.setAttribute("aria-label", (button.textContent ?? "").replace(/\s+/g, " ").trim()); // with the keys it shows
  }
  for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll(".gallery-search"))) {
    searchCards(form);
  }
});
