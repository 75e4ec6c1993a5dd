// @ts-check
/** How large the parts of a box are: apart, as the evaluator of moving pages takes them without what draws. */

export const [HEADER, CAPTION] = [32, 16]; // how high they are
export const TOP = HEADER + CAPTION;
export const STRIP = { width: 96, height: 48, cell: 26, wide: 20 };
export const BELOW_CELLS = 14; // characters of a line below the cells
