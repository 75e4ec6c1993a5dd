// @ts-check
/** Files that a page saves for its user. */

import { isDark } from "./colors.js";
import { html } from "./dom.js";

/** @param {string} name @param {Blob} blob */
export function save(name, blob) {
  const url = URL.createObjectURL(blob);
  html("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/**
 * Ask the kernel for a file and save it, or show the reason why it could not be made.
 * @param {import("../graph/explorer.js").View} view
 * @param {string} suffix
 */
export function saveOfKernel({ send, answer, root }, suffix) {
  const question = ["file", suffix, isDark(root) ? "dark" : "light"];
  send({ do: "ask", question }, () => {
    const file = answer(question);
    if (!file) return;
    save(file.name, new Blob([file.bytes], { type: file.kind }));
    send({ do: "settle" }); // so that a saved notebook does not contain it
  });
}
