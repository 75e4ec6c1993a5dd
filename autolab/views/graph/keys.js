// @ts-check
/**
 * Walking through the graph with the arrow keys, as it stands: against the lines to an operand, along them to a use,
 * across in a row.
 */

/**
 * The node that an arrow key leads to, if any.
 * @param {import("./graph.js").Scene} scene
 * @param {number} id
 * @param {string} key
 * @returns {number | undefined}
 */
export function walk({ nodes, frames, edges, direction }, id, key) {
  const byId = new Map([...frames, ...nodes].map((node) => [node.id, node]));
  const here = /** @type {any} */ (byId.get(id));
  const isRight = direction === "right";
  const [back, forth, before, after] = isRight
    ? ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]
    : ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];
  const [across, wide, along, long] = isRight ? ["y", "h", "x", "w"] : ["x", "w", "y", "h"];
  const middle = (/** @type {any} */ node) => node[across] + node[wide] / 2;
  const distance = (/** @type {number} */ other) => Math.abs(middle(byId.get(other)) - middle(here));
  const nearest = (/** @type {number[]} */ ids) => ids.sort((a, b) => distance(a) - distance(b))[0];

  if (frames.some((frame) => frame.id === id)) {
    if (key === back) return here.parent ?? undefined;
    return key === forth ? [...frames, ...nodes].find((n) => n.parent === id)?.id : undefined;
  }
  if (key === back) return nearest(edges.filter((e) => e.to === id).map((e) => e.from));
  if (key === forth) return nearest(edges.filter((e) => e.from === id).map((e) => e.to));
  const side = { [before]: -1, [after]: 1 }[key];
  if (!side) return undefined;
  const beside = nodes.filter(
    (/** @type {any} */ n) =>
      n[along] < here[along] + here[long] && here[along] < n[along] + n[long] && side * (middle(n) - middle(here)) > 0,
  );
  return nearest(beside.map((n) => n.id));
}
