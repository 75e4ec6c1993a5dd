// @ts-check
/** The page's connection to the kernel: one message in flight; only the latest message of a move waits. */

const BUSY_AFTER = 150; // milliseconds without an answer
const SILENT_AFTER = 3000;

/** The condition of a view, besides what it shows. */
export const CONDITION = ["error", "computing", "since", "can_undo"];

/** @typedef {"idle" | "sent" | "busy" | "silent"} State */

/** @param {any} model @returns the connection that all views of a model share */
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
  let asleep = false; // no kernel has answered the greeting
  let met = false; // a kernel has answered before
  // Each page counts from a random start, so that an acknowledgement for another page is never taken for its own.
  let seq = Math.floor(Math.random() * 2 ** 32) * 2 ** 20;
  let asked = 0; // when a silent kernel was asked whether it is there
  /** @type {any} */
  let last; // the last message

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
    last = entry.message;
    become("sent");
    transmit(last, ++seq);
  }

  /**
   * Ask a silent kernel whether it is there, at most once in a while. It answers in order: with an answer to this, the
   * message before it is known to be lost.
   */
  function ask() {
    if (Date.now() - asked < SILENT_AFTER) return;
    asked = Date.now();
    transmit({ do: "hello" }, --greeting);
  }

  function resume() {
    const unheard = done;
    if (!queue.length) queue.push({ message: last, done: [] });
    next();
    done.push(...unheard);
  }

  /** @param {any} message @param {number} number */
  function transmit(message, number) {
    try {
      model.send({ ...message, seq: number });
    } catch {
      become("silent"); // the connection to the kernel is gone
    }
  }

  /** Ask whether the picture has a kernel; it may come from a saved notebook. */
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
    if (state === "silent" && model.get("ack") === greeting) return resume();
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
     * Send a message, or queue it; a queued move of the same control, or a queued search, is replaced.
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
      else if (state === "silent") ask();
    },
    /** Clear the queue, and send this message next. @param {any} message */
    stop(message) {
      queue.splice(0, queue.length, { message, done: [] });
      if (state === "idle") next();
      else if (state === "silent") ask();
    },
    /** @param {(state: State) => void} watcher @returns {() => void} stops watching */
    watch(watcher) {
      watchers.add(watcher);
      watcher(state);
      return () => watchers.delete(watcher);
    },
    /** Note a change from the kernel, which shows that there is one. */
    heard: () => sleep(false),
    get state() {
      return state;
    },
    get asleep() {
      return asleep;
    },
    /** Whether a kernel has answered before, but no longer does. */
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
