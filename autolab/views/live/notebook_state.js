// @ts-check
/**
 * Saves the views with their notebook, whatever the settings of JupyterLab: by itself it saves widgets only
 * if the user has asked for it, and forgets those whose kernel is gone. A notebook that is opened again draws its views
 * from that state.
 */

const STATE = "application/vnd.jupyter.widget-state+json";
const VIEW = "application/vnd.jupyter.widget-view+json";
const REFERENCES = /IPY_MODEL_(\w+)/g;
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
 * but no view that is no longer shown.
 * @param {string[]} shown
 * @param {States} saved
 * @param {States} known
 * @returns {States}
 */
function kept(shown, saved, known) {
  const all = { ...saved, ...known };
  const hasView = (/** @type {string[]} */ ids) => ids.some((id) => "_front_end" in all[id].state);
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
