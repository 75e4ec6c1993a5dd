// @ts-check
/** The start of a saved page, which contains its program in compressed form. */

import { unzipped } from "./unzip.js";

/**
 * Run the program. The page's content policy allows this one text and no other, by its digest.
 * @param {string} base64
 */
export async function start(base64) {
  const program = await unzipped(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)));
  const script = document.createElement("script");
  script.type = "module";
  const { trustedTypes } = /** @type {any} */ (globalThis);
  const policy = trustedTypes?.createPolicy("autolab", { createScript: (/** @type {string} */ text) => text });
  script.textContent = policy?.createScript(program) ?? program;
  document.body.append(script);
}
