"""Notebook 7: a live view moves, follows the theme, and shows itself again on the second day."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from views.lab import Lab, LabPage, lab_server

from autolab.views.draw.messages import say

from .hosts import PROGRAM, moves, needs, walks

pytestmark = [pytest.mark.lab, pytest.mark.browser, needs("notebook")]

OWN_ERRORS = r"reading 'schema'|^Error: widget model not found"
"""Notebook's own: on every page as it loads, whatever is installed beside it, it looks for the settings of the keyboard
shortcuts when those of the documents have arrived, which come first; and its manager of widgets may be asked for one
before it has read those of the notebook."""
HEATMAP = "import numpy as np\nautolab.heatmap(np.arange(12.0).reshape(3, 4))"
STATE = "application/vnd.jupyter.widget-state+json"
WITHOUT = "Object.defineProperty(globalThis, Symbol.for('autolab.host'), { value: {} })"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with lab_server(tmp_path_factory.mktemp("notebook7"), variables={"JUPYTER_CONFIG_PATH": ""}, app="notebook") as up:
        yield up


class NotebookPage(LabPage):
    """One notebook, in a page of its own."""

    def open(self, path: Path, kernel: bool = True) -> None:
        self.page.goto(f"{self.lab.address}notebooks/{path.name}?token={self.lab.token}")
        self._wait_for_kernel()
        if not kernel:
            self.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")


@pytest.fixture
def new_page(server: Lab, browser: Browser) -> Iterator[Any]:
    pages = []

    def make(front_ends: bool = True, **options: Any) -> NotebookPage:
        page = browser.new_context(viewport={"width": 1280, "height": 1000}, **options).new_page()
        page.set_default_timeout(60_000)  # kernels start on a busy machine
        if not front_ends:
            page.add_init_script(WITHOUT)
        pages.append(view := NotebookPage(server, page))
        return view

    yield make
    for view in pages:
        assert [problem for problem in view.problems if not re.search(OWN_ERRORS, problem)] == []
        view.page.context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_live_view_works_as_in_jupyterlab(server: Lab, new_page: Any, theme: str) -> None:
    settings = Path(server.environment["JUPYTERLAB_SETTINGS_DIR"]) / "@jupyterlab" / "apputils-extension"
    (settings / "themes.jupyterlab-settings").write_text(json.dumps({"theme": f"JupyterLab {theme.title()}"}))
    view = new_page()
    view.open(server.write(f"{theme}.ipynb", PROGRAM))
    view.run(0)
    root = view.page.locator(".al-root")
    moves(root)
    walks(root)
    expect(root).to_have_css("color-scheme", theme)
    view.page.screenshot(path=f"artefacts/notebook7-{theme}.png")


@pytest.mark.parametrize("front_ends", [True, False])
def test_views_show_again_after_each_way_of_saving_and_opening(server: Lab, new_page: Any, front_ends: bool) -> None:
    """With the extension in the server, and without it, where the code of views is saved."""

    def saved(path: Path) -> None:
        view.save(path)
        states = json.loads(path.read_text("utf-8"))["metadata"]["widgets"][STATE]["state"].values()
        assert sum(["_digest" in state["state"] for state in states]) == 2
        assert sum(["digest" in state["state"] for state in states]) == (0 if front_ends else 2)

    def is_drawn() -> None:
        expect(view.node("h").locator(".al-value .al-number")).to_have_text("6")
        expect(view.page.get_by_role("img", name="value of array as a heatmap, 3 by 4")).to_be_visible()

    def opened(path: Path, name: str, kernel: bool = True, trusted: bool = True) -> Path:
        nonlocal view
        copy = path.with_name(f"{name} {front_ends}.ipynb")
        book = json.loads(path.read_text("utf-8"))
        copy.write_text(json.dumps({**book, "metadata": {**book["metadata"], "title": name}}))  # trust is of contents
        if trusted:
            server.trust(copy)
        view = new_page(front_ends)
        view.open(copy, kernel)
        return copy

    path = server.write(f"views {front_ends}.ipynb", PROGRAM, HEATMAP)
    view = new_page(front_ends)
    view.open(path)
    for cell in (0, 1):
        view.run(cell)
    is_drawn()
    saved(path)
    view.open(path)  # the kernel still runs
    is_drawn()
    moves(view.page.locator(".al-root").first)
    view.node("x").press("ArrowLeft")
    is_drawn()
    saved(path)
    view.restart()
    is_drawn()
    saved(path)
    path = opened(path, "new kernel")
    is_drawn()
    saved(path)
    path = opened(path, "no kernel", kernel=False)
    is_drawn()
    saved(path)
    opened(path, "untrusted", trusted=False)
    expect(view.page.locator(".jp-RenderedHTML img").first).to_have_attribute("alt", re.compile("graph of muladd"))
    assert say("run_to_move")[:20] in view.output(0)
    path = opened(path, "cleared")
    view.command("notebook:clear-all-cell-outputs")
    view.command("docmanager:save")
    assert "widgets" not in json.loads(path.read_text("utf-8"))["metadata"]
