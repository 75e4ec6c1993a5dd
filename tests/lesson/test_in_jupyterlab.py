"""Every notebook in a real JupyterLab: all cells show something, live views draw, and the console stays empty."""

from __future__ import annotations

import shutil

import pytest
from widgets.lab import LabPage, lab_server

from .lessons import NOTEBOOKS, cells, raw

SHOWN = """i => {
  const output = window.jupyterapp.shell.currentWidget.content.widgets[i].outputArea.node;
  return output.innerText.trim().length + output.querySelectorAll('img, svg, canvas').length;
}"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    with lab_server(tmp_path_factory.mktemp("lessons")) as server:
        yield server


@pytest.mark.lab
@pytest.mark.browser
@pytest.mark.full
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_shows_something(browser, lab, notebook):
    path = lab.folder / notebook.name
    shutil.copy(notebook, path)
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    view = LabPage(lab, context.new_page())
    view.open(path)
    places = [i for i, cell in enumerate(raw(notebook)["cells"]) if cell["cell_type"] == "code"]
    for name, i in zip(cells(notebook), places, strict=True):
        assert "Traceback" not in view.run(i), name
        view.page.wait_for_function(SHOWN, arg=i)
    view.page.locator(".jp-OutputArea-output input[type=range]:visible, .al-grid:visible").first.wait_for()
    assert view.problems == []
    context.close()
