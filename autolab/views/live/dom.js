// @ts-check
/** Helpers for elements, rows of buttons and verdicts. Text enters the page only through `textContent`, so that a name
 * can never become markup. */

/**
 * A listener whose parameter may have the type of the event, such as KeyboardEvent.
 * @typedef {{ hear(event: Event): unknown }["hear"]} Listener
 */
/**
 * @typedef {{[K in keyof HTMLElementEventMap as `on${K}`]?: ((event: HTMLElementEventMap[K]) => unknown) | null}
 *   & Record<string, string | number | boolean | null | undefined | Listener>} Attributes
 */
/** @typedef {Node | string | false | null | undefined | any[]} Content empty values are omitted */

/**
 * Set attributes by name; `onclick`-like keys add listeners; null, undefined and false remove the attribute. An
 * unchanged one is not set again: a browser would repeat the layout even for the same number.
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
 * A function that creates elements from their tag and classes, as in "span.al-note", then optional attributes, and
 * their content. Strings become text.
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

/** Copy a text; whether that succeeded, as a browser may forbid it. @param {string} text @returns {Promise<boolean>} */
export const toClipboard = async (text) =>
  (await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  )) ?? false;

/**
 * A drop-down list.
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
 * Change the text only if it differs, so that an unchanged number causes no layout; and in place, so that a changed one
 * creates no new node.
 * @param {Element} element
 * @param {string} text
 */
export function write(element, text) {
  const { firstChild: first, lastChild: last } = element;
  if (first instanceof Text && first === last && text) {
    if (first.data !== text) first.data = text;
  } else if (element.textContent !== text) element.textContent = text;
}

/** A sentence, with text between backquotes as code. @param {string} text @returns {(string | Node)[]} */
export const prose = (text) => text.split("`").map((part, i) => (i % 2 ? html("code", part) : part));

/** Write a sentence with code into an element. @param {Element} element @param {string} text */
export function writeSentence(element, text) {
  /** @type {HTMLElement} */ (element).style.setProperty("--al-length", String(text.length));
  if (text.includes("`")) element.replaceChildren(...prose(text));
  else write(element, text);
}

/** Write a text, or hide the element if there is none. @param {any} element @param {any} text */
export function tellOrHide(element, text) {
  writeSentence(element, text || "");
  element.hidden = !text;
}

/**
 * Lay an element over a part of its container.
 * @param {HTMLElement} element
 * @param {Record<string, number>} place its position and size, as fractions
 */
export function lay(element, place) {
  for (const [side, part] of Object.entries(place)) element.style.setProperty(side, `${100 * part}%`);
  return element;
}

/**
 * Lay an element over cells, or hide it.
 * @param {HTMLElement} element
 * @param {number[] | null} at first row and column, and numbers of rows and columns
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

const ROUNDING = 1e-6; // relative: a decimal number rounded to float32 is still shown as that number

/**
 * A number as short text. A number that is not zero never reads as 0, and trailing zeros remain if something was
 * rounded (1.00 is not 1).
 * @param {number} value
 * @param {number} [digits] maximum number of significant digits
 */
export function short(value, digits = 4) {
  if (Number.isNaN(value)) return "NaN";
  const near = Number(value.toPrecision(digits));
  const exact = Math.abs(near - value) <= ROUNDING * Math.abs(value);
  const text = !Number.isFinite(value) ? "∞" : exact ? String(near) : value.toPrecision(digits);
  // a line never breaks after this minus sign
  return (value < 0 && text[0] !== "-" ? "-" + text : text).replaceAll("-", "\u2212");
}

/**
 * A number for a narrow cell: three digits that count, or fewer if they need more characters than there is room for.
 * views/draw/numbers.py writes the same.
 * @param {number} value
 * @param {number} [room]
 */
export function inCell(value, room = 5) {
  const texts = [3, 2, 1].map((digits) => significant(value, digits));
  return texts.find((text) => text.length <= room) ?? value.toExponential(0).replaceAll("-", "\u2212").replace("+", "");
}

/** Without trailing zeros if the text is exact. @param {number} value @param {number} digits */
function significant(value, digits) {
  const power = Math.floor(Math.log10(Math.abs(Number(value.toPrecision(digits)))));
  if (!Number.isFinite(power)) return short(value, digits);
  const text =
    power >= -4 && power < 5 ? value.toFixed(Math.max(0, digits - 1 - power)) : value.toExponential(digits - 1);
  const [mantissa, exponent] = text.split("e");
  const isExact = mantissa.includes(".") && Math.abs(Number(text) - value) <= ROUNDING * Math.abs(value);
  const shortened = isExact ? mantissa.replace(/\.?0+$/, "") : mantissa;
  return (shortened + (exponent === undefined ? "" : `e${Number(exponent)}`)).replaceAll("-", "\u2212");
}

/** The index as Python writes it. @param {number[]} shape @param {number} k */
export function bracketOf(shape, k) {
  const index = [];
  for (const n of [...shape].reverse()) {
    index.unshift(k % n);
    k = Math.floor(k / n);
  }
  return `[${index.join(", ")}]`;
}

// A row of buttons of which one is selected.

/**
 * @param {[text: string, chosen: () => void][]} entries
 * @param {(text: string) => string} [spoken]
 * @returns {HTMLInputElement[]}
 */
export function makeRadios(entries, spoken = (text) => text) {
  const name = `al-segments-${Math.random()}`; // unique to this view
  return entries.map(([text, onchange]) =>
    html("input.al-button", { type: "radio", name, "data-text": text, "aria-label": spoken(text), onchange }),
  );
}

/**
 * @template {string} Name
 * @param {string} label
 * @param {Record<Name, string>} texts the texts of the values
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

/** Controls with a name in front. @param {Attributes} attributes @param {string} caption @param {Content[]} parts */
export const captioned = (attributes, caption, ...parts) =>
  html("div.al-order-control", attributes, html("span.al-caption", caption), ...parts);

export const KINDS_SHOWN = { value: "Value", gradient: "Gradient", both: "Both" };
export const SCALES = { asinh: "Asinh", linear: "Linear", symlog: "Symmetric log" };
const RUNNING = { auto: "Automatic", down: "Down", right: "Right" };

/**
 * The menu entry for the direction of the graph: `root`, and `choose`, which shows the selected direction.
 * @param {(direction: keyof typeof RUNNING) => void} chosen
 */
export function makeDirection(chosen) {
  const ways = makeSegments("Direction", RUNNING, chosen);
  return { ...ways, root: captioned({}, "Direction", ways.root) };
}

const SET_IN = 4; // letters

/**
 * A line of source; its continuation lines are indented further, and break between words.
 * @param {string} code @param {Node[]} more
 */
export function codeLine(code, ...more) {
  const words = code.split(/(?<=[([{,*/@+])(?![*/\s])/);
  const line = html("code", ...words.flatMap((word) => [word, html("wbr")]), ...more);
  line.style.setProperty("--al-set-in", String(code.search(/\S|$/) + SET_IN));
  return line;
}
