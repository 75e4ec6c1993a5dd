// @ts-check
/**
 * A standalone SVG as pixels, drawn shape by shape, because a content policy may forbid images; and a PDF page around
 * them.
 */

import { html } from "./dom.js";

const MOST = { side: 16_000, pixels: 60_000_000, points: 14_400 }; // supported by every browser and every PDF reader

/**
 * @param {SVGSVGElement} picture made by `standalone` of save_as.js
 * @param {number} scale pixels per unit; fewer if the picture is very large
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
  context.translate(right, down); // nothing in a graph is rotated or scaled
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
 * Use the colour and line style of an element; false if it has none.
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
  if (takeInk(context, like, "stroke")) context.strokeText(text, x, y); // as a background
  if (takeInk(context, like, "fill")) context.fillText(text, x, y);
  return context.measureText(text).width;
}

/**
 * @param {Blob} jpeg
 * @param {{width: number, height: number}} pixels
 * @param {number} scale pixels per 1/96 inch
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
