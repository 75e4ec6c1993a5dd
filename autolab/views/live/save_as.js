// @ts-check
/**
 * The part with which a view is saved: a picture of what is on the screen, drawn from its elements, or a page that the
 * kernel makes.
 */

import { isDark } from "./colors.js";
import { html, set, svg } from "./dom.js";

const [SHARP, PRINTED] = [2, 3]; // pixels for each unit of the picture

/** @param {import("../graph/explorer.js").View} view */
export function makeSaveAsPart({ get, send, answer, root }) {
  const isPage = get("still") === "page"; // which has no kernel
  const ways = Object.entries(get("ways")).filter(([suffix]) => !isPage || suffix !== "html");
  const choice = html(
    "select",
    { class: "al-button al-take", "aria-label": get("ways")[""], onchange: take },
    ...ways.map(([suffix, words]) => html("option", { value: suffix }, words)),
  );

  async function take() {
    const suffix = choice.value;
    choice.value = "";
    if (suffix === "html") {
      const question = ["file", suffix, isDark(root) ? "dark" : "light"];
      return send({ do: "ask", question }, () => saveAnswer(answer(question)));
    }
    const stem = get("scene").title.replace(/\(.*/s, "").replace(/\W+/g, "_").replace(/^_|_$/g, "") || "function";
    const blob = await pictureOf(suffix);
    if (blob) save(`${stem}.${suffix}`, blob);
  }

  /** @param {string} suffix @returns {Promise<Blob | null>} nothing where the browser has no room for so many pixels */
  async function pictureOf(suffix) {
    const byTerms = root.classList.contains("al-by-terms"); // formulas cannot be taken: the graphs as computed are
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

  /**
   * @param {{name: string, kind: string, bytes: DataView} | undefined} file not there if it could not be made: the
   *   reason is told
   */
  function saveAnswer(file) {
    if (!file) return;
    save(file.name, new Blob([/** @type {any} */ (file.bytes)], { type: file.kind }));
    send({ do: "settle" }); // a saved notebook need not hold it
  }

  return { places: { menu: [choice] } };
}

/** @param {string} name @param {Blob} blob */
function save(name, blob) {
  const url = URL.createObjectURL(blob);
  html("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

// What a view shows as an SVG that stands alone: what its style sheets say stands in the attributes of its elements.

const [BORDER, BETWEEN, BASELINE] = [16, 14, 0.8];
const PLACES = ["x", "y", "width", "height", "rx", "r", "cx", "cy", "d", "transform"];
const LINES = ["stroke-width", "stroke-dasharray", "stroke-linecap"];
const LETTERS = ["font-family", "font-size", "font-weight", "font-style", "text-anchor", "paint-order"];
const USUAL = ["none", "normal", "butt", "start", "1", "1px", "400"];

/** A colour as every program reads it; "none" where it covers nothing. @param {string} color */
function plain(color) {
  const [r, g, b, alpha = 1] = (color.match(/[\d.]+(e-?\d+)?/g) ?? [0, 0, 0, 0]).map(Number);
  const byte = (/** @type {number} */ part) => Math.round(part * (color.startsWith("color(") ? 255 : 1));
  return alpha ? `rgb(${byte(r)},${byte(g)},${byte(b)})` : "none";
}

/**
 * Give an element the looks that another one has in the page. @template {Element} E
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

/** What is seen of an element of a graph. @param {Element} element @returns {Element[]} */
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
 * The words of a part of the page where they stand in it, line by line, and its ramps of colours.
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
    const [{ left, top, width, height }, colors] = [
      ramp.getBoundingClientRect(),
      getComputedStyle(ramp).backgroundImage.match(/rgba?\([^)]*\)/g) ?? [],
    ];
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

/** A graph, complete, in its frame; its name above it where there are several. @param {Element} graph */
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
 * The graphs as they stand beside each other, above them the name, below them what is told and what colours mean.
 * @param {Element} root of the view
 * @returns {SVGSVGElement}
 */
export function standalone(root) {
  const shown = (/** @type {string} */ which) =>
    [...root.querySelectorAll(which)].filter((part) => part.textContent && !part.closest("[hidden]")).map(printed);
  const graphs = [...root.querySelectorAll(".al-graph")].map(framed);
  const below = [".al-place, .al-sentence, .al-story, .al-told > li, .al-order-note", ".al-legend, .al-key"].flatMap(
    shown,
  );
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
    svg("title", {}, root.querySelector(".al-function")?.textContent ?? ""),
    svg("rect", { ...size, fill: plain(style.backgroundColor) }),
    ...parts,
  );
}

// A standalone SVG as pixels, drawn shape by shape: that works where a policy forbids images. And a page of PDF around
// them.

const MOST = { side: 16_000, pixels: 60_000_000, points: 14_400 }; // what every browser draws, and every reader of PDF

/**
 * @param {SVGSVGElement} picture as standalone.js writes it
 * @param {number} scale pixels for each unit; fewer, if it is very large
 * @returns {HTMLCanvasElement}
 */
export function canvasOf(picture, scale) {
  const [width, height] = ["width", "height"].map((name) => Number(picture.getAttribute(name)));
  const sharp = Math.min(scale, MOST.side / Math.max(width, height), Math.sqrt(MOST.pixels / (width * height)));
  const canvas = html("canvas", { width: Math.round(width * sharp), height: Math.round(height * sharp) });
  const context = canvas.getContext("2d");
  context.scale(sharp, sharp);
  drawShape(context, picture);
  return canvas;
}

/** @param {CanvasRenderingContext2D} context @param {Element} element */
function drawShape(context, element) {
  const [right, down = 0] = (element.getAttribute("transform")?.match(/-?[\d.]+(e-?\d+)?/g) ?? [0, 0]).map(Number);
  context.save();
  context.translate(right, down); // nothing in a graph is turned or scaled
  context.globalAlpha *= Number(element.getAttribute("opacity") ?? 1);
  const number = (/** @type {string} */ name) => Number(element.getAttribute(name));
  let x = number("x");
  if (element.localName === "text")
    for (const node of element.childNodes)
      x += writeWords(context, node instanceof Element ? node : element, node.textContent ?? "", x, number("y"));
  else {
    const path = new Path2D(element.getAttribute("d") ?? "");
    if (element.localName === "rect") path.roundRect(x, number("y"), number("width"), number("height"), number("rx"));
    if (element.localName === "circle") path.arc(number("cx"), number("cy"), number("r"), 0, 2 * Math.PI);
    for (const way of /** @type {const} */ (["fill", "stroke"])) if (takeInk(context, element, way)) context[way](path);
    for (const child of element.children) drawShape(context, child);
  }
  context.restore();
}

/**
 * Take the colour and the line of an element; false if it has none.
 * @param {CanvasRenderingContext2D} context
 * @param {Element} element
 * @param {"fill" | "stroke"} way
 */
function takeInk(context, element, way) {
  const get = (/** @type {string} */ name, usual = "") => element.getAttribute(name) ?? usual;
  const color = get(way, "none");
  context[`${way}Style`] = color.replace(")", ` / ${get(`${way}-opacity`, "1")})`).replaceAll(",", " ");
  context.lineWidth = Number(get("stroke-width", "1"));
  context.lineCap = /** @type {any} */ (get("stroke-linecap", "butt"));
  context.setLineDash((get("stroke-dasharray").match(/[\d.]+/g) ?? []).map(Number));
  return color !== "none";
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Element} like
 * @param {string} text
 * @param {number} x
 * @param {number} y
 * @returns {number} its width
 */
function writeWords(context, like, text, x, y) {
  const get = (/** @type {string} */ name) => like.getAttribute(name) ?? "";
  context.font = `${get("font-style")} ${get("font-weight")} ${get("font-size")}px ${get("font-family")}`;
  context.textAlign = /** @type {any} */ ({ middle: "center", end: "end" }[get("text-anchor")] ?? "start");
  if (takeInk(context, like, "stroke")) context.strokeText(text, x, y); // as ground behind it
  if (takeInk(context, like, "fill")) context.fillText(text, x, y);
  return context.measureText(text).width;
}

/**
 * @param {Blob} jpeg
 * @param {{width: number, height: number}} pixels
 * @param {number} scale pixels for each 1/96 inch
 */
export function pdfOf(jpeg, { width, height }, scale) {
  const points = Math.min(0.75 / scale, MOST.points / Math.max(width, height));
  const [wide, high] = [width, height].map((size) => (size * points).toFixed(2));
  const drawing = `q ${wide} 0 0 ${high} 0 0 cm /I Do Q`;
  const objects = [
    ["<</Type/Catalog/Pages 2 0 R>>"],
    ["<</Type/Pages/Kids[3 0 R]/Count 1>>"],
    [`<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${wide} ${high}]/Resources<</XObject<</I 4 0 R>>>>/Contents 5 0 R>>`],
    [
      `<</Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceRGB/BitsPerComponent 8` +
        `/Filter/DCTDecode/Length ${jpeg.size}>>\nstream\n`,
      jpeg,
      "\nendstream",
    ],
    [`<</Length ${drawing.length}>>\nstream\n${drawing}\nendstream`],
  ];
  let [file, places] = [new Blob(["%PDF-1.4\n"]), "0000000000 65535 f \n"];
  objects.forEach((object, k) => {
    places += `${String(file.size).padStart(10, "0")} 00000 n \n`;
    file = new Blob([file, `${k + 1} 0 obj\n`, ...object, "\nendobj\n"]);
  });
  return new Blob([file, `xref\n0 6\n${places}trailer\n<</Size 6/Root 1 0 R>>\nstartxref\n${file.size}\n%%EOF\n`], {
    type: "application/pdf",
  });
}
