// @ts-check
/** What was compiled on the first visit, in the browser's store: later ones start in half of the time. */

const STORE = "autolab-playground";
const LINE = 10; // ends the list of the files, which are behind it

/** @typedef {[path: string, bytes: Uint8Array]} File */

/**
 * The store, where a browser has one for this page and lets it be used.
 * @returns {Promise<Cache | null>}
 */
async function opened() {
  return (await globalThis.caches?.open(STORE).catch(() => null)) ?? null;
}

const address = (/** @type {string} */ build) => new URL(`bytecode?${build}`, location.href).href;

/**
 * The files that were kept for this build of the site; null if there are none.
 * @param {string} build
 * @returns {Promise<File[] | null>}
 */
export async function keptFiles(build) {
  const answer = await (await opened())?.match(address(build));
  if (!answer) return null;
  const all = new Uint8Array(await answer.arrayBuffer());
  const behind = all.indexOf(LINE) + 1;
  let at = behind;
  return JSON.parse(new TextDecoder().decode(all.subarray(0, behind))).map(
    (/** @type {[string, number]} */ [path, size]) => [path, all.subarray(at, (at += size))],
  );
}

/**
 * Keep the files for this build of the site, and none of an earlier one. A store that is full keeps nothing.
 * @param {string} build
 * @param {File[]} files
 */
export async function keepFiles(build, files) {
  const store = await opened();
  if (!store) return;
  const list = JSON.stringify(files.map(([path, bytes]) => [path, bytes.length]));
  const held = new Blob([`${list}\n`, .../** @type {BlobPart[]} */ (files.map(([, bytes]) => bytes))]);
  for (const { url } of await store.keys()) if (url.startsWith(address(""))) await store.delete(url);
  await store.put(address(build), new Response(held)).catch(() => {});
}
