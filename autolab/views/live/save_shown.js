// @ts-check
/** The part that saves a view without a graph: the kernel makes its picture or page. */

import { html, options } from "./dom.js";
import { saveOfKernel } from "./save_file.js";

/** @param {import("../graph/explorer.js").View} view @returns {import("../graph/explorer.js").Part} */
export function makeSavePart(view) {
  const { take, take_png: png, take_svg: svg, take_page: page } = view.get("words");
  const ways = options(Object.entries({ "": take, png, svg, html: page }));
  const choice = html("select.al-button.al-take", { "aria-label": take, onchange: chosen }, ...ways);

  function chosen() {
    saveOfKernel(view, choice.value);
    choice.value = "";
  }

  return { needsKernel: true, places: { menu: [choice] } };
}
