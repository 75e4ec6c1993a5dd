// @ts-check
/** The live graph: puts the parts together and keeps them in step with the model. */

import { colorMap, isDark } from "./colors.js";
import { makeControls } from "./controls.js";
import { makeDetail } from "./detail.js";
import { html, set, write } from "./dom.js";
import { makeGraph } from "./graph.js";
import { makeLink } from "./link.js";

const PROJECTOR = 1.5;

export default () => {
  /** @type {ReturnType<typeof makeLink>} */
  let link; // one per model: its views share the line to the kernel
  return {
    initialize(/** @type {{model: any}} */ { model }) {
      link = makeLink(model);
      return link.close;
    },
    render(/** @type {{model: any, el: HTMLElement}} */ { model, el }) {
      return makeView(model, el, link);
    },
  };
};

/**
 * @param {any} model
 * @param {HTMLElement} el
 * @param {ReturnType<typeof makeLink>} link
 * @returns {() => void} removes the view
 */
function makeView(model, el, link) {
  const get = (/** @type {string} */ name) => model.get(name);
  const controls = makeControls((control, index, value, final) =>
    link.send({ do: "move", name: control.name, index, value, final }));
  const graph = makeGraph((id) => link.send({ do: "select", id }));
  const detail = makeDetail();
  const problem = makeProblem(get("words"));
  const busy = html("span", { class: "al-busy", role: "status" });
  const spoken = html("div", { class: "al-hidden", "aria-live": "polite" });
  const code = makeCode(link, get);
  const undo = button("Undo", () => link.send({ do: "undo" }));
  const projector = button("Projector", enlarge, { "aria-pressed": "false" });
  const title = html("h2", { class: "al-function" });
  const root = html("div", { class: "al-root", onfocusin: keepKeys }, html("div", { class: "al-view" },
    html("header", { class: "al-header" }, title, busy,
      html("div", { class: "al-buttons" }, undo, button("Reset", () => link.send({ do: "reset" })), code.button, projector)),
    code.root,
    html("div", { class: "al-body" }, controls.root,
      html("div", { class: "al-middle" }, problem.root, graph.root), detail.root), spoken));

  /** @type {import("./colors.js").ColorMap} */
  let colors;

  function paintTheme() {
    const scheme = isDark(root) ? "dark" : "light";
    root.style.colorScheme = scheme;
    const { stops, ...theme } = get("palette")[scheme];
    colors = colorMap(stops);
    for (const [name, color] of Object.entries(theme)) root.style.setProperty(`--al-${name}`, color);
    showAll();
  }

  function showReadings() {
    write(title, get("scene").title);
    graph.update(get("scene"), get("readings").nodes, colors);
    graph.choose(get("selected"));
  }

  function showMove() {
    showReadings();
    graph.mark(get("changed"));
  }

  function showDetail() {
    graph.choose(get("selected"));
    detail.update(get("detail"), get("detail_buffers"), get("readings").nodes[get("detail").id].status, colors);
  }

  function showControls() {
    if (link.state === "idle") controls.update(get("controls"), colors); // while an answer is due, the user's hand is ahead of the kernel
    undo.disabled = !get("can_undo");
  }

  function showAll() {
    controls.update(get("controls"), colors);
    showReadings();
    showDetail();
    showProblem();
  }

  function showProblem() {
    problem.update(get("error"), link.state);
    root.classList.toggle("al-stale", problem.shown);
  }

  /** @param {import("./link.js").State} state */
  function showState(state) {
    write(busy, state === "busy" ? "computing\u2026" : "");
    showProblem();
    if (state !== "idle") return;
    showControls();
    write(spoken, outputs());
  }

  function outputs() {
    const { nodes } = get("scene");
    return nodes.filter((/** @type {any} */ n) => n.output).map((/** @type {any} */ n) => get("readings").nodes[n.id].spoken).join("; ");
  }

  function enlarge() {
    const large = root.classList.toggle("al-projector");
    set(projector, { "aria-pressed": String(large) });
    graph.zoom.enlarge(large ? PROJECTOR : 1);
  }

  el.append(root);
  paintTheme();
  const theme = new MutationObserver(paintTheme);
  theme.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "data-jp-theme-name"] });
  /** @type {[string, () => void][]} */
  const listeners = [
    ["change:readings", showMove], ["change:detail", showDetail], ["change:detail_buffers", showDetail],
    ["change:controls", showControls], ["change:can_undo", showControls], ["change:error", showProblem], ["change:code", code.hide],
  ];
  for (const [event, listener] of listeners) model.on(event, listener);
  const unwatch = link.watch(showState);

  return () => {
    for (const [event, listener] of listeners) model.off(event, listener);
    unwatch();
    theme.disconnect();
    graph.close();
    root.remove();
  };
}

/**
 * What is wrong: the user's error, or no answer from the kernel. The picture below it is then not for these inputs.
 * @param {Record<string, string>} words
 */
function makeProblem(words) {
  const what = html("div", { class: "al-error-what" });
  const where = html("div", { class: "al-error-where" });
  const statement = html("div", { class: "al-code" });
  const stale = html("div", { class: "al-error-stale" });
  const root = html("div", { class: "al-error", role: "alert", hidden: true }, what, where, statement, stale);
  return {
    root,
    get shown() {
      return !root.hidden;
    },
    /** @param {any} error @param {import("./link.js").State} state */
    update(error, state) {
      const silent = state === "silent";
      root.hidden = !error && !silent;
      write(what, silent ? words.live_silent : error ? `${error.type}: ${error.message}` : "");
      write(where, !silent && error?.file ? `${error.file}, line ${error.line}` : "");
      write(statement, (!silent && error?.statement) || "");
      write(stale, words.live_stale);
    },
  };
}

/**
 * The present point as code: copied, and shown so that it can be copied by hand where the browser forbids it.
 * @param {ReturnType<typeof makeLink>} link
 * @param {(name: string) => any} get
 */
function makeCode(link, get) {
  const text = html("input", { class: "al-code-text", readonly: true, "aria-label": "The present point as code" });
  const note = html("span", { class: "al-note", role: "status" });
  const root = html("div", { class: "al-code-bar", hidden: true }, text, note, button("Close", hide));

  function hide() {
    root.hidden = true;
  }

  async function copy() {
    root.hidden = false;
    text.value = get("code");
    text.select();
    const copied = await navigator.clipboard?.writeText(text.value).then(() => true, () => false);
    write(note, copied ? "Copied" : "Copy with Ctrl+C");
  }

  return { root, hide, button: button("Copy point as code", () => link.send({ do: "code" }, copy)) };
}

/**
 * @param {string} text
 * @param {() => void} action
 * @param {import("./dom.js").Attributes} [attributes]
 */
function button(text, action, attributes = {}) {
  return html("button", { type: "button", class: "al-button", onclick: action, ...attributes }, text);
}

/**
 * JupyterLab takes the arrow keys of a slider for its own shortcuts, unless the focused element itself refuses that.
 * @param {FocusEvent} event
 */
function keepKeys(event) {
  /** @type {Element} */ (event.target).setAttribute("data-lm-suppress-shortcuts", "true");
}
