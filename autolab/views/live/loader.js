// @ts-check
/** The loader in every view: it gets the module and the style of its kind from a model that all these views share. */

import { imported } from "./imported.js";
import { unzipped } from "./unzip.js";

const REFERENCE = "IPY_MODEL_"; // the prefix of a reference to another widget
const PATIENCE = 5000; // milliseconds until an empty view says why it is empty
// shared by the page, by digest: the views of all its notebooks import a module once
const loaded = Symbol.for("autolab.modules");

/** @typedef {{make: () => any, style: string}} FrontEnd */
/** @typedef {{get: (name: string) => any}} Held */

/** @param {any} model @returns {Promise<{widget: any, digest: string, style: string}>} */
async function load(model) {
  const held = await shared(model).catch(() => asked(model));
  const digest = held.get("digest");
  const page = /** @type {any} */ (globalThis);
  /** @type {Map<string, Promise<FrontEnd>>} */
  const kinds = (page[loaded] ??= new Map());
  if (!kinds.has(digest)) kinds.set(digest, unzip(held));
  const { make, style } = /** @type {FrontEnd} */ (await kinds.get(digest));
  return { widget: make(), digest, style };
}

/** The shared model, which not every host of widgets can look up. @param {any} model @returns {Promise<Held>} */
async function shared(model) {
  const held = await model.widget_manager.get_model(model.get("_front_end").replace(REFERENCE, ""));
  return held.get("module").byteLength ? held : Promise.reject();
}

/** The content of that model, from the kernel. @param {any} model @returns {Promise<Held>} */
function asked(model) {
  return new Promise((resolve) => {
    model.on("msg:custom", function hear(/** @type {any} */ content, /** @type {DataView[]} */ [module, sheet] = []) {
      if (!content.front_end) return;
      model.off("msg:custom", hear);
      resolve(new Map(Object.entries({ digest: content.front_end, module, sheet })));
    });
    model.send({ do: "front end" });
  });
}

/** @param {Held} held @returns {Promise<FrontEnd>} */
async function unzip(held) {
  const [text, style] = await Promise.all(["module", "sheet"].map((name) => unzipped(held.get(name))));
  return { make: (await imported(text)).default, style };
}

/**
 * Add style sheets to the page's head, or to the shadow root that a host has put around the view. A sheet shared by
 * several kinds of views is added once: after the sheets of the first kind, it would undo their changes to it.
 * @param {HTMLElement} el
 * @param {string} digest
 * @param {string} style
 */
function addStyle(el, digest, style) {
  const around = el.getRootNode();
  const home = around instanceof ShadowRoot ? around : document.head;
  const there = new Set([...home.querySelectorAll("style[data-autolab]")].map((element) => element.textContent));
  for (const sheet of style.split("\f").filter((text) => !there.has(text))) {
    const element = document.createElement("style");
    element.dataset.autolab = digest;
    element.textContent = sheet;
    home.append(element);
  }
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

export default () => {
  /** @type {Promise<{front: Awaited<ReturnType<typeof load>>, clean: any}>} */
  let ready;
  return {
    initialize(/** @type {any} */ context) {
      ready = load(context.model).then(async (front) => ({ front, clean: await front.widget.initialize(context) }));
      // A host may deliver no message of the kernel before this returns, so nothing is awaited here.
      return () => ready.then(({ clean }) => clean?.());
    },
    async render(/** @type {any} */ context) {
      const { el, model } = context;
      const waiting = setTimeout(() => (el.textContent = model.get("words").live_silent), PATIENCE);
      const { front } = await ready.finally(() => clearTimeout(waiting));
      el.textContent = "";
      addStyle(el, front.digest, front.style);
      const giveBack = takeHeight(el);
      const clean = await front.widget.render(context);
      return () => {
        giveBack();
        return clean?.();
      };
    },
  };
};
