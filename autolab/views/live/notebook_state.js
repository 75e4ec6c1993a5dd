// @ts-check
/**
 * Saves the views with their notebook, whatever the settings of JupyterLab: by itself it saves widgets only
 * if the user has asked for it, and forgets those whose kernel is gone. A notebook that is opened again draws its views
 * from that state. Their front ends are saved with it only if this host would not have them then.
 */

const STATE = "application/vnd.jupyter.widget-state+json";
const VIEW = "application/vnd.jupyter.widget-view+json";
const REFERENCES = /IPY_MODEL_(\w+)/g;
const ONCE = /^\["(code|module|motion|take)/; // questions whose answers are used when they come, and not kept
const host = Symbol.for("autolab.host"); // addresses of the host's front ends, by digest; see bundle.py
const followed = Symbol.for("autolab.saved"); // each view has a module of its own, and a notebook has one manager

/** @typedef {Record<string, any>} States the states of widgets, by their ids */

/**
 * Add the views to what a notebook saves. Other hosts of widgets have no such document; there, nothing happens.
 * @param {any} manager the host's manager of widgets
 */
export function saveWithNotebook(manager) {
  const context = manager?.context;
  if (manager?.[followed] || !context?.saveState?.connect || !context.model?.setMetadata) return;
  manager[followed] = true;
  let known = savedStates(context.model); // of widgets whose kernel is gone
  const remember = async () => (known = { ...known, ...(await manager.get_state({ drop_defaults: true })).state });
  context.sessionContext?.statusChanged?.connect((/** @type {any} */ _, /** @type {string} */ status) => {
    if (!["idle", "busy", "starting"].includes(status)) void remember();
  });
  context.saveState.connect((/** @type {any} */ _, /** @type {string} */ status) => {
    if (status !== "started") return;
    const live = manager.get_state_sync({ drop_defaults: true }).state;
    known = kept(shownIds(context.model), savedStates(context.model), { ...known, ...live });
    saveStates(context.model, known);
  });
}

/** @param {any} notebook @returns {States} */
const savedStates = (notebook) => notebook.getMetadata("widgets")?.[STATE]?.state ?? {};

/** @param {any} notebook @param {States} state */
function saveStates(notebook, state) {
  if (Object.keys(state).length)
    notebook.setMetadata("widgets", { [STATE]: { version_major: 2, version_minor: 0, state } });
  else if (notebook.getMetadata("widgets")) notebook.deleteMetadata("widgets");
}

/** The ids of the widgets that the outputs of a notebook show. @param {any} notebook @returns {string[]} */
function shownIds(notebook) {
  const ids = [];
  for (let i = 0; i < notebook.cells.length; i++) {
    const outputs = notebook.cells.get(i).outputs;
    for (let k = 0; k < (outputs?.length ?? 0); k++) ids.push(outputs.get(k).toJSON().data?.[VIEW]?.model_id);
  }
  return ids.filter(Boolean);
}

/**
 * The states to save: those of shown views with all that they refer to, and what the notebook holds of other widgets,
 * but nothing of a view that is no longer shown.
 * @param {string[]} shown
 * @param {States} saved
 * @param {States} known
 * @returns {States}
 */
function kept(shown, saved, known) {
  const all = { ...saved, ...known };
  for (const id of Object.keys(all)) if ("_digest" in all[id].state) all[id] = viewState(id, all[id]);
  const hasView = (/** @type {string[]} */ ids) =>
    ids.some((id) => all[id].state._anywidget_id?.startsWith("autolab."));
  const needed = shown.map((id) => reached([id], all)).flatMap((ids) => (hasView(ids) ? ids : []));
  const isLeft = (/** @type {string} */ id) => !needed.includes(id) && hasView(reached([id], all));
  const left = new Set(reached(Object.keys(saved).filter(isLeft), all));
  const others = Object.keys(saved).filter((id) => !left.has(id));
  return Object.fromEntries([...needed, ...reached(others, all)].map((id) => [id, all[id]]));
}

/** These widgets, and those that they refer to. @param {string[]} ids @param {States} all @returns {string[]} */
function reached(ids, all) {
  const found = new Set(ids.filter((id) => id in all));
  for (const id of found)
    for (const [, other] of JSON.stringify(all[id].state).matchAll(REFERENCES)) if (other in all) found.add(other);
  return [...found];
}

/**
 * A view as a notebook holds it: nothing is under way, and each trait is one line of the file, which else would have
 * one for every number.
 * @param {string} id
 * @param {any} model
 */
function viewState(id, { buffers = [], ...model }) {
  const { ack, _front_end, _saved, ...state } = model.state;
  for (const { path, data } of buffers) {
    const holder = path.slice(0, -1).reduce((/** @type {any} */ at, /** @type {string} */ key) => at[key], state);
    holder[path.at(-1)] = { $bytes: data };
  }
  const traits = { ..._saved?.traits };
  for (const [name, value] of Object.entries(state)) {
    if (name[0] === "_" || typeof value !== "object") continue;
    if (name === "answers") for (const key of Object.keys(value).filter((key) => ONCE.test(key))) delete value[key];
    if (name === "condition") Object.assign(value, { computing: "", can_undo: false });
    traits[name] = JSON.stringify(value);
    delete state[name];
  }
  const { live_silent: sentence } = JSON.parse(traits.words);
  if (!(/** @type {any} */ (globalThis)[host]?.[state._digest])) state._front_end = _front_end;
  return { ...model, state: { ...state, ack: 0, _saved: { id, sentence, traits } } };
}

/** Give a view that a notebook held its traits back. @param {any} model */
export function readSaved(model) {
  const bytes = (/** @type {string} */ text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
  const revive = (/** @type {string} */ _, /** @type {any} */ value) =>
    value?.$bytes ? new DataView(bytes(value.$bytes)) : value;
  for (const [name, text] of Object.entries(model.get("_saved")?.traits ?? {}))
    model.set(name, JSON.parse(text, revive));
}
