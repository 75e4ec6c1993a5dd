// @ts-check
/** The user's hand: keys, a pointer over cells, drags; and the numbers that follow it. */

export const PIXELS_PER_RANGE = 240; // a drag of this length covers the whole range
export const A_CLICK = 3; // a drag of fewer pixels is a click

/** The step of an arrow key, in rows and columns. @type {Record<string, [number, number]>} */
export const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Keep an event from the notebook, which also uses most keys. @param {Event} event */
export function claim(event) {
  event.preventDefault();
  event.stopPropagation();
}

/** Whether a key is pressed together with a modifier. @param {KeyboardEvent} event */
export const isShortcut = (event) => event.ctrlKey || event.metaKey || event.altKey;

/** @param {number} value @param {number} low @param {number} high */
export const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

/** The nearest step of a range. @param {number} value @param {{min: number, max: number, step: number}} range */
export const snapped = (value, { min, max, step }) =>
  clamp(Number((Math.round(value / step) * step).toPrecision(12)), min, max); // 0.1 + 0.2 is to read 0.3

const KEY_STEPS = { ArrowLeft: -1, ArrowRight: 1, PageDown: -10, PageUp: 10 };

/** Whether a pointer was pointing: a finger only touches, and what it has read stays. @param {PointerEvent} event */
export const isHovering = (event) => event.pointerType !== "touch";

/**
 * The number after a key press; undefined for keys without an effect.
 * @param {string} key
 * @param {boolean} far whether Shift is held
 * @param {number} now
 * @param {{min: number, max: number, step: number}} range
 */
export function keyed(key, far, now, range) {
  const steps = KEY_STEPS[/** @type {keyof KEY_STEPS} */ (key)];
  const ends = { Home: range.min, End: range.max };
  return steps ? snapped(now + steps * range.step * (far ? 10 : 1), range) : ends[/** @type {"End"} */ (key)];
}

/**
 * The position of a pointer, as fractions of an element's width and height.
 * @param {MouseEvent} event
 * @param {Element} element
 */
export function placeIn({ clientX, clientY }, element) {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { across: (clientX - left) / width, down: (clientY - top) / height };
}

/**
 * Row and column of the cell under a pointer; null outside the cells.
 * @param {MouseEvent} event
 * @param {Element} element
 * @param {{rows: number, cols: number}} size
 */
export function cellUnder(event, element, { rows, cols }) {
  const { across, down } = placeIn(event, element);
  const [row, column] = [Math.floor(down * rows), Math.floor(across * cols)];
  return row >= 0 && row < rows && column >= 0 && column < cols ? { row, column } : null;
}

/**
 * The listeners of a draggable element.
 * @template Hold
 * @param {(event: PointerEvent) => Hold | null | undefined | false} grab gives what is held; nothing if no drag begins
 * @param {(hold: Hold, event: PointerEvent) => void} move
 * @param {(hold: Hold, event: PointerEvent) => void} [drop]
 */
export function draggable(grab, move, drop) {
  /** @type {Hold | null} */
  let hold = null;

  /** @param {PointerEvent} event */
  function up(event) {
    const held = hold;
    hold = null;
    if (held) drop?.(held, event);
  }

  return {
    /** @param {PointerEvent} event */
    onpointerdown(event) {
      if (event.button !== 0) return;
      hold = grab(event) || null;
      if (hold) /** @type {Element} */ (event.currentTarget).setPointerCapture(event.pointerId);
    },
    onpointermove: (/** @type {PointerEvent} */ event) => hold && move(hold, event),
    onpointerup: up,
    onpointercancel: up,
  };
}

/** @typedef {{x: number, y: number, value: number, axis: "" | "x" | "y"}} Pull where the drag of a number began */

/**
 * The number after a drag: up or to the right increases it; the direction of the first pixels counts. Null for a click.
 * @param {Pull} hold
 * @param {PointerEvent} event
 * @param {{min: number, max: number, step: number}} range
 */
export function pulled(hold, event, range) {
  const way = { x: event.clientX - hold.x, y: hold.y - event.clientY };
  if (!hold.axis && Math.max(Math.abs(way.x), Math.abs(way.y)) < A_CLICK) return null;
  hold.axis ||= Math.abs(way.x) > Math.abs(way.y) ? "x" : "y";
  return snapped(hold.value + (way[hold.axis] / PIXELS_PER_RANGE) * (range.max - range.min), range);
}
