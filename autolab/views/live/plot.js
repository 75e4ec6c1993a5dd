// @ts-check
/** The plots: where everything stands comes from Python; here it is drawn, and a place on a plot becomes a number. */

import { html, set, svg } from "./dom.js";
import { claim, draggable, isShortcut, placeIn, snapped } from "./hand.js";

/** @typedef {{min: number, max: number, step: number, value: number}} Range */
/** @typedef {ReturnType<typeof makePlot>} Plot */

const FAR = 10; // steps of Page Up and with Shift
const LETTER = 7.2; // pixels of a digit beside an axis

/** @param {() => Range} range @param {(value: number, final: boolean) => void} move */
export function makeCurves(range, move) {
  const first = html("div.al-first");
  const others = html("div.al-others");
  /** @type {Plot[]} */
  let plots = [];
  return {
    first,
    others,
    /** @param {any[]} panels */
    draw(panels) {
      const focused = plots.findIndex((plot) => plot.picture === document.activeElement);
      for (const plot of plots) plot.close();
      plots = panels.map((panel) => makePlot(panel, range, move));
      first.replaceChildren(plots[0].legend, plots[0].root);
      others.replaceChildren(...plots.slice(1).map((plot) => plot.root));
      others.style.setProperty("--al-columns", String(plots.length === 5 ? 2 : Math.max(1, plots.length - 1)));
      plots[focused]?.picture.focus({ preventScroll: true });
    },
    roots: () => plots.map((plot) => plot.root), // for those who put each elsewhere
    /** @param {any} moving */
    move: (moving) => plots.forEach((plot, k) => plot.move(moving, k)),
    close: () => plots.forEach((plot) => plot.close()),
  };
}

