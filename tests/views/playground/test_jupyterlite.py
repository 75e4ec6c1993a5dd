"""The lessons in JupyterLite in Chromium, from a server of files and with no network: Python runs in the page."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lesson.lessons import NOTEBOOKS, answers, solved
from playwright.sync_api import Browser, Page

from autolab.views.playground.site import DISTRIBUTION
from views.lab import READY

from .conftest import SECONDS, Distribution, Files, opener, scripts, server

LESSONS = "jupyter/lab/index.html?path=notebooks"
FILL = """cells => {
  const widgets = window.jupyterapp.shell.currentWidget.content.widgets;
  for (const widget of widgets)
    if (widget.model.id in cells) widget.model.sharedModel.setSource(cells[widget.model.id]);
}"""
CODE = "window.jupyterapp.shell.currentWidget.content.widgets.filter((widget) => widget.model.type === 'code')"
RAN = f"{CODE}.every(({{model}}) => model.executionCount !== null && model.executionState !== 'running')"
OUTPUTS = f"Object.fromEntries({CODE}.map(({{model}}) => [model.id, model.outputs.toJSON()]))"
RUN_ALL = "() => void window.jupyterapp.commands.execute('notebook:run-all-cells')"
RUN_FIRST = """() => {
  const notebook = window.jupyterapp.shell.currentWidget.content;
  notebook.activeCellIndex = notebook.widgets.findIndex((widget) => widget.model.type === 'code');
  void window.jupyterapp.commands.execute('notebook:run-cell');
}"""
BUSY = "window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === 'busy'"
RESTART = "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
SAVE = "() => window.jupyterapp.shell.currentWidget.context.save()"
EXPLORE = "import autolab\nautolab.explore(lambda x: x * x, x=3.0)"


@pytest.fixture(scope="module")
def lite_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `make lite` builds."""
    with scripts() as (lite, offline):
        return lite.build(tmp_path_factory.mktemp("lite"), offline).parent


@pytest.fixture
def opened(browser: Browser, lite_site: Path) -> Iterator[Callable[[str], Page]]:
    with server(lite_site) as address, opener(browser, address) as open_page:
        yield open_page


def wait(page: Page, condition: str) -> None:
    deadline = time.monotonic() + SECONDS / 1000
    while not page.evaluate(condition):
        assert time.monotonic() < deadline, condition
        page.wait_for_timeout(100)


def outputs(page: Page) -> dict[str, list[dict[str, Any]]]:
    """Run all cells: what each shows."""
    page.evaluate(RUN_ALL)
    wait(page, RAN)
    return dict(page.evaluate(OUTPUTS))


@pytest.mark.lab
@pytest.mark.browser
@pytest.mark.full
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_of_a_lesson_runs_and_right_answers_are_right(
    opened: Callable[[str], Page], notebook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Files, "isolated", NOTEBOOKS.index(notebook) % 2 == 0)
    page = opened(f"{LESSONS}/{notebook.name}")
    wait(page, READY)
    page.evaluate(FILL, {name: solved(notebook, name) for name in answers(notebook)})
    found = outputs(page)
    for name, shown in found.items():
        assert shown, f"{name} shows nothing"
        assert not [one for one in shown if one["output_type"] == "error" or one.get("name") == "stderr"], (name, shown)
    assert [name for name in answers(notebook) if "✓ Right" not in str(found[name])] == []
    assert page.locator(".al-root").count() > 0


@pytest.mark.lab
@pytest.mark.browser
@pytest.mark.full
def test_an_endless_loop_is_stopped_and_what_was_saved_is_there_after_a_reload(
    opened: Callable[[str], Page], lite_site: Path
) -> None:
    page = opened("index.html")
    page.get_by_role("link", name="The playground").wait_for()
    page.get_by_role("link", name="JupyterLab with the lessons").click()
    wait(page, READY)
    page.evaluate(f"() => {CODE}[0].model.sharedModel.setSource('while True:\\n    pass')")
    page.evaluate(RUN_FIRST)
    wait(page, BUSY)
    page.evaluate(RESTART)
    wait(page, READY)
    page.evaluate(f"source => {CODE}[0].model.sharedModel.setSource(source)", EXPLORE)
    page.evaluate(SAVE)
    page.reload()
    wait(page, READY)
    assert page.evaluate(f"{CODE}[0].model.sharedModel.source") == EXPLORE
    page.evaluate(RUN_FIRST)
    page.get_by_role("slider", name="x, input, value 3").first.wait_for()


@pytest.mark.lab
@pytest.mark.full
def test_the_public_site_takes_python_from_its_own_distribution(tmp_path: Path) -> None:
    with scripts() as (lite, _):
        folder = lite.build(tmp_path / "lite", None).parent / "jupyter"
    lock = json.loads((folder / "python" / "lock.json").read_text("utf-8"))["packages"]
    assert lock["numpy"]["file_name"].startswith(DISTRIBUTION) and "jupyter-autolab" in lock
    assert all((folder / "python" / one["file_name"]).is_file() for name, one in lock.items() if name != "numpy")
    settings = json.loads((folder / "jupyter-lite.json").read_text("utf-8"))["jupyter-config-data"]
    assert f"{DISTRIBUTION}pyodide.js" in str(settings)
    assert [file.name for file in sorted((folder / "files" / "notebooks").iterdir())] == [one.name for one in NOTEBOOKS]
    assert not [*folder.rglob("answers.toml"), *folder.rglob("exercises.py")]


@pytest.mark.lab
@pytest.mark.browser
@pytest.mark.full
@pytest.mark.parametrize(
    ("page_of", "slider"),
    [("playground/index.html", "x, input, value 2"), (f"{LESSONS}/00_start.ipynb", "x, input, value 2")],
    ids=["playground", "jupyterlite"],
)
def test_the_public_site_opens_with_the_files_of_that_distribution_and_asks_for_nothing_else(
    browser: Browser, tmp_path: Path, page_of: str, slider: str
) -> None:
    with scripts() as (lite, offline):
        folder = lite.build(tmp_path / "lite", None).parent
    with server(folder) as address:
        distribution = Distribution(offline, address)
        with opener(browser, address, distribution.answer) as open_page:
            page = open_page(page_of)
            if "jupyter" in page_of:
                wait(page, READY)
                page.evaluate(RUN_FIRST)
            page.get_by_role("slider", name=slider).first.wait_for()
    assert {"pyodide.asm.wasm", "python_stdlib.zip"} <= {*distribution.asked}
    assert len([name for name in distribution.asked if name.startswith("numpy-")]) == 1
