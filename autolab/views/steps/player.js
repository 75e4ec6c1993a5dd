// @ts-check
/** The part that walks through the forward and the backward pass (play, pause, step, scrub), and shows what happens. */

import { sameEdge } from "../graph/answer.js";
import { chosenLine } from "../graph/picture.js";
import { html, options, set, write } from "../live/dom.js";
import { clamp } from "../live/hand.js";
import { makePlayer, tool } from "../live/tools.js";
import { termsOf } from "./terms.js";
import { makeSheet } from "./worksheet.js";

const PACES = { slow: 3000, normal: 1500, fast: 500 }; // milliseconds per step

/** @param {import("../graph/explorer.js").View} view */
export function makePlayerPart(view) {
  const { get, send, root } = view;
  let wanted = -1; // the moment that the user has reached, while the kernel follows

  const sheet = makeSheet(
    view,
    get("still") === "page" ? null : (pick) => send({ do: "walk", to: get("frame").k, pick }),
  );
  const player = makePlayer("Walk through the passes", "Step of the walk", {
    at: here,
    last: count,
    pace: () => PACES[/** @type {keyof PACES} */ (pace.value)],
    go: walk,
  });
  const { root: bar, slider, jump } = player;
  const first = tool("first", "To the first step", () => jump(0));
  const last = tool("last", "Show every step", () => jump(count()));
  const place = html("span.al-place", { hidden: true });
  const pace = html("select.al-button.al-pace", { "aria-label": "Pace" }, ...options(Object.keys(PACES)));
  pace.value = "normal";
  const [forward, backward] = [html("span", "forward"), html("span", "backward")];
  const ends = html("div.al-ends", { "aria-hidden": "true" }, forward, backward);
  slider.classList.add("al-scrub");
  player.track.append(ends, place);
  const way = html("select.al-button.al-way", {
    "aria-label": "Walk backward or forward",
    onchange() {
      jump(count()); // the moments of the other walk are different
      send({ do: "choose", setting: "forward", value: way.value });
    },
  });
  const ways = html("label.al-by", "Walk ", way);
  const more = html("div.al-bar-row", html("div.al-keys", first, last), html("label.al-by", "Pace ", pace), ways);
  let offered = "";

  function count() {
    return get("plan").count;
  }

  function here() {
    return wanted >= 0 ? wanted : (get("frame").k ?? count());
  }

  /** @param {number} to @param {() => void} [done] */
  function walk(to, done) {
    wanted = clamp(to, 0, count());
    const mine = wanted;
    send({ do: "walk", to: mine, pick: null }, () => {
      if (wanted === mine) wanted = -1;
      show();
      done?.();
    });
    show();
  }

  function show() {
    const { start, words, walks, moving } = get("plan");
    bar.hidden = more.hidden = !walks;
    const frame = get("frame");
    const walking = frame.k !== undefined;
    const rest = moving ? words.walk_rest_moving : start < count() ? words.walk_rest : words.walk_rest_forward;
    backward.hidden = start >= count() || Boolean(moving);
    write(forward, moving ? "forward mode" : "forward");
    player.show(walking ? `${frame.phase}, ${frame.place}: ${frame.title}` : rest);
    slider.style.setProperty("--al-turn", `${start < count() ? (100 * (start - 0.5)) / count() : 100}%`);
    slider.style.setProperty("--al-here", `${(100 * here()) / count()}%`);
    first.disabled = here() === 0;
    last.disabled = here() === count();
    write(place, walking ? `${frame.phase}, ${frame.place}` : "");
    [place.hidden, ends.hidden] = [!walking, walking];
    place.classList.toggle("al-backward", walking && frame.backward);
  }

  /** Offer the kinds of walk, if there are several. */
  function offer() {
    const { ways: all = [], now } = get("forward");
    ways.hidden = get("still") || !all.length;
    if (offered !== (offered = JSON.stringify(all)))
      way.replaceChildren(
        ...options([["", "backward"], ...all.map((/** @type {string} */ what) => [what, `forward: ${what}`])]),
      );
    way.value = now;
  }

  function moved() {
    const frame = get("frame");
    show();
    root.classList.toggle("al-tangents", Boolean(get("plan").moving));
    root.classList.toggle("al-walking", frame.k !== undefined);
    root.classList.toggle("al-forward", frame.backward === false);
    sheet.update(view.colors);
  }

  return {
    places: { foot: [bar], menu: [more], side: [sheet.root] },
    on: { "plan frame": moved, forward: offer },
    paint: () => (moved(), offer()),
    close: player.pause,
  };
}

// The sentence about a graph: a step of the walk, a line, a box, or what can be done.

/** @param {import("../graph/explorer.js").View} view */
export function makeSentencePart(view) {
  const { get, root } = view;

  function says() {
    const { answer, status } = get("detail");
    const line = chosenLine(view);
    const share =
      line &&
      answer?.comes
        .flatMap((/** @type {import("../graph/answer.js").Value} */ value) => value.shares)
        .find((/** @type {any} */ one) => sameEdge(one.edge, line));
    const said = view.hand || get("frame").spoken || share?.sentence || (answer && (answer.sentence || status));
    root.classList.toggle("al-offers", !said); // what can be done is not said in a picture
    return (
      said ||
      (!get("still") && root.classList.contains("al-by-terms") && termsOf(get).rest) ||
      (!get("still") && get("plan").moving && get("plan").words.walk_rest_moving) ||
      (!get("still") && get("rest"))
    );
  }

  // In a saved page that moves, the words change with the first move.
  const told = `frame detail terms curves plan rest${get("still") === "page" ? " words" : ""}`;
  return { says, on: { [told]: () => {} } };
}
