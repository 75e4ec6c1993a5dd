// @ts-check
/**
 * The part that saves a view: as a picture of the elements on the screen, or as a page made by the kernel.
 */

import { html, options, set, svg } from "./dom.js";
import { canvasOf, pdfOf } from "./pixels.js";
import { save, saveOfKernel } from "./save_file.js";

const [SHARP, PRINTED] = [2, 3]; // pixels per unit of the picture

/** @param {import("../graph/explorer.js").View} view */
export function makeSaveAsPart(view) {
  const { get, root } = view;
  const isPage = get("still") === "page"; // without a kernel
  const ways = Object.entries(get("ways")).filter(([suffix]) => !isPage || suffix !== "html");
  const choice = html("select.al-button.al-take", { "aria-label": get("ways")[""], onchange: take }, ...options(ways));

  async function take() {
    const suffix = choice.value;
    choice.value = "";
    if (suffix === "html") return saveOfKernel(view, suffix);
    const stem = get("scene").title.replace(/\(.*/s, "").replace(/\W+/g, "_").replace(/^_|_$/g, "") || "function";
    const blob = await pictureOf(suffix);
    if (blob) save(`${stem}.${suffix}`, blob);
  }

  /** @param {string} suffix @returns {Promise<Blob | null>} nothing if the browser cannot hold so many pixels */
  async function pictureOf(suffix) {
    const byTerms = root.classList.contains("al-by-terms"); // formulas cannot be drawn; the graphs as computed can
    root.classList.remove("al-by-terms");
    const picture = standalone(root);
    root.classList.toggle("al-by-terms", byTerms);
    if (suffix === "svg") return new Blob([new XMLSerializer().serializeToString(picture)], { type: "image/svg+xml" });
    const canvas = canvasOf(picture, suffix === "png" ? SHARP : PRINTED);
    const pixels = await new Promise((done) =>
      canvas.toBlob(done, suffix === "png" ? "image/png" : "image/jpeg", 0.93),
    );
    return pixels && suffix === "pdf"
      ? pdfOf(pixels, canvas, canvas.width / Number(picture.getAttribute("width")))
      : pixels;
  }

  return { places: { menu: [choice] } };
}

// The picture of a view as a standalone SVG, with the rules of its style sheets as attributes of the elements.

const [BORDER, BETWEEN, BASELINE] = [16, 14, 0.8];
const PLACES = ["x", "y", "width", "height", "rx", "r", "cx", "cy", "d", "transform"];
const LINES = ["stroke-width", "stroke-dasharray", "stroke-linecap"];
const LETTERS = ["font-family", "font-size", "font-weight", "font-style", "text-anchor", "paint-order"];
const USUAL = ["none", "normal", "butt", "start", "1", "1px", "400"];

/** A colour in a form that every program reads; "none" if it is transparent. @param {string} color */
function plain(color) {
  const [r, g, b, alpha = 1] = (color.match(/[\d.]+(e-?\d+)?/g) ?? [0, 0, 0, 0]).map(Number);
  const byte = (/** @type {number} */ part) => Math.round(part * (color.startsWith("color(") ? 255 : 1));
  return alpha ? `rgb(${byte(r)},${byte(g)},${byte(b)})` : "none";
}

/**
 * Give an element the style that another one has on the page. @template {Element} E
 * @param {E} copy
 * @param {Element} element
 * @returns {E}
 */
function look(copy, element) {
  const style = getComputedStyle(element);
  const get = (/** @type {string} */ name) => style.getPropertyValue(name);
  for (const paint of copy.localName === "g" ? [] : ["fill", "stroke"]) {
    const opacity = Number(get(`${paint}-opacity`));
    set(copy, { [paint]: opacity ? plain(get(paint)) : "none", [`${paint}-opacity`]: opacity < 1 && opacity });
  }
  const isText = /^t/.test(copy.localName);
  for (const name of [
    "opacity",
    ...(copy.getAttribute("stroke") === "none" ? [] : LINES),
    ...(isText ? LETTERS : []),
  ]) {
    if (!USUAL.includes(get(name))) set(copy, { [name]: get(name).replaceAll("px", "") });
  }
  return copy;
}

/** Copies of the visible elements in an element of a graph. @param {Element} element @returns {Element[]} */
function copied(element) {
  if (getComputedStyle(element).display === "none" || element.localName === "title") return [];
  const copy = look(
    svg(element.localName, Object.fromEntries(PLACES.map((name) => [name, element.getAttribute(name)]))),
    element,
  );
  if (copy.getAttribute("fill") === "none" && copy.getAttribute("stroke") === "none") return [];
  copy.append(
    ...[...element.childNodes].flatMap((node) => (node instanceof Element ? copied(node) : [node.cloneNode()])),
  );
  return [copy];
}

/**
 * The words of a part of the page, line by line at their positions, and its colour ramps.
 * @param {Element} part
 */
function printed(part) {
  const [parts, range, home] = [/** @type {Element[]} */ ([]), document.createRange(), part.getBoundingClientRect()];
  const nodes = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  let width = 0;
  for (let node = /** @type {any} */ (nodes.nextNode()); node; node = nodes.nextNode()) {
    let line = NaN;
    for (const { 0: word, index } of node.data.matchAll(/\S+\s*/g)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.trimEnd().length);
      const { left, right, top, height } = range.getBoundingClientRect();
      if (!height) continue; // hidden
      const place = {
        x: left - home.left,
        y: top - home.top + BASELINE * height,
        fill: plain(getComputedStyle(node.parentElement).color),
      };
      if (top !== line) parts.push(set(look(svg("text"), node.parentElement), place));
      parts[parts.length - 1].append(word);
      [line, width] = [top, Math.max(width, right - home.left)];
    }
  }
  for (const ramp of part.querySelectorAll(":not([hidden]) > .al-ramp")) {
    const { left, top, width, height } = ramp.getBoundingClientRect();
    const colors = getComputedStyle(ramp).backgroundImage.match(/rgba?\([^)]*\)/g) ?? [];
    parts.push(
      ...colors.map((color, k) =>
        svg("rect", {
          x: left - home.left + (k * width) / colors.length,
          y: top - home.top,
          width: width / colors.length,
          height,
          fill: plain(color),
        }),
      ),
    );
  }
  return { parts, width, height: home.height };
}

