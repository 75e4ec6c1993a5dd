"""`explore` in plain Python, where there is no notebook to draw in: the page goes where a file can be written."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import autolab

OPEN = r"explore: no notebook to draw in; open (.*\.html) in a browser\n"


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
        for part, place in (("open", "open/explore"), ("read-only", "open/autolab-")):
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
