"""Every notebook in JupyterLab: all cells show something, sliders move, text can be read, the console is empty."""

from __future__ import annotations

import shutil

import pytest
from views.lab import LabPage, lab_server

from .lessons import NOTEBOOKS
from .walking import FAINT, SLIDERS, walk


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    with lab_server(tmp_path_factory.mktemp("lessons")) as server:
        yield server


@pytest.mark.lab
@pytest.mark.browser
@pytest.mark.full
@pytest.mark.parametrize("theme", ["Light", "Dark"])
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_shows_something_and_moves(browser, lab, notebook, theme):
    path = lab.folder / notebook.name
    shutil.copy(notebook, path)
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    view = LabPage(lab, context.new_page())
    view.open(path)
    view.command("apputils:change-theme", theme=f"JupyterLab {theme}")
    moved = 0
    for name, place in walk(view, notebook):
        moved += place.locator(SLIDERS).count()
        assert place.locator("img:not([alt]), img[alt='']").count() == 0, name
        if place.locator(".al-root").count():
            assert place.evaluate(FAINT) == [], name
    assert moved
    assert view.problems == []
    context.close()


@pytest.mark.browser
@pytest.mark.parametrize(
    ("style", "is_faint"),
    [
        ("color: #777", True),
        ("color: #767676", False),
        ("color: #949494; font-size: 24px", False),
        ("color: #fff; background: #888", True),
        ("color: #fff; background: #111", False),
        ("color: color(srgb 0.6 0.6 0.6)", True),
    ],
)
def test_faint_text_is_found(browser, style, is_faint):
    page = browser.new_page()
    page.set_content(f'<div id="cell"><div class="al-root"><p style="{style}">words</p></div></div>')
    assert bool(page.locator("#cell").evaluate(FAINT)) == is_faint
    page.close()
