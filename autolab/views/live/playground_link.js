// @ts-check
/** Links to a playground, with a program and a look in the address; and the link of a saved page. */

/** @typedef {{program: string, look: any}} Held the content of a link */
/** @typedef {{key: string | number, shape: number[], whole: boolean, text: string}} Numbers */

const MOST_HELD = 200_000; // bytes of a program: a link that unpacks to more is not ours

/** @param {Uint8Array<ArrayBuffer>} bytes @param {CompressionStream | DecompressionStream} through */
async function piped(bytes, through) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(through)).arrayBuffer());
}

/** The content as text for an address: compressed JSON in URL-safe base64. @param {Held} held */
export async function packed(held) {
  const bytes = await piped(new TextEncoder().encode(JSON.stringify(held)), new CompressionStream("deflate-raw"));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * The content of a link; null if it is invalid, as anybody could have written it.
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

// The link of a saved page: the same view with its code, which can be changed there.

/**
 * Add the link as the last line of a page. Its address holds the program, with the present values of the inputs, and
 * the look.
 * @param {{get: (name: string) => any, on: (event: string, listener: () => void) => void}} model
 * @param {HTMLElement} place
 */
export function addPlaygroundLink({ get, on }, place) {
  const { address = "", words = "", pieces = [] } = get("playground") ?? {};
  if (!["http:", "https:"].includes(address.split("/")[0])) return;
  const link = document.createElement("a");
  Object.assign(link, { target: "_blank", rel: "noopener", textContent: words });
  const line = document.createElement("p");
  line.append(link);
  place.append(line);
  let asked = 0;

  async function follow() {
    const mine = ++asked;
    const program = pieces.map((/** @type {string | Numbers} */ piece) => pythonText(piece, placed())).join("");
    const text = await packed({ program, look: get("look") });
    if (mine === asked) link.href = `${address}#${text}`;
  }

  /** The present values of the inputs; for derivatives, the point on the curves. */
  function placed() {
    const { k } = get("look");
    const { samples } = get("page")?.['["curves"]'] ?? {};
    return samples ? { x: [samples[k]] } : get("point");
  }

  follow();
  for (const name of ["look", "point"]) on(`change:${name}`, follow);
}

/**
 * A piece of the program as Python text.
 * @param {string | Numbers} piece
 * @param {Record<string, number[]> | undefined} point the present values of the inputs
 */
function pythonText(piece, point) {
  if (typeof piece === "string") return piece;
  const values = point?.[piece.key];
  return values ? pythonRows(values, piece.shape, piece.whole) : piece.text;
}

/** @param {number[]} values @param {number[]} shape @param {boolean} whole @returns {string} */
function pythonRows(values, [length, ...shape], whole) {
  if (length === undefined) return pythonNumber(values[0], whole);
  const size = values.length / length;
  const rows = Array.from({ length }, (_, i) => pythonRows(values.slice(i * size, (i + 1) * size), shape, whole));
  return `[${rows.join(", ")}]`;
}

/** @param {number} value @param {boolean} whole */
function pythonNumber(value, whole) {
  const text = Object.is(value, -0) ? "-0" : String(value);
  return whole || /[.e]/.test(text) ? text : `${text}.0`;
}
