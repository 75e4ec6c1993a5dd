// @ts-check
/** The search in the index of the gallery: only functions whose lines contain the text stay visible. */

const field = /** @type {HTMLInputElement} */ (document.querySelector("input"));
const lines = [...document.querySelectorAll("li")];
const told = /** @type {HTMLElement} */ (document.querySelector("output"));

function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const line of lines) {
    const text = (line.textContent ?? "").toLowerCase();
    line.hidden = !words.every((word) => text.includes(word));
  }
  told.textContent = `${lines.filter((line) => !line.hidden).length} of ${lines.length} functions`;
}

field.addEventListener("input", search);
search();
