// @ts-check
/** What every view carries: it takes the module and the style of its kind from one model that all of them share. */
import { unzipped } from "./unzip.js";

const REFERENCE = "IPY_MODEL_"; // what widgets write in front of another one's name
const loaded = Symbol.for("autolab.modules"); // of the page, by digest: the views of many notebooks import a module once

/** @typedef {{make: () => any, style: string}} FrontEnd */

/**
 * @param {any} model
 * @returns {Promise<{widget: any, digest: string, style: string}>}
 */
async function load(model) {
  const held = await model.widget_manager.get_model(model.get("_front_end").replace(REFERENCE, ""));
  const digest = held.get("digest");
  /** @type {Map<string, Promise<FrontEnd>>} */
  const kinds = (/** @type {any} */ (globalThis)[loaded] ??= new Map());
  if (!kinds.has(digest)) kinds.set(digest, unzip(held));
  const { make, style } = /** @type {FrontEnd} */ (await kinds.get(digest));
  return { widget: make(), digest, style };
}

/** @param {any} held @returns {Promise<FrontEnd>} */
async function unzip(held) {
  const [text, style] = await Promise.all(["module", "style"].map((name) => unzipped(held.get(name))));
  const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  try {
    return { make: (await import(address)).default, style };
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** Styles stand in the page's head, or in the shadow that a host has put around the view. @param {HTMLElement} el @param {string} digest @param {string} style */
function addStyle(el, digest, style) {
  const around = el.getRootNode();
  const home = around instanceof ShadowRoot ? around : document.head;
  if ([...home.querySelectorAll("style")].some((element) => element.dataset.autolab === digest)) return;
  const element = document.createElement("style");
  element.dataset.autolab = digest;
  element.textContent = style;
  home.append(element);
}

export default () => {
  /** @type {Awaited<ReturnType<typeof load>>} */
  let front;
  return {
    async initialize(/** @type {any} */ context) {
      front = await load(context.model);
      return front.widget.initialize(context);
    },
    render(/** @type {any} */ context) {
      addStyle(context.el, front.digest, front.style);
      return front.widget.render(context);
    },
  };
};
