// @ts-check
/** The page's end of the widgets that Python has: their state as it was published, and the views that show them. */

/**
 * @typedef {{
 *   get: (name: string) => any,
 *   on: (event: string, listener: (...given: any[]) => void) => void,
 *   off: (event: string, listener: (...given: any[]) => void) => void,
 *   send: (content: any) => void,
 *   widget_manager: {get_model: (id: string) => Promise<Model>},
 * }} Model
 */

const FOLDER = "./views/"; // of the site: what the views are made of
const LOADER = `${FOLDER}loader.js`;
const FOREIGN = "the playground shows AutoLab's own views only";

/**
 * Where a view's loader looks for front ends, it finds those of the site and no other: what Python sends as one may
 * be a program's, and this page has all that was taken away from Python.
 * @param {Record<string, string>} kinds by their digests
 */
export function offerFrontEnds(kinds) {
  /** @param {string} digest */
  async function get(digest) {
    if (!Object.hasOwn(kinds, digest)) throw new Error(FOREIGN);
    const kind = `${FOLDER}${kinds[digest]}`;
    const [module, style] = await Promise.all([import(`${kind}.js`), fetch(`${kind}.css`)]);
    return { make: module.default, style: await style.text() };
  }
  Object.assign(globalThis, { [Symbol.for("autolab.modules")]: { has: () => true, get } });
}

/** @param {(id: string, content: any) => void} send a message of a page to the widget of this name */
export function makeModels(send) {
  /** @type {Map<string, {model: Model, state: Record<string, any>, tell: (event: string, ...given: any[]) => void}>} */
  const held = new Map();

  /** @param {string} id @param {Record<string, any>} state */
  function open(id, state) {
    /** @type {Map<string, Set<(...given: any[]) => void>>} */
    const listeners = new Map();
    const of = (/** @type {string} */ event) => listeners.get(event) ?? new Set();
    /** @type {Model} */
    const model = {
      get: (name) => state[name],
      on: (event, listener) => listeners.set(event, of(event).add(listener)),
      off: (event, listener) => of(event).delete(listener),
      send: (content) => send(id, content),
      widget_manager: { get_model: async (other) => found(other.replace("IPY_MODEL_", "")).model },
    };
    held.set(id, { model, state, tell: (event, ...given) => [...of(event)].forEach((listener) => listener(...given)) });
  }

  /** @param {string} id */
  function found(id) {
    const known = held.get(id);
    if (!known) throw new Error(`there is no widget ${id}`);
    return known;
  }

  /** @param {string} id @param {Record<string, any>} next */
  function update(id, next) {
    const { state, tell } = found(id);
    Object.assign(state, next);
    Object.keys(next).forEach((name) => tell(`change:${name}`));
  }

  return {
    /** A message of Python, with the bytes that belong into it. @param {any} message @param {Uint8Array[]} buffers */
    receive({ do: kind, model: id, data }, buffers) {
      if (kind === "comm_close") held.delete(id);
      else if (kind === "comm_open") open(id, withBytes(data, buffers));
      else if (data.method === "custom")
        found(id).tell(
          "msg:custom",
          data.content,
          buffers.map((bytes) => new DataView(bytes.buffer)),
        );
      else if (held.has(id)) update(id, withBytes(data, buffers));
    },
    get: (/** @type {string} */ id) => held.get(id)?.model,
    /** Begin with something else in a widget's state than Python has. @param {string} id @param {any} state */
    begin: (id, state) => Object.assign(found(id).state, state),
    /** Show a widget in an element. @param {string} id @param {HTMLElement} el */
    async show(id, el) {
      const { model } = found(id);
      if (!model.get("_front_end")) throw new Error(FOREIGN);
      const module = await import(LOADER); // not `_esm`, which a program could have written
      const widget = await module.default();
      await widget.initialize({ model });
      await widget.render({ model, el });
    },
    clear: () => held.clear(),
  };
}

/** State with its bytes in their places. @param {any} data @param {Uint8Array[]} buffers */
function withBytes({ state, buffer_paths: paths = [] }, buffers) {
  paths.forEach((/** @type {(string | number)[]} */ path, /** @type {number} */ k) => {
    const place = path.slice(0, -1).reduce((at, key) => at[key], state);
    place[path[path.length - 1]] = new DataView(buffers[k].buffer);
  });
  return state;
}