/** @param {any} panel @param {() => Range} range @param {(value: number, final: boolean) => void} move */
function makePlot(panel, range, move) {
  const { box, width, height } = panel;
  const bottom = box.y + box.h;
  const here = svg("line.al-here", { y1: box.y, y2: bottom });
  const spot = svg("circle.al-spot", { fill: `var(--al-line${panel.color})` });
  const extra = svg("g");
  const legend = html("div.al-curve-legend");
  const line = (/** @type {string} */ d, /** @type {number} */ color, dash = "") =>
    svg("path.al-curve", { d, stroke: `var(--al-line${color})`, "stroke-dasharray": dash || null });
  const clipped = svg(
    "svg",
    { x: box.x, y: box.y, width: box.w, height: box.h, viewBox: `${box.x} ${box.y} ${box.w} ${box.h}` },
    ...panel.poles.map((/** @type {number} */ x) => svg("line.al-pole", { x1: x, x2: x, y1: box.y, y2: bottom })),
    line(panel.path, panel.color),
    extra,
    here,
  );
  const open = { class: "al-open-end", stroke: `var(--al-line${panel.color})` };
  const picture = svg(
    "svg.al-plot",
    {
      viewBox: `0 ${box.y - 9} ${width} ${height - box.y + 9}`,
      tabindex: 0,
      role: "slider",
      "aria-label": `x, on the curve of ${panel.name}`,
      ...draggable(grab, drag, (_, event) => move(at(event), true)),
      onkeydown: pressed,
    },
    ...panel.y.ticks.map((/** @type {any} */ tick) =>
      mark(`M${box.x} ${tick[0]}h${box.w}`, box.x - 8, tick[0] + 4, tick[1], "end"),
    ),
    ...panel.x.ticks.map((/** @type {any} */ tick) =>
      mark(`M${tick[0]} ${box.y}v${box.h}`, tick[0], bottom + 17, tick[1], "middle"),
    ),
    svg("rect.al-plot-box", { x: box.x, y: box.y, width: box.w, height: box.h }),
    clipped,
    ...panel.kinks.map((/** @type {any} */ at) => svg("path", { ...open, d: `M${at.x} ${at.y - 6}l6 6l-6 6l-6 -6z` })),
    ...panel.ends.map((/** @type {any} */ at) => svg("circle", { ...open, cx: at.x, cy: at.y, r: 4 })),
    spot,
  );
  let left = 0; // where the picture begins: it grows where the numbers would have no room
  const longest = Math.max(...panel.y.ticks.map((/** @type {any} */ tick) => tick[1].length));

  /** Words and strokes keep their size on the screen, however large the plot is drawn. */
  function fit() {
    const screen = picture.clientWidth || width;
    left = Math.min(0, box.x - (longest * LETTER + 10) * (width / screen));
    const unit = (width - left) / screen;
    picture.style.setProperty("--al-unit", String(unit));
    set(picture, {
      viewBox: `${left} ${box.y - 9} ${width - left} ${Math.max(height, bottom + 22 * unit) - box.y + 9}`,
    });
    for (const text of picture.querySelectorAll(".al-tick")) {
      const across = text.getAttribute("text-anchor") === "middle";
      set(text, across ? { y: bottom + 16 * unit } : { x: box.x - 6 * unit, dy: 4 * (unit - 1) });
    }
  }

  const head = html("figcaption.al-figure-head", html("span.al-own", panel.name), html("span.al-caption", panel.note));
  const resized = new ResizeObserver(fit);
  resized.observe(head); // as wide as the picture, whose height follows

  /** @param {PointerEvent} event */
  function at(event) {
    const across = left + placeIn(event, picture).across * (width - left);
    const { lo, hi } = panel.x;
    return snapped(lo + ((across - box.x) / box.w) * (hi - lo), range());
  }

  /** @param {PointerEvent} event */
  function grab(event) {
    drag(true, event);
    return true;
  }

  /** @param {boolean} _ @param {PointerEvent} event */
  function drag(_, event) {
    move(at(event), false);
  }

  let now = range().value; // where the keys have led, which may be ahead of the picture

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    if (isShortcut(event)) return;
    const { min, max, step } = range();
    const far = (event.shiftKey ? FAR : 1) * step;
    /** @type {Record<string, number>} */
    const places = {
      ArrowLeft: now - far,
      ArrowDown: now - far,
      ArrowRight: now + far,
      ArrowUp: now + far,
      PageDown: now - FAR * step,
      PageUp: now + FAR * step,
      Home: min,
      End: max,
    };
    if (!(event.key in places)) return;
    claim(event);
    now = snapped(places[event.key], range());
    move(now, true);
  }

  return {
    root: html("figure.al-figure", head, picture),
    picture,
    legend,
    close: () => resized.disconnect(),
    /** @param {any} moving @param {number} k */
    move(moving, k) {
      now = moving.x;
      set(here, { x1: moving.across[k], x2: moving.across[k] });
      const place = moving.points[k];
      spot.style.display = place ? "" : "none";
      if (place) set(spot, { cx: place.x, cy: place.y });
      const { min, max } = range();
      set(picture, {
        "aria-valuemin": min,
        "aria-valuemax": max,
        "aria-valuenow": moving.x,
        "aria-valuetext": `x = ${moving.text}, ${moving.values[k].name} = ${moving.values[k].text}`,
      });
      if (k) return;
      extra.replaceChildren(
        ...moving.legend.slice(1).map((/** @type {any} */ entry) => line(moving[entry.kind], entry.color, entry.dash)),
      );
      legend.replaceChildren(
        ...moving.legend.map((/** @type {any} */ entry) =>
          html(
            "span.al-curve-key",
            svg(
              "svg",
              { width: 30, height: 10, "aria-hidden": "true" },
              svg("path.al-curve", {
                d: "M1 5h28",
                stroke: `var(--al-line${entry.color})`,
                "stroke-dasharray": entry.dash || null,
              }),
            ),
            entry.name,
          ),
        ),
      );
    },
  };
}

/** @param {string} grid @param {number} x @param {number} y @param {string} text @param {string} anchor */
function mark(grid, x, y, text, anchor) {
  return svg("g", svg("path.al-grid-line", { d: grid }), svg("text.al-tick", { x, y, "text-anchor": anchor }, text));
}
