"""Going through a notebook in JupyterLab as a person does: run a cell, look, move what can be moved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from views.lab import LabPage

from .lessons import raw

SHOWN = """i => {
  const output = window.jupyterapp.shell.currentWidget.content.widgets[i].outputArea.node;
  return output.innerText.trim().length + output.querySelectorAll('img, svg, canvas').length;
}"""
FAINT = """cell => {
  const numbers = (color) => (color.startsWith('color(') ? 255 : 1);
  const channels = (color) => color.match(/[\\d.]+/g).map((v, k) => (k < 3 ? numbers(color) : 1) * Number(v));
  const even = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * even(r / 255) + 0.7152 * even(g / 255) + 0.0722 * even(b / 255);
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const [r, g, b, a = 1] = channels(getComputedStyle(e).backgroundColor);
      if (a > 0.99) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const faint = [];
  for (const e of cell.querySelectorAll('.al-root *')) {
    const isText = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!isText || !e.offsetParent || e.closest('.al-numbers, [inert], :disabled, svg')) continue;
    const style = getComputedStyle(e);
    const [a, b] = [light(channels(style.color)), light(behind(e))].sort((p, q) => q - p);
    const isLarge = parseFloat(style.fontSize) >= 24;
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < (isLarge ? 3 : 4.5)) faint.push(`${e.className} ${e.textContent.slice(0, 40)} ${ratio.toFixed(2)}`);
  }
  return faint;
}"""  # text that stands out less than WCAG's level AA asks
SLIDERS = ".al-root :is(input[type=range], [role=slider])"
MOST = 3
"""Sliders of a cell that are moved."""


def walk(view: LabPage, notebook: Path) -> Iterator[tuple[str, Any]]:
    """Run the cells one after the other, and move the sliders of each: the ids of the code cells, and their places."""
    for i, cell in enumerate(raw(notebook)["cells"]):
        if cell["cell_type"] != "code":
            continue
        assert "Traceback" not in view.run(i), cell["id"]
        view.page.wait_for_function(SHOWN, arg=i)
        place = view.page.locator(f'.jp-Cell[data-windowed-list-index="{i}"]')
        sliders = place.locator(f"{SLIDERS}:visible:enabled")
        for k in range(min(sliders.count(), MOST)):
            sliders.nth(k).press("ArrowRight")
        if sliders.count():
            view.page.wait_for_timeout(200)
            assert place.locator(".al-error:visible").count() == 0, cell["id"]
        yield cell["id"], place
