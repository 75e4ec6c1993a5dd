// @ts-check
/** A program and what is looked at, as text for an address: compressed JSON in base64 of the kind for addresses. */

/** @typedef {{program: string, look: any}} Held */

const MOST_HELD = 200_000; // bytes of a program: a link that unpacks to more is none of ours

/** @param {Uint8Array<ArrayBuffer>} bytes @param {CompressionStream | DecompressionStream} through */
async function piped(bytes, through) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(through)).arrayBuffer());
}

/** @param {Held} held */
export async function packed(held) {
  const bytes = await piped(new TextEncoder().encode(JSON.stringify(held)), new CompressionStream("deflate-raw"));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * What a link holds; null if it is none: anybody can have written it.
 * @param {string} text
 * @returns {Promise<Held | null>}
 */
export async function unpackedLink(text) {
  try {
    if (!text || text.length > MOST_HELD) return null;
    const coded = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(coded, (character) => character.charCodeAt(0));
    const found = JSON.parse(new TextDecoder().decode(await piped(bytes, new DecompressionStream("deflate-raw"))));
    return typeof found?.program === "string" && found.program.length <= MOST_HELD ? found : null;
  } catch {
    return null;
  }
}
