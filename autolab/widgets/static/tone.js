// @ts-check
/** How numbers become colours: in even steps, or beyond a threshold in powers of ten. */

/**
 * Where a number stands among the colours, -1 to 1.
 * @param {number} scale the magnitude of the strongest colours
 * @param {number | null} threshold up to here colours are proportional to the numbers
 * @returns {(value: number) => number}
 */
export function makeTone(scale, threshold) {
  if (!scale) return () => 0;
  if (threshold === null) return (value) => value / scale;
  const powers = 1 + Math.log10(scale / threshold);
  return (value) => {
    const size = Math.abs(value) / threshold;
    return (Math.sign(value) * (size <= 1 ? size : 1 + Math.log10(size))) / powers;
  };
}
