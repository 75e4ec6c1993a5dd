// @ts-check
/** The theme of a page outside a notebook: live views follow the attribute that JupyterLab would set. */

/**
 * Set the theme of the page, now and whenever the reader's system changes it.
 * @param {string} look auto, light or dark
 */
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
