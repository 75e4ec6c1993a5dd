// @ts-check
/** The panel with histograms of the selected step's value and gradient. */

import { html, svg } from "../live/dom.js";

const [WIDTH, HEIGHT] = [240, 40];

/** @param {import("./explorer.js").View} view */
export function makeHistogramPart(view) {
  const { get, send } = view;
  const rows = html("div");
  const isOpen = () => Boolean(get("look").histogram);
  const root = html(
    "details.al-histogram",
    {
      ontoggle: () => root.open !== isOpen() && send({ do: "turn", to: { histogram: root.open } }),
    },
    html("summary.al-summary", "Histogram"),
    rows,
  );

  function paint() {
    const spread = get("histograms");
    root.hidden =
      get("selected") === null || get("selected") < 0 || !get("readings").nodes[get("selected")]?.value_cells;
    if (root.open !== isOpen()) root.open = isOpen();
    rows.replaceChildren(...(root.hidden || !root.open ? [] : spread?.length ? spread.map(row) : [missing(spread)]));
  }

  /** Why there is none: not all elements were kept, or a saved page has none. @param {any[] | null} spread */
  function missing(spread) {
    const words = get("words");
    return html(
      "p.al-note",
      spread ? words.live_histogram_not_kept : get("still") ? words.live_histogram_not_here : "",
    );
  }

  return { places: { side: [root] }, on: { "look histograms selected": paint }, paint };
}

/**
 * Its question, which is asked only while it is open; during a walk, for the present moment.
 * @param {any} look
 * @param {(id: number) => number} box
 */
makeHistogramPart.asks = (look, box) => ({
  histograms:
    look.histogram && look.selected !== null && box(look.selected) >= 0
      ? ["histogram", box(look.selected), look.moment]
      : null,
});

/** @param {{name: string, low: string, high: string, counts: number[], text: string}} spread */
function row({ name, low, high, counts, text }) {
  const [most, wide] = [Math.max(1, ...counts), WIDTH / counts.length];
  const bars = counts.map((count, k) =>
    svg("rect", {
      x: k * wide + 0.5,
      y: HEIGHT * (1 - count / most),
      width: wide - 1,
      height: (HEIGHT * count) / most,
    }),
  );
  const chart = svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": text, preserveAspectRatio: "none" },
    ...bars,
  );
  Object.assign(chart.style, {
    display: "block",
    width: "100%",
    height: "2.8em",
    fill: `var(--al-${name === "gradient" ? "gradient" : "accent"})`,
  });
  return html(
    "div",
    html("span.al-caption", name),
    chart,
    html("div.al-ends", { "aria-hidden": "true" }, html("span", low), html("span", high)),
  );
}
