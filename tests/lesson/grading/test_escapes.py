"""Ways out of a notebook's process, behind bubblewrap, behind what the machine has, and behind less.

Each is tried free of the tripwire, where it would be in the way. The table in docs/grading_walls.md says which walls
hold; it is compared with what happened.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from helpers.checkout import ROOT

from autolab.lesson.grading import fences, notebook_starter
from autolab.lesson.grading.wire import LineBroken

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the table is about Linux")
HEAD = """
import os, sys
from autolab import lesson
try:
    import _interpreters
    def free(code):
        _interpreters.exec(_interpreters.create("legacy"), code)
except ImportError:  # before Python 3.13
    import _xxsubinterpreters
    def free(code):
        _xxsubinterpreters.run_string(_xxsubinterpreters.create(isolated=False), code)
found = False
try:
{way}
except BaseException as error:
    pass
lesson.check("way", bool(found) or os.path.exists("found"))
"""
ALONE = """
import ctypes, os, signal, socket, sys, time
libc = ctypes.CDLL(None)
{way}
if found:
    os.close(os.open("found", os.O_CREAT))
"""
FORK_EXEC = """
import _posixsubprocess as it
e, f = os.pipe()
given = [[b"/bin/true"], [b"/bin/true"], True, (f,), None, None, *[-1] * 6, e, f, True, False, -1]
given += [*[None] * 3, -1, None]
given += [True] if sys.version_info < (3, 14) else []
found = it.fork_exec(*given) > 0
os.close(f)
found = found and not os.read(e, 99)
"""
HANDLER = """
import signal, time
spaces = []
def seen(number, frame):
    while frame is not None:
        spaces.append(frame.f_globals)
        frame = frame.f_back
signal.signal(signal.SIGALRM, seen)
signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
end = time.time() + 0.5
while time.time() < end:
    try:
        os.system("")
    except OSError:
        pass
signal.setitimer(signal.ITIMER_REAL, 0)
for space in spaces:
    for name in [name for name in space if name.isupper() or name in ("refuse", "reporter")]:
        space[name] = frozenset()
