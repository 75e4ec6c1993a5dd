// @ts-check
/**
 * The frame of every live view: above the picture its title and at most one switch, below it the one control, the
 * sentence and the menu. It assembles the parts and keeps them in sync with the model. Presentation mode, errors and
 * the state of the computation are common to all views.
 */

import { THEME_MARKS, colorMap, isDark } from "./colors.js";
import { makeComputingPart } from "./computing.js";
import { button, html, set, writeSentence } from "./dom.js";
import { claim, isShortcut } from "./hand.js";
import { makeLink } from "./link.js";
import { readSaved, saveWithNotebook } from "./notebook_state.js";

/** @typedef {import("../graph/explorer.js").View} View */
/** @typedef {import("../graph/explorer.js").Part} Part */
/** @typedef {import("../graph/explorer.js").Place} Place */
/** @typedef {import("../graph/explorer.js").Source} Source */

/**
 * The functions that a host of widgets calls.
 * @param {((view: View) => any)[]} makers of the parts
 * @param {(model: any, link: ReturnType<typeof makeLink>) => Source} makeSource the source of what the parts show
 */
export function makeWidget(makers, makeSource) {
  /** @type {ReturnType<typeof makeLink>} */
  let link; // one per model: its views share the connection to the kernel, and the look
  /** @type {Source} */
  let source;
  return {
    initialize(/** @type {{model: any}} */ { model }) {
      readSaved(model);
      link = makeLink(model);
      source = makeSource(model, link);
      saveWithNotebook(model.widget_manager);
      return () => {
        source.close();
        link.close();
      };
    },
    render(/** @type {{el: HTMLElement}} */ { el }) {
      const giveBack = takeHeight(el);
      const remove = makeView(source, el, link, makers);
      return () => (giveBack(), remove());
    },
  };
}

/**
 * @param {Source} source
 * @param {HTMLElement} el
 * @param {ReturnType<typeof makeLink>} link
 * @param {((view: View) => any)[]} makers
 * @returns {() => void} removes the view
 */
function makeView(source, el, link, makers) {
  const root = html("div.al-root", { onfocusin: keepKeys });
  /** @type {View} */
  const view = {
    get: source.get,
    send: source.send,
    answer: source.answer,
    link,
    root,
    colors: /** @type {any} */ (null),
    line: null,
    hand: "",
  };
  const parts = [makeComputingPart, ...makers].map((make) => /** @type {Part} */ (make(view)));
  parts.unshift(makePresenting(view, (factor) => parts.forEach((part) => part.enlarge?.(factor))));
  const sentence = html("p.al-sentence", { role: parts.some((part) => part.reads) && "status" });
  const still = view.get("still");
  const at = (/** @type {Place} */ place) =>
    parts.flatMap((part) =>
      still && part.needsKernel && !(place === "inputs" && view.get("controls")?.length)
        ? []
        : (part.places?.[place] ?? []),
    );
  const menu = makeMenu(at("menu"));
  root.append(
    html(
      "div.al-view",
      html("header.al-header", ...at("header")),
      html(
        "div.al-body",
        ...at("inputs").map((part) => set(part, { inert: Boolean(still) })),
        html("div.al-middle", ...at("middle")),
        html("div.al-side", ...at("side")),
      ),
      ...at("below"),
      html("div.al-alerts", ...at("alert")), // alerts move nothing away from under the pointer
      html("footer.al-foot", ...at("foot"), sentence, menu.root),
      ...at("end"),
    ),
  );

  /**
   * The sentence: why a number was refused; else about what is looked at, from the first part that has something to
   * say; else what can be done.
   */
  function tell() {
    const words = view.get("words");
    const refused = root.querySelector("[aria-invalid]") && words.live_refused;
    const said = parts.reduce((/** @type {any} */ said, part) => said || part.says?.(), refused);
    writeSentence(sentence, said || words[view.get("still") ? "still" : "rest"]);
  }

  for (const event of ["al-line", "al-refused", "focusin", "focusout"]) root.addEventListener(event, tell);
  root.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    /** @type {any} */ (root.closest(".jp-Cell"))?.focus(); // where the notebook's keys count again
  });
  root.addEventListener("keydown", passOn, true);

  function paintTheme() {
    const scheme = isDark(root) ? "dark" : "light";
    root.style.colorScheme = scheme;
    const { stops, lines, ...theme } = view.get("palette")[scheme];
    view.colors = colorMap(stops);
    for (const [name, color] of Object.entries(theme)) root.style.setProperty(`--al-${name}`, color);
    lines.forEach((/** @type {string[]} */ [color, dash], /** @type {number} */ i) => {
      root.style.setProperty(`--al-line${i}`, color);
      root.style.setProperty(`--al-dash${i}`, dash);
    });
    for (const part of parts) part.paint?.();
    tell();
  }

  el.classList.add("al-host");
  el.append(root);
  paintTheme();
  const theme = new MutationObserver(paintTheme);
  for (const marked of [document.body, document.documentElement])
    theme.observe(marked, { attributes: true, attributeFilter: THEME_MARKS });
  const listeners = parts.flatMap((part) =>
    Object.entries(part.on ?? {}).flatMap(([traits, listener]) =>
      traits.split(" ").map((trait) => /** @type {const} */ ([`change:${trait}`, () => (listener(), tell())])),
    ),
  );
  for (const [event, listener] of listeners) source.on(event, listener);
  const unwatch = link.watch((state) => {
    for (const part of parts) part.linked?.(state);
    tell();
  });
  const unmeasure = fitWindow(root);

  return () => {
    unmeasure();
    for (const [event, listener] of listeners) source.off(event, listener);
    unwatch();
    theme.disconnect();
    menu.close();
    for (const part of parts) part.close?.();
    root.remove();
  };
}

