// @ts-check
/** Import a module from its text. */

/** @param {string} text @returns {Promise<any>} */
export async function imported(text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  try {
    return await import(address);
  } finally {
    URL.revokeObjectURL(address);
  }
}
