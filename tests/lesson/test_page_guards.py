"""The guards of `autolab page`, one by one, without a kernel and without a browser."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output, new_raw_cell

from autolab.lesson.pages import notebook_page as lesson_page
from autolab.shared.files import FileFormatError
from autolab.views.draw.messages import say
from autolab.views.export.pages import PAGE

from .test_hostile_pages import RUN, check_text, hostile_cells, marked, shown

pytestmark = pytest.mark.lab  # nbconvert and nbformat are installed with JupyterLab
HELD = {"view": "explorer", "title": "x", "data": "{}"}


def test_a_hostile_notebook_becomes_a_page_of_text() -> None:
    views = [shown({PAGE: HELD, "text/html": f"<b>picture</b>{RUN}"}) for _ in range(2)]
    text = lesson_page._page("</title><b>", marked(*hostile_cells(), *views))
    assert "<title>&lt;/title&gt;&lt;b&gt;</title>" in text
    frames = re.findall(r"<iframe[^>]*>", text)
    assert len(frames) == 3  # one of the payloads is a page of the lens with a hostile title
    for frame in frames:
        page = html.unescape(frame.partition('srcdoc="')[2].partition('"')[0])
        assert page.startswith("<!doctype html>") and page.rstrip().endswith("</html>")
        assert page.count('<meta http-equiv="Content-Security-Policy" content="default-src') == 1
        assert frame.endswith(' allow="fullscreen">')
        assert RUN not in page
    check_text(re.sub(r' (srcdoc|title|allow)="[^"]*"', "", text))
    assert "; script-src 'none'\"" in html.unescape(lesson_page._page("x", marked()))  # without a view


@pytest.mark.parametrize(
    "data",
    [
        {},
        {PAGE: "<b>", "text/html": "p"},
        {PAGE: HELD},
        {PAGE: HELD, "text/html": 1},
        {PAGE: {**HELD, "view": "../../x"}, "text/html": "p"},
        {PAGE: {**HELD, "data": "</script>"}, "text/html": "p"},
        {PAGE: {**HELD, "title": 1}, "text/html": "p"},
        {PAGE: {"view": "lens", "title": "x"}, "text/html": "p"},
    ],
)
def test_what_is_not_quite_the_page_of_a_view_is_not_taken_for_one(data: dict[str, Any]) -> None:
    assert lesson_page._held({PAGE: HELD, "text/html": "p"}) == {**HELD, "picture": "p"}
    assert lesson_page._held(data) is None


def test_of_metadata_only_what_a_page_shows_is_kept() -> None:
    size = {"width": 9, "height": 9, "alt": "a"}
    assert lesson_page._size({**size, "unconfined": True}) == size
    for other in (None, "x", 3, ["width"], {"width": "9 onerror=x", "height": True, "alt": 3}, {"width": 9.5}):
        assert lesson_page._size(other) == {}
    cell = shown({"text/html": ["<b>"], "image/png": "AA", "text/x": "y"}, {"image/png": size, "isolated": True})
    cell.metadata = {"raw_mimetype": 3, "tags": [RUN]}
    frames: dict[str, Any] = {}
    lesson_page._keep(cell, frames)
    assert (cell.metadata, cell.outputs[0].data) == ({}, {"image/png": "AA"})
    assert cell.outputs[0].metadata == {"image/png": size}
    raw = new_raw_cell("", metadata={"raw_mimetype": "text/html", "tags": [RUN]})
    lesson_page._keep(raw, frames)
    assert raw.metadata == {"raw_mimetype": "text/html"} and frames == {}
    for _ in range(2):
        lesson_page._keep(shown({PAGE: HELD, "text/html": "p"}), frames)
    assert len(frames) == 2 and all(re.fullmatch("<p>[0-9a-f]{32}</p>", mark) for mark in frames)


def test_a_notebook_says_nothing_about_how_it_is_exported() -> None:
    book = marked(shown({"text/html": RUN, "text/plain": "plain"}))
    book.metadata = {"title": RUN, "widgets": {RUN: {}}, "language_info": {"name": "python"}}
    lesson_page._exported(book)
    assert book.metadata == {"language_info": {"name": "python"}}


def test_the_best_kind_of_an_output_is_shown() -> None:
    text = lesson_page._page(
        "x", marked(shown({"text/plain": "plain", "image/svg+xml": "<svg/>", "text/html": "best"}))
    )
    assert "best" in text and "plain" not in text


def test_failures_are_told_on_one_line_each() -> None:
    error = new_output("error", ename="E" * 300, evalue="a\nb\u202e", traceback=[])
    cell = new_code_cell("0", outputs=[error, error])
    (told,) = lesson_page._failures(cell)
    assert len(told) == 160
    error.ename = "E"
    assert lesson_page._failures(cell) == ["E: a b\N{REPLACEMENT CHARACTER}"]
    cell.metadata["tags"] = ["raises-exception"]
    assert lesson_page._failures(cell) == []


def test_a_notebook_is_read_whole_and_without_its_outputs(tmp_path: Path) -> None:
    path = tmp_path / "x.ipynb"
    cell = new_code_cell("0", outputs=[new_output("stream", text="old")], execution_count=3)
    nbformat.write(new_notebook(cells=[cell]), path)
    (read,) = lesson_page._read(path).cells
    assert (read.outputs, read.execution_count) == ([], None)
    path.write_text('{"cells": [{}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}')
    with pytest.raises(FileFormatError):
        lesson_page._read(path)
    with pytest.raises(OSError, match=r"the folder of .* is not there or cannot be written"):
        lesson_page.save_notebook(path, tmp_path / "none" / "x.html")
    with pytest.raises(ValueError, match=r"ends in \.html"):
        lesson_page.save_notebook(path, tmp_path / "x.pdf")


def test_what_is_left_out_is_said() -> None:
    assert say("page_left_out") in lesson_page._piece(RUN)
    assert (lesson_page._piece(f"a{RUN}"), lesson_page._piece(" ")) == ("a", " ")
