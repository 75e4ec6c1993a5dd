// @ts-check
/** A widget host that forgives nothing: an unknown trait, a set, a listener left behind, an odd message is an error. */

let state = {};
const listeners = [];
let definition;
let cleanInitialize;
export const views = [];
export const sent = [];
export const violations = [];
export const errors = [];

document.addEventListener("securitypolicyviolation", (event) => violations.push(`${event.violatedDirective} ${event.blockedURI}`));
window.addEventListener("error", (event) => errors.push(String(event.message)));
window.addEventListener("unhandledrejection", (event) => errors.push(String(event.reason)));

function known(event) {
  if (event === "comm_live_update") return;
  if (!event.startsWith("change:") || !(event.slice(7) in state)) throw new Error(`host: no such event ${event}`);
}

function makeModel() {
  const mine = [];
  return {
    get(name) {
      if (!(name in state)) throw new Error(`host: no such trait ${name}`);
      return state[name];
    },
    set(name) {
      throw new Error(`host: the page sets ${name}; state belongs to the kernel`);
    },
    save_changes() {
      throw new Error("host: the page saves; state belongs to the kernel");
    },
    on(event, callback) {
      known(event);
      listeners.push([event, callback]);
      mine.push(callback);
    },
    off(event, callback) {
      known(event);
      const place = listeners.findIndex(([e, c]) => e === event && c === callback && mine.includes(c));
      if (place < 0) throw new Error(`host: off(${event}) without on`);
      listeners.splice(place, 1);
    },
    send(content) {
      if (JSON.stringify(JSON.parse(JSON.stringify(content))) !== JSON.stringify(content)) throw new Error("host: not JSON");
      if (content.do !== "hello") sent.push(content);
      if (window.disconnected) throw new Error("host: the comm is closed");
      window.toKernel(JSON.stringify(content));
    },
  };
}

/** Bytes at an odd offset of a larger buffer, as a websocket may deliver them. */
function unaligned(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const around = new Uint8Array(bytes.length + 6);
  around.fill(255);
  around.set(bytes, 3);
  return new DataView(around.buffer, 3, bytes.length);
}

function freeze(value) {
  if (value && typeof value === "object" && !(value instanceof DataView)) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
}

function withBuffers({ data, buffers }) {
  const next = data.state;
  for (const [path, text] of buffers) {
    const last = path.at(-1);
    const place = path.slice(0, -1).reduce((at, key) => at[key], next);
    place[last] = unaligned(text);
  }
  return freeze(next);
}

export async function open(message) {
  state = withBuffers(message);
  const module = await import("./module.js");
  definition = module.default();
  cleanInitialize = definition.initialize({ model: makeModel() });
}

export function addView() {
  const el = document.createElement("div");
  document.body.append(el);
  views.push({ el, clean: definition.render({ model: makeModel(), el }) });
}

export function removeView(k) {
  views[k].clean();
  if (views[k].el.childElementCount) throw new Error("host: the view left elements behind");
  views[k].el.remove();
}

export function destroy() {
  cleanInitialize();
}

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
