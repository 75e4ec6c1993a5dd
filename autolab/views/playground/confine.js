// @ts-check
/**
 * A program may be anybody's, and its Python reaches what JavaScript reaches. So before one runs, all that a browser
 * adds to JavaScript is taken away but for what is named here: neither the network nor the site's storage is left.
 */

// Of the worker: what Python needs to compute, to wait, and to talk with the page.
const KEPT = new Set([
  ...["self", "navigator", "location", "performance", "crypto", "console", "origin", "isSecureContext"],
  ...["crossOriginIsolated", "postMessage", "onmessage", "addEventListener", "removeEventListener", "dispatchEvent"],
  ...["setTimeout", "clearTimeout", "setInterval", "clearInterval", "queueMicrotask", "structuredClone"],
  ...["atob", "btoa", "URL", "TextEncoder", "TextDecoder", "DOMException", "Event", "EventTarget", "MessageEvent"],
  ...["MessageChannel", "MessagePort", "AbortController", "AbortSignal", "Performance", "Crypto", "SubtleCrypto"],
]);
const KEPT_OF_NAVIGATOR = new Set(["userAgent", "platform", "language", "languages", "hardwareConcurrency", "onLine"]);

/** For good: a property is gone from the object and from its prototypes, where a program could look for it. */
export function confine() {
  strip(self, KEPT);
  strip(navigator, KEPT_OF_NAVIGATOR);
}

/** @param {any} object @param {Set<string>} kept */
function strip(object, kept) {
  for (let at = object; at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at))
      if (!kept.has(name) && isOfBrowser(Object.getOwnPropertyDescriptor(at, name))) delete at[name]; // or it throws
}

/**
 * What a browser adds can be listed, or is a class with members that can; what belongs to JavaScript never. Its numbers
 * do no harm, and some are there for good.
 * @param {PropertyDescriptor | undefined} property
 */
function isOfBrowser({ value, enumerable } = {}) {
  if (typeof value === "number") return false;
  return enumerable || Object.keys(value?.prototype ?? {}).length > 0;
}
