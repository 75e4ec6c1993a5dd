// @ts-check
/** Small helpers for elements, rows of buttons and verdicts. Text enters the page only through `textContent`, so that a
 * name can never become markup. */

/**
 * May take the kind of event that it listens to, such as a KeyboardEvent.
 * @typedef {{ hear(event: Event): unknown }["hear"]} Listener
 */
/**
 * @typedef {{[K in keyof HTMLElementEventMap as `on${K}`]?: ((event: HTMLElementEventMap[K]) => unknown) | null}
 *   & Record<string, string | number | boolean | null | undefined | Listener>} Attributes
 */
/** @typedef {Node | string | false | null | undefined | any[]} Content what is nothing is left out */

/**
 * Set attributes by name; `onclick`-like keys add listeners; null, undefined and false remove the attribute. One that
 * stays as it was is left alone: a browser lays out anew also for the same number.
 * @template {Element} E
 * @param {E} element
 * @param {Attributes} attributes
 * @returns {E}
 */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === null || value === undefined || value === false) element.removeAttribute(name);
    else {
      const text = value === true ? "" : String(value);
      if (element.getAttribute(name) !== text) element.setAttribute(name, text);
    }
  }
  return element;
}

/**
 * An element by its tag and classes, as in "span.al-note"; then its attributes, if it has any, and what is in it.
 * Strings become text.
 * @param {string} space
 * @returns {(selector: string, ...content: (Attributes | Content)[]) => any}
 */
export const maker =
  (space) =>
  (selector, ...content) => {
    const [tag, ...classes] = selector.split(".");
    const element = document.createElementNS(space, tag);
    if (classes.length) element.setAttribute("class", classes.join(" "));
    const [first, ...others] = content;
    if (isContent(first)) fill(element, /** @type {Content[]} */ (content));
    else fill(set(element, /** @type {Attributes} */ (first)), /** @type {Content[]} */ (others));
    return element;
  };

/** @param {Attributes | Content} given */
const isContent = (given) => !given || typeof given !== "object" || Array.isArray(given) || given instanceof Node;

/** @param {Element} element @param {Content[]} content */
function fill(element, content) {
  for (const part of content)
    if (Array.isArray(part)) fill(element, part);
    else if (part !== false && part !== null && part !== undefined) element.append(part);
}

export const html = maker("http://www.w3.org/1999/xhtml");
export const svg = maker("http://www.w3.org/2000/svg");

/** @param {string} text @param {() => void} action @param {Attributes} [attributes] */
export function button(text, action, attributes = {}) {
  return html("button.al-button", { type: "button", onclick: action, ...attributes }, text);
}

/** A list of which one entry is chosen. @param {string[]} values @param {Attributes} attributes */
export function choice(values, attributes) {
  return html("select.al-choice", attributes, ...values.map((value) => html("option", { value }, value)));
}

/**
 * Change the text only where it differs, so that an unchanged number costs no layout; and in its place, so that a
 * changed one costs no new box.
 * @param {Element} element
 * @param {string} text
 */
export function write(element, text) {
  const { firstChild: first, lastChild: last } = element;
  if (first instanceof Text && first === last && text) {
    if (first.data !== text) first.data = text;
  } else if (element.textContent !== text) element.textContent = text;
}

const ROUNDING = 1e-6; // relative: what float32 makes of a decimal number is still that number

/**
 * A number as short text for reading; a number that is not zero never reads as 0, and trailing zeros stay where
 * something was rounded away (1.00 is not 1).
 * @param {number} value
 * @param {number} [digits] significant digits at most
 */
export function short(value, digits = 4) {
  if (Number.isNaN(value)) return "NaN";
  const near = Number(value.toPrecision(digits));
  const exact = Math.abs(near - value) <= ROUNDING * Math.abs(value);
  const text = !Number.isFinite(value) ? "∞" : exact ? String(near) : value.toPrecision(digits);
  // a line never ends behind this one
  return (value < 0 && text[0] !== "-" ? "-" + text : text).replaceAll("-", "\u2212");
}

const NARROW = 5; // so many characters have room in a narrow cell

/**
 * A number for a cell that may be narrow: with as many digits as it has room for.
 * @param {number} value
 * @param {boolean} narrow
 */
export function inCell(value, narrow) {
  const texts = [3, 2, 1].map((digits) => short(value, digits));
  if (!narrow) return texts[0];
  return (
    texts.find((text) => text.length <= NARROW) ?? value.toExponential(0).replaceAll("-", "\u2212").replace("+", "")
  );
}

// Buttons in a row, of which one is chosen.

/**
 * @template {string} Name
 * @param {string} label
 * @param {Record<Name, string>} texts of the values
 * @param {(value: Name) => void} chosen
 */
export function makeSegments(label, texts, chosen) {
  const group = `al-segments-${Math.random()}`; // of this view alone
  const choices = Object.entries(texts).map(([value, text]) =>
    html("input.al-button", {
      type: "radio",
      name: group,
      value,
      "data-text": text,
      "aria-label": text,
      onchange: () => chosen(/** @type {Name} */ (value)),
    }),
  );
  return {
    root: html("div.al-segments", { role: "radiogroup", "aria-label": label }, ...choices),
    /** @param {Name} value */
    choose: (value) => choices.forEach((choice) => (choice.checked = choice.value === value)),
  };
}

export const KINDS_SHOWN = { value: "Value", gradient: "Gradient", both: "Both" };
export const SCALES = { asinh: "Asinh", linear: "Linear", symlog: "Symmetric log" };
const RUNNING = { auto: "Automatic", down: "Down", right: "Right" };

/**
 * The entry of a menu that chooses where the graph runs: `root`, and `choose` to show what was chosen.
 * @param {(direction: keyof typeof RUNNING) => void} chosen
 */
export function makeDirection(chosen) {
  const ways = makeSegments("Direction", RUNNING, chosen);
  return {
    ...ways,
    root: html("div.al-order-control", html("span.al-caption", "Direction"), ways.root),
  };
}

// A verdict as a word with a sign, told apart without colours.

const SIGNS = { right: "\u2713", wrong: "\u2717", "cannot tell": "?" };

export function makeBadge(verdict = "") {
  const sign = html("span", { "aria-hidden": "true" });
  const word = html("span");
  const root = html("span.al-badge-word", sign, word);
  return {
    root,
    /** @param {string} verdict @param {string} text */
    show(verdict, text) {
      set(root, { "data-verdict": verdict });
      write(sign, SIGNS[/** @type {"right"} */ (verdict)]);
      write(word, text);
    },
  };
}

const SET_IN = 4; // letters

/**
 * A line of source; what of it goes on in the next row is set in further, and begins where a word does.
 * @param {string} code @param {Node[]} more
 */
export function codeLine(code, ...more) {
  const words = code.split(/(?<=[([{,*/@+])(?![*/\s])/);
  const line = html("code", ...words.flatMap((word) => [word, html("wbr")]), ...more);
  line.style.setProperty("--al-set-in", String(code.search(/\S|$/) + SET_IN));
  return line;
}
