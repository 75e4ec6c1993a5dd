// @ts-check
/**
 * A program may come from anybody, and Python can access whatever JavaScript can. Before one runs, everything that a
 * browser adds to JavaScript is therefore removed, except for the names here: neither the network nor the site's
 * storage remains accessible.
 */

// Globals of the worker that Python needs to compute, to wait, and to exchange messages with the page.
const KEPT = new Set([
  ...["self", "navigator", "location", "performance", "crypto", "console", "origin", "isSecureContext"],
  ...["crossOriginIsolated", "postMessage", "onmessage", "addEventListener", "removeEventListener", "dispatchEvent"],
  ...["setTimeout", "clearTimeout", "setInterval", "clearInterval", "queueMicrotask", "structuredClone"],
  ...["atob", "btoa", "URL", "TextEncoder", "TextDecoder", "DOMException", "Event", "EventTarget", "MessageEvent"],
  ...["MessageChannel", "MessagePort", "AbortController", "AbortSignal", "Performance", "Crypto", "SubtleCrypto"],
]);
const KEPT_OF_NAVIGATOR = new Set(["userAgent", "platform", "language", "languages", "hardwareConcurrency", "onLine"]);

/** Remove the properties for good, from the object and from its prototypes, where a program could look for them. */
export function confine() {
  strip(self, KEPT);
  strip(navigator, KEPT_OF_NAVIGATOR);
}

/** @param {any} object @param {Set<string>} kept */
function strip(object, kept) {
  for (let at = object; at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at))
      if (!kept.has(name) && isOfBrowser(Object.getOwnPropertyDescriptor(at, name))) delete at[name]; // or throw
}

/**
 * Whether a property comes from the browser: these are enumerable, or classes with enumerable members, unlike those of
 * JavaScript itself. The browser's numbers are harmless, and some cannot be removed.
 * @param {PropertyDescriptor | undefined} property
 */
function isOfBrowser({ value, enumerable } = {}) {
  if (typeof value === "number") return false;
  return enumerable || Object.keys(value?.prototype ?? {}).length > 0;
}
