// @ts-check
/**
 * The part with the panels. Arrays of the same shape form a group: they show the same plane and share a cursor, unless
 * their axes have names.
 */

import { button, choice, html, set, write } from "../live/dom.js";
import { ARROWS, claim, clamp } from "../live/hand.js";
import { indicesAt, makeHeatPanel, spanOf } from "./panel.js";

/** @typedef {import("./panel.js").Spot} Spot */
/** @typedef {import("./panel.js").Indices} Indices */

/**
 * The look of a view of heatmaps: its colour scale (null: the initial one), and the planes other than the first of
 * their arrays.
 */
export const HEAT = { colours: null, planes: [] };

/** The question for a look. @param {typeof HEAT} look */
export const heatQuestion = ({ colours, planes }) => ["heat", colours, planes];

/** The acts that change to another plane, or to a block of it. @param {import("../live/brain.js").Brain} brain */
export const heatActs = ({ look, change }) => ({
  /** @param {any} message @param {() => void} [done] */
  plane({ of: { shape, axes, at, region }, ...turned }, done) {
    const isOurs = (/** @type {any[]} */ [other]) => String(other) === String(shape);
    const [, ...before] = look().planes.find(isOurs) ?? [shape, axes, at, region];
    const next = { axes: before[0], at: before[1], region: before[2], ...turned };
    change(
      {
        planes: [
          ...look().planes.filter((/** @type {any[]} */ one) => !isOurs(one)),
          [shape, next.axes, next.at, next.region],
        ],
      },
      done,
    );
  },
});

const ZOOM = 4;
const LEAST = 8; // minimum rows and columns when zooming in

/** @param {import("../graph/explorer.js").View} view */
export function makeHeatPart(view) {
  const { get, root } = view;
  const groups = html("div.al-heat-groups");
  const [steps, planesMenu] = [html("div.al-heat-steps"), html("div.al-heat-planes")];
  /** @type {ReturnType<typeof makeGroup>[]} */
  let made = [];
  let built = "";
  root.classList.add("al-heat");

  function paint() {
    const { groups: planes, panels } = get("picture");
    const shownIn = (/** @type {number} */ key) => panels.filter((/** @type {any} */ p) => p.group === key);
    const structure = JSON.stringify([
      planes.map((/** @type {any} */ p) => p.shape),
      panels.map((/** @type {any} */ p) => [p.name, p.which, p.group]),
    ]);
    if (built !== (built = structure)) {
      made = planes.map((/** @type {any} */ plane, /** @type {number} */ key) =>
        makeGroup(view, plane, shownIn(key).length, follow),
      );
      groups.replaceChildren(...made.map((group) => group.root));
      steps.replaceChildren(...made.map((group) => group.steps));
      planesMenu.replaceChildren(...made.map((group) => group.planes));
    }
    made.forEach((group, key) => group.update(planes[key], shownIn(key), view.colors));
    follow(followed);
  }

  /** @type {Indices} */
  let followed = {};

  /** Mark what belongs to an element in all groups. @param {Indices} indices */
  function follow(indices) {
    followed = indices;
    for (const group of made) group.follow(indices);
    root.dispatchEvent(new Event("al-line"));
  }

  return {
    places: { middle: [groups], below: [steps], menu: [planesMenu] },
    on: { picture: paint },
    paint,
    reads: true,
    says: () => made.flatMap((group) => group.says()).join("; "),
  };
}

/**
 * @param {import("../graph/explorer.js").View} view
 * @param {any} first
 * @param {number} count
 * @param {(indices: Indices) => void} follow
 */
