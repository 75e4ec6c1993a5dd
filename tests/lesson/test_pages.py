"""autolab page: a notebook as one HTML file, which works without a kernel and a network; its live views step."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Frame, expect

from autolab.cli import main
from autolab.lesson_page import save_notebook

from .lessons import NOTEBOOKS, cells, raw

LIVE = re.compile(r"^autolab\.(?:explore|derivatives|heatmap)\(", re.MULTILINE)


@pytest.mark.lab
@pytest.mark.browser
@pytest.mark.full
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_each_lesson_stands_alone(browser, notebook, scheme, tmp_path, capsys):
    target = tmp_path / f"{notebook.stem}.html"
    assert main(["page", str(notebook), str(target)]) == 0 and str(target) in capsys.readouterr().out
    text = target.read_text("utf-8")
    assert "<script" not in text and not re.search(r"(?:src|href)=\"(?!data:|#|\d\d_\w+\.html)", text)
    context = browser.new_context(offline=True, color_scheme=scheme, viewport={"width": 1000, "height": 900})
    page = context.new_page()
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.goto(target.as_uri())
    assert page.locator("h1").count() == 1
    assert page.locator(".code_cell").count() == len(cells(notebook))
    views = len(LIVE.findall("\n".join(cells(notebook).values())))
    frames = page.frames[1:]
    assert len(frames) == views >= (notebook.stem != "06_training") and page.locator("img").count() + views >= 3
    for frame in frames:
        _goes_on(frame)
    assert page.evaluate("() => [...document.images].every((i) => i.complete && i.naturalWidth && i.alt)")
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert len(page.locator(".text_cell").all()) == len(raw(notebook)["cells"]) - len(cells(notebook))
    assert problems == []
    context.close()


def _goes_on(frame: Frame) -> None:
    """Move what moves in a view without a kernel, and see that its frame shows all of it."""
    if frame.get_by_role("button", name="One step back").count():
        frame.get_by_role("button", name="One step back").click()
        expect(frame.locator("body")).to_contain_text("upstream")
        place = frame.locator(".al-place")
        before = place.text_content() or "nowhere"
        frame.get_by_role("button", name="One step back").click()
        expect(place).not_to_have_text(before)
    frame.wait_for_function("() => Math.abs(document.body.offsetHeight - innerHeight) <= 1")


@pytest.mark.lab
@pytest.mark.browser
def test_without_scripts_a_live_view_is_a_picture(browser, tmp_path):
    source = "import autolab\n\nautolab.explore(lambda x: x * x, 3.0)"
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    nbformat.write(book, tmp_path / "view.ipynb")
    save_notebook(tmp_path / "view.ipynb", tmp_path / "view.html")
    for scripts in (True, False):
        page = browser.new_page(java_script_enabled=scripts)
        page.goto((tmp_path / "view.html").as_uri())
        inside = page.frame_locator("iframe")
        expect(inside.locator(".al-root")).to_have_count(int(scripts))
        expect(inside.locator("img")).to_have_count(int(not scripts))
        page.close()


@pytest.mark.lab
def test_a_cell_that_raises_leaves_nothing(tmp_path, capsys):
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 / 0")])
    nbformat.write(book, tmp_path / "fails.ipynb")
    assert main(["page", str(tmp_path / "fails.ipynb"), str(tmp_path / "page.html")]) == 1
    assert "fails.ipynb raised ZeroDivisionError: division by zero" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["fails.ipynb"]


def test_bad_names_are_refused(tmp_path, capsys):
    with pytest.raises(ValueError, match=r"'page\.txt'; expected one that ends in \.html"):
        save_notebook(Path("none.ipynb"), "page.txt")
    assert main(["page", str(tmp_path / "none.ipynb")]) == 1
    assert "there is no file" in capsys.readouterr().err
