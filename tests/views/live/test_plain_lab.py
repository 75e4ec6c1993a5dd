"""A notebook with views on the second day, in a JupyterLab without AutoLab's settings: as on a hub, or at work."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from ..lab import VIEWPORT, Lab, LabPage, lab_server

pytestmark = [pytest.mark.browser, pytest.mark.lab]

GRAPH = "import autolab\ndef program(x, y):\n    h = x * y\n    return h + x\nautolab.explore(program, x=2.0, y=3.0)"
HEATMAP = "import numpy as np\nautolab.heatmap(autolab.Variable(np.arange(12.0).reshape(3, 4)))"
ROW = "import ipywidgets\nipywidgets.HBox([autolab.explore(program, x=1.0, y=5.0), autolab.heatmap(np.eye(3))])"
SLIDER = "import ipywidgets\nipywidgets.IntSlider()"
SCROLL = "i => window.jupyterapp.shell.currentWidget.content.scrollToItem(i)"
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
    return sum(["_front_end" in state["state"] for state in states(path).values()])


def test_views_show_again_after_each_way_of_saving_and_opening(plain_lab: Lab, browser: Browser) -> None:
    def opened() -> LabPage:
        return LabPage(plain_lab, browser.new_context(viewport=VIEWPORT).new_page())

    def is_drawn(view: LabPage) -> None:
        """The graph, the heatmap and the two in a row, which JupyterLab draws as they come into view."""
        view.page.evaluate(SCROLL, 0)
        expect(view.node("h").locator(".al-value .al-number")).to_have_text("6")
        view.page.evaluate(SCROLL, 1)
        expect(view.page.get_by_role("img", name="value of array as a heatmap, 3 by 4")).to_be_visible()
        view.page.evaluate(SCROLL, 2)
        row = view.page.locator(".widget-hbox .al-root")
        expect(row).to_have_count(2)
        assert min([box["width"] for root in row.all() if (box := root.bounding_box())]) > 200
        assert "Error displaying widget" not in "".join(map(view.output, range(3)))

    path = plain_lab.write("views.ipynb", GRAPH, HEATMAP, ROW, SLIDER)
    view = opened()
    view.open(path)
    for cell in (0, 1, 2, 3, 0):  # the first view of the graph is gone
        view.run(cell)
    is_drawn(view)
    view.save(path)
    assert views_in(path) == 4
    assert not any("IntSlider" in str(state) for state in states(path).values())  # which nobody has asked for
    view.restart()
    is_drawn(view)
    view.save(path)
    assert views_in(path) == 4
    view.clear()
    view.page.context.close()

    for _ in range(2):  # with a new kernel, and saved once more
        view = opened()
        view.open(path)
        is_drawn(view)
        view.save(path)
        assert views_in(path) == 4
        view.clear()
        view.page.context.close()

    view = opened()
    view.open(path, kernel=False)
    is_drawn(view)
    view.command(CLEAR)
    view.command("docmanager:save")
    assert states(path) == {}
    view.clear()
    view.page.context.close()
