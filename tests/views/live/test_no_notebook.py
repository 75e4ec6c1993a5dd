"""`explore` in plain Python, where no notebook draws: a page of its own, where a file can be written, in a browser."""

from __future__ import annotations

import io
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import autolab
from autolab.views.live import no_notebook

OPEN = r"explore: no notebook to draw in; open (.*\.html) in a browser; later views go to the same folder\n"


@contextmanager
def permissions_count() -> Iterator[None]:
    """Where root runs the tests, it becomes somebody else for a while."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.mark.skipif(sys.platform == "win32", reason="there, folders have no such permission")
def test_where_the_current_folder_is_read_only_the_page_goes_elsewhere(monkeypatch, capsys):
    with tempfile.TemporaryDirectory() as name, monkeypatch.context() as patch:
        folder = Path(name)
        for part, mode in ((".", 0o755), ("open", 0o777), ("read-only", 0o555)):
            (folder / part).mkdir(exist_ok=True)
            (folder / part).chmod(mode)
        patch.setattr("tempfile.tempdir", str(folder / "open"))
        for part, place in (("open", "open/autolab_pages/explore"), ("read-only", "open/autolab-")):
            patch.chdir(folder / part)
            with permissions_count():
                autolab.explore(lambda x: x * x, x=3.0).close()
                path = re.fullmatch(OPEN, capsys.readouterr().out)
                assert path and path[1].startswith(f"{folder}/{place}") and Path(path[1]).is_file()
        assert not list((folder / "read-only").iterdir())


def test_where_the_current_folder_takes_no_file_the_page_goes_elsewhere(tmp_path, monkeypatch, capsys):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.chdir(gone)
    gone.rmdir()
    autolab.explore(lambda x: x * x, x=3.0).close()
    told = capsys.readouterr().out
    path = re.fullmatch(OPEN, told)
    assert path and Path(path[1]).is_file() and Path(path[1]).is_relative_to(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", "/dev/null")
    autolab.explore(lambda x: x * x, x=3.0).close()
    told = capsys.readouterr().out
    assert told.startswith(
        "explore: no notebook to draw in, and no page could be saved (Not a directory); export_html("
    )
    assert told.count("\n") == 1


def test_no_page_takes_the_place_of_another(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        autolab.explore(square, x=3.0).close()
    autolab.heatmap(A=[1.0, 2.0]).close()
    folder = tmp_path / "autolab_pages"
    told = re.fullmatch(OPEN, capsys.readouterr().out)
    assert told and Path(told[1]) == folder / "explore_square.html", "one line for all pages of a folder"
    assert {path.name for path in folder.iterdir()} == {
        "explore_square.html",
        "explore_square_2.html",
        "heatmap_A.html",
    }


def test_what_is_exported_by_name_is_not_there_twice(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    first, second = autolab.explore(square, x=3.0), autolab.explore(square, x=4.0)
    autolab.export_html(first, "square.html")
    assert {path.name for path in tmp_path.rglob("*.html")} == {"square.html", "explore_square_2.html"}
    autolab.export_html(second, Path("autolab_pages", "explore_square_2.html"))  # the very page
    assert {path.name for path in tmp_path.rglob("*.html")} == {"square.html", "explore_square_2.html"}
    autolab.export_html(second, "other.html")
    first.close()
    second.close()


def square(x):
    return x * x


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.skipif(sys.platform != "linux", reason="screens are found in another way there")
@pytest.mark.parametrize(("screen", "wanted", "opens"), [("", "cat", 0), (":0", "none", 0), (":0", "cat", 2)])
def test_pages_open_in_the_browser_where_there_is_one(tmp_path, monkeypatch, screen, wanted, opens):
    """The browser is a program that notes what it is told to open."""
    monkeypatch.chdir(tmp_path)
    noting = tmp_path / "browser"
    noting.write_text('#!/bin/sh\necho "$1" >>"$0.log"\n')
    noting.chmod(0o755)
    monkeypatch.setattr("webbrowser._tryorder", None)
    monkeypatch.setattr("webbrowser._browsers", {})
    monkeypatch.setattr(no_notebook, "MOST_TABS", 2)
    monkeypatch.setattr(no_notebook, "_opened", 0)
    monkeypatch.setattr(sys, "stdout", told := Terminal())
    monkeypatch.setenv("DISPLAY", screen)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("BROWSER", str(noting) if wanted == "cat" else wanted)
    for _ in range(3):
        autolab.explore(square, x=3.0).close()
    log = tmp_path / "browser.log"
    pages = log.read_text().split() if log.exists() else []
    assert len(pages) == opens and all([page.startswith("file:///") for page in pages])
    lines = told.getvalue().splitlines()
    are_open = [" is open in the browser" in line for line in lines]
    assert are_open == ([True, False] if opens else [False]), "each of both is said once"