/**
 * marimo's editor limits the height of an output and scrolls the rest. A graph and the controls below it belong
 * together: its output gets all the height that it needs, as in JupyterLab. The returned function undoes that.
 * @param {HTMLElement} el
 */
function takeHeight(el) {
  const around = el.getRootNode();
  const host = around instanceof ShadowRoot ? around.host.closest("marimo-anywidget") : null;
  const output = /** @type {HTMLElement | null | undefined} */ (host?.closest(".output-area"));
  output?.style.setProperty("max-height", "none");
  return () => output?.style.removeProperty("max-height");
}

/**
 * JupyterLab uses the arrow keys of a slider for its own shortcuts, unless the focused element itself prevents that.
 * @param {FocusEvent} event
 */
function keepKeys(event) {
  /** @type {Element} */ (event.target).setAttribute("data-lm-suppress-shortcuts", "true");
}

/**
 * Let JupyterLab run the cell and save the notebook, as everywhere: the cell gets those keys that no field needs.
 * @param {KeyboardEvent} event
 */
function passOn(event) {
  const target = /** @type {Element} */ (event.target);
  const runs = event.key === "Enter" && (event.shiftKey || isShortcut(event)) && !target.matches(":read-write");
  const cell = /** @type {HTMLElement | null} */ (target.closest(".jp-Cell"));
  if (!cell || !(runs || (event.key === "s" && isShortcut(event)))) return;
  claim(event);
  if (runs) cell.focus();
  cell.dispatchEvent(new KeyboardEvent("keydown", event));
}

/**
 * Make a view no higher than the window, or than the scrolling part of it, such as a notebook.
 * @param {HTMLElement} root
 * @returns {() => void} stops following the window
 */
function fitWindow(root) {
  const resized = new ResizeObserver(([{ target }]) =>
    root.style.setProperty("--al-window", `min(100vh, ${target.clientHeight}px)`),
  );
  const seen = new IntersectionObserver(() => {
    if (!root.isConnected) return;
    const around = scrollerOf(root);
    if (around) resized.observe(around);
    seen.disconnect();
  });
  seen.observe(root);
  return () => {
    seen.disconnect();
    resized.disconnect();
  };
}

