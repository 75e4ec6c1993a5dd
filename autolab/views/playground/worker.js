// @ts-check
/** Python beside the page: it loads Pyodide, NumPy and AutoLab, runs programs, and hears the pages of their views. */

/** @type {any} */
let runner;
const post = (/** @type {any} */ message, /** @type {Transferable[]} */ bytes = []) =>
  /** @type {any} */ (self).postMessage(message, bytes);

/**
 * @param {{pyodide: string, numpy: string, interrupts: Uint8Array | null}} sources
 */
async function start({ pyodide, numpy, interrupts }) {
  const at = (/** @type {string} */ name) => new URL(name, location.href).href;
  const archive = fetch(at("autolab.zip")).then((answer) => answer.arrayBuffer());
  post({ do: "state", state: "loading" });
  const { loadPyodide } = await import(at(`${pyodide}pyodide.mjs`));
  const python = await loadPyodide({ indexURL: at(pyodide) });
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
  post({ do: "state", state: "ready" });
}

const ACTS = /** @type {Record<string, (message: any) => any>} */ ({
  start,
  run: ({ program }) => post({ do: "ran", whole: runner.run(program) }),
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
};
