// @ts-check
/** Text that views/live/bundle.py has compressed. */

/** @param {DataView<ArrayBuffer> | Uint8Array<ArrayBuffer>} bytes gzip @returns {Promise<string>} */
export function unzipped(bytes) {
  const stream = /** @type {ReadableStream} */ (new Response(bytes).body).pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}