"""
OUTLIVES = "if libc.fork() == 0:\n    os.setsid()\n    time.sleep(30)\n    os._exit(0)\nfound = False"
WAYS = {
    # files to read
    "read the answers": "found = open(SECRET).read()",
    "list the folder of the answers": "found = os.listdir(os.path.dirname(SECRET))",
    "read them relative to an open folder": "at = os.open(os.path.dirname(SECRET), 0)\n"
    "found = os.read(os.open('answers.toml', 0, dir_fd=at), 9)",
    "a symbolic link to them": "os.symlink(SECRET, 'a')\nfound = open('a').read()",
    "another name for them": "os.link(SECRET, 'a')\nfound = open('a').read()",
    "move them here": "os.rename(SECRET, 'a')\nfound = open('a').read()",
    "the root of the process": "found = open('/proc/self/root' + SECRET).read()",
    "open it in C": "found = os.read(libc.open(SECRET.encode(), 0), 9)",
    "read a neighbour's notebook": "found = open(NEIGHBOUR).read()",
    "list the class": "found = os.listdir(os.path.dirname(NEIGHBOUR))",
    "what the system says of other processes": "found = open('/proc/VICTIM/cmdline').read()",
    "and of the one that started it": "found = open(f'/proc/{os.getppid()}/status').read()",
    # files to write
    "write outside": "found = open(MARK, 'w')",
    "a folder outside": "os.mkdir(MARK)",
    "a pipe outside": "os.mkfifo(MARK)",
    "a database outside": "import sqlite3\nsqlite3.connect(MARK).execute('create table a(b)')",
    "a database attached": "import sqlite3\nsqlite3.connect(':memory:').execute('attach ? as a', [MARK])"
    ".connection.execute('create table a.b(c)')",
    "delete a neighbour's notebook": "os.remove(NEIGHBOUR)\nfound = True",
    "empty it": "os.truncate(NEIGHBOUR, 0)\nfound = True",
    "shut it": "os.chmod(NEIGHBOUR, 0)\nfound = True",
    "date it back": "os.utime(NEIGHBOUR, (1, 1))\nfound = True",
    "another root": "os.chroot('.')\nfound = True",
    # room
    "20 files of 15 MB": "for i in range(20):\n    open(f'f{i}', 'wb').write(bytes(15_000_000))\nfound = True",
    "a file of 20 MB": "open('f', 'wb').write(bytes(20_000_000))\nfound = True",
    "20,000 empty files": "for i in range(20_000):\n    os.close(os.open(f'f{i}', os.O_CREAT))\nfound = True",
    "files in memory": "found = os.memfd_create('a')",
    "memory that outlives it": "s = libc.shmget(0, 4096, 0o1600)\nlibc.shmctl(s, 0, None)\nfound = s >= 0",
    "5 GB of memory": "found = bytearray(5 << 30)",
    "200 open files": "found = [os.open('/dev/null', 0) for i in range(200)]",
    "raise its limits": "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (1 << 40, 1 << 40))\nfound = True",
    # processes
    "fork": "pid = libc.fork()\npid or os._exit(0)\nfound = pid > 0",
    "a program": FORK_EXEC,
    "become a program": "os.execv('/usr/bin/touch', ['touch', MARK])",
    "outlive the grading": OUTLIVES,
    "end a neighbour's process": "os.kill(VICTIM, 9)",
    "end it by its descriptor": "signal.pidfd_send_signal(os.pidfd_open(VICTIM), 9)",
    "signal what started it": "os.kill(os.getppid(), 0)\nfound = True",
    "signal everything": "os.kill(-1, 0)\nfound = True",
    "a namespace of its own": "found = libc.unshare(0x10000000) == 0",
    # connections
    "connect": "found = socket.create_connection(('127.0.0.1', PORT), 1)",
    "send a datagram": "found = socket.socket(type=socket.SOCK_DGRAM).sendto(b'a', ('127.0.0.1', PORT))",
    "a socket with a name": "s = socket.socket(socket.AF_UNIX)\ns.connect(b'\\0autolab-PORT')\nfound = True",
    "serve": "s = socket.create_server(('127.0.0.1', 0))\nfound = True",
    # the tripwire itself, whose hooks are in the way here
    "search all objects": "import gc\nfound = gc.get_objects()",
    "a handler sees its frame": HANDLER + "found = os.fork() >= 0",
}
HOOKED = ("search all objects", "a handler sees its frame", "a program")
NONE = "it.fences.apart = lambda *of: []; "
BARE = NONE + "it.fences._landlock = it.fences.system_calls.refuse = lambda *of: False; "
WALLS = {"bubblewrap": "", "namespaces": "", "a container": NONE, "nothing": BARE}


def table() -> dict[str, list[str]]:
    """The rows of the page: what held, for each way and each kind of walls."""
    page = (ROOT / "docs" / "grading_walls.md").read_text("utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line[:2] == "| "]
    return {way: held for way, *held in rows if way in WAYS}


@contextmanager
def victim() -> Iterator[subprocess.Popen[bytes]]:
    """A process that a notebook might end. It has no mark, so that whether it is seen in time makes no difference."""
    with subprocess.Popen(["sleep", "100"], env={}) as process:
        try:
            yield process
        finally:
            process.kill()


def marked(mark: str) -> list[int]:
    """The processes that were started with this mark in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if entry.name.isdigit() and mark.encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
    return found


def tried(way: str, asked: socket.socket, base: Path, port: int, mark: str) -> bool:
    """Whether a way leads out."""
    shutil.rmtree(base)
    for path in ("answers/answers.toml", "class/neighbour.ipynb"):
        (base / path).parent.mkdir(parents=True)
        (base / path).write_text("SECRET")
    with victim() as process:
        words = {"SECRET": base / "answers" / "answers.toml", "NEIGHBOUR": base / "class" / "neighbour.ipynb"}
        code = WAYS[way].strip()
        for word, path in (words | {"MARK": base / "mark"}).items():
            code = code.replace(word, repr(str(path)))
        code = code.replace("VICTIM", str(process.pid)).replace("PORT", str(port))
        if way not in HOOKED:
            code = f"free({ALONE.replace('{way}', 'found = False' + chr(10) + code)!r})"
        before = set(marked(mark))
        source = HEAD.replace("{way}", "\n".join(["    " + line for line in code.splitlines()]))
        found = answer(asked, source, base / "answers", base / "class")
        for _ in range(250):  # its keeper ends a moment after it has replied
            left = [one for one in marked(mark) if one not in before]
            if not left:
                break
            time.sleep(0.02)
        for one in left:
            with suppress(OSError):
                os.kill(one, signal.SIGKILL)
        assert found is not None or way == "become a program", f"{way}: it ended"
        return bool(found) or bool(left) or process.poll() is not None or (base / "mark").exists()


