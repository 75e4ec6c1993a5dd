// @ts-check
/** Python in a worker: it loads Pyodide, NumPy and AutoLab, runs programs, and receives messages from their views. */

import { confine } from "./confine.js";

const QUIET = 1000; // milliseconds without a message after which Python has time for background work

/** @type {any} */
let runner;
let heard = 0;
let isClean = true; // no program from outside the site has run
const post = (/** @type {any} */ message, /** @type {Transferable[]} */ bytes = []) =>
  /** @type {any} */ (self).postMessage(message, bytes);

/** @param {{pyodide: string, numpy: string, build: string, interrupts: Uint8Array | null}} sources */
async function start(sources) {
  const kept = (await keptFiles(sources.build).catch(forget)) ?? null;
  try {
    await load(sources, kept);
  } catch (error) {
    if (!kept) throw error;
    await forget(); // the cached files may be the cause
    await load(sources, null);
  }
}

/** @param {Parameters<typeof start>[0]} sources @param {File[] | null} kept */
async function load({ pyodide, numpy, build, interrupts }, kept) {
  const archive = fetch(at("autolab.zip")).then((answer) => answer.arrayBuffer());
  post({ do: "state", state: "loading" });
  const { loadPyodide } = await import(at(`${pyodide}pyodide.mjs`));
  const python = await loadPyodide({
    indexURL: at(pyodide),
    env: { PYTHONPATH: "/lib/bytecode.zip" }, // see runner.py
    fsInit: async (/** @type {any} */ FS) => kept?.forEach(([path, bytes]) => put(FS, path, bytes)),
  });
  if (interrupts) python.setInterruptBuffer(interrupts);
  post({ do: "state", state: "numpy" });
  const isFile = numpy.endsWith(".whl");
  await python.loadPackage(isFile ? at(numpy) : numpy, { messageCallback: () => {}, checkIntegrity: !isFile });
  post({ do: "state", state: "packages" });
  python.unpackArchive(await archive, "zip");
  const { Runner } = python.pyimport("autolab.views.playground.runner");
  runner = Runner((/** @type {string} */ text, /** @type {any} */ held) => {
    const bytes = held.toJs().map((/** @type {Uint8Array} */ one) => one.slice());
    post(
      { do: "python", text, bytes },
      bytes.map((/** @type {Uint8Array} */ one) => one.buffer),
    );
  });
  confine();
  heard = performance.now();
  if (!kept) keep(python, build);
  post({ do: "state", state: "ready" });
}

/** @param {any} FS @param {string} path @param {Uint8Array} bytes */
function put(FS, path, bytes) {
  FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
  FS.writeFile(path, bytes);
}

/**
 * Compile the imported modules again and cache the bytecode, one module at a time and only while the page is idle.
 * @param {any} python @param {string} build
 */
async function keep(python, build) {
  const files = [];
  let compiled = null;
  for (;;) {
    const wait = heard + QUIET - performance.now();
    await new Promise((resolve) => setTimeout(resolve, wait));
    if (!isClean) return; // a program could have forged the files
    if (wait > 0) continue;
    if (!compiled) {
      python.pyimport("autolab.views.graph.explorer"); // most programs need it, even if none has run yet
      compiled = python.pyimport("autolab.views.playground.runner").compiled();
    }
    const { done, value } = compiled.next();
    if (done) return keepFiles(build, files);
    if (!value) continue; // part of a later file
    files.push(value.toJs());
    value.destroy();
  }
}

const ACTS = /** @type {Record<string, (message: any) => any>} */ ({
  start,
  run: ({ program, isOwn }) => {
    isClean &&= isOwn;
    post({ do: "ran", whole: runner.run(program) });
  },
  message: ({ id, content }) => runner.receive(id, JSON.stringify(content)),
  link: () => post({ do: "link", program: runner.program_here() }),
});

self.onmessage = async ({ data }) => {
  try {
    await ACTS[data.do](data);
  } catch (error) {
    post({ do: data.do === "start" ? "failed" : "raised", reason: String(error) });
  }
  post({ do: "done" });
  heard = performance.now();
};

// The bytecode from the first visit, in the browser's cache: later visits start in half the time.

const STORE = "autolab-playground";
const LINE = 10; // ends the list of files, whose content follows

/** @typedef {[path: string, bytes: Uint8Array]} File */

/** The cache, if the browser has one for this page and permits its use; programs cannot access it. */
const opening = globalThis.caches?.open(STORE).catch(() => null);
const [Held, Answer] = [Blob, Response]; // saved here, because the globals are removed before they are needed

/** A file of the site. @param {string} name */
function at(name) {
  return new URL(name, import.meta.url).href;
}

const address = (/** @type {string} */ build) => at(`bytecode?${build}`);

/**
 * The cached files for this build of the site; null if there are none.
 * @param {string} build
 * @returns {Promise<File[] | null>}
 */
async function keptFiles(build) {
  const answer = await (await opening)?.match(address(build));
  if (!answer) return null;
  const all = new Uint8Array(await answer.arrayBuffer());
  const behind = all.indexOf(LINE) + 1;
  let at = behind;
  return JSON.parse(new TextDecoder().decode(all.subarray(0, behind))).map(
    (/** @type {[string, number]} */ [path, size]) => [path, all.subarray(at, (at += size))],
  );
}

/**
 * Cache the files for this build of the site, and delete those of earlier ones. If the cache is full, nothing is kept.
 * @param {string} build
 * @param {File[]} files
 */
async function keepFiles(build, files) {
  const store = await opening;
  if (!store || !isClean) return;
  const list = JSON.stringify(files.map(([path, bytes]) => [path, bytes.length]));
  const held = new Held([`${list}\n`, .../** @type {BlobPart[]} */ (files.map(([, bytes]) => bytes))]);
  const put = store.put.bind(store, address(build), new Answer(held)); // bound before a program can change the class
  await forget();
  await put().catch(() => {});
}

/** Delete all cached files. */
async function forget() {
  const store = await opening;
  const drop = store?.delete.bind(store);
  for (const { url } of (await store?.keys()) ?? []) if (url.startsWith(address(""))) await drop?.(url);
}

export {}; // makes this a module with its own scope
