// @ts-check
/** The parts of the view of heatmaps. */

import { makeBrain } from "../live/brain.js";
import { makeStaleNoticePart } from "../live/computing.js";
import { KINDS_SHOWN, SCALES, html, makeSegments, set, write } from "../live/dom.js";
import { makeAsking } from "../live/asking.js";
import { makeSavePart } from "../live/save_shown.js";
import { makeWidget } from "../live/view.js";
import { HEAT, heatActs, heatQuestion, makeHeatPart } from "./group.js";
import { rangeIn } from "./panel.js";

export default () =>
  makeWidget(
    [makeHeatPart, makeHeatSettingsPart, makeSavePart, makeStaleNoticePart],
    makeBrain(makeAsking(HEAT, (look) => ({ picture: heatQuestion(look) }), heatActs)),
  );

// The part that selects value or gradient, and the colour scale.

/** @param {import("../graph/explorer.js").View} view */
function makeHeatSettingsPart({ get, send, root }) {
  const title = html("h2.al-function");
  const show = makeSegments("What is shown", KINDS_SHOWN, (name) => choose({ show: name }));
  const scale = makeSegments("Scale of the colours", SCALES, (name) => choose({ scale: name }));
  const decades = html("input.al-range", {
    type: "range",
    min: 1,
    step: 1,
    "aria-label": "How many powers of ten the colours cover",
    oninput: () => choose({ decades: Number(decades.value) }),
  });
  const powers = html("span");
  const range = html("label.al-heat-decades", decades, powers);
  const shared = html("input", { type: "checkbox", onchange: () => choose({ shared: shared.checked }) });
  const one = html("label.al-heat-shared", shared, "One scale for all");

  /** @param {Record<string, any>} change */
  function choose(change) {
    const chosen = { ...get("picture").settings, ...change };
    send({ do: "turn", to: { colours: ["show", "scale", "decades", "shared"].map((name) => chosen[name]) } });
  }

  function paint() {
    const { show: what, shows, scale: colours, decades: many, most, shared: all, several } = get("picture").settings;
    show.root.hidden = !shows.length;
    show.choose(what);
    scale.choose(colours);
    range.hidden = colours !== "symlog";
    set(decades, { max: most });
    decades.value = String(many);
    write(powers, many === 1 ? "1 power of ten" : `${many} powers of ten`);
    one.hidden = !several;
    shared.checked = all;
    root.classList.toggle("al-heat-one", !several);
    write(title, get("picture").title);
  }

  /** For a single array, its range, or that it is empty; several arrays have that above them. */
  function says() {
    const [panel, ...others] = get("picture").panels;
    if (others.length || !panel.cells) return "";
    const range = rangeIn(panel);
    return range ? `${range}. ${get("words")[get("still") ? "still" : "rest"]}` : panel.caption;
  }

  const menu = get("still") ? [] : [show.root, scale.root, range, one];
  return { places: { header: [title], menu }, on: { picture: paint }, paint, says };
}
