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
 * What makes elements by their tag and classes, as in "span.al-note"; then their attributes, if they have any, and what
 * is in them. Strings become text.
 * @param {(tag: string) => Element} create
 * @returns {(selector: string, ...content: (Attributes | Content)[]) => any}
 */
export const maker =
  (create) =>
  (selector, ...content) => {
    const [tag, ...classes] = selector.split(".");
    const element = create(tag);
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

export const html = maker((tag) => document.createElement(tag));
export const svg = maker((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag));

/** @param {string} text @param {() => void} action @param {Attributes} [attributes] */
export function button(text, action, attributes = {}) {
  return html("button.al-button", { type: "button", onclick: action, ...attributes }, text);
}

/** Whether a text could be copied: a browser may forbid it. @param {string} text @returns {Promise<boolean>} */
export const toClipboard = async (text) =>
  (await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  )) ?? false;

/**
 * A list of which one entry is chosen.
 * @param {(string | [value: string | number, text: string])[]} entries texts, or values with their texts
 * @param {Attributes} attributes
 */
export function choice(entries, attributes) {
  return html("select.al-choice", attributes, ...options(entries));
}

/** @param {(string | [value: string | number, text: string])[]} entries */
export const options = (entries) =>
  entries.map((entry) => {
    const [value, text] = typeof entry === "string" ? [entry, entry] : entry;
    return html("option", { value }, text);
  });

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

/** What stands between backquotes in a sentence as code. @param {string} text @returns {(string | Node)[]} */
export const prose = (text) => text.split("`").map((part, i) => (i % 2 ? html("code", part) : part));

/** The same for a sentence. @param {Element} element @param {string} text */
export function writeSentence(element, text) {
  if (text.includes("`")) element.replaceChildren(...prose(text));
  else write(element, text);
}

/** What has nothing to say is hidden. @param {any} element @param {any} text */
export function tellOrHide(element, text) {
  writeSentence(element, text || "");
  element.hidden = !text;
}

/**
 * Lay an element over a part of what it is in.
 * @param {HTMLElement} element
 * @param {Record<string, number>} place where it begins and how large it is, of 1
 */
export function lay(element, place) {
  for (const [side, part] of Object.entries(place)) element.style.setProperty(side, `${100 * part}%`);
  return element;
}

/**
 * Lay an element over cells, or hide it.
 * @param {HTMLElement} element
 * @param {number[] | null} at the first row and column, and how many there are
 * @param {{rows: number, cols: number}} size
 */
export function layOverCells(element, at, { rows, cols }) {
  element.hidden = !at;
  const [row, column, high = 1, wide = 1] = at ?? [0, 0];
  return lay(element, { top: row / rows, left: column / cols, height: high / rows, width: wide / cols });
}

/** Colour a part of the track of a slider. @param {HTMLElement} range @param {number} to @param {number} from */
export function fillTrack(range, to, from = 0) {
  range.style.setProperty("--al-from", `${100 * from}%`);
  range.style.setProperty("--al-to", `${100 * to}%`);
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

/** The index as the user writes it. @param {number[]} shape @param {number} k */
export function bracketOf(shape, k) {
  const index = [];
  for (const n of [...shape].reverse()) {
    index.unshift(k % n);
    k = Math.floor(k / n);
  }
  return `[${index.join(", ")}]`;
}

// Buttons in a row, of which one is chosen.

/**
 * @param {[text: string, chosen: () => void][]} entries
 * @param {(text: string) => string} [spoken]
 * @returns {HTMLInputElement[]}
 */
export function makeRadios(entries, spoken = (text) => text) {
  const name = `al-segments-${Math.random()}`; // of this view alone
  return entries.map(([text, onchange]) =>
    html("input.al-button", { type: "radio", name, "data-text": text, "aria-label": spoken(text), onchange }),
  );
}

/**
 * @template {string} Name
 * @param {string} label
 * @param {Record<Name, string>} texts of the values
 * @param {(value: Name) => void} chosen
 */
export function makeSegments(label, texts, chosen) {
  const values = /** @type {Name[]} */ (Object.keys(texts));
  const choices = makeRadios(values.map((value) => [texts[value], () => chosen(value)]));
  values.forEach((value, k) => (choices[k].value = value));
  return {
    root: html("div.al-segments", { role: "radiogroup", "aria-label": label }, ...choices),
    /** @param {Name} value */
    choose: (value) => choices.forEach((choice) => (choice.checked = choice.value === value)),
  };
}

/** Controls behind their name. @param {Attributes} attributes @param {string} caption @param {Content[]} parts */
export const captioned = (attributes, caption, ...parts) =>
  html("div.al-order-control", attributes, html("span.al-caption", caption), ...parts);

export const KINDS_SHOWN = { value: "Value", gradient: "Gradient", both: "Both" };
export const SCALES = { asinh: "Asinh", linear: "Linear", symlog: "Symmetric log" };
const RUNNING = { auto: "Automatic", down: "Down", right: "Right" };

/**
 * The entry of a menu that chooses where the graph runs: `root`, and `choose` to show what was chosen.
 * @param {(direction: keyof typeof RUNNING) => void} chosen
 */
export function makeDirection(chosen) {
  const ways = makeSegments("Direction", RUNNING, chosen);
  return { ...ways, root: captioned({}, "Direction", ways.root) };
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
