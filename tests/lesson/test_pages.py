"""autolab page: a notebook as one HTML file, which works without a kernel and a network; its live views step."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Frame, expect

from autolab.app.cli import main
from autolab.lesson.pages.notebook_page import _page, save_notebook
from autolab.views.draw.messages import say

from .lessons import NOTEBOOKS, cells, raw

LIVE = re.compile(
    r"^(?:autolab\.(?:explore|derivatives|heatmap|interact|plots\.surface)|report\.explore)\(", re.MULTILINE
)


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
    assert len(frames) == views >= 1 and page.locator("img").count() >= 1
    for frame in frames:
        _goes_on(frame)
    assert page.evaluate("() => [...document.images].every((i) => i.complete && i.naturalWidth && i.alt)")
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert len(page.locator(".text_cell").all()) == len(raw(notebook)["cells"]) - len(cells(notebook))
    assert problems == []
    context.close()


def _goes_on(frame: Frame) -> None:
    """Move what moves in a view without a kernel, and see that its frame shows all of it."""
    place = frame.locator(".al-place")
    if place.count():
        frame.get_by_role("button", name="One step back").click()
        expect(frame.locator("body")).to_contain_text("upstream")
        before = place.text_content() or "nowhere"
        frame.get_by_role("button", name="One step back").click()
        expect(place).not_to_have_text(before)
    frame.wait_for_function("() => Math.abs(document.body.offsetHeight - innerHeight) <= 1")


@pytest.mark.lab
@pytest.mark.browser
def test_without_scripts_a_live_view_is_a_picture_and_with_them_it_leads_to_the_playground(browser, tmp_path):
    source = "import autolab\n\n\ndef square(x):\n    return x * x\n\n\nautolab.explore(square, 3.0)"
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    nbformat.write(book, tmp_path / "view.ipynb")
    files = [str(tmp_path / "view.ipynb"), str(tmp_path / "view.html")]
    assert main(["page", files[0], "-o", files[1], "--playground", "https://example.org/play/"]) == 0
    for scripts in (True, False):
        page = browser.new_page(java_script_enabled=scripts)
        page.goto((tmp_path / "view.html").as_uri())
        inside = page.frame_locator("iframe")
        expect(inside.locator(".al-root")).to_have_count(int(scripts))
        expect(inside.locator("img")).to_have_count(int(not scripts))
        links = inside.get_by_role("link", name=say("page_playground"))
        expect(links).to_have_count(int(scripts))
        if scripts:
            expect(links).to_have_attribute("href", re.compile(r"^https://example\.org/play/#[\w-]{50,}$"))
        page.close()


def written(folder: Path, *cells: str, tags: tuple[str, ...] = ()) -> tuple[int, str]:
    """The command's exit status for a notebook of these cells, and the page."""
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
    book.cells[0].metadata["tags"] = list(tags)
    nbformat.write(book, folder / "some.ipynb")
    status = main(["page", str(folder / "some.ipynb"), str(folder / "page.html")])
    return status, (folder / "page.html").read_text("utf-8")


@pytest.mark.lab
def test_a_cell_that_fails_is_shown_and_the_next_one_runs(tmp_path, capsys):
    status, page = written(tmp_path, "raise ValueError('<b>\x1b[2J')", "6 * 7", "1 / 0")
    told = capsys.readouterr()
    assert (status, told.out) == (1, f"Written: {tmp_path / 'page.html'}\n")
    expected = "autolab page: 2 cells failed, as the page shows. The first: ValueError: <b>\ufffd[2J\n"
    assert told.err.endswith(expected)
    assert page.count('class="output_subarea output_text output_error"') == 2
    assert "ValueError" in page and "&lt;b&gt;" in page and "<pre>42</pre>" in page
    assert {file.name for file in tmp_path.iterdir()} == {"some.ipynb", "page.html"}


@pytest.mark.lab
def test_an_error_that_a_cell_announces_is_no_failure(tmp_path, capsys):
    status, page = written(tmp_path, "1 / 0", tags=("raises-exception",))
    assert (status, capsys.readouterr().err.count("failed")) == (0, 0)
    assert "ZeroDivisionError" in page


@pytest.mark.lab
def test_a_kernel_that_dies_leaves_a_page_that_says_so(tmp_path, capsys):
    status, page = written(tmp_path, "print('before')", "import os; os._exit(1)", "print('after')")
    assert status == 1 and "DeadKernelError: The kernel died in this cell." in capsys.readouterr().err
    assert "<pre>before" in page and say("page_kernel_died") in page and "<pre>after" not in page


@pytest.mark.lab
def test_links_to_notebooks_lead_to_their_pages_and_words_stay(tmp_path):
    text = "[a](02_x.ipynb) [b](02_x.ipynb#part) [c](https://x.test/y.ipynb) `f(x.ipynb)` <i style='color:red'>red</i>"
    page = _page("x", nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text)]))
    for kept in ('"02_x.html"', '"02_x.html#part"', '"https://x.test/y.ipynb"', "f(x.ipynb)", 'style="color:red"'):
        assert kept in page, kept


@pytest.mark.lab
def test_what_a_page_cannot_show_is_said(tmp_path):
    outputs = [{"text/html": "<script>plot()</script>"}, {"application/vnd.plot+json": {}}]
    cells = [
        nbformat.v4.new_code_cell("0", outputs=[nbformat.v4.new_output("display_data", data=data)]) for data in outputs
    ]
    assert _page("x", nbformat.v4.new_notebook(cells=cells)).count(say("page_left_out")) == 2


@pytest.mark.lab
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "damaged, or of another kind"),
        ("[1]", "damaged, or of another kind"),
        ('{"cells": [{}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}', "damaged, or of another kind"),
        (
            '{"cells": [], "metadata": {"kernelspec": {"name": "none\\u001b", "display_name": ""}}, "nbformat": 4, '
            '"nbformat_minor": 5}',
            "kernel 'none\ufffd' is not installed here",
        ),
    ],
)
def test_a_notebook_that_cannot_run_is_a_sentence(text, told, tmp_path, capsys):
    (tmp_path / "bad.ipynb").write_text(text)
    assert main(["page", str(tmp_path / "bad.ipynb"), str(tmp_path / "page.html")]) == 1
    message = capsys.readouterr().err
    assert message.startswith("autolab page: ") and told in message and message.count("\n") == 1
    assert not (tmp_path / "page.html").exists()


@pytest.mark.lab
def test_a_picture_that_is_not_attached_is_a_sentence():
    cell = nbformat.v4.new_markdown_cell("![x](attachment:none.png)")
    with pytest.raises(ValueError, match=r"missing attachment: none\.png"):
        _page("x", nbformat.v4.new_notebook(cells=[cell]))


def test_bad_names_are_refused(tmp_path, capsys):
    with pytest.raises(ValueError, match=r"'page\.txt'; expected one that ends in \.html"):
        save_notebook(Path("none.ipynb"), "page.txt")
    with pytest.raises(ValueError, match="playground: got 'nowhere'"):
        save_notebook(Path("none.ipynb"), "page.html", playground="nowhere")
    assert main(["page", str(tmp_path / "none.ipynb")]) == 1
    assert "there is no file" in capsys.readouterr().err
