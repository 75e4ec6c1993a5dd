// @ts-check
/** The player of all views, which goes step by step or plays. */

import { html, set, svg } from "./dom.js";

const ICONS = {
  // as usual: a triangle plays, one with a bar goes one step, two with a bar go to the end
  first: "M1.4 3h1.8v10H1.4zM9 3v10L3.6 8zM14.6 3v10L9.2 8z",
  back: "M3 3h2v10H3zM13 3v10L6 8z",
  play: "M4 2.5v11L13 8z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  next: "M3 3v10l7-5zM11 3h2v10h-2z",
  last: "M1.4 3v10l5.4-5zM7 3v10l5.4-5zM12.8 3h1.8v10h-1.8z",
};

/** @param {keyof ICONS} icon @param {string} label @param {() => void} action */
export function tool(icon, label, action) {
  return html(
    "button.al-tool",
    { type: "button", "aria-label": label, title: label, onclick: action },
    svg("svg.al-icon", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: ICONS[icon] })),
  );
}

/**
 * @typedef {object} Played
 * @property {() => number} at the step that is shown
 * @property {() => number} last
 * @property {() => number} pace milliseconds from step to step
 * @property {(step: number, done?: () => void) => void} go shows a step, and says when that is done
 */

/**
 * @param {string} label
 * @param {string} what its slider chooses
 * @param {Played} played
 */
export function makePlayer(label, what, { at, last, pace, go }) {
  let playing = false;
  let timer = 0;
  const slider = html("input.al-range", { type: "range", min: 0, step: 1, "aria-label": what });
  slider.oninput = () => jump(Number(slider.value));
  const next = () => (at() === last() ? 0 : at() + 1);
  const play = tool("play", "Play", toggle);
  const back = tool("back", "One step back", () => jump(at() - 1));
  const on = tool("next", "One step on", () => jump(next()));
  const track = html("div.al-track", slider);
  const keys = html("div.al-keys", back, play, on);
  const root = html("div.al-player", { role: "group", "aria-label": label, onkeydown: pressed }, keys, track);

  /** @param {number} step */
  function jump(step) {
    pause();
    go(step);
  }

  function toggle() {
    if (playing) return pause();
    become((playing = true));
    advance();
  }

  function advance() {
    const to = next();
    go(to, () => {
      if (!playing) return;
      if (to >= last()) return pause();
      timer = setTimeout(advance, pace());
    });
  }

  function pause() {
    clearTimeout(timer);
    become((playing = false));
  }

  /** @param {boolean} playing */
  function become(playing) {
    const [icon, label] = playing ? [ICONS.pause, "Pause"] : [ICONS.play, "Play"];
    set(play, { "aria-label": label, title: label });
    set(play.querySelector("path"), { d: icon });
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    if (event.key !== " " || event.target !== slider) return;
    event.preventDefault();
    toggle();
  }

  return {
    root,
    slider,
    track,
    jump,
    pause,
    /** @param {string} spoken */
    show(spoken) {
      set(slider, { max: last(), "aria-valuetext": spoken });
      slider.value = String(at());
      back.disabled = at() === 0;
    },
  };
}
