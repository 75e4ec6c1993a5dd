"""Notebook 7: a live view moves, follows the theme, and is not the cause of an error on the page."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from .hosts import PROGRAM, free_port, moves, needs, notebook, served, visited, walks

pytestmark = [pytest.mark.lab, pytest.mark.browser, needs("notebook")]

OWN_ERROR = "Cannot read properties of undefined (reading 'schema')"
"""Notebook's own, on every page as it loads, whatever is installed beside it: it looks for the settings of the keyboard
shortcuts when those of the documents have arrived, which come first."""
SETTINGS = ".jupyter/lab/user-settings/@jupyterlab/apputils-extension/themes.jupyterlab-settings"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_live_view_works_as_in_jupyterlab(browser: Any, tmp_path: Path, theme: str) -> None:
    from playwright.sync_api import expect

    settings = tmp_path / SETTINGS
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"theme": f"JupyterLab {theme.title()}"}))
    notebook(tmp_path / "live.ipynb", PROGRAM)
    port = free_port()
    command = [sys.executable, "-m", "notebook", "--no-browser", "--ip=127.0.0.1", f"--port={port}", "--allow-root"]
    with (
        served([*command, "--IdentityProvider.token="], port, tmp_path),
        visited(browser, f"http://127.0.0.1:{port}/notebooks/live.ipynb", theme, OWN_ERROR) as page,
    ):
        page.locator(".jp-CodeCell").first.click()
        page.keyboard.press("Shift+Enter")
        root = page.locator(".al-root")
        moves(root)
        walks(root)
        expect(root).to_have_css("color-scheme", theme)
        page.screenshot(path=f"artefacts/notebook7-{theme}.png")
