// @ts-check
/** The source of the function. Pointing at or focusing a node highlights the line that computed it, and vice versa. */

import { codeLine, html, set, write } from "../live/dom.js";
import { claim } from "../live/hand.js";

/** @param {import("./explorer.js").View} view */
export function makeSourcePart({ get, root }) {
  const file = html("summary.al-caption");
  const lines = html("div.al-source", { role: "group", "aria-label": "Source", onkeydown: pressed });
  const panel = html("details.al-listing", { open: true }, file, lines);
  let written = "";

  function fill() {
    const listing = get("listing");
    panel.hidden = !listing.lines;
    const text = JSON.stringify(listing);
    if (!listing.lines || text === written) return;
    written = text;
    write(file, listing.file);
    lines.replaceChildren(
      ...listing.lines.map((/** @type {string} */ code, /** @type {number} */ i) =>
        makeLine(code, listing.first + i, listing),
      ),
    );
    set(lines.querySelector("[role]") ?? lines, { tabindex: lines.querySelector("[role]") ? 0 : null });
  }

  /**
   * @param {string} code
   * @param {number} number
   * @param {{at: Record<number, number[]>, marks?: Record<number, string>}} listing
   */
  function makeLine(code, number, { at, marks = {} }) {
    const nodes = at[number],
      told = marks[number]; // whether it raised, or was not reached
    const words = told && told !== marks[number - 1] ? ["\n", html("span.al-line-told", told)] : [];
    const mark = () => markNodes(nodes ?? []);
    const clear = () => markNodes([]);
    return html(
      "div",
      {
        class: told ? "al-source-line al-marked-line" : "al-source-line",
        "data-line": number,
        onpointerenter: mark,
        onpointerleave: clear,
        ...(nodes
          ? {
              role: "button",
              tabindex: -1,
              onfocus: mark,
              onblur: clear,
              onclick: () => nodeOf(nodes.at(-1))?.dispatchEvent(new Event("click")),
            }
          : {}),
      },
      html("span.al-line-number", String(number)),
      codeLine(code, ...words),
    );
  }

  const nodeOf = (/** @type {any} */ id) => root.querySelector(`.al-main .al-node[data-id="${id}"]`);

  /** @param {number[]} ids */
  function markNodes(ids) {
    for (const node of root.querySelectorAll(".al-main .al-node"))
      node.classList.toggle("al-lined", ids.includes(Number(node.getAttribute("data-id"))));
  }

  /** @param {string} name @param {(line: number) => boolean} has */
  function markLines(name, has) {
    for (const line of lines.children) line.classList.toggle(name, has(Number(line.getAttribute("data-line"))));
  }

  /** Mark the line of the node that is pointed at or focused. @param {Event} event */
  function touched(event) {
    const node =
      event.type === "pointerout" || event.type === "focusout"
        ? null
        : /** @type {Element} */ (event.target).closest(".al-main .al-node");
    const id = Number(node?.getAttribute("data-id"));
    markLines("al-lined", (line) => Boolean(node) && (get("listing").at?.[line] ?? []).includes(id));
    bring(".al-lined");
  }

  /** Scroll only the listing to a line. @param {string} which */
  function bring(which) {
    const line = /** @type {HTMLElement | null} */ (lines.querySelector(which));
    if (!line) return;
    if (line.offsetTop < lines.scrollTop) lines.scrollTop = line.offsetTop;
    const below = line.offsetTop + line.offsetHeight - lines.clientHeight;
    if (below > lines.scrollTop) lines.scrollTop = below;
  }

  /** Show the line that raised. */
  function showError() {
    const { file: where, line: raised } = get("error") ?? {};
    markLines(
      "al-wrong",
      (line) => line === get("listing").raised || (line === raised && where === get("listing").file),
    );
    bring(".al-wrong");
  }

  /** Show the line of the walk's step or, without a walk, that of the selected node. */
  function showLine() {
    const { k, line: now } = get("frame");
    const made = (/** @type {number} */ line) => (get("listing").at?.[line] ?? []).includes(get("selected"));
    markLines("al-now", k === undefined ? made : (line) => line === now);
    showShares(k === undefined ? (get("detail").answer?.comes ?? []) : []);
    bring(".al-now");
  }

  /**
   * Write the shares of the selected gradient beside the lines that computed them.
   * @param {import("./answer.js").Value[]} values
   */
  function showShares(values) {
    const shares = values.flatMap((value) => value.shares);
    for (const line of lines.children) {
      const here = shares
        .filter((share) => share.line === Number(line.getAttribute("data-line")))
        .map((share) => share.number);
      set(line, { "data-shares": here.length > 2 ? `${here.length} shares` : here.join(" + ") || null });
    }
  }

  function paint() {
    fill();
    showLine();
    showError();
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    const all = /** @type {HTMLElement[]} */ ([...lines.querySelectorAll("[role]")]);
    const at = all.indexOf(/** @type {any} */ (event.target));
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (event.key === "Enter" || event.key === " ") all[at]?.click();
    else if (step && all[at + step]) {
      set(all[at], { tabindex: -1 });
      set(all[at + step], { tabindex: 0 }).focus();
    } else return;
    claim(event);
  }

  /** If there is no space beside the graph, the source is collapsed to a line below. */
  const laid = new IntersectionObserver(() => {
    if (!panel.offsetWidth) return;
    panel.open = panel.offsetWidth < root.offsetWidth / 2;
    laid.disconnect();
  });
  laid.observe(panel);
  const events = ["pointerover", "pointerout", "focusin", "focusout"];
  for (const name of events) root.addEventListener(name, touched);
  return {
    places: { side: [panel] },
    on: { listing: paint, "frame selected detail": showLine, error: showError },
    paint,
    close: () => laid.disconnect(),
  };
}
