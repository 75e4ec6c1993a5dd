// @ts-check
/**
 * Changes in the picture: inputs and upstream gradients can be moved in their own boxes, or in a window that these
 * open.
 */

import { BEND, makeTone } from "../live/colors.js";
import { makeBox, makeControl } from "../live/controls.js";
import { bracketOf, button, html, set, short } from "../live/dom.js";
import { claim, clamp, draggable, pulled } from "../live/hand.js";
import { makeScrub } from "./inputs.js";

/**
 * @param {import("./explorer.js").View} view
 * @param {ReturnType<typeof import("./graph.js").makeGraph>} graph
 * @param {import("../live/controls.js").Act} act
 */
export function makeFree(view, graph, act) {
  const { get, link } = view;
  /** @type {Map<string, {control: import("../live/controls.js").Control, node: any, scrub: any}>} */
  let handles = new Map();
  /** @type {Map<string, number>} */
  const ahead = new Map(); // the values that the user has reached, while the kernel follows
  /** @type {{key: string, part: any, root: HTMLElement, close: (focus: boolean) => void} | null} */
  let open = null;

  const name = (/** @type {import("../live/controls.js").Control} */ control) => String(control.key);
  function paint() {
    if (get("still") || link.state === "idle") ahead.clear(); // a page without a kernel is never behind
    const stands = get("still") && !(get("still") === "page" && get("moves"));
    const controls = stands ? [] : get("controls").filter((/** @type {any} */ c) => c.kind !== "fixed");
    const boxes = new Set();
    const now = new Map();
    for (const control of controls) {
      const node = graph.box(control.node);
      if (!node || boxes.has(control.node)) continue; // an output that is an input: its value can be moved
      boxes.add(control.node);
      const known = handles.get(name(control));
      const handle = known?.node === node && known.control.kind === control.kind ? known : make(control, node);
      handle.control = control;
      handle.scrub?.update(control, ahead.get(name(control)));
      now.set(name(control), handle);
    }
    handles = now;
    if (open && link.state === "idle")
      open.part.update(
        controls.find((/** @type {any} */ c) => name(c) === open?.key),
        view.colors,
      );
  }

  /** @param {import("../live/controls.js").Control} first @param {any} node */
  function make(first, node) {
    const key = name(first);
    const control = () => /** @type {any} */ (handles.get(key)).control;
    const which = first.upstream ? "gradient" : "value";
    const show = () => (first.kind === "slider" ? type(control(), node, which) : openWindow(control(), node));
    const move = (/** @type {number} */ value, /** @type {boolean} */ final) => {
      ahead.set(key, value);
      act.move(control(), null, value, final);
    };
    const handle = { control: first, node, scrub: first.kind === "slider" ? makeScrub(node, which, move, show) : null };
    node.makeFree(which, handle.scrub?.root);
    if (first.kind === "grid") freeCells(node, which, control, show);
    return handle;
  }

  /**
   * Cells are dragged vertically or horizontally; if not all cells of an array are drawn, only in its window.
   * @param {any} node
   * @param {string} which
   * @param {() => import("../live/controls.js").Control} control
   * @param {() => void} show
   */
  function freeCells(node, which, control, show) {
    /** @typedef {import("../live/hand.js").Pull & {k: number, target: any}} Hold */
    let dragged = false;
    let last = 0;
    const cellsOf = (/** @type {Event} */ event) =>
      /** @type {Element} */ (event.target).closest(`.al-${which} .al-cells`);
    set(node.element, {
      "aria-haspopup": "dialog",
      ondblclick: show,
      onkeydown(/** @type {KeyboardEvent} */ event) {
        if (event.key !== "Enter" || event.target !== node.element) return;
        claim(event);
        show();
      },
      ...draggable(grab, pull, drop),
    });

    /** @param {PointerEvent} event @returns {Hold | null} */
    function grab(event) {
      const cells = cellsOf(event);
      if (!cells) return null;
      const target = /** @type {Element} */ (event.target);
      const k = [...cells.children].indexOf(target);
      const size = control().shape.reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b, 1);
      const value = elementOf(control(), k);
      if (cells.childElementCount !== size || value === null) return null; // only if each cell is one element
      return { k, x: event.clientX, y: event.clientY, value, axis: "", target };
    }

    /** @param {Hold} hold @param {PointerEvent} event */
    function pull(hold, event) {
      const value = pulled(hold, event, control());
      if (value !== null) send(hold, value, false);
    }

    node.element.addEventListener(
      "click",
      (/** @type {Event} */ event) => {
        if (dragged) event.stopImmediatePropagation();
        dragged = false;
      },
      true,
    );

    /** @param {Hold} hold @param {number} value @param {boolean} final */
    function send({ target, k }, value, final) {
      const { min, max, label, shape } = control();
      last = value;
      const scale = view.get("readings").scale?.scale ?? Math.max(Math.abs(min), Math.abs(max));
      target.style.fill = view.colors.css(makeTone(scale, null, BEND)(last));
      say(`${label}${bracketOf(shape, k)} = ${short(last)}`);
      act.move(control(), k, last, final);
    }

    /** @param {Hold} hold */
    function drop(hold) {
      dragged = Boolean(hold.axis);
      if (dragged) send(hold, last, true);
      hold.target.style.fill = "";
      say("");
    }
  }

  /** Say in the sentence what the user is moving. @param {string} text */
  function say(text) {
    view.hand = text;
    view.root.dispatchEvent(new Event("al-line"));
  }

  /**
   * Open a field over the number.
   * @param {import("../live/controls.js").Control} control
   * @param {any} node
   * @param {string} which
   */
  function type(control, node, which) {
    const field = makeBox(control.label, (value) => act.move(control, null, value, true));
    field.show(control.value);
    const part = { element: field.element, update: () => {} };
    place(control, html("div.al-typing", field.element), part, node, node.numberPlace(which));
    field.element.addEventListener("keydown", (/** @type {KeyboardEvent} */ { key }) => {
      if (key === "Enter" && !field.element.matches("[aria-invalid]")) open?.close(true); // also if it is as before
    });
    field.element.addEventListener("focusout", () => open?.part === part && open.close(false));
    field.element.select();
  }

  /**
   * Open a window with the array as cells with numbers; for a large array, a part and a map of the whole.
   * @param {import("../live/controls.js").Control} control
   * @param {any} node
   */
  function openWindow(control, node) {
    if (get("still")) return; // filling an array needs a kernel
    const part = makeControl(control, act);
    part.update(control, view.colors);
    const shut = button("\u00d7", () => open?.close(true), { "aria-label": `Close ${control.label}` });
    place(
      control,
      html("div.al-window", { role: "dialog", "aria-label": control.label }, shut, part.element),
      part,
      node,
      node.element.getBoundingClientRect(),
    );
    (part.element.querySelector(".al-cell[tabindex='0']") ?? shut).focus();
  }

  /**
   * @param {import("../live/controls.js").Control} control
   * @param {HTMLElement} root
   * @param {any} part
   * @param {any} node
   * @param {DOMRect} at its position on the screen
   */
  function place(control, root, part, node, at) {
    open?.close(false);
    const area = graph.root.getBoundingClientRect();
    graph.root.append(root);
    const left = clamp(at.left - area.left, 6, area.width - root.offsetWidth - 6);
    const top = clamp(at.top - area.top, 6, area.height - root.offsetHeight - 6);
    Object.assign(root.style, { left: `${left}px`, top: `${top}px` });
    root.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      open?.close(true);
    });
    open = {
      key: name(control),
      part,
      root,
      close(focus) {
        open = null;
        root.remove();
        if (focus) graph.box(control.node)?.element.focus();
      },
    };
    root.querySelector("input")?.focus();
  }

  return { paint, close: () => open?.close(false) };
}

/**
 * The element at a flat index, if the control holds it.
 * @param {import("../live/controls.js").Control} control
 * @param {number} k
 */
function elementOf({ values, first, stride }, k) {
  const [row, column] = [Math.floor((k - first) / stride), (k - first) % stride];
  return values[row]?.[column] ?? null;
}
