"""What a message may show of a file, and which errors are of a damaged one."""

from __future__ import annotations

import errno
import os
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest
from helpers.each import each
from helpers.saved import LOAD, READ, SAVE, W, both, unchanged, written

from autolab import links as L
from autolab import optimizers
from autolab.data import read_idx
from autolab.shared.files import FileFormatError, free_bytes, reading, visible

NAMES = ["\x1b[2J\x1b[31mred", "a\nb\r\nc", "‮gnp.x", "\x00x", "W" * 60_000, "ü" * 900, "\x9b31m", "\udcff"]


@both
@each("name", NAMES, ids=range(len(NAMES)))
def test_a_name_from_a_file_is_escaped_and_cut(kind, name, tmp_path):
    path = tmp_path / "file"
    if kind == "npz":
        member = zipfile.ZipInfo("x")
        member.filename = f"{name}.npy"
        member.orig_filename = member.filename
        try:
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr(member, b"\x93NUMPY junk")
        except UnicodeEncodeError:
            pytest.skip("zip has no such name")
    else:
        try:
            written(kind, path, **{name: W})
        except (ValueError, UnicodeEncodeError):
            pytest.skip("HDF5 has no such name")
    for target in (L.Linear(3, 2), optimizers.SGD().setup(L.Linear(3, 2))):
        unchanged(kind, path, target, r".")
    with pytest.raises(FileFormatError) as caught:
        READ[kind](path)
        raise FileFormatError("this name may be read")  # and is printed nowhere
    assert str(caught.value).isprintable() and len(str(caught.value)) <= 300


def test_what_is_shown_of_a_text_has_a_limit():
    shown = visible("\x1b" * 100, 20)
    assert len(shown) == 20 and shown.endswith("…") and visible("n" * 20, 20) == "n" * 20
    long = "n" * 1_000_000
    tracemalloc.start()
    visible(long)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000  # no more of the text is looked at than is shown


@both
def test_a_long_or_hostile_path_is_escaped_and_cut(kind, tmp_path):
    folder = tmp_path / ("f" * 200) / ("g" * 200)
    folder.mkdir(parents=True)
    path = folder / "model\x1b[2J\n"
    path.write_bytes(b"hello")
    unchanged(kind, path, L.Linear(3, 2), r"model\\x1b\[2J\\n: it is damaged")


@both
def test_an_error_of_the_system_stays_itself(kind, tmp_path):
    (tmp_path / "folder").mkdir()
    for path, error in [("missing", FileNotFoundError), ("folder", IsADirectoryError), ("a/b", FileNotFoundError)]:
        for read in (lambda file: LOAD[kind](file, L.Linear(3, 2)), read_idx):
            with pytest.raises(error) as caught:
                read(tmp_path / path)
            assert caught.value.filename in (tmp_path / path, str(tmp_path / path))
    with pytest.raises(PermissionError), reading("file"):
        raise PermissionError(13, "Permission denied")


@each(
    "error",
    [
        *(OSError(errno.EOVERFLOW, "Too large"), OSError(errno.EFBIG, "File too large")),
        *(OSError("no number"), OSError(22, "Invalid argument"), KeyError("x"), MemoryError(), RecursionError("deep")),
        *(struct.error("x"), EOFError(), zipfile.BadZipFile("x"), UnicodeDecodeError("utf-8", b"\xff", 0, 1, "x")),
        *(OverflowError("x"), AttributeError("x"), AssertionError("x"), SyntaxError("x"), UserWarning("x")),
    ],
    ids=lambda error: type(error).__name__,
)
def test_whatever_a_damaged_file_raises_is_one_class(error):
    with pytest.raises(FileFormatError, match=r"file: it is damaged.*\(\S.*\). Nothing was loaded"), reading("file"):
        raise error


def test_how_much_may_be_read_where_nobody_knows_grows_with_the_file():
    assert [free_bytes(size) for size in (0, 1 << 20, 2 << 20)] == [64 << 20, 64 << 20, 128 << 20]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_is_no_damage(error):
    with pytest.raises(error), reading("file"):
        raise error


@pytest.mark.parametrize("name", ["../x", "a/../x", "/x", "a\\x", "n" * 1001])
def test_a_name_that_leads_elsewhere_is_refused_whoever_takes_it(name, tmp_path):
    """Also where every name is taken, as by something that does not say what its state is."""
    with zipfile.ZipFile(tmp_path / "file", "w") as archive, archive.open(f"{name}.npy", "w") as member:
        np.lib.format.write_array(member, W)
    with pytest.raises(FileFormatError, match=r"the name .* is not one of a parameter"):
        READ["npz"](tmp_path / "file")


@both
@pytest.mark.parametrize("name", ["..", ".", "a\\b", "n" * 1001])
def test_a_name_that_could_not_be_loaded_is_not_saved(kind, name, tmp_path):
    link = L.Linear(3, 2)
    link.register_buffer(name, np.zeros(2))
    with pytest.raises(ValueError, match=f"save_{kind}: the name .* is not one of a parameter"):
        SAVE[kind](tmp_path / "file", link)
    assert not list(tmp_path.iterdir())


def test_a_name_may_be_long_and_that_of_a_class_is_cut(tmp_path):
    link = L.Linear(3, 2)
    link.register_buffer("n" * 1000, np.zeros(2))
    SAVE["npz"](tmp_path / "file", link)
    LOAD["npz"](tmp_path / "file", link)
    with pytest.raises(TypeError, match="got the class nnn") as caught:
        SAVE["npz"](tmp_path / "file", type("n" * 1000, (L.Linear,), {}))
    assert len(str(caught.value)) <= 150


NOTEBOOKS = [
    b"",
    b"{",
    b"[]",
    b"\xff",
    b'{"cells": 3}',
    b"[" * 100_000,
    b'{"nbformat": 4, "nbformat_minor": 5, "cells": [3]}',
]


@pytest.mark.parametrize("content", NOTEBOOKS, ids=range(len(NOTEBOOKS)))
def test_a_damaged_notebook_is_one_class_of_error(content, tmp_path):
    pytest.importorskip("nbclient")
    from autolab.lesson.pages.notebook_page import save_notebook

    (tmp_path / "book.ipynb").write_bytes(content)
    with pytest.raises(FileFormatError, match=r"book\.ipynb: it is damaged, or of another kind"):
        save_notebook(tmp_path / "book.ipynb", tmp_path / "page.html")
    assert os.listdir(tmp_path) == ["book.ipynb"]
