"""marimo, as an editor and as an app: a live view is whole, moves, follows the theme, and writes no page."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from .hosts import free_port, moves, needs, served, visited, walks

pytestmark = [pytest.mark.lab, pytest.mark.browser, needs("marimo")]

NOTEBOOK = """\
import marimo

app = marimo.App()


@app.cell
def _():
    import autolab

    def muladd(x, y, z):
        h = x * y
        return h + z

    autolab.explore(muladd, x=2.0, y=3.0, z=1.0)
    return (autolab,)


@app.cell
def _(autolab):
    autolab.derivatives(lambda x: x * x, x=1.0)
    return


if __name__ == "__main__":
    app.run()
"""
# Of what a cell shows, so much has to be scrolled to.
HIDDEN = "output => output.scrollHeight - output.clientHeight"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("how", ["edit", "run"])
def test_a_live_view_works_as_in_jupyterlab(browser, tmp_path: Path, how: str, theme: str) -> None:
    from playwright.sync_api import expect

    notebook = tmp_path / "notebook.py"
    notebook.write_text(NOTEBOOK)
    settings = tmp_path / "pyproject.toml"
    settings.write_text(f'[tool.marimo.display]\ntheme = "{theme}"\n[tool.marimo.runtime]\nauto_instantiate = true\n')
    port = free_port()
    command = [sys.executable, "-m", "marimo", how, notebook.name, "--headless", "--no-token", f"--port={port}"]
    with served(command, port, tmp_path) as server, visited(browser, f"http://127.0.0.1:{port}/") as page:
        root = page.locator(".al-root", has=page.locator(".al-node"))
        moves(root)
        walks(root)
        expect(root).to_have_css("color-scheme", theme)
        assert page.locator(".output-area", has=root).evaluate(HIDDEN) <= 1
        assert "no notebook" not in server.output + page.locator("body").inner_text()
        assert not list(tmp_path.rglob("*.html"))
        page.locator(".al-root").nth(1).wait_for()
        page.screenshot(path=f"artefacts/marimo-{how}-{theme}.png")
