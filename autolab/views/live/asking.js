// @ts-check
/** The mind of a view whose parts show answers unchanged, each under a name. */

/**
 * @template Look
 * @param {Look} look the initial look
 * @param {(look: Look) => Record<string, any[]>} asks the questions, by the names of their answers
 * @param {(brain: import("./brain.js").Brain) => Record<string, (message: any, done?: () => void) => void>} [acts]
 * @param {(look: Look) => Record<string, any[]>} [later] questions that can wait: until they are answered, the answers
 *   are null
 * @returns {import("./brain.js").Mind}
 */
export function makeAsking(look, asks, acts = () => ({}), later = () => ({})) {
  const told = (/** @type {any} */ found) => (found?.refused ? null : (found ?? null));
  return {
    look,
    acts,
    questions: (now) => Object.values(asks(now)),
    panels: (now) => Object.values(later(now)),
    settled: (now) => now,
    shown: (_, now, answer) =>
      Object.fromEntries(
        Object.entries({ ...asks(now), ...later(now) }).map(([name, question]) => [name, told(answer(question))]),
      ),
    words: () => ({}),
  };
}
