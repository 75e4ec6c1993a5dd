// @ts-check
/** The page's end of the conversation with the kernel: one message in flight, and only the latest of a move waits. */

const BUSY_AFTER = 150; // milliseconds without an answer
const SILENT_AFTER = 3000;

/** What a view tells of its condition beside what it shows. */
export const CONDITION = ["error", "computing", "since", "can_undo"];

/** @typedef {"idle" | "sent" | "busy" | "silent"} State */

/** @param {any} model @returns what the views of one model share */
export function makeLink(model) {
  /** @type {{message: any, done: (() => void)[]}[]} */
  const queue = [];
  /** @type {Set<(state: State) => void>} */
  const watchers = new Set();
  /** @type {State} */
  let state = "idle";
  /** @type {(() => void)[]} */
  let done = [];
  let timer = 0;
  let listening = 0;
  let greeting = -Math.floor(Math.random() * 2 ** 52);
  let asleep = false; // nobody has answered a greeting
  let met = false; // but somebody did, once
  // Each page counts from a place of its own: an acknowledgement to another page is never taken for ours.
  let seq = Math.floor(Math.random() * 2 ** 32) * 2 ** 20;

  /** @param {State} next */
  function become(next) {
    state = next;
    clearTimeout(timer);
    if (next === "sent") timer = setTimeout(become, BUSY_AFTER, "busy");
    if (next === "busy") timer = setTimeout(become, SILENT_AFTER, "silent");
    for (const watcher of watchers) watcher(next);
  }

  function next() {
    const entry = queue.shift();
    if (!entry) return become("idle");
    done = entry.done;
    become("sent");
    try {
      model.send({ ...entry.message, seq: ++seq });
    } catch {
      become("silent"); // the connection to the kernel is gone
    }
  }

  /** Ask whether there is a kernel behind the picture, which may have come out of a saved notebook. */
  function greet() {
    clearTimeout(listening);
    listening = setTimeout(sleep, SILENT_AFTER, true);
    try {
      model.send({ do: "hello", seq: --greeting });
    } catch {
      sleep(true);
    }
  }

  /** @param {boolean} next */
  function sleep(next) {
    clearTimeout(listening);
    if (asleep !== (asleep = next)) for (const watcher of watchers) watcher(state);
  }

  function acknowledged() {
    met = true;
    sleep(false);
    if (model.get("ack") !== seq) return;
    const callbacks = done;
    next();
    for (const callback of callbacks) callback();
  }

  model.on("change:ack", acknowledged);
  model.on("comm_live_update", greet); // after a restart of the kernel, for instance
  greet();
  return {
    /**
     * Send a message, or let it wait; a waiting move of the same control, or a waiting search, is replaced.
     * @param {any} message
     * @param {() => void} [callback] called when the kernel has handled it
     */
    send(message, callback) {
      const last = queue.at(-1);
      const replaces = last && sameMove(last.message, message);
      const entry = replaces ? last : { message, done: [] };
      entry.message = message;
      if (callback) entry.done.push(callback);
      if (!replaces) queue.push(entry);
      if (state === "idle") next();
    },
    /** Let no move wait any more, and send a message next. @param {any} message */
    stop(message) {
      queue.splice(0, queue.length, { message, done: [] });
      if (state === "idle") next();
    },
    /** @param {(state: State) => void} watcher @returns {() => void} stops watching */
    watch(watcher) {
      watchers.add(watcher);
      watcher(state);
      return () => watchers.delete(watcher);
    },
    /** A change came from the kernel: somebody is there. */
    heard: () => sleep(false),
    get state() {
      return state;
    },
    get asleep() {
      return asleep;
    },
    /** A kernel has answered, and does not any more. */
    get gone() {
      return asleep && met;
    },
    close() {
      clearTimeout(timer);
      clearTimeout(listening);
      model.off("comm_live_update", greet);
      model.off("change:ack", acknowledged);
    },
  };
}

/** @param {any} a @param {any} b */
function sameMove(a, b) {
  return ["move", "look"].includes(a.do) && a.do === b.do && a.key === b.key && a.index === b.index;
}