def answer(asked: socket.socket, source: str, *hidden: Path) -> Any:
    """What a notebook of one cell hands in; None if it ends before."""
    order: dict[str, Any] = {"seconds": 20, "megabytes": 4096, "sources": [source], "hidden": [*map(str, hidden)]}
    running = notebook_starter.RunningNotebook(asked, time.monotonic() + 60, order)
    try:
        (found,) = running.line.receive()["what"].values()
        running.line.receive()
        running.line.send({"state": "judged"})
        running.line.receive()
        return found
    except LineBroken:
        return None
    finally:
        running.end()


@pytest.mark.parametrize(
    "walls", [pytest.param(one, marks=[pytest.mark.full] * (one == "a container")) for one in WALLS]
)
def test_the_ways_out_are_those_that_the_page_names(
    walls: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(WAYS) >= 40 and table().keys() == WAYS.keys()
    if walls == "bubblewrap" and "bubblewrap" not in fences.holding():
        pytest.skip("bubblewrap is not installed, or may not be used")
    needed = {"namespaces": "quota", "a container": "landlock"}.get(walls, "")
    if needed and needed not in fences.holding():
        pytest.skip(f"this system has no {needed}")
    mark = f"AUTOLAB_WAYS_{os.getpid()}_{walls.replace(' ', '_')}"
    monkeypatch.setenv(mark, "1")
    monkeypatch.setattr(notebook_starter, "PROGRAM", notebook_starter.PROGRAM + WALLS[walls])
    if walls != "bubblewrap":
        monkeypatch.setattr(fences, "bubblewrap", lambda *of: [])
    base = tmp_path / "base"
    base.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as named:
        port = server.getsockname()[1]
        named.bind(f"\0autolab-{port}")
        named.listen()
        with notebook_starter.starter([base], 64, 1) as asked:
            assert answer(asked, HEAD.replace("{way}", "    found = 5")) is True  # all of its processes are there now
            held = {way: not tried(way, asked, base, port, mark) for way in WAYS}
    expected = {way: row[list(WALLS).index(walls)] != "out" for way, row in table().items()}
    assert held == expected, {way for way in WAYS if held[way] != expected[way]}
    while walls != "nothing" and marked(mark):  # those behind bubblewrap end a moment after it
        time.sleep(0.02)


def test_a_notebook_does_what_it_likes_with_files_of_its_own(tmp_path: Path) -> None:
    code = "import asyncio, os, shutil, threading, numpy\nos.makedirs('a/b')\nopen('a/b/c', 'w').write('ok')\n"
    code += "os.rename('a/b/c', 'd')\nshutil.copy('d', 'e')\nos.symlink('e', 'f')\nasyncio.run(asyncio.sleep(0))\n"
    code += "threads = [threading.Thread(target=lambda: numpy.ones((99, 99)) @ numpy.ones((99, 99))) for _ in range(9)]"
    code += "\n[one.start() for one in threads]\n[one.join() for one in threads]\nfrom autolab import lesson\n"
    code += "lesson.check('way', open('f').read())"
    with notebook_starter.starter([], 64, 1) as asked:
        assert answer(asked, code) == "ok"


def test_system_calls_have_the_numbers_of_the_machine() -> None:
    """As far as the system's own list is installed."""
    lists = {"x86_64": "/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "aarch64": "/usr/include/asm-generic/unistd.h"}
    for column, path in enumerate(lists.values(), 1):
        if Path(path).exists():
            text = Path(path).read_text()
            for row in fences.system_calls._CALLS.strip().replace("\n", ",").split(","):
                name, number = row.split()[0], row.split()[column]
                told = re.search(rf"#define __NR(?:3264)?_{name}\s+(\d+)", text)
                assert told is None or told[1] == number, (name, path)


def test_views_cost_a_notebook_little(tmp_path: Path) -> None:
    """All their modules are there before it begins, and no page is saved that nobody would look at."""
    code = "import sys, os, autolab\nfrom autolab import lesson\nbefore = set(sys.modules)\n"
    code += "autolab.explore(lambda x: x * x, x=2.0)\nautolab.derivatives(lambda x: x * x, 2.0)\n"
    code += "autolab.check_gradients(lambda x: x * x, x=2.0)\nautolab.heatmap([[1.0]])\n"
    code += "more = [name for name in set(sys.modules) - before if name.startswith('autolab.views')]\n"
    code += "lesson.check('way', [*more, *os.listdir()])"
    with notebook_starter.starter([], 64, 1) as asked:
        assert answer(asked, code) == []
