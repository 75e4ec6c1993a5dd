"""Take the README's pictures from a real JupyterLab: `python scripts/screenshots.py`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.helpers.chromium import launch  # noqa: E402
from tests.widgets.lab import Lab, LabPage, lab_server  # noqa: E402

CELL = """
import autolab


def muladd(x, y, z):
    h = x * y
    w = h + z
    return w


autolab.explore(muladd, x=2.0, y=3.0, z=4.0)
"""
THEMES = {"live-graph.png": "JupyterLab Light", "live-graph-dark.png": "JupyterLab Dark"}


def main() -> None:
    """Run the cell, move `x`, choose `h`, and photograph the notebook in both themes."""
    with tempfile.TemporaryDirectory() as folder, lab_server(Path(folder)) as lab, sync_playwright() as playwright:
        browser = launch(playwright)
        context = browser.new_context(viewport={"width": 1240, "height": 1010}, device_scale_factor=1.5)
        view = _prepared(lab, LabPage(lab, context.new_page()))
        for name, theme in THEMES.items():
            view.command("apputils:change-theme", theme=theme)
            view.page.wait_for_timeout(2000)  # the splash of the change fades
            view.page.locator(".jp-NotebookPanel:visible .jp-Cell").screenshot(path=ROOT / "docs" / "images" / name)
        browser.close()


def _prepared(lab: Lab, view: LabPage) -> LabPage:
    view.open(lab.write("muladd.ipynb", CELL))
    view.command("application:toggle-left-area")
    view.run(0)
    slider = view.page.get_by_role("slider", name="x", exact=True)
    slider.focus()
    for _ in range(50):
        slider.press("ArrowRight")
    view.node("h").click()
    view.page.wait_for_timeout(500)
    view.page.evaluate("() => document.activeElement.blur()")
    return view


if __name__ == "__main__":
    main()
