// @ts-check
/**
 * The parts for an overview: search, opening and closing everything, colours by flow, and what is wrong.
 */

import { rampOf } from "../live/colors.js";
import { button, html, makeDirection, options, prose, set, write } from "../live/dom.js";
import { claim } from "../live/hand.js";
import { makeMovable } from "../live/view.js";

const MANY_TO_SEE = 30; // with more boxes, search is needed

/**
 * Ask the graph to scroll to the selected box, which may have been selected before.
 * @param {import("./explorer.js").View} view
 */
function reach({ root }) {
  root.dispatchEvent(new Event("al-reach"));
}

/** @param {import("./explorer.js").View} view */
export function makeSearchPart(view) {
  const { get, send } = view;
  const go = (/** @type {number} */ by) => send({ do: "go", by }, () => reach(view));
  const box = html("input.al-box.al-search", {
    type: "search",
    placeholder: "Find a name, function, line 12",
    "aria-label": "Find a step",
    title: get("words").find_reach,
    oninput: () => send({ do: "find", text: box.value }),
    onkeydown: pressed,
  });
  const count = html("span.al-note", { role: "status" });
  const back = button("\u2039", () => go(-1), { "aria-label": "Previous match" });
  const on = button("\u203a", () => go(1), { "aria-label": "Next match" });
  // not in the menu, because boxes are opened in the graph
  const notice = html("p.al-note.al-notice", { role: "status" });
  const bar = html(
    "div.al-bar-row",
    html("div.al-find", box, back, on, count),
    html(
      "div.al-fold",
      button("Open all", () => send({ do: "open all" })),
      button("Close all", () => send({ do: "close all" })),
    ),
  );

  const { menu, middle, place } = makeMovable(bar);

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    if (event.key === "Enter") go(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape" && box.value) (claim(event), send({ do: "find", text: (box.value = "") }));
  }

  function show() {
    const { text = "", count: all = 0, at = null } = get("found");
    if (document.activeElement !== box) box.value = text;
    write(count, text.trim() ? (at === null ? `${all} found` : `${at + 1} of ${all}`) : "");
    for (const arrow of [back, on]) arrow.disabled = !all;
    write(notice, get("notice"));
    const scenes = [get("scene"), ...get("order_scenes")];
    place(isSmall(get));
    set(bar.lastElementChild, {
      hidden: !scenes.some(({ nodes, frames }) => frames.length || nodes.some((/** @type {any} */ n) => n.group)),
    });
  }

  return {
    places: { menu: [menu], middle: [middle], below: [notice] },
    on: { "found notice scene order_scenes": show },
    paint: show,
  };
}

/** @param {(trait: string) => any} get */
const isSmall = (get) => get("scene").nodes.length <= MANY_TO_SEE;

/** @param {import("./explorer.js").View} view */
export function makeFlowPart(view) {
  const { get, send } = view;
  const choice = html("select.al-button", {
    onchange: () => send({ do: "colour", by: choice.value || null }),
  });
  const [low, high] = [html("span"), html("span")];
  const bar = html("span.al-ramp");
  const logarithmic = html("span");
  const legend = html("div.al-scale.al-legend", low, bar, high, logarithmic);
  const told = html("ul.al-told");
  const path = button("Path of the first NaN", showPath, { "aria-pressed": "false" });
  const story = html("p.al-story", { role: "status" });
  const { menu, middle, place } = makeMovable(html("div.al-bar-row", html("label.al-by", "Colour by ", choice)));
  const wrong = html("div.al-flow", legend, path, story, told); // hidden if there is nothing to report

  function showPath() {
    const wanted = !get("path").text;
    send({ do: "path", show: wanted }, () => wanted && reach(view));
  }

  function show() {
    const { told: sentences, measures, nan } = get("health");
    if (!choice.length) choice.append(...options([["", "nothing"], ...measures]));
    const { by = "", legend: ends, none } = get("flow");
    choice.value = by;
    legend.hidden = !by;
    if (ends) {
      write(low, ends.low);
      write(high, ends.high);
      write(logarithmic, `${ends.name}${ends.logarithmic ? ", logarithmic" : ""}`);
      bar.style.background = rampOf(view.colors, 0);
    }
    place(isSmall(get));
    path.hidden = !nan;
    set(path, { "aria-pressed": String(Boolean(get("path").text)) });
    write(story, get("path").text ?? "");
    const lines = sentences.map((/** @type {string[]} */ [sign, words], /** @type {number} */ k) =>
      html("li", sentences[k - 1]?.[0] !== sign && html("span.al-sign-word", sign), ...prose(words)),
    );
    if (get("error")?.ended) lines.shift(); // the red card says it
    told.replaceChildren(...lines, ...(by && !lines.length ? [html("li.al-note", none)] : []));
  }

  return {
    places: { menu: [menu], middle: [middle], below: [wrong] },
    on: { "flow health path scene error": show },
    paint: show,
  };
}

// The part that expands fused functions into their steps, and says whether both agree.

/** @param {import("./explorer.js").View} view */
export function makeExpandFusedPart({ get, send }) {
  const buttons = html("div.al-fused");
  const proofs = html("div.al-proofs", { role: "status" });
  let shown = "";

  function paint() {
    const { functions, proofs: found } = get("openings");
    buttons.hidden = !functions.length;
    if (shown === (shown = JSON.stringify([functions, found]))) return;
    const focused = buttons.contains(document.activeElement)
      ? [...buttons.children].indexOf(document.activeElement)
      : -1;
    buttons.replaceChildren(
      ...(get("still")
        ? []
        : functions.map((/** @type {any} */ { name, text, open }) =>
            button(text, () => send({ do: "choose", setting: open ? "close" : "open", value: name }), {
              "aria-pressed": String(open),
            }),
          )),
    );
    buttons.children[focused]?.focus();
    proofs.replaceChildren(
      ...found.map((/** @type {any} */ { text, agrees }) =>
        html("p", { class: `al-proof${agrees ? "" : " al-apart"}` }, `${agrees ? "\u2713" : "\u2717"} ${text}`),
      ),
    );
  }

  return { places: { menu: [buttons], below: [proofs] }, on: { openings: paint }, paint };
}

// The part that explains the colours of the text, and selects the colour scale of the cells and the direction of the
// graph.

/** @param {import("./explorer.js").View} view @returns {import("./explorer.js").Part} */
export function makeKeyPart({ get, send }) {
  const direction = makeDirection((way) => send({ do: "turn", to: { direction: way } }));
  const own = button("Each array on its own colour scale", () => send({ do: "turn", to: { own: !get("look").own } }));
  const free = html("span", html("b.al-key-free", "2"), " underlined: you can change it");
  const slope = html("span", "gradient");
  const root = html(
    "p.al-key",
    free,
    html("span", html("b", "6"), " value"),
    html("span", html("b.al-key-gradient", "4"), " ", slope),
  );

  function paint() {
    free.hidden = !get("controls")?.length;
    write(slope, get("plan").moving ? "tangent" : "gradient");
    direction.choose(get("look").direction);
    set(own, {
      "aria-pressed": String(get("look").own),
      hidden: !get("scene").nodes.some((/** @type {any} */ node) => node.cells),
    });
  }

  return {
    places: { menu: get("still") === "page" ? [root] : [root, own, direction.root] },
    on: { "look scene plan": paint },
    paint,
  };
}
