// @ts-check
/** Walking through the graph with the arrow keys: up to an operand, down to a use, sideways in a row. */

/**
 * The node that an arrow key leads to, if any.
 * @param {import("./graph.js").Scene} scene
 * @param {number} id
 * @param {string} key
 * @returns {number | undefined}
 */
export function walk({ nodes, frames, edges }, id, key) {
  const byId = new Map([...frames, ...nodes].map((node) => [node.id, node]));
  const here = /** @type {any} */ (byId.get(id));
  const middle = (/** @type {any} */ node) => node.x + node.w / 2;
  const distance = (/** @type {number} */ other) => Math.abs(middle(byId.get(other)) - middle(here));
  const nearest = (/** @type {number[]} */ ids) => ids.sort((a, b) => distance(a) - distance(b))[0];

  if (frames.some((frame) => frame.id === id)) {
    if (key === "ArrowUp") return here.parent ?? undefined;
    return key === "ArrowDown" ? [...frames, ...nodes].find((n) => n.parent === id)?.id : undefined;
  }
  if (key === "ArrowUp") return nearest(edges.filter((e) => e.to === id).map((e) => e.from));
  if (key === "ArrowDown") return nearest(edges.filter((e) => e.from === id).map((e) => e.to));
  const side = { ArrowLeft: -1, ArrowRight: 1 }[key];
  if (!side) return undefined;
  const beside = nodes.filter((n) => n.y < here.y + here.h && here.y < n.y + n.h && side * (middle(n) - middle(here)) > 0);
  return nearest(beside.map((n) => n.id));
}
