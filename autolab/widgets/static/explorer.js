// @ts-check
/** The live graph: puts the parts together and keeps them in step with the model. */

import { colorMap, isDark } from "./colors.js";
import { button, html, set } from "./dom.js";
import { makeInputsPart } from "./inputs.js";
import { makeLink } from "./link.js";
import { makeOpeningsPart } from "./openings.js";
import { makeOrdersPart } from "./orders.js";
import { makeFlowPart, makeSearchPart } from "./overview.js";
import { makeDetailPart, makeGraphPart } from "./picture.js";
import { makePlayerPart } from "./player.js";
import { makeProblemPart } from "./problem.js";
import { makeSincePart } from "./since.js";
import { makeSourcePart } from "./source.js";

const PARTS = [makeInputsPart, makeSearchPart, makeFlowPart, makeGraphPart, makeOrdersPart, makeOpeningsPart, makeSourcePart, makePlayerPart, makeProblemPart, makeSincePart, makeDetailPart]; // in each place of the page they stand in this order
const PROJECTOR = 1.5;

/** @typedef {"header" | "buttons" | "top" | "inputs" | "alert" | "middle" | "side" | "end"} Place */
/** @typedef {import("./link.js").State} State */

/**
 * What a part can use.
 * @typedef {{
 *   get: (trait: string) => any,
 *   send: (message: any, done?: () => void) => void,
 *   link: ReturnType<typeof makeLink>,
 *   colors: import("./colors.js").ColorMap,
 *   root: HTMLElement,
 * }} View
 */

/**
 * A feature of the view: what it puts where, what it does when traits change ("scene readings" names two), when the
 * whole is to be painted (at first, and with another theme), when the state of the link changes, when the text becomes
 * so many times larger, and at the end. It has no need of all of them. What needs a kernel is left out of a saved page,
 * but for the inputs, which stand still there.
 * @typedef {{
 *   places?: Partial<Record<Place, HTMLElement[]>>,
 *   on?: Record<string, () => void>,
 *   paint?: () => void,
 *   linked?: (state: State) => void,
 *   enlarge?: (factor: number) => void,
 *   needsKernel?: boolean,
 *   close?: () => void,
 * }} Part
 */

export default () => {
  /** @type {ReturnType<typeof makeLink>} */
  let link; // one per model: its views share the line to the kernel
  return {
    initialize(/** @type {{model: any}} */ { model }) {
      link = makeLink(model);
      return link.close;
    },
    render(/** @type {{model: any, el: HTMLElement}} */ { model, el }) {
      return makeView(model, el, link);
    },
  };
};

/**
 * @param {any} model
 * @param {HTMLElement} el
 * @param {ReturnType<typeof makeLink>} link
 * @returns {() => void} removes the view
 */
function makeView(model, el, link) {
  const root = html("div", { class: "al-root", onfocusin: keepKeys });
  /** @type {View} */
  const view = { get: (name) => model.get(name), send: link.send, link, root, colors: /** @type {any} */ (null) };
  const parts = PARTS.map((make) => /** @type {Part} */ (make(view)));
  const projector = button("Projector", enlarge, { "aria-pressed": "false" });
  const still = view.get("still");
  const at = (/** @type {Place} */ place) => parts.flatMap((part) =>
    still && part.needsKernel && !(place === "inputs" && view.get("controls").length) ? [] : part.places?.[place] ?? []);
  root.append(html("div", { class: "al-view" },
    html("header", { class: "al-header" }, ...at("header"), html("div", { class: "al-buttons" }, ...at("buttons"), projector)),
    ...at("top"), ...(still ? [html("p", { class: "al-note al-still" }, view.get("words").still)] : []),
    html("div", { class: "al-body" }, ...at("inputs").map((part) => set(part, { inert: still })),
      html("div", { class: "al-middle" }, ...at("alert"), ...at("middle")), html("div", { class: "al-side" }, ...at("side"))),
    ...at("end")));

  function paintTheme() {
    const scheme = isDark(root) ? "dark" : "light";
    root.style.colorScheme = scheme;
    const { stops, ...theme } = view.get("palette")[scheme];
    view.colors = colorMap(stops);
    for (const [name, color] of Object.entries(theme)) root.style.setProperty(`--al-${name}`, color);
    for (const part of parts) part.paint?.();
  }

  function enlarge() {
    const large = root.classList.toggle("al-projector");
    set(projector, { "aria-pressed": String(large) });
    for (const part of parts) part.enlarge?.(large ? PROJECTOR : 1);
  }

  el.append(root);
  paintTheme();
  const theme = new MutationObserver(paintTheme);
  theme.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "data-jp-theme-name"] });
  const listeners = parts.flatMap((part) => Object.entries(part.on ?? {}).flatMap(([traits, listener]) =>
    traits.split(" ").map((trait) => /** @type {const} */ ([`change:${trait}`, listener]))));
  for (const [event, listener] of listeners) model.on(event, listener);
  const unwatch = link.watch((state) => parts.forEach((part) => part.linked?.(state)));

  return () => {
    for (const [event, listener] of listeners) model.off(event, listener);
    unwatch();
    theme.disconnect();
    for (const part of parts) part.close?.();
    root.remove();
  };
}

/**
 * JupyterLab takes the arrow keys of a slider for its own shortcuts, unless the focused element itself refuses that.
 * @param {FocusEvent} event
 */
function keepKeys(event) {
  /** @type {Element} */ (event.target).setAttribute("data-lm-suppress-shortcuts", "true");
}
