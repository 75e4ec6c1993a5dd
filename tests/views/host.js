// @ts-check
/** A widget host that forgives nothing: an unknown trait, a set, a listener left behind, an odd message is an error. */

/** @typedef {() => void} Callback */
/**
 * What the Python side publishes: the state, and the bytes in it as base64 by their paths.
 * @typedef {{type: string, data: {state: Record<string, any>}, buffers: [string[], string][]}} Message
 */

/** @type {Record<string, any>} */
let state = {};
/** @type {[event: string, callback: Callback][]} */
const listeners = [];
/** @type {any} */
let definition;
/** @type {Callback} */
let cleanInitialize;
/** @type {{el: HTMLElement, clean: Callback}[]} */
export const views = [];
/** @type {any[]} */
export const sent = [];
/** @type {string[]} */
export const violations = [];
/** @type {string[]} */
export const errors = [];

document.addEventListener("securitypolicyviolation", (event) =>
  violations.push(`${event.violatedDirective} ${event.blockedURI}`),
);
window.addEventListener("error", (event) => errors.push(String(event.message)));
window.addEventListener("unhandledrejection", (event) => errors.push(String(event.reason)));

/** @param {string} event */
function known(event) {
  if (event === "comm_live_update") return;
  if (!event.startsWith("change:") || !(event.slice(7) in state)) throw new Error(`host: no such event ${event}`);
}

function makeModel() {
  /** @type {Callback[]} */
  const mine = [];
  return {
    get(/** @type {string} */ name) {
      if (!(name in state) && name !== "_saved") throw new Error(`host: no such trait ${name}`);
      return state[name]; // only what a notebook has saved has `_saved`
    },
    set(/** @type {string} */ name) {
      throw new Error(`host: the page sets ${name}; state belongs to the kernel`);
    },
    save_changes() {
      throw new Error("host: the page saves; state belongs to the kernel");
    },
    on(/** @type {string} */ event, /** @type {Callback} */ callback) {
      known(event);
      listeners.push([event, callback]);
      mine.push(callback);
    },
    off(/** @type {string} */ event, /** @type {Callback} */ callback) {
      known(event);
      const place = listeners.findIndex(([e, c]) => e === event && c === callback && mine.includes(c));
      if (place < 0) throw new Error(`host: off(${event}) without on`);
      listeners.splice(place, 1);
    },
    send(/** @type {any} */ content) {
      if (JSON.stringify(JSON.parse(JSON.stringify(content))) !== JSON.stringify(content))
        throw new Error("host: not JSON");
      if (content.do !== "hello") sent.push(content);
      const { disconnected, toKernel } = /** @type {any} */ (window); // from the test
      if (disconnected) throw new Error("host: the comm is closed");
      toKernel(JSON.stringify(content));
    },
  };
}

/** Bytes at an odd offset of a larger buffer, as a websocket may deliver them. @param {string} text */
function unaligned(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const around = new Uint8Array(bytes.length + 6);
  around.fill(255);
  around.set(bytes, 3);
  return new DataView(around.buffer, 3, bytes.length);
}

/** @param {any} value */
function freeze(value) {
  if (value && typeof value === "object" && !(value instanceof DataView))
    Object.values(Object.freeze(value)).forEach(freeze);
  return value;
}

/** @param {Message} message */
function withBuffers({ data, buffers }) {
  const next = data.state;
  for (const [path, text] of buffers) {
    const place = path.slice(0, -1).reduce((at, key) => at[key], next);
    place[path[path.length - 1]] = unaligned(text);
  }
  return freeze(next);
}

/** @param {Message} message */
export async function open(message) {
  state = withBuffers(message);
  const served = "./module.js";
  const module = await import(served);
  definition = module.default();
  cleanInitialize = definition.initialize({ model: makeModel() });
}

export function addView() {
  const el = document.createElement("div");
  document.body.append(el);
  views.push({ el, clean: definition.render({ model: makeModel(), el }) });
}

/** @param {number} k */
export function removeView(k) {
  views[k].clean();
  if (views[k].el.childElementCount) throw new Error("host: the view left elements behind");
  views[k].el.remove();
}

export function destroy() {
  cleanInitialize();
}

/** @param {Message} message */
export function receive(message) {
  if (message.type !== "comm_msg") return;
  const next = withBuffers(message);
  const changed = Object.keys(next).filter((k) => next[k] !== state[k]);
  for (const k of changed) if (!(k in state)) throw new Error(`host: no such trait ${k}`);
  state = { ...state, ...next };
  for (const k of changed) for (const [event, callback] of [...listeners]) if (event === `change:${k}`) callback();
}

/** What the host does when the kernel behind a view is another one, or none. */
export function restarted() {
  for (const [event, callback] of [...listeners]) if (event === "comm_live_update") callback();
}

export function listenerCount() {
  return listeners.length;
}
