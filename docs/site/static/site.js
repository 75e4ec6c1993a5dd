// @ts-check
/** Pages that move, in frames, are as light or dark as the page around them. */

/** Hand on the theme as the part of the address after #, which loads nothing again. @param {HTMLIFrameElement} frame */
function tellTheme(frame) {
  frame.contentWindow?.location.replace(`${frame.src}#${document.documentElement.dataset.theme}`);
}

for (const frame of /** @type {NodeListOf<HTMLIFrameElement>} */ (document.querySelectorAll("iframe.moving"))) {
  frame.addEventListener("load", () => tellTheme(frame), { once: true });
  if (frame.loading !== "lazy") tellTheme(frame);
  new MutationObserver(() => tellTheme(frame)).observe(document.documentElement, { attributeFilter: ["data-theme"] });
}
