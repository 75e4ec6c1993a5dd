// @ts-check
/** The part with which the view is taken away: a picture of what is on the screen, or a page that the kernel makes. */

import { isDark } from "./colors.js";
import { html } from "./dom.js";
import { canvasOf, pdfOf } from "./raster.js";
import { standalone } from "./standalone.js";

const [SHARP, PRINTED] = [2, 3]; // pixels for each unit of the picture

/** @param {import("./explorer.js").View} view */
export function makeTakingPart({ get, send, answer, root }) {
  const isPage = get("still") === "page"; // which has no kernel
  const ways = Object.entries(get("ways")).filter(([suffix]) => !isPage || suffix !== "html");
  const choice = html("select", { class: "al-button al-take", "aria-label": get("ways")[""], onchange: take },
    ...ways.map(([suffix, words]) => html("option", { value: suffix }, words)));

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
    const pixels = await new Promise((done) => canvas.toBlob(done, suffix === "png" ? "image/png" : "image/jpeg", 0.93));
    return pixels && suffix === "pdf" ? pdfOf(pixels, canvas, canvas.width / Number(picture.getAttribute("width"))) : pixels;
  }

  /** @param {{name: string, kind: string, bytes: DataView} | undefined} file not there if it could not be made: the reason is told */
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