/** The outermost scrolling part of a page; an output in it is as high as its content. @param {Element} element */
function scrollerOf(element) {
  const found = [];
  for (let at = above(element); at && at !== document.body; at = above(at))
    if (["auto", "scroll"].includes(getComputedStyle(at).overflowY)) found.push(at);
  return found.at(-1) ?? null;
}

/** @param {Element} element @returns {Element | null} */
const above = (element) =>
  element.assignedSlot ?? element.parentElement ?? /** @type {ShadowRoot} */ (element.getRootNode()).host ?? null;

// The menu of a view, with everything that is seldom needed. It closes with Escape and with a click elsewhere.

/** @param {Element[]} parts one below the other */
function makeMenu(parts) {
  const summary = html("summary.al-tool", { "aria-label": "Menu", title: "Menu" }, "\u22ef");
  const panel = html("div.al-menu-panel", ...parts);
  const root = html("details.al-menu", { onkeydown: pressed, ontoggle: follow }, summary, panel);
  const resized = new ResizeObserver(fit);

  let down = 0; // from the top of the view to the summary, when the menu was opened

  /** While it is open, the view may grow or shrink: the menu stays, and what grows in it moves nothing above. */
  function follow() {
    resized.disconnect();
    panel.style.translate = "";
    panel.style.height = root.open ? `${panel.offsetHeight}px` : "";
    if (root.open) resized.observe(root.closest(".al-root"));
    down = 0;
  }

  /** Make it no higher than the visible view above it, beyond whose edge it would be cut off. */
  function fit() {
    const view = /** @type {Element} */ (root.closest(".al-root"));
    const [own, outer] = [view, scrollerOf(view)].map((area) => area?.getBoundingClientRect().top ?? 0);
    const now = summary.getBoundingClientRect().top - own;
    down ||= now;
    panel.style.setProperty("--al-room", `${own + down - Math.max(own, outer) - 8}px`);
    panel.style.translate = `0 ${down - now}px`;
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    if (event.key !== "Escape" || !root.open) return;
    event.stopPropagation(); // the box stays selected
    root.open = false;
    summary.focus();
  }

  const outside = (/** @type {Event} */ event) =>
    root.open && !event.composedPath().includes(root) && (root.open = false);
  document.addEventListener("pointerdown", outside, true);
  return { root, close: () => (resized.disconnect(), document.removeEventListener("pointerdown", outside, true)) };
}

/**
 * A part that is in the menu for a small graph, and above the graph for a large one. The first graph decides: otherwise
 * opening a block would move the graph.
 * @param {Element} part
 */
export function makeMovable(part) {
  const [menu, middle] = [html("div.al-slot"), html("div.al-slot")];
  return {
    menu,
    middle,
    place: (/** @type {boolean} */ inMenu) => part.parentNode ?? (inMenu ? menu : middle).append(part),
  };
}

// Presentation mode: the graph, the player and the sentence fill the screen. Escape leaves it.

/**
 * @param {import("../graph/explorer.js").View} view
 * @param {(factor: number) => void} enlarge
 * @returns {import("../graph/explorer.js").Part}
 */
function makePresenting(view, enlarge) {
  const { root } = view;
  /** @param {boolean} on */
  function show(on) {
    if (on === root.classList.contains("al-present")) return;
    root.classList.toggle("al-present", on);
    enlarge(on ? 5 / 3 : 1); // letters of 12 pixels become 20
  }

  /** If the page cannot use the whole screen, the view fills the window. */
  async function present() {
    show(true);
    /** @type {any} */ (root.querySelector(".al-menu")).open = false;
    await root.requestFullscreen?.().catch(() => {});
    /** @type {HTMLElement | null} */ (root.querySelector("[aria-label=Play]"))?.focus();
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
  return {
    places: { menu: [button("Present", present)] },
    close: () => document.removeEventListener("keydown", pressed, true),
  };
}
