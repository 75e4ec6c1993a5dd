// @ts-check
/** The part that keeps the look in the address of a saved page, so that the address can be shared. */

import { button, html, toClipboard, write } from "../live/dom.js";

const isInteger = (/** @type {any} */ value) => Number.isInteger(value);
const isString = (/** @type {any} */ value) => typeof value === "string";
const isTrue = (/** @type {any} */ value) => value === true;
const areGroups = (/** @type {any} */ value) =>
  value?.constructor === Object && Object.values(value).every((ids) => Array.isArray(ids) && ids.every(isInteger));

/**
 * The parts of a look that an address may hold, with checks of their types: anybody could have written it.
 * @type {Record<string, (value: any) => boolean>}
 */
const FIELDS = {
  open: areGroups,
  selected: isInteger,
  moment: isInteger,
  colour: isString,
  path: isTrue,
  search: isString,
  direction: isString,
  own: isTrue,
  histogram: isTrue,
};

/** @param {import("./explorer.js").View} view */
export function makeAddressPart({ get, send }) {
  // a view in a notebook has no address of its own
  if (get("still") !== "page" || window.top !== window) return {};
  const first = get("look");
  const note = html("span.al-note", { role: "status" });

  /** The differences from the initial look of the page. @param {any} look */
  function told(look) {
    const others = Object.keys(FIELDS).filter(
      (name) => FIELDS[name](look[name]) && JSON.stringify(look[name]) !== JSON.stringify(first[name]),
    );
    return others.length
      ? `#${encodeURIComponent(JSON.stringify(Object.fromEntries(others.map((name) => [name, look[name]]))))}`
      : "";
  }

  function visit() {
    const { open = {}, ...also } = wished();
    if (Object.keys(open).length || Object.keys(also).length) send({ do: "visit", open, also });
  }

  function follow() {
    write(note, "");
    const address = told(get("look"));
    if (address !== location.hash) history.replaceState(null, "", address || location.pathname + location.search);
  }

  async function copy() {
    write(note, (await toClipboard(location.href)) ? "Copied" : "It is in the browser's address bar");
  }

  addEventListener("hashchange", visit);
  setTimeout(visit); // once the page shows its initial state
  return {
    places: { menu: [html("div.al-bar-row", button("Copy address", copy), note)] },
    on: { look: follow },
    close: () => removeEventListener("hashchange", visit),
  };
}

/** The valid parts of the look in the address. @returns {any} */
function wished() {
  try {
    return lookOf(JSON.parse(decodeURIComponent(location.hash.slice(1))));
  } catch {
    return {}; // a fragment of some other page
  }
}

/** The valid parts of a look from an untrusted source. @param {any} found @returns {any} */
export function lookOf(found) {
  return Object.fromEntries(
    Object.entries(found ?? {}).filter(([name, value]) => Object.hasOwn(FIELDS, name) && FIELDS[name](value)),
  );
}
