// @ts-check
/** A line chart. Python decides on axes, ticks and lines; here they are drawn in the available width. */

import { html, set, short, svg, tellOrHide, write } from "./dom.js";
import { claim, clamp, isHovering, placeIn } from "./hand.js";

const PLOT_ROOM = [58, 12, 10, 40]; // margins of the plot, for letters of PLOT_LETTERS pixels
const PLOT_LETTERS = 12;
const LETTERS = 48; // width of a number below the chart, in pixels
const FEW = 25; // lines of at most this many points show them

/** @typedef {{lo: number, hi: number, ticks: [number, string][]}} Axis */
/** @typedef {{name: string, x: number[], y: (number | null)[], last: string}} Line */
/**
 * @typedef {{title: string, x_title: string, log: boolean, x: Axis, y: Axis, lines: Line[], mark: number | null, note:
 *   string, description: string, powers?: boolean, from?: number}} Chart `from` is the colour of the first line
 */

/**
 * How far a value is on the way between two ends, whose distance may be more than a number can be.
 * @param {number} value @param {number} low @param {number} high
 */
const share = (value, low, high) =>
  high - low < Infinity ? (value - low) / (high - low) : (value / 2 - low / 2) / (high / 2 - low / 2);

/** @param {(at: number) => void} [pick] called with the position on a click on a point, or Enter */
export function makeChart(pick) {
  const picture = svg("svg.al-chart-picture", {
    role: "img",
    tabindex: 0,
    onpointermove: pointed,
    onpointerleave: (/** @type {PointerEvent} */ event) => isHovering(event) && point(null),
    onclick: clicked,
    onkeydown: pressed,
    onblur: () => point(null),
  });
  const title = html("h3.al-chart-title");
  const legend = html("ul.al-chart-legend");
  const note = html("p.al-note");
  const frame = html("div.al-chart-frame", picture);
  const root = html(pick ? "section.al-chart.al-chart-pick" : "section.al-chart", title, frame, legend, note);
  /** @type {Chart} */
  let chart; // there may be hands before there is anything to show
  /** @type {number | null} */
  let cursor = null; // the horizontal position at which values are read
  let [width, height] = [0, 0];
  let [left, right, top, bottom] = PLOT_ROOM;

  const x = (/** @type {number} */ value) => left + share(value, chart.x.lo, chart.x.hi) * (width - left - right);
  const y = (/** @type {number} */ value) => {
    const [low, high, at] = [chart.y.lo, chart.y.hi, value].map((v) => (chart.log ? Math.log10(v) : v));
    return height - bottom - share(at, low, high) * (height - top - bottom);
  };
  const shade = (/** @type {number} */ i) => i + (chart.from ?? 0);
  const path = (/** @type {string} */ d, /** @type {string} */ kind) => svg("path", { d, class: kind });
  const text = (
    /** @type {number} */ at,
    /** @type {number} */ down,
    /** @type {string} */ words,
    /** @type {string} */ kind,
  ) => svg("text", { x: at, y: down, class: kind }, words);

  function draw() {
    if (!chart || !width) return;
    set(picture, { width, height, viewBox: `0 0 ${width} ${height}`, "aria-label": chart.description });
    const [floor, end, letter] = [height - bottom, width - right, bottom / PLOT_ROOM[3]];
    picture.replaceChildren(
      ...chart.y.ticks.flatMap(([value, words]) => [
        path(`M${left} ${y(value)}H${end}`, "al-chart-grid"),
        text(left - 7, y(value) + 4 * letter, words, "al-chart-left"),
      ]),
      ...spaced(chart.x.ticks).flatMap(([value, words]) => [
        path(`M${x(value)} ${floor}v5`, "al-chart-axis"),
        text(x(value), floor + 18 * letter, words, "al-chart-middle"),
      ]),
      path(`M${left} ${top}V${floor}H${end}`, "al-chart-axis"),
      text((left + end) / 2, floor + 33 * letter, chart.x_title, "al-chart-middle"),
      ...(chart.mark === null ? [] : [path(`M${x(chart.mark)} ${top}V${floor}`, "al-chart-mark")]),
      ...(cursor === null ? [] : [path(`M${x(cursor)} ${top}V${floor}`, "al-chart-cursor")]),
      ...chart.lines.flatMap(drawn),
    );
  }

  /** As many ticks as have space for their numbers. @param {[number, string][]} ticks */
  function spaced(ticks) {
    const every = Math.ceil((ticks.length * LETTERS * (bottom / PLOT_ROOM[3])) / (width - left - right));
    return ticks.filter((_, i) => i % every === 0);
  }

  /** @param {Line} line @param {number} i */
  function drawn(line, i) {
    let pen = "M";
    const steps = line.x.map((at, k) => {
      const value = line.y[k];
      const step = value === null ? "" : `${pen}${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
      pen = value === null ? "M" : "L";
      return step;
    });
    const colored = { "data-line": shade(i) };
    const found = [set(path(steps.join(""), "al-chart-line"), colored)];
    const few = line.x.length <= FEW;
    const k = nearest(line);
    for (const [j, at] of line.x.entries()) {
      const value = line.y[j];
      const isAlone = (line.y[j - 1] ?? null) === null && (line.y[j + 1] ?? null) === null; // no line leads to it
      if (value !== null && (few || isAlone || (cursor !== null && j === k)))
        found.push(
          svg("circle.al-chart-dot", {
            cx: x(at),
            cy: y(value),
            r: cursor !== null && j === k ? 4.5 : 3,
            ...colored,
          }),
        );
    }
    return found;
  }

  /** The point of a line nearest to the cursor. @param {Line} line */
  function nearest({ x: places }) {
    let best = places.length - 1;
    if (cursor === null) return best;
    places.forEach((at, k) => {
      if (Math.abs(at - /** @type {number} */ (cursor)) < Math.abs(places[best] - /** @type {number} */ (cursor)))
        best = k;
    });
    return best;
  }

  /** Write the legend: for each line the last number, or the one at the cursor. */
  function tell() {
    chart?.lines.forEach((line, i) => {
      const k = nearest(line);
      const value = line.y[k];
      write(
        legend.children[i].lastElementChild,
        cursor === null
          ? line.last
          : `${value === null ? "NaN" : short(value)} at ${short(chart.powers ? 10 ** line.x[k] : line.x[k])}`,
      );
    });
  }

  /** @param {number | null} at */
  function point(at) {
    cursor = at;
    draw();
    tell();
  }

  /** @param {MouseEvent} event */
  function pointed(event) {
    const places = chart?.lines[0]?.x ?? [];
    if (!places.length) return;
    const part = (placeIn(event, picture).across * width - left) / (width - left - right);
    const wished = chart.x.lo + part * (chart.x.hi - chart.x.lo);
    point(places.reduce((best, at) => (Math.abs(at - wished) < Math.abs(best - wished) ? at : best)));
  }

  function choose() {
    if (cursor !== null) pick?.(cursor);
  }

  /** A tap points, too. @param {MouseEvent} event */
  function clicked(event) {
    pointed(event);
    choose();
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    const places = chart?.lines[0]?.x ?? [];
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (pick && event.key === "Enter") return (claim(event), choose());
    if (!step || !places.length) return;
    claim(event);
    const here = cursor === null ? places.length : nearest(chart.lines[0]);
    point(places[clamp(here + step, 0, places.length - 1)]);
  }

  function resize() {
    const [wide, high] = [Math.floor(frame.clientWidth), Math.floor(frame.clientHeight)];
    if (!wide || !high || (wide === width && high === height)) return;
    [width, height] = [wide, high];
    const letters = Number.parseFloat(getComputedStyle(picture).fontSize) / PLOT_LETTERS;
    [left, right, top, bottom] = PLOT_ROOM.map((room) => room * letters);
    draw();
  }

  const observer = new ResizeObserver(resize);
  observer.observe(frame);
  return {
    root,
    /** @param {Chart} next */
    update(next) {
      chart = next;
      tellOrHide(title, next.title);
      tellOrHide(note, next.note);
      const names = next.lines.map((line) => line.name);
      if (JSON.stringify(names) !== legend.dataset.names) {
        legend.dataset.names = JSON.stringify(names);
        legend.replaceChildren(
          ...names.map((name, i) =>
            html(
              "li",
              svg(
                "svg",
                { width: 26, height: 10, "aria-hidden": "true" },
                svg("path.al-chart-line", { d: "M1 5h24", "data-line": shade(i) }),
              ),
              html("span.al-chart-name", { title: name }, name),
              html("span.al-chart-last"),
            ),
          ),
        );
      }
      resize();
      draw();
      tell();
    },
    close: () => observer.disconnect(),
  };
}

/**
 * As many charts as are needed.
 * @param {HTMLElement} root their container
 * @param {(at: number) => void} [pick]
 */
export function makeCharts(root, pick) {
  /** @type {ReturnType<typeof makeChart>[]} */
  const charts = [];
  return {
    /** @param {Chart[]} wanted */
    update(wanted) {
      for (const gone of charts.splice(wanted.length)) {
        gone.close();
        gone.root.remove();
      }
      while (charts.length < wanted.length) charts.push(makeChart(pick));
      charts.forEach((chart, i) => {
        if (!chart.root.parentNode) root.append(chart.root);
        chart.update(wanted[i]);
      });
    },
    close: () => charts.forEach((chart) => chart.close()),
  };
}
