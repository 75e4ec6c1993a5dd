// @ts-check
/** A small picture of the whole graph: where the view is, and a way to go elsewhere. For the eyes; keys walk the graph itself. */

import { html, set } from "./dom.js";

const FROM = 100; // boxes
const SIZE = { width: 110, height: 190 };

/** @param {HTMLElement} pane */
export function makeMinimap(pane) {
  const canvas = html("canvas", { class: "al-whole-canvas" });
  const here = html("div", { class: "al-whole-here" });
  const root = html("div", { class: "al-whole", "aria-hidden": "true", hidden: true, onpointerdown: grab, onpointermove: (/** @type {PointerEvent} */ e) => e.buttons && go(e) }, canvas, here);
  let [width, height, scale] = [1, 1, 1];

  function frame() {
    if (root.hidden) return;
    const zoom = pane.scrollWidth && (pane.querySelector("svg")?.clientWidth ?? 1) / width;
    const part = (/** @type {number} */ from, /** @type {number} */ size, /** @type {number} */ whole) =>
      [Math.max(0, (from / zoom) * scale), Math.min(whole, (size / zoom) * scale)].map((v) => `${v}px`);
    [here.style.left, here.style.width] = part(pane.scrollLeft, pane.clientWidth, width * scale);
    [here.style.top, here.style.height] = part(pane.scrollTop, pane.clientHeight, height * scale);
  }

  /** @param {PointerEvent} event */
  function grab(event) {
    root.setPointerCapture(event.pointerId);
    go(event);
  }

  /** @param {PointerEvent} event */
  function go(event) {
    const box = canvas.getBoundingClientRect();
    pane.scrollTo({ behavior: "instant", left: ((event.clientX - box.left) / box.width) * pane.scrollWidth - pane.clientWidth / 2,
      top: ((event.clientY - box.top) / box.height) * pane.scrollHeight - pane.clientHeight / 2 });
  }

  pane.addEventListener("scroll", frame);
  return {
    root,
    frame,
    /** @param {import("./graph.js").Scene} scene @param {(id: number) => string} color */
    draw(scene, color) {
      root.hidden = scene.nodes.length <= FROM;
      if (root.hidden) return;
      [width, height] = [scene.width, scene.height];
      scale = Math.min(SIZE.width / width, SIZE.height / height);
      const sharp = 2;
      set(canvas, { width: Math.ceil(width * scale * sharp), height: Math.ceil(height * scale * sharp) });
      [root.style.width, root.style.height] = [width, height].map((size) => `${Math.ceil(size * scale)}px`);
      const context = canvas.getContext("2d");
      for (const { id, x, y, w, h } of scene.nodes) {
        context.fillStyle = color(id);
        context.fillRect(x * scale * sharp, y * scale * sharp, Math.max(2, w * scale * sharp), Math.max(2, h * scale * sharp));
      }
      frame();
    },
  };
}