/** A complete graph in its frame, with its name above if there are several. @param {Element} graph */
function framed(graph) {
  const picture = /** @type {SVGSVGElement} */ (graph.querySelector(".al-picture"));
  const head = printed(/** @type {Element} */ (graph.querySelector(".al-graph-head")));
  const { width, height } = picture.viewBox.baseVal;
  picture.dispatchEvent(new Event("al-whole"));
  const drawn = [...picture.children].flatMap(copied);
  picture.dispatchEvent(new Event("al-near"));
  const [wide, high, style] = [Math.max(width, head.width + BORDER), height + head.height, getComputedStyle(graph)];
  const frame = svg("rect", {
    width: wide,
    height: high,
    rx: 9,
    fill: plain(style.backgroundColor),
    stroke: plain(style.borderTopColor),
  });
  return {
    parts: [frame, ...head.parts, moved((wide - width) / 2, head.height, drawn)],
    width: wide,
    height: high,
    row: graph.getBoundingClientRect().top,
  };
}

/** @param {number} x @param {number} y @param {Element[]} parts */
const moved = (x, y, parts) => svg("g", { transform: `translate(${x} ${y})` }, ...parts);

/**
 * The graphs side by side, with the name above, and the sentences and the colour bar below.
 * @param {Element} root of the view
 * @returns {SVGSVGElement}
 */
export function standalone(root) {
  const shown = (/** @type {string} */ which) =>
    [...root.querySelectorAll(which)].filter((part) => part.textContent && !part.closest("[hidden]")).map(printed);
  const graphs = [...root.querySelectorAll(".al-graph")].map(framed);
  const words = ".al-place, .al-root:not(.al-offers) .al-sentence, .al-story, .al-told > li, .al-order-note";
  const below = [words, ".al-legend"].flatMap(shown);
  const rows = [...shown(".al-function"), ...graphs, ...below];
  const parts = [];
  let [right, bottom, x, y] = [0, BORDER, BORDER, NaN];
  for (const [k, part] of rows.entries()) {
    const isBeside = "row" in part && k > 0 && part.row === /** @type {any} */ (rows[k - 1]).row;
    [x, y] = isBeside ? [x, y] : [BORDER, bottom];
    parts.push(moved(x, y, part.parts));
    x += part.width + BETWEEN;
    [right, bottom] = [Math.max(right, x - BETWEEN), Math.max(bottom, y + part.height + BETWEEN)];
  }
  const [size, style] = [{ width: Math.ceil(right + BORDER), height: Math.ceil(bottom) }, getComputedStyle(root)];
  return svg(
    "svg",
    { ...size, viewBox: `0 0 ${size.width} ${size.height}`, role: "img", "xml:space": "preserve" },
    svg("title", root.querySelector(".al-function")?.textContent ?? ""),
    svg("rect", { ...size, fill: plain(style.backgroundColor) }),
    ...parts,
  );
}
