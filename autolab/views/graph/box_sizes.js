// @ts-check
/** Sizes of the parts of a box, in a module of their own, as moving pages need them without the drawing code. */

export const [HEADER, CAPTION] = [32, 16]; // heights
export const TOP = HEADER + CAPTION;
export const CELL = { high: 26, wide: 20 }; // of an array without numbers: at most so high, and wide if it may
export const BELOW_CELLS = 14; // maximum characters of a line below the cells
