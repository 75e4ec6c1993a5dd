"""A notebook with views on the second day, in a JupyterLab without AutoLab's settings: as on a hub, or at work."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from autolab.views.draw.messages import say

from ..lab import VIEWPORT, Lab, LabPage, lab_server

pytestmark = [pytest.mark.browser, pytest.mark.lab]

GRAPH = "import autolab\ndef program(x, y):\n    h = x * y\n    return h + x\nautolab.explore(program, x=2.0, y=3.0)"
HEATMAP = "import numpy as np\nautolab.heatmap(autolab.Variable(np.arange(12.0).reshape(3, 4)))"
ROW = "import ipywidgets\nipywidgets.HBox([autolab.explore(program, x=1.0, y=5.0), autolab.heatmap(np.eye(3))])"
SLIDER = "import ipywidgets\nipywidgets.IntSlider()"
SCROLL = """i => {
  const { content } = window.jupyterapp.shell.currentWidget;
  void content.scrollToItem(i);
  return content.widgets[i].inViewport && content.widgets[i].node.isConnected;
}"""
LOST = "Error displaying widget: model not found"
DRAWN = "i => window.jupyterapp.shell.currentWidget.content.widgets[i].outputArea.node.innerText.trim().length > 8"
CLEAR = "notebook:clear-all-cell-outputs"


@pytest.fixture(scope="module")
def plain_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with lab_server(tmp_path_factory.mktemp("plain"), variables={"JUPYTER_CONFIG_PATH": ""}) as running:
        yield running


def states(path: Path) -> dict[str, Any]:
    """The states of widgets that the notebook holds."""
    widgets = json.loads(path.read_text("utf-8"))["metadata"].get("widgets", {})
    return widgets.get("application/vnd.jupyter.widget-state+json", {}).get("state", {})


def views_in(path: Path) -> int:
    return sum(["_digest" in state["state"] for state in states(path).values()])


def front_ends_in(path: Path) -> int:
    return sum(["digest" in state["state"] for state in states(path).values()])


def test_views_show_again_after_each_way_of_saving_and_opening(plain_lab: Lab, browser: Browser) -> None:
    def look_at(cell: int) -> None:
        """JupyterLab draws what comes into view; while it opens a notebook, it scrolls itself."""
        view.page.wait_for_function(SCROLL, arg=cell)

    def is_drawn() -> None:
        """The graph, the heatmap and the two in a row."""
        look_at(0)
        expect(view.node("h").locator(".al-value .al-number")).to_have_text("6")
        look_at(1)
        expect(view.page.get_by_role("img", name="value of array as a heatmap, 3 by 4")).to_be_visible()
        look_at(2)
        row = view.page.locator(".widget-hbox .al-root")
        expect(row).to_have_count(2)
        assert min([box["width"] for root in row.all() if (box := root.bounding_box())]) > 200
        assert "Error displaying widget" not in "".join(map(view.output, range(3)))

    def reopen(saved: Path, name: str, kernel: bool = False, front_ends: bool = True) -> Path:
        """A copy, which has no session with the kernel before. When its kernel connects early, JupyterLab may draw
        the outputs before it has read the notebook's states, and says so for good: then another copy is opened."""
        for k in range(5):
            copy = shutil.copy(saved, saved.with_name(f"{name} {k}.ipynb"))
            plain_lab.trust(copy)
            view.clear()
            view.forget(front_ends)
            view.open(copy, kernel=kernel)
            for cell in (0, 1, 2):
                look_at(cell)
                view.page.wait_for_function(DRAWN, arg=cell)
            if not any(LOST in view.output(cell) for cell in (0, 1, 2)):
                return copy
        raise AssertionError(f"JupyterLab says {LOST!r} of each copy of the notebook")

    def saved(path: Path) -> list[str]:
        view.save(path)
        assert (views_in(path), front_ends_in(path)) == (4, 0)
        return path.read_text("utf-8").splitlines()

    path = plain_lab.write("views.ipynb", GRAPH, HEATMAP, ROW, SLIDER)
    view = LabPage(plain_lab, browser.new_context(viewport=VIEWPORT).new_page())
    view.open(path)
    for cell in (0, 1, 2, 3, 0):  # the first view of the graph is gone
        view.run(cell)
    is_drawn()
    before = saved(path)
    assert not any("IntSlider" in str(state) for state in states(path).values())  # which nobody has asked for
    look_at(0)
    h = view.node("h").locator(".al-value .al-number")
    view.node("x").press("ArrowRight")
    expect(h).to_have_text("6.03")
    assert [line.split()[0] for line in saved(path) if line not in before] == ['"numbers":']  # what git shows
    view.node("x").press("ArrowLeft")
    expect(h).to_have_text("6")

    view.forget(front_ends=False)
    view.save(path)
    assert (views_in(path), front_ends_in(path)) == (4, 2)
    apart = shutil.copy(path, path.with_name("apart.ipynb"))
    view.forget(front_ends=True)
    view.restart()
    is_drawn()
    saved(path)
    path = reopen(path, "new kernel", kernel=True)
    is_drawn()
    saved(path)
    path = reopen(path, "no kernel")
    is_drawn()

    reopen(path, "no code", front_ends=False)
    pictures = view.page.locator(".jp-RenderedHTML img")
    expect(pictures.first).to_have_attribute("alt", re.compile("graph of program"))
    expect(view.page.locator(".jp-OutputArea-output").nth(2)).to_have_text(2 * say("live_silent"))
    path = reopen(apart, "own code", front_ends=False)
    is_drawn()
    assert [problem for problem in view.problems if "widget model not found" not in problem] == []  # of the slider
    view.command(CLEAR)
    view.command("docmanager:save")
    assert states(path) == {}
    view.page.context.close()
