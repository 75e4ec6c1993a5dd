// @ts-check
/** Animation of the walk: numbers travel along the lines, are multiplied at a box, and are added. */

import { sameEdge } from "../graph/answer.js";
import { svg, write } from "../live/dom.js";

const TRAVEL = 620; // milliseconds of travel along a line
const STAY = 520; // milliseconds of a calculation at a box
const AT_ONCE = 8; // maximum of numbers that travel side by side
const ARRAY = "\u25a6"; // travels in place of the elements of an array

/** @typedef {{sign: string, text: string, array: any}} Line a line of the calculation */

/** @param {SVGElement} picture */
export function makeMotion(picture) {
  let request = 0;
  /** @type {SVGElement[]} */
  let moving = [];

  function stop() {
    cancelAnimationFrame(request);
    for (const label of moving) label.remove();
    moving = [];
  }

  /**
   * Let numbers travel along lines, all at the same time.
   * @param {{path: string, text: string}[]} runs
   * @param {boolean} back
   * @param {() => void} [done]
   * @param {boolean} [slope] whether they are derivatives
   */
  function travel(runs, back, done, slope = back) {
    const labels = runs.map(({ path, text }) => ({ line: svg("path", { d: path }), label: show(text, slope) }));
    const start = performance.now();
    const step = (/** @type {number} */ now) => {
      const part = Math.min(1, Math.max(0, (now - start) / TRAVEL));
      const eased = part < 0.5 ? 4 * part ** 3 : 1 - (2 - 2 * part) ** 3 / 2;
      for (const { line, label } of labels) {
        const { x, y } = line.getPointAtLength(line.getTotalLength() * (back ? 1 - eased : eased));
        label.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
      }
      if (part < 1) request = requestAnimationFrame(step);
      else {
        stop();
        done?.();
      }
    };
    step(start);
  }

  /**
   * Show a calculation at a box for a while.
   * @param {string} text
   * @param {{x: number, y: number, w: number}} box
   * @param {number} y
   * @param {() => void} [done]
   */
  function say(text, box, y, done) {
    const label = show(text, true);
    label.setAttribute("transform", `translate(${box.x + box.w / 2} ${y})`);
    const start = performance.now();
    const step = (/** @type {number} */ now) => {
      if (now - start < STAY) return void (request = requestAnimationFrame(step));
      stop();
      done?.();
    };
    request = requestAnimationFrame(step);
  }

  /** @param {string} text @param {boolean} slope */
  function show(text, slope) {
    const label = svg("text", {
      class: slope ? "al-traveller al-slope" : "al-traveller",
      "aria-hidden": "true",
      dy: 5,
    });
    write(label, text);
    picture.append(label);
    moving.push(label);
    return label;
  }

  /**
   * Send a share: the product with the local derivative at the function's box, the travel along the line, and the sum
   * at its end. In the backward pass it is multiplied before it travels, in forward mode afterwards.
   * @param {Line[]} lines @param {string} path @param {any} from the box @param {any} to the box
   * @param {boolean} back
   */
  function sendShare(lines, path, from, to, back) {
    const texts = lines.map(({ text, array }) => (array ? ARRAY : text));
    const result = lines.findIndex(({ sign }) => sign === "=");
    const share = texts[result] ?? texts.at(-1) ?? ARRAY;
    const product = result === 2 && texts[0] !== ARRAY ? `${texts[0]} \u00d7 ${texts[1]} = ${share}` : "";
    const sum =
      lines.length === result + 3 && share !== ARRAY ? `${texts[result + 1]} + ${share} = ${texts[result + 2]}` : "";
    const add = () => sum && say(sum, to, to.y + to.h + 14);
    const multiply = (/** @type {any} */ box, /** @type {() => void} */ then) =>
      product ? say(product, box, box.y - 12, then) : then();
    if (back) multiply(from, () => travel([{ path, text: share }], true, add));
    else travel([{ path, text: texts[0] ?? ARRAY }], false, () => multiply(to, add), true);
  }

  return {
    stop,
    /**
     * Animate one step of the walk: a share, or values that travel to the box computed from them. Nothing moves if the
     * step is empty.
     * @param {any} frame
     * @param {import("../graph/edges.js").Scene} scene
     * @param {(import("../graph/answer.js").Edge & {path: string})[]} edges
     * @param {Record<string, Reading>} readings
     */
    step({ nodes: lit = [], edge: one, backward, moving, lines = [], phase }, scene, edges, readings) {
      stop();
      if (!phase || isStill()) return;
      const along = one && edges.find((edge) => sameEdge(edge, one));
      const box = (/** @type {number} */ id) => scene.nodes.find((node) => node.id === id);
      const runs = edges.filter((edge) => lit.includes(edge.to) && !lit.includes(edge.from)).slice(0, AT_ONCE);
      const text = (/** @type {string | null | undefined} */ value) =>
        value && !value.includes("\u2026") && value.length < 9 ? value : ARRAY;
      if (along && moving) sendShare(lines, along.path, box(along.from), box(along.to), false);
      else if (along) sendShare(lines, along.path, box(along.to), box(along.from), true);
      else if (!backward && runs.length)
        travel(
          runs.map(({ path, from }) => ({ path, text: text(readings[from]?.value) })),
          false,
        );
    },
  };
}

/** Whether the user prefers reduced motion, and sees only still frames. */
export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// What the boxes show at one step of the walk: nothing before its time, and incomplete sums marked as such.

/** @typedef {import("../graph/node.js").Reading} Reading */

/**
 * @param {import("../graph/edges.js").Scene} scene
 * @param {Record<string, Reading>} readings
 * @param {Record<string, string>} words
 * @param {any} frame empty if there is no walk
 * @returns {Record<string, Reading>}
 */
export function readingsAt(scene, readings, words, frame) {
  if (frame.k === undefined) return readings;
  return Object.fromEntries(
    scene.nodes.map((node) => {
      const reading = readings[node.id];
      return [node.id, (reading.known ?? null) === null ? reading : at(frame, node, reading, words)];
    }),
  );
}

/**
 * @param {any} frame
 * @param {import("../graph/edges.js").SceneNode} node
 * @param {Reading} reading
 * @param {Record<string, string>} words
 * @returns {Reading}
 */
function at({ k, backward, growing }, node, reading, words) {
  const { first = null, last = null } = reading; // the moments at which the first and the last share arrive
  const known = k >= /** @type {number} */ (reading.known);
  const partial = growing[node.id];
  const arrived = last !== null && k >= last;
  const heading = node.name && node.name !== node.text ? `${node.name} = ${node.text}` : node.text;
  const shown = known ? reading : { ...reading, value: null, value_cells: null };
  const grad = partial
    ? { grad: partial.grad, grad_cells: partial.cells, shares: `${partial.arrived} of ${partial.of} shares` }
    : arrived
      ? {}
      : { grad: null, grad_cells: null };
  const note = !backward ? "" : first === null ? (reading.grad_note ?? words.absent) : words.not_yet;
  const told = partial ? partial.grad : arrived ? reading.grad : note;
  const gradient = told ? `, ${[reading.kind ?? "gradient", grad.shares].filter(Boolean).join(", ")} ${told}` : "";
  return {
    ...shown,
    ...grad,
    pending: !known,
    value_note: words.not_yet,
    grad_note: note,
    spoken: `${heading}, value ${known ? reading.value : words.not_yet}${gradient}`,
  };
}
