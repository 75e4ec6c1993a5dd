/** Put the zipped data of a page where its program looks for it, with the address of the site's playground. */
async function held() {
  const holder = document.getElementById("held");
  const bytes = Uint8Array.from(atob(holder.textContent), (character) => character.charCodeAt(0));
  const playground = new URL("../playground/index.html", location.href).href;
  const saved = document.createElement("div");
  saved.id = "saved";
  saved.hidden = true;
  saved.textContent = (await unzipped(bytes)).replaceAll("https://playground.invalid/", playground);
  holder.replaceWith(saved);
}

/** The page around this one says in the address, after #, whether it is dark; alone, this one asks the system. Paper is light. */
function followAddress() {
  const ask = matchMedia.bind(window);
  const isDark = () => (location.hash ? location.hash === "#dark" : ask("(prefers-color-scheme: dark)").matches);
  const scheme = Object.assign(new EventTarget(), { matches: isDark() });
  const show = (dark) => {
    scheme.matches = dark;
    scheme.dispatchEvent(new Event("change"));
  };
  window.matchMedia = (query) => (query.includes("prefers-color-scheme") ? scheme : ask(query));
  addEventListener("hashchange", () => show(isDark()));
  addEventListener("beforeprint", () => show(false));
  addEventListener("afterprint", () => show(isDark()));
}

followAddress();
