// @ts-check
/** What the boxes show at one step of the walk: nothing before its time, and sums that still grow as such. */

/** @typedef {import("./graph.js").Reading} Reading */

/**
 * @param {import("./graph.js").Scene} scene
 * @param {Record<string, Reading>} readings
 * @param {Record<string, string>} words
 * @param {any} frame empty where the whole is shown
 * @returns {Record<string, Reading>}
 */
export function readingsAt(scene, readings, words, frame) {
  if (frame.k === undefined) return readings;
  return Object.fromEntries(scene.nodes.map((node) => {
    const reading = readings[node.id];
    return [node.id, (reading.known ?? null) === null ? reading : at(frame, node, reading, words)];
  }));
}

/**
 * @param {any} frame
 * @param {import("./graph.js").SceneNode} node
 * @param {Reading} reading
 * @param {Record<string, string>} words
 * @returns {Reading}
 */
function at({ k, backward, growing }, node, reading, words) {
  const { first = null, last = null } = reading; // the moments at which its first and its last share arrive
  const known = k >= /** @type {number} */ (reading.known);
  const partial = growing[node.id];
  const arrived = last !== null && k >= last;
  const heading = node.name && node.name !== node.text ? `${node.name} = ${node.text}` : node.text;
  const shown = known ? reading : { ...reading, value: null, value_cells: null };
  const grad = partial ? { grad: partial.grad, grad_cells: partial.cells, shares: `, ${partial.arrived} of ${partial.of}` }
    : arrived ? {} : { grad: null, grad_cells: null };
  const note = !backward ? "" : first === null ? words.absent : words.not_yet;
  const told = partial ? partial.grad : arrived ? reading.grad : note;
  return {
    ...shown, ...grad, pending: !known, value_note: words.not_yet, grad_note: note,
    spoken: `${heading}, value ${known ? reading.value : words.not_yet}${told ? `, gradient${grad.shares ?? ""} ${told}` : ""}`,
  };
}
