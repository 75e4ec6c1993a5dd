// @ts-check
/**
 * The playground: an editor, with the program's output below. Python runs in a worker, so that the page stays
 * responsive.
 */

import { lookOf } from "../graph/address.js";
import { button, html, set, toClipboard, write } from "../live/dom.js";
import { packed, unpackedLink } from "../live/playground_link.js";
import { followTheme } from "../live/theme.js";
import { makeModels, offerFrontEnds } from "./models.js";

const SLOW = 300; // milliseconds until the page says that a program runs, and can be stopped
const [TRIES, PATIENCE] = [3, 1000]; // how often Python is interrupted, and at which interval in milliseconds
// The style of a picture without a page of its own.
const FRAME_STYLE =
  ":root { color-scheme: light dark; font: 15px/1.4 system-ui, sans-serif } body { margin: 0 }" +
  "th, td { padding: 2px 8px; text-align: start }";
const [STEP, FEWEST_LINES, MOST_LINES] = ["    ", 8, 24]; // indentation and lines of the editor
const STAGES = ["loading", "numpy", "packages", "ready"];

const known = JSON.parse(document.getElementById("known")?.textContent ?? "{}");
const { words, examples } = known;
const models = makeModels((id, content) => tell({ do: "message", id, content }));
offerFrontEnds(known.front_ends);

// A worker created from text is subject to this page's content policy; one created from a file would not be.
const importing = `import ${JSON.stringify(new URL("worker.js", location.href))}`;
const workerAddress = URL.createObjectURL(new Blob([importing], { type: "text/javascript" }));

const run = button(words.run, () => start());
const stop = button(words.stop, halt);
const link = button(words.link, () => tell({ do: "link" }));
const status = html("span.al-play-status", { role: "status" });
const progress = html("progress", { max: `${STAGES.length - 1}`, "aria-label": "Loading" });
const output = html("section.al-play-output", { "aria-label": words.output });
const examplesBox = html(
  "select",
  { "aria-label": words.example },
  ...Object.keys(examples).map((name) => html("option", name)),
);
const editor = makeEditor(words.editor, start);

/** @type {Worker} */
let worker;
/** @type {Uint8Array | null} */
let interrupts = null;
let stopping = 0; // the timer of the next attempt to interrupt
let busy = 0; // number of messages that Python has not finished
let runs = false; // whether a program is among them
let isReady = false;
let runsAtOnce = true; // as soon as Python is ready; not after a program that had to be stopped
let fromLink = false; // a program from a link may come from anybody: it waits for Run
/** @type {any} */
let look = null; // the look in a link, for the first view
let shown = ""; // the id of the last view

/** @param {string} state @param {string} [reason] */
function say(state, reason = "") {
  write(status, words[state].replace("{reason}", reason));
  progress.hidden = !STAGES.includes(state) || state === "ready";
  progress.value = STAGES.indexOf(state);
}

/** @param {any} message */
function tell(message) {
  busy += 1;
  setTimeout(offer, SLOW);
  worker.postMessage(message);
}

/** Enable what can be done now. */
function offer() {
  set(run, { disabled: isReady && !busy ? null : "" });
  set(link, { disabled: isReady && !busy ? null : "" });
  set(stop, { disabled: isReady && busy ? null : "" });
  if (isReady && busy) say("running");
}

/** Start Python. */
function begin() {
  [busy, runs, isReady] = [0, false, false];
  models.clear();
  worker = new Worker(workerAddress, { type: "module" });
  worker.onmessage = ({ data }) => hear(data);
  worker.onerror = (event) => say("failed", event.message);
  const { crossOriginIsolated, SharedArrayBuffer } = globalThis; // WebKit may have the first without the second
  interrupts = crossOriginIsolated && SharedArrayBuffer ? new Uint8Array(new SharedArrayBuffer(1)) : null;
  tell({ do: "start", pyodide: known.pyodide, numpy: known.numpy, build: known.build, interrupts });
}

/** Whether the present program is one of the site's own. */
const isOwn = () => Object.values(examples).includes(editor.program());

/** Run the program, after what views have asked before. */
function start() {
  if (!isReady || runs) return;
  runs = true;
  fromLink = false; // a user who presses Run has seen the program
  output.replaceChildren();
  shown = "";
  tell({ do: "run", program: editor.program(), isOwn: isOwn() });
}

/** Interrupt Python, if the page may share memory with a worker; otherwise start it again. */
function halt() {
  if (!interrupts || stopping) return beginAgain();
  say("stopping");
  interrupt(interrupts, TRIES);
}

/**
 * A single interrupt may not be enough: Python drops one that arrives in a destructor, and a program may catch it. If
 * it goes on, or computes without checking for interrupts, Python has to be started again.
 * @param {Uint8Array} buffer
 * @param {number} left
 */
function interrupt(buffer, left) {
  if (!left) return beginAgain();
  Atomics.store(buffer, 0, 2); // SIGINT
  stopping = setTimeout(() => interrupt(buffer, left - 1), PATIENCE);
}

/** Stop interrupting; a late interrupt must not affect the next program. */
function rest() {
  clearTimeout(stopping);
  stopping = 0;
  if (interrupts) Atomics.store(interrupts, 0, 0);
}

function beginAgain() {
  rest();
  worker.terminate();
  output.replaceChildren();
  runsAtOnce = false;
  begin();
  say("again");
}

