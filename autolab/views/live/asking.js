// @ts-check
/** What a view looks at and asks whose parts show answers as they are, each by its name. */

/**
 * @template Look
 * @param {Look} look with which it begins
 * @param {(look: Look) => Record<string, any[]>} asks the questions, by the names of what they are answered with
 * @param {(brain: import("./brain.js").Brain) => Record<string, (message: any, done?: () => void) => void>} [acts]
 * @param {(look: Look) => Record<string, any[]>} [later] what can wait: until it is there, its name stands for null
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
