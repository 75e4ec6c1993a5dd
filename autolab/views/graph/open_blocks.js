// @ts-check
/** Opening a block: its boxes grow out of the one that was clicked, and breadcrumbs show the position. */

import { html } from "../live/dom.js";
import { isStill } from "../steps/motion.js";

/** @typedef {import("./edges.js").Scene} Scene */

const GROWS = { duration: 260, easing: "ease-out" };

/**
 * Animate everything from its old position, and new elements from the box that was opened.
 * @param {Scene | undefined} before
 * @param {Scene} after
 * @param {number} turned the group that was opened or closed, which does not move
 * @param {Map<number, Element>} boxes
 * @param {Element[]} others lines and frames
 */
export function unfold(before, after, turned, boxes, others) {
  const all = (/** @type {Scene | undefined} */ scene) =>
    new Map([...(scene?.nodes ?? []), ...(scene?.frames ?? [])].map((one) => [one.id, one]));
  const known = all(before);
  const [was, is] = [known.get(turned), all(after).get(turned)];
  if (!was || !is || isStill()) return;
  const [across, down] = [is.x - was.x, is.y - was.y];
  const at = (/** @type {number} */ x, /** @type {number} */ y) => `translate(${x}px, ${y}px)`;
  for (const { id, x, y } of after.nodes) {
    const from = known.get(id) ?? was;
    const transform = [at(from.x + across, from.y + down), at(x, y)];
    boxes.get(id)?.animate({ transform, opacity: [known.has(id) ? 1 : 0, 1] }, GROWS);
  }
  for (const element of others) element.animate({ opacity: [0, 1] }, GROWS);
}

/**
 * The open blocks around the present position, from the outside in; a click on one closes the blocks inside it.
 * @param {(id: number) => void} close
 */
export function makeCrumbs(close) {
  const root = html("nav.al-crumbs", { "aria-label": "Open blocks", hidden: true });
  return {
    root,
    /** @param {Scene} scene @param {number | null} here an open group */
    update({ title, nodes, frames }, here) {
      const byId = new Map(frames.map((frame) => [/** @type {number | null} */ (frame.id), frame]));
      /** @type {Scene["frames"]} */
      const way = [];
      for (let frame = byId.get(here); frame; frame = byId.get(frame.parent)) way.unshift(frame);
      // in a plan its space is reserved, so that opening a block moves nothing
      root.hidden = !(frames.some(({ name }) => name) || nodes.some(({ plan }) => plan !== null));
      if (!way[0]?.name) return root.replaceChildren();
      const whole = title.split("(")[0];
      const all = [whole === way[0]?.name ? "" : whole, ...way.map(({ name }) => name)];
      const isTold = (/** @type {number} */ k) => all[k] && !["loop", "stack"].includes(way[k - 1]?.kind);
      const crumb = (/** @type {string} */ name, /** @type {number} */ k) =>
        k === way.length
          ? [html("span", { "aria-current": "true" }, name)]
          : isTold(k)
            ? [html("button.al-crumb", { type: "button", onclick: () => close(way[k].id) }, name), " \u203a "]
            : [];
      root.replaceChildren(...all.flatMap(crumb));
    },
  };
}
