// @ts-check
/** A small picture of the whole graph: where the view is, and a way to go elsewhere. For the eyes; keys walk the graph itself. */

import { html, set } from "./dom.js";

const SIZE = { tall: [110, 190], wide: [190, 42], least: 20 };

/** @param {HTMLElement} pane */
export function makeMinimap(pane) {
  const canvas = html("canvas", { class: "al-whole-canvas" });
  const here = html("div", { class: "al-whole-here" });
  const root = html("div", { class: "al-whole", "aria-hidden": "true", hidden: true, onpointerdown: grab, onpointermove: (/** @type {PointerEvent} */ e) => e.buttons && go(e) }, canvas, here);
  let [width, height, across, down] = [1, 1, 1, 1]; // the graph's size, and pixels of the map for each unit
  /** @type {(() => void) | null} */
  let paint = null; // what is to be painted once the map can be seen

  /** Show which part can be seen, if not all of it can. */
  function frame(isBeyond = !root.hidden) {
    root.hidden = !isBeyond;
    if (root.hidden) return;
    paint?.();
    const zoom = pane.scrollWidth && (pane.querySelector("svg")?.clientWidth ?? 1) / width;
    const part = (/** @type {number} */ from, /** @type {number} */ size, /** @type {number} */ whole, /** @type {number} */ scale) =>
      [Math.max(0, (from / zoom) * scale), Math.min(whole * scale, (size / zoom) * scale)].map((v) => `${v}px`);
    [here.style.left, here.style.width] = part(pane.scrollLeft, pane.clientWidth, width, across);
    [here.style.top, here.style.height] = part(pane.scrollTop, pane.clientHeight, height, down);
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

  /** @param {import("./graph.js").Scene} scene @param {(id: number) => string} color */
  function draw(scene, color) {
    [width, height] = [scene.width, scene.height];
    const isWide = width > height;
    const [most, less] = isWide ? SIZE.wide : SIZE.tall;
    across = down = Math.min(most / width, less / height);
    if (isWide) down = Math.max(down, SIZE.least / height);
    else across = Math.max(across, SIZE.least / width);
    const sharp = 2;
    set(canvas, { width: Math.ceil(width * across * sharp), height: Math.ceil(height * down * sharp) });
    [root.style.width, root.style.height] = [width * across, height * down].map((size) => `${Math.ceil(size)}px`);
    root.classList.toggle("al-whole-below", isWide);
    const context = canvas.getContext("2d");
    for (const { id, x, y, w, h } of scene.nodes) {
      context.fillStyle = color(id);
      context.fillRect(x * across * sharp, y * down * sharp, Math.max(2, w * across * sharp), Math.max(2, h * down * sharp));
    }
  }

  pane.addEventListener("scroll", () => frame());
  return {
    root,
    frame,
    /** @param {import("./graph.js").Scene} scene @param {(id: number) => string} color */
    draw(scene, color) {
      paint = () => {
        paint = null;
        draw(scene, color);
      };
      frame();
    },
  };
}
