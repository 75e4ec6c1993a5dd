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

MULADD = """
import autolab


def muladd(x, y, z):
    h = x * y
    w = h + z
    return w


autolab.explore(muladd, x=2.0, y=3.0, z=4.0)
"""
LAYER = """
import autolab
import numpy as np

rng = np.random.default_rng(0)


def layer(x, W, b):
    h = np.tanh(x @ W + b)
    loss = (h * h).mean()
    return loss


autolab.explore(layer, x=rng.normal(size=(4, 3)), W=rng.normal(size=(3, 2)), b=rng.normal(size=2))
"""
THEMES = {"": "JupyterLab Light", "-dark": "JupyterLab Dark"}


def main() -> None:
    """Photograph each prepared notebook in both themes."""
    with tempfile.TemporaryDirectory() as folder, lab_server(Path(folder)) as lab, sync_playwright() as playwright:
        browser = launch(playwright)
        for name, prepare in {"live-graph": _moved, "watch-backward": _walked}.items():
            context = browser.new_context(viewport={"width": 1240, "height": 1700}, device_scale_factor=1.5)
            view = LabPage(lab, context.new_page())
            prepare(lab, view)
            view.page.evaluate("() => document.activeElement.blur()")
            for suffix, theme in THEMES.items():
                _photograph(view, theme, ROOT / "docs" / "images" / f"{name}{suffix}.png")
            context.close()
        browser.close()


def _photograph(view: LabPage, theme: str, path: Path) -> None:
    view.command("apputils:change-theme", theme=theme)
    view.page.wait_for_timeout(2000)  # the splash of the change fades
    view.page.locator(".jp-NotebookPanel:visible .jp-Cell").screenshot(path=path)


def _open(lab: Lab, view: LabPage, name: str, cell: str) -> None:
    view.open(lab.write(f"{name}.ipynb", cell))
    view.command("application:toggle-left-area")
    view.run(0)


def _moved(lab: Lab, view: LabPage) -> None:
    """Move `x`, choose `h`."""
    _open(lab, view, "muladd", MULADD)
    slider = view.page.get_by_role("slider", name="x", exact=True)
    slider.focus()
    for _ in range(50):
        slider.press("ArrowRight")
    view.node("h").click()
    view.page.wait_for_timeout(500)


def _walked(lab: Lab, view: LabPage) -> None:
    """Walk backward to where the bias gets its gradient."""
    _open(lab, view, "layer", LAYER)
    slider = view.page.get_by_role("slider", name="Step of the walk")
    slider.focus()
    slider.press("End")
    for _ in range(3):
        slider.press("ArrowLeft")
    view.page.wait_for_timeout(800)


if __name__ == "__main__":
    main()