function makeGroup({ get, send, link, root }, first, count, follow) {
  let plane = first;
  /** @type {Spot | null} */
  let cursor = null;
  let pointed = 0; // the panel that has the cursor
  /** @type {string[]} */
  let named = []; // the names of the axes of each panel
  const panels = Array.from({ length: count }, (_, i) =>
    makeHeatPanel({
      point: (spot) => point(spot, i),
      pressed: (event, block) => pressed(event, block, i),
      dragged: (from, to) => zoom([from.row, to.row, from.column, to.column]),
    }),
  );
  const axes = makeAxes(
    first,
    (row, column) => send({ do: "plane", of: plane, axes: [row, column], region: null }),
    (at) => send({ do: "plane", of: plane, at }),
  );
  const whole = button("Show the whole", () => zoom(null));
  const out = button("Less enlarged", shrink);
  const where = html("span.al-note");
  const buttons = html("div.al-heat-zoom", where, out, whole);
  const name = { role: "group", "aria-label": first.names.join(", ") };
  const steps = html("div.al-heat-bar", name, axes.sliders, buttons);
  const planes = html("div.al-heat-bar", name, axes.choices);
  const group = html("section.al-heat-group", name, html("div.al-heat-panels", ...panels.map((panel) => panel.root)));
  group.style.setProperty("--al-panels", String(Math.min(2, count)));
  group.style.setProperty("--al-down", String(Math.ceil(count / 2)));

  /** @param {Spot | null} spot @param {number} i */
  function point(spot, i) {
    [cursor, pointed] = [spot, i];
    if (named[i]) return follow(spot ? indicesAt(spot, named[i], plane) : {});
    for (const panel of panels) panel.show(spot);
    root.dispatchEvent(new Event("al-line"));
  }

  /** @param {number[] | null} region */
  function zoom(region) {
    cursor = region && cursor;
    send({ do: "plane", of: plane, region });
  }

  /** Enlarge the block by a factor around a point. @param {Spot} middle @param {number} factor */
  function around({ row, column }, factor) {
    const [top, bottom, left, right] = plane.region;
    return [
      ...stretch(row, (bottom - top) * factor, plane.extent[0]),
      ...stretch(column, (right - left) * factor, plane.extent[1]),
    ];
  }

  function shrink() {
    const [top, bottom, left, right] = plane.region;
    zoom(around({ row: Math.floor((top + bottom) / 2), column: Math.floor((left + right) / 2) }, ZOOM));
  }

  /** @param {KeyboardEvent} event @param {number[]} block of a cell @param {number} i */
  function pressed(event, block, i) {
    const way = ARROWS[event.key];
    const [top, bottom, left, right] = plane.region;
    if (way) {
      const next = cursor && {
        row: snap(cursor.row + way[0] * block[0], top, bottom, block[0]),
        column: snap(cursor.column + way[1] * block[1], left, right, block[1]),
      };
      point(next ?? { row: top, column: left }, i);
    } else if ((event.key === "Enter" || event.key === "+") && cursor) zoom(around(cursor, 1 / ZOOM));
    else if (event.key === "Backspace" || event.key === "-") shrink();
    else if (event.key !== "Escape") return;
    else if ((zoom(null), buttons.hidden)) return; // nothing was enlarged
    claim(event);
  }

  return {
    root: group,
    steps,
    planes,
    says: () => panels.map((panel) => panel.says()).filter(Boolean),
    /**
     * @param {any} next
     * @param {any[]} facts
     * @param {import("../live/colors.js").ColorMap} colors
     */
    update(next, facts, colors) {
      plane = next;
      const [top, bottom, left, right] = next.region;
      const isWhole = bottom - top === next.extent[0] && right - left === next.extent[1];
      buttons.hidden = isWhole || get("still");
      write(
        where,
        `rows ${top}\u2013${bottom - 1} of ${next.extent[0]}, columns ${left}\u2013${right - 1} of ${next.extent[1]}`,
      );
      const hasSliders = axes.update(next, link.state === "idle");
      planes.hidden = get("still") || next.shape.length < 3;
      axes.sliders.hidden = planes.hidden || !hasSliders;
      steps.hidden = axes.sliders.hidden && buttons.hidden;
      named = facts.map((fact) => fact.axes ?? "");
      facts.forEach((fact, i) => panels[i].update(fact, next, colors));
      if (!named[pointed]) point(cursor && inside(next.region, cursor), pointed);
    },
    /** Mark what belongs to an element of another heatmap. @param {Indices} indices */
    follow(indices) {
      panels.forEach(
        (panel, i) =>
          named[i] && panel.show(.../** @type {[Spot | null, Spot?]} */ (spanOf(indices, named[i], plane) ?? [null])),
      );
    },
  };
}

/**
 * The choice of the axes for rows and columns, and a slider for each other axis.
 * @param {any} first
 * @param {(row: number, column: number) => void} across
 * @param {(at: number[]) => void} step
 */
function makeAxes({ shape }, across, step) {
  const names = shape.map((/** @type {number} */ n, /** @type {number} */ axis) => [axis, `axis ${axis} (${n})`]);
  const [rows, columns] = ["Rows", "Columns"].map((label) => choice(names, { "aria-label": label }));
  /**
   * Choosing the axis of the other direction swaps the two.
   * @param {any} changed
   * @param {any} other
   * @param {() => number[]} before
   */
  const chosen = (changed, other, before) => () => {
    if (changed.value === other.value) other.value = String(before().find((axis) => axis !== Number(changed.value)));
    across(Number(rows.value), Number(columns.value));
  };
  let [axes, at] = [[0, 1], [0]];
  set(rows, { onchange: chosen(rows, columns, () => axes) });
  set(columns, { onchange: chosen(columns, rows, () => axes) });
  const sliders = shape.map((/** @type {number} */ n, /** @type {number} */ axis) => {
    const value = html("output.al-where");
    const range = html("input.al-range", {
      type: "range",
      min: 0,
      max: Math.max(0, n - 1),
      step: 1,
      "aria-label": `Index on axis ${axis}`,
      oninput: () => (
        write(value, range.value),
        step((at = at.map((index, k) => (k === axis ? Number(range.value) : index))))
      ),
    });
    return { root: html("label.al-heat-slider", `axis ${axis}`, range, value), range, value };
  });

  return {
    choices: [html("label.al-setting", "rows", rows), html("label.al-setting", "columns", columns)],
    sliders: html("div.al-heat-axes", ...sliders.map((/** @type {any} */ s) => s.root)),
    /** @param {any} plane @param {boolean} isSettled @returns whether there are sliders */
    update(plane, isSettled) {
      ({ axes, at } = plane);
      [rows.value, columns.value] = axes.map(String);
      sliders.forEach((/** @type {any} */ { root, range, value }, /** @type {number} */ axis) => {
        root.hidden = [...axes, ...plane.tiles].includes(axis) || shape[axis] < 2;
        if (!isSettled && document.activeElement === range) return; // it has moved on in the meantime
        range.value = String(at[axis]);
        write(value, String(at[axis]));
      });
      return sliders.some((/** @type {any} */ { root }) => !root.hidden);
    },
  };
}

/**
 * A range of a given length around a point, within an axis.
 * @param {number} middle
 * @param {number} length
 * @param {number} most
 */
function stretch(middle, length, most) {
  const size = Math.min(most, Math.max(LEAST, Math.ceil(length)));
  const from = clamp(middle - Math.floor(size / 2), 0, most - size);
  return [from, from + size];
}

/** The first element of a cell. @param {number} k @param {number} from @param {number} to @param {number} block */
function snap(k, from, to, block) {
  const last = from + Math.floor((to - from - 1) / block) * block;
  return clamp(k, from, last);
}

/** @param {number[]} region @param {Spot} spot */
function inside([top, bottom, left, right], { row, column }) {
  return { row: clamp(row, top, bottom - 1), column: clamp(column, left, right - 1) };
}
