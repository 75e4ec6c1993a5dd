// @ts-check
/** What a page does in a task of its own comes late, as on a busy machine: finds the tests that do not wait for it. */
(() => {
  const LATE = 350; // ms
  const wait = window.setTimeout.bind(window);
  const frame = window.requestAnimationFrame.bind(window);
  const { text } = Response.prototype;
  const sentAgain = new WeakSet();

  /** @param {(...all: any[]) => void} callback @returns {any} */
  const later =
    (callback) =>
    (/** @type {any[]} */ ...all) =>
      wait(() => callback(...all), LATE);

  Response.prototype.text = async function () {
    const got = await text.call(this);
    await new Promise((done) => wait(done, LATE));
    return got;
  };
  window.requestAnimationFrame = (callback) => frame(later(callback));
  window.ResizeObserver = class extends ResizeObserver {
    constructor(/** @type {ResizeObserverCallback} */ callback) {
      super(later(callback));
    }
  };
  window.WebSocket = class extends WebSocket {
    /** @param {((event: MessageEvent) => void) | null} callback what a kernel says comes late too */
    set onmessage(callback) {
      super.onmessage = callback && later(callback);
    }
  };
  const again = later((/** @type {EventTarget} */ target) => {
    const event = new Event("toggle");
    sentAgain.add(event);
    target.dispatchEvent(event);
  });
  const hold = (/** @type {Event} */ event) => {
    if (sentAgain.has(event)) return;
    event.stopImmediatePropagation();
    again(event.target);
  };
  window.addEventListener("toggle", hold, true);
})();
