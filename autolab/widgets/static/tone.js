// @ts-check
/** How numbers become colours: as asinh, in even steps, or beyond a threshold in powers of ten. */

export const BEND = 100; // of the one scale of a view, as views/draw/colors.py has it

/**
 * Where a number stands among the colours, -1 to 1.
 * @param {number} scale the magnitude of the strongest colours
 * @param {number | null} threshold up to here colours are proportional to the numbers
 * @param {number} [bend] of asinh, which has no threshold
 * @returns {(value: number) => number}
 */
export function makeTone(scale, threshold, bend = 0) {
  if (!scale) return () => 0;
  if (bend) return (value) => Math.asinh((value / scale) * bend) / Math.asinh(bend);
  if (threshold === null) return (value) => value / scale;
  const powers = 1 + Math.log10(scale / threshold);
  return (value) => {
    const size = Math.abs(value) / threshold;
    return (Math.sign(value) * (size <= 1 ? size : 1 + Math.log10(size))) / powers;
  };
}
