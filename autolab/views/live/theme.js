// @ts-check
/** The theme of a page that is no notebook: live views follow the mark that JupyterLab sets. */

/** Mark the theme of the page, now and when the reader's system changes. @param {string} look auto, light or dark */
export function followTheme(look) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const show = () => {
    const isLight = look === "auto" ? !dark.matches : look === "light";
    document.body.dataset.jpThemeLight = String(isLight);
    document.documentElement.style.colorScheme = isLight ? "light" : "dark";
  };
  show();
  dark.addEventListener("change", show);
}
