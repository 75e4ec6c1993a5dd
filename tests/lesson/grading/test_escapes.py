"""Ways out of a notebook's folder where Landlock does not help: none of them leads to what is hidden, or writes."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from autolab.lesson.grading import fences, system_calls

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork"),
    pytest.mark.filterwarnings("ignore:This process:DeprecationWarning"),  # is multi-threaded, where it forks
]
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
LINKS = "os.makedirs('p/q/r/s/t/u/v'); os.symlink('p/q/r/s/t/u/v', 'd'); os.makedirs('a/d'); "
READING = {
    "plainly": "open(path).read()",
    "other name": "open(base + '/cache/other').read()",
    "folder above": "open(base + '/lessons/../lessons/answers.toml').read()",
    "link from another folder": LINKS + "os.symlink('d' + '/..' * 9 + path, 'a/x'); open('a/x').read()",
    "relative to a folder": "os.makedirs('a/b'); os.fdopen(os.open('../../../lessons/answers.toml', 0, "
    "dir_fd=os.open('a/b', 0))).read()",
    "number of a folder": "os.makedirs('a/b'); fd = os.open('a/b', 0); open(f'/proc/self/fd/{fd}/../../../lessons/"
    "answers.toml').read()",
    "tcl": "import tkinter; tkinter.Tcl().eval('read [open %s]' % path)",
    "readline": "import readline; readline.read_history_file(path); readline.get_history_item(1)",
}
WRITING = {
    "sqlite": "import sqlite3; c = sqlite3.connect('file:' + base + '/mark?mode=rwc', uri=True); "
    "c.execute('create table t(a)')",
    "attached": "import sqlite3; c = sqlite3.connect(':memory:'); c.execute('attach \"' + base + '/mark\" as m'); "
    "c.execute('create table m.t(a)')",
    "hdf5": "import h5py; h5py.File(base + '/mark', 'w')",
    "up": "os.mkdir('a'); os.mkdir('a/../../mark')",
}
PROGRAM = (
    "import _posixsubprocess as it; r, w = os.pipe(); e, f = os.pipe(); "
    "given = [[b'/bin/cat', path.encode()], [b'/bin/cat'], True, (w, f), None, None, -1, -1, r, w, -1, -1, e, f]; "
    "it.fork_exec(*given, True, False, *([-1] if sys.version_info >= (3, 11) else []), None, None, None, -1, None, "
    "*([True] if (3, 11) <= sys.version_info < (3, 14) else [])); os.close(w); found = os.read(r, 99).decode()"
)


def outcome(base: Path, code: str) -> tuple[str, str, list[str]]:
    """What a process that is shut in has found, the error that it ended with, and what was told of it."""
    (base / "lessons").mkdir()
    (base / "cache").mkdir()
    (base / "own").mkdir()
    (base / "lessons" / "answers.toml").write_text("SECRET")
    os.link(base / "lessons" / "answers.toml", base / "cache" / "other")
    read, write = os.pipe()
    if os.fork() == 0:
        told: list[str] = []
        error = ""
        space: dict[str, Any] = {"path": str(base / "lessons" / "answers.toml"), "base": str(base), "os": os}
        space |= {"sys": sys, "found": ""}
        try:
            os.chdir(base / "own")
            for name in [name for name in sys.modules if name.partition(".")[0] in ("readline", "h5py")]:
                del sys.modules[name]  # pytest, or another test, has imported it
            fences.enclose(base / "own", (base / "lessons",), told.append)
            exec(code, space)
        except BaseException as raised:
            error = f"{type(raised).__name__}: {raised}"
        finally:
            os.write(write, json.dumps([str(space["found"]), error, told]).encode())
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        found, error, told = json.loads(file.read())
    os.wait()
    return found, error, told


@pytest.fixture(autouse=True)
def without_landlock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fences, "_landlock", lambda *of: False)
    monkeypatch.setattr(fences, "_without_network", lambda *of: False)


@pytest.mark.parametrize("way", READING)
def test_what_is_hidden_is_not_read(way: str, tmp_path: Path) -> None:
    *first, last = READING[way].split("; ")
    found, error, told = outcome(tmp_path, "; ".join([*first, f"found = {last}"]))
    assert not found and "autolab grade" in error
    assert told or way not in ("plainly", "other name", "folder above")


@pytest.mark.parametrize("way", WRITING)
def test_nothing_is_written_outside(way: str, tmp_path: Path) -> None:
    error = outcome(tmp_path, WRITING[way])[1]
    assert "autolab grade" in error or "No module" in error
    assert not (tmp_path / "mark").exists()


def test_what_a_notebook_does_with_files_of_its_own(tmp_path: Path) -> None:
    code = "os.makedirs('a/b'); open('a/b/c', 'w').write('ok'); os.rename('a/b/c', 'd'); found = open('d').read()"
    assert outcome(tmp_path, code) == ("ok", "", [])


def test_who_can_do_without_a_module_does(tmp_path: Path) -> None:
    code = "try:\n    import readline\nexcept ImportError:\n    found = 'ok'"
    assert outcome(tmp_path, code)[0] == "ok"


@needs_linux
def test_the_kernel_starts_no_program_and_moves_no_root(tmp_path: Path) -> None:
    assert "system calls" in fences.holding() or not system_calls._CALLS.get(os.uname().machine)
    found, error, _ = outcome(tmp_path, PROGRAM)
    assert (found, error) == ("", "")
    (tmp_path / "again").mkdir()
    code = "os.chroot(base + '/lessons'); found = open('/answers.toml').read()"
    assert outcome(tmp_path / "again", code)[:2] == (
        "",
        f"PermissionError: [Errno 1] Operation not permitted: '{tmp_path}/again/lessons'",
    )
