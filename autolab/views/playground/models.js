// @ts-check
/** The page's end of Python's widgets: their published state, and the views that show them. */

/**
 * @typedef {{
 *   get: (name: string) => any,
 *   on: (event: string, listener: (...given: any[]) => void) => void,
 *   off: (event: string, listener: (...given: any[]) => void) => void,
 *   send: (content: any) => void,
 *   widget_manager: {get_model: (id: string) => Promise<Model>},
 * }} Model
 */

const FOLDER = "./views/"; // the site's folder of front ends
const LOADER = `${FOLDER}loader.js`;
const FOREIGN = "the playground shows AutoLab's own views only";

/**
 * Provide the site's own front ends where a view's loader looks for them, and no others: what Python sends as a front
 * end may come from a program, and this page can access everything that was removed from Python.
 * @param {Record<string, string>} kinds the kinds of views, by digest
 */
export function offerFrontEnds(kinds) {
  /** @param {string} digest */
  async function get(digest) {
    if (!Object.hasOwn(kinds, digest)) throw new Error(FOREIGN);
    const kind = `${FOLDER}${kinds[digest]}`;
    const [module, style] = await Promise.all([import(`${kind}.js`), fetch(`${kind}.css`)]);
    return { default: module.default, style: await style.text() };
  }
  Object.assign(globalThis, { [Symbol.for("autolab.modules")]: { has: () => true, get } });
}

/** @param {(id: string, content: any) => void} send sends a message of a page to the widget with this id */
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
    /** Receive a message from Python, with its bytes. @param {any} message @param {Uint8Array[]} buffers */
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
    /** Set a part of a widget's initial state that differs from Python's. @param {string} id @param {any} state */
    begin: (id, state) => Object.assign(found(id).state, state),
    /** Show a widget in an element. @param {string} id @param {HTMLElement} el */
    async show(id, el) {
      const { model } = found(id);
      if (!model.get("_front_end")) throw new Error(FOREIGN);
      const module = await import(LOADER); // not `_esm`, which may come from a program
      const widget = await module.default();
      await widget.initialize({ model });
      await widget.render({ model, el });
    },
    clear: () => held.clear(),
  };
}

/** The state, with its bytes inserted. @param {any} data @param {Uint8Array[]} buffers */
function withBytes({ state, buffer_paths: paths = [] }, buffers) {
  paths.forEach((/** @type {(string | number)[]} */ path, /** @type {number} */ k) => {
    const place = path.slice(0, -1).reduce((at, key) => at[key], state);
    place[path[path.length - 1]] = new DataView(buffers[k].buffer);
  });
  return state;
}
