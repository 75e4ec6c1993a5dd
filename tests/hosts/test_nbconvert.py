"""nbconvert: in its pages and slides, live views are pictures, which need no network."""

from __future__ import annotations

import importlib.metadata
import json
import re
import shutil
import tomllib
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
from helpers.checkout import ROOT

pytestmark = pytest.mark.lab

VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"
CELLS = (
    "import autolab\nautolab.explore(lambda x, y: x * y + x, x=2.0, y=3.0)",
    "import numpy as np\nfrom IPython.display import display\ndisplay(autolab.heatmap(np.eye(3)))",
)


def notebook(*cells: str) -> Any:
    from nbformat.v4 import new_code_cell, new_notebook

    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return new_notebook(metadata=kernel, cells=[new_code_cell(cell) for cell in cells])


@pytest.fixture(scope="module")
def executed() -> Any:
    """As `nbconvert --execute` runs it."""
    from nbclient import NotebookClient

    return NotebookClient(notebook(*CELLS), timeout=60).execute()


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A notebook that was run in JupyterLab and saved with the state of its live views."""
    import ipywidgets
    from nbformat.v4 import new_output

    import autolab

    with chdir(tmp_path_factory.mktemp("pages")):
        view = autolab.heatmap(autolab.Variable([[1.0, 2.0]], name="W"))
    book = notebook("autolab.heatmap(W)")
    data, metadata = view._repr_mimebundle_()
    assert VIEW in data
    book.cells[0].outputs = [new_output("display_data", dict(data), metadata=metadata)]
    book.metadata.widgets = {STATE: ipywidgets.Widget.get_manager_state(widgets=[view])}
    view.close()
    return book


def exported(book: Any, kind: str, **config: Any) -> str:
    from nbconvert.exporters import get_exporter
    from traitlets.config import Config

    page: str = get_exporter(kind)(config=Config(config)).from_notebook_node(book)[0]
    return page


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The data files of a wheel are where Jupyter looks for them."""
    for source, target in data_files().items():
        path = tmp_path / target.removeprefix("share/jupyter/")
        path.parent.mkdir(parents=True)
        shutil.copy(ROOT / source, path)
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))


def data_files() -> dict[str, str]:
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    return dict(wheel["shared-data"])


def test_a_wheel_brings_no_file_that_somebody_else_has_or_writes() -> None:
    """Files of settings directly in etc/jupyter are an administrator's: pip would replace and later remove them."""
    ours = tuple(data_files().values())
    for target in ours:
        assert re.match(r"share/|etc/jupyter/jupyter_\w+_config\.d/autolab\.json$", target), target
    for one in importlib.metadata.distributions():
        if one.name != "jupyter-autolab":
            theirs = [str(file) for file in one.files or () if str(file).endswith(ours)]
            assert not theirs, (one.name, theirs)


def test_what_a_program_runs_to_be_read_later_holds_pictures(executed: Any) -> None:
    outputs = [output.data for cell in executed.cells for output in cell.outputs]
    assert len(outputs) == 2
    assert all([VIEW not in data and "<img" in data["text/html"] and data["text/plain"] for data in outputs])


@pytest.mark.parametrize("kind", ["html", "slides"])
def test_the_state_of_a_live_view_does_not_hide_its_picture(saved: Any, kind: str, installed: None) -> None:
    blank = exported(saved, kind, StaticViews={"enabled": False})  # this is what they are for
    assert "jupyter-widgets jp-OutputArea-output" in blank and "<img" not in blank
    page = exported(saved, kind)
    assert "jupyter-widgets jp-OutputArea-output" not in page and page.count("<img") == 1
    assert VIEW in saved.cells[0].outputs[0].data  # the notebook stays as it is


def test_widgets_of_others_stay_live(saved: Any, installed: None) -> None:
    from nbformat import from_dict

    other = json.loads(json.dumps(saved).replace("autolab.views", "another.views"))
    assert "jupyter-widgets jp-OutputArea-output" in exported(from_dict(other), "html")


@pytest.mark.browser
@pytest.mark.parametrize("kind", ["html", "slides"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_pictures_are_seen_without_a_network(
    executed: Any, browser: Any, tmp_path: Path, kind: str, theme: str
) -> None:
    path = tmp_path / "page.html"
    path.write_text(exported(executed, kind), "utf-8")
    context = browser.new_context(color_scheme=theme)
    page = context.new_page()
    page.route("http**", lambda route: route.abort())
    page.goto(path.as_uri(), wait_until="domcontentloaded")
    pictures = page.locator("img")
    assert pictures.count() == 2
    for i in range(2):
        pictures.nth(i).wait_for()
        assert pictures.nth(i).evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
    context.close()