/** @param {any} message */
function hear(message) {
  if (message.do === "state") arrive(message.state);
  else if (message.do === "failed") say("failed", message.reason);
  else if (message.do === "raised") print(message.reason);
  else if (message.do === "ran") end(message.whole);
  else if (message.do === "link") copy(message.program);
  else if (message.do === "python") receive(JSON.parse(message.text), message.bytes);
  else if (message.do === "done") {
    busy -= 1;
    if (!busy) rest();
    const waits = status.textContent === words.running || status.textContent === words.stopping;
    if (!busy && waits) say("ready");
    offer();
  }
}

/** A program has ended. @param {boolean} whole */
function end(whole) {
  runs = false;
  say(whole ? "ready" : "raised");
}

/** @param {string} state */
function arrive(state) {
  say(state);
  if (state !== "ready") return;
  isReady = true;
  busy = 0;
  if (fromLink) say("waits");
  else if (runsAtOnce) start();
  runsAtOnce = true;
  busy += 1; // until the start has finished
}

/** @param {any} message @param {Uint8Array[]} bytes */
function receive(message, bytes) {
  if (message.do === "print") print(message.text);
  else if (message.do === "show") show(message);
  else if (message.do === "view") view(message.model);
  else models.receive(message, bytes);
}

/** @param {string} text */
function print(text) {
  const last = output.lastElementChild;
  if (last?.tagName === "PRE") last.append(text);
  else output.append(html("pre", text));
}

/** Show a value that is not a live view, as a picture in a frame without scripts, or as text. @param {any} bundle */
function show({ text, html: picture }) {
  if (!picture) return print(`${text}\n`);
  const frame = html("iframe", { sandbox: "allow-same-origin", title: text.slice(0, 200) });
  frame.srcdoc = `<style>${FRAME_STYLE}</style>${offline(picture)}`;
  frame.onload = () => {
    const page = frame.contentDocument?.documentElement;
    if (page) frame.style.height = `${page.scrollHeight + 16}px`;
  };
  output.append(frame);
}

/** A program's picture, without elements that would make the browser look up other sites. @param {string} picture */
function offline(picture) {
  const page = new DOMParser().parseFromString(picture, "text/html");
  for (const element of page.querySelectorAll("link, meta, base")) element.remove();
  return page.head.innerHTML + page.body.innerHTML;
}

/** @param {string} id */
async function view(id) {
  if (look) models.begin(id, { look });
  look = null;
  shown = id;
  const place = html("div.al-play-view");
  output.append(place);
  await models.show(id, place).catch((error) => print(`${error}\n`));
}

/** Put the program, at its present point, and the look into the address. @param {string} program */
async function copy(program) {
  const now = shown ? lookOf(models.get(shown)?.get("look")) : {};
  history.replaceState(null, "", `#${await packed({ program, look: now })}`);
  write(status, words[(await toClipboard(location.href)) ? "copied" : "address"]);
}

// A small editor: plain text in which Tab and Enter indent.

/** @param {string} label @param {() => void} run */
function makeEditor(label, run) {
  const area = html("textarea.al-play-editor", { "aria-label": label, spellcheck: "false", autocapitalize: "off" });
  let leaves = false; // after Escape, the next Tab leaves the editor

  /** Insert at the caret, so that the browser can undo it. @param {string} text */
  function type(text) {
    area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
    fit();
  }

  const line = () => area.value.slice(area.value.lastIndexOf("\n", area.selectionStart - 1) + 1, area.selectionStart);

  function fit() {
    area.rows = Math.min(MOST_LINES, Math.max(FEWEST_LINES, area.value.split("\n").length));
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    const leaving = leaves;
    leaves = event.key === "Escape";
    if (event.key === "Enter" && (event.shiftKey || event.ctrlKey || event.metaKey)) run();
    else if (event.key === "Enter") type(`\n${/^ */.exec(line())?.[0] ?? ""}${/:\s*$/.test(line()) ? STEP : ""}`);
    else if (event.key === "Tab" && !event.shiftKey && !leaving) type(STEP);
    else return;
    event.preventDefault();
  }

  area.addEventListener("keydown", pressed);
  area.addEventListener("input", fit);
  return {
    element: area,
    program: () => area.value,
    replace(/** @type {string} */ program) {
      area.value = program;
      fit();
    },
  };
}

/** Load the program in the address, or else the first example. */
async function visit() {
  const held = await unpackedLink(location.hash.slice(1));
  look = held ? lookOf(held.look) : null;
  editor.replace(held ? held.program : examples[examplesBox.value]);
  fromLink = held !== null && !isOwn();
}

/** A program from a link that has been edited waits for Run; any other one runs as soon as Python is ready. */
editor.element.addEventListener("input", () => {
  if (fromLink) runsAtOnce = fromLink = false;
});

examplesBox.onchange = () => {
  history.replaceState(null, "", location.pathname + location.search);
  editor.replace(examples[examplesBox.value]);
  fromLink = false;
  start();
};
addEventListener("hashchange", async () => {
  await visit();
  if (!fromLink) start();
  else if (isReady) say("waits");
});
const bar = html("div.al-play-bar", html("h1", words.title), examplesBox, run, stop, link, progress, status);
document.body.append(html("main", bar, editor.element, html("p.al-play-keys", words.keys), output));
followTheme("auto");
offer();
visit().then(begin);
