// @ts-check
/**
 * The loader in every view: it gets the module and the style of its kind from the host, if that has them, or else from
 * a model that all these views share. A saved view for which neither is there is shown as a picture.
 */

import { imported } from "./imported.js";
import { unzipped } from "./unzip.js";

const PATIENCE = 5000; // milliseconds until an empty view says why it is empty
const [VIEW, HTML] = ["application/vnd.jupyter.widget-view+json", "text/html"];
const page = /** @type {any} */ (globalThis);
const host = Symbol.for("autolab.host"); // addresses of front ends, by digest; see bundle.py
// shared by the page, by digest: the views of all its notebooks import a module once
const loaded = Symbol.for("autolab.modules");

/** @typedef {{default: () => any, style: string}} FrontEnd */
/** @typedef {{get: (name: string) => any}} Held */

/** Nothing comes of a saved view whose front end is nowhere. @param {any} model @returns {Promise<FrontEnd | void>} */
async function load(model) {
  const digest = model.get("_digest");
  /** @type {Map<string, Promise<FrontEnd>>} */
  const kinds = (page[loaded] ??= new Map());
  const address = page[host]?.[digest];
  const held = address || kinds.has(digest) || (await shared(model).catch(() => asked(model)));
  if (held && !kinds.has(digest)) kinds.set(digest, address ? import(address) : unzip(held));
  return kinds.get(digest);
}

/** The shared model, which not every host of widgets can look up. @param {any} model @returns {Promise<Held>} */
async function shared(model) {
  // a reference is IPY_MODEL_ with the id
  const held = await model.widget_manager.get_model(model.get("_front_end").slice(10));
  return held.get("module").byteLength ? held : Promise.reject();
}

/** The content of that model, from the kernel, if there is one. @param {any} model @returns {any} */
function asked(model) {
  if (model.get("_saved")) return;
  return new Promise((resolve) => {
    model.on("msg:custom", function hear(/** @type {any} */ content, /** @type {DataView[]} */ [module, sheet] = []) {
      if (!content.front_end) return;
      model.off("msg:custom", hear);
      resolve(new Map(Object.entries({ module, sheet })));
    });
    model.send({ do: "front end" });
  });
}

/** @param {Held} held @returns {Promise<FrontEnd>} */
async function unzip(held) {
  const [text, style] = await Promise.all(["module", "sheet"].map((name) => unzipped(held.get(name))));
  return { default: (await imported(text)).default, style };
}

/**
 * Add style sheets to the page's head, or to the shadow root that a host has put around the view. A sheet shared by
 * several kinds of views is added once: after the sheets of the first kind, it would undo their changes to it.
 * @param {HTMLElement} el
 * @param {string} style
 */
function addStyle(el, style) {
  const around = el.getRootNode();
  const home = around instanceof ShadowRoot ? around : document.head;
  const there = new Set([...home.querySelectorAll("style[data-autolab]")].map((one) => one.textContent));
  for (const sheet of style.split("\f").filter((text) => !there.has(text))) {
    const element = document.createElement("style");
    element.dataset.autolab = "";
    element.textContent = sheet;
    home.append(element);
  }
}

/**
 * Show the picture that is saved in the same output as the view, as hosts without widgets do; without one, a sentence.
 * @param {any} model @param {HTMLElement} el
 */
function showPicture(model, el) {
  const { id, sentence } = model.get("_saved");
  const { context, rendermime } = model.widget_manager;
  el.textContent = sentence;
  for (const { outputs = [] } of context?.model.cells ?? [])
    for (let i = 0; i < outputs.length; i++) {
      const { data } = outputs.get(i);
      if (data[VIEW]?.model_id !== id || !data[HTML]) continue;
      const picture = rendermime.createRenderer(HTML);
      picture.renderModel({ data, metadata: {} });
      el.replaceChildren(picture.node);
    }
}

export default () => {
  /** @type {Promise<{style: string, widget: any, clean: any} | void>} */
  let ready;
  return {
    initialize(/** @type {any} */ context) {
      ready = load(context.model).then(async (front) => {
        const widget = front?.default();
        return front && { style: front.style, widget, clean: await widget.initialize(context) };
      });
      // A host may deliver no message of the kernel before this returns, so nothing is awaited here.
      return () => ready.then((view) => view?.clean?.());
    },
    async render(/** @type {any} */ context) {
      const { el, model } = context;
      const waiting = setTimeout(() => (el.textContent = model.get("words").live_silent), PATIENCE);
      const view = await ready.finally(() => clearTimeout(waiting));
      el.textContent = "";
      if (!view) return showPicture(model, el);
      addStyle(el, view.style);
      return view.widget.render(context);
    },
  };
};
