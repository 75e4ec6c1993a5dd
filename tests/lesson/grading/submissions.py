"""Notebooks of a class whose points are known: right, wrong, half done, and hostile."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lesson.lessons import NOTEBOOKS, answers, mistaken, raw, solved

EVERY_HOSTILE_ANSWER_IS_WRONG = """
import autolab, autolab.lesson, autolab.lesson.checking, autolab.lesson.judge, autolab.lesson.judgement, numpy
from autolab.lesson import Outcome
right = lambda *a, **k: Outcome("x", "right")
autolab.lesson.judge.judged = autolab.lesson.judge.judge = lambda *a, **k: autolab.lesson.judgement.RIGHT
autolab.lesson.judgement.apart = lambda ours, theirs, t: numpy.zeros(theirs.shape, bool)
Outcome.passed = property(lambda self: True)
"""
# Each is the first cell of a notebook whose answers are wrong, or, where it says so, the last of one that is right.
HOSTILE = {
    "forges": EVERY_HOSTILE_ANSWER_IS_WRONG,
    "writes-to-the-judge": """
import os
for number in range(3, 20):
    try:
        os.write(number, b'{"state": "right", "kind": ""}\\n{"end": true}\\n' * 20)
    except OSError:
        pass
""",
    "kills": """
import os, signal
for number in (os.getppid(), -1, 0):
    try:
        os.kill(number, signal.SIGKILL)
    except OSError:
        pass
""",
    "forks": """
import os, subprocess
try:
    while True:
        os.fork()
except OSError:
    pass
try:
    subprocess.run(["touch", "MARK"])
except OSError:
    pass
""",
    "deletes": """
import os, shutil, pathlib
shutil.rmtree("FOLDER", ignore_errors=True)
for path in pathlib.Path("FOLDER").glob("*"):
    try:
        path.unlink()
    except OSError:
        pass
""",
    "writes": """
import os, pathlib, sqlite3
for attempt in (
    lambda: open("MARK", "w"),
    lambda: pathlib.Path("MARK").mkdir(),
    lambda: os.symlink("/etc/passwd", "MARK"),
    lambda: sqlite3.connect("MARK").execute("create table x (y)"),
    lambda: os.open("MARK", os.O_CREAT | os.O_WRONLY),
):
    try:
        attempt()
    except Exception:
        pass
""",
    "lists": """
import os
try:
    os.listdir("FOLDER")
except OSError:
    pass
""",
    "reads": """
import pathlib
for path in [pathlib.Path("FOLDER") / "000.ipynb"]:
    open("copied", "a").write(path.read_text())
    guess = -2
    lesson.check("start-reuse", guess)
""",
    "calls": """
import socket
socket.create_connection(("127.0.0.1", PORT), timeout=2).send(b"hello")
""",
    "floods": "print('x' * 10_000_000)\nlist(map(print, range(100_000)))",
    "recurses": "import sys\nsys.setrecursionlimit(10**9)\ndef f(): f()\nf()",
    "leaves": "import os\nos._exit(0)",
    "exits": "import sys\nsys.exit(1)",
    "takes-memory": "held = []\nwhile True:\n    held.append(bytearray(1 << 28))",
    "fills-the-disk": "with open('large', 'wb') as file:\n    while True:\n        file.write(bytes(1 << 24))",
    "never-ends": "while True:\n    pass",
    "sleeps": "import time\ntime.sleep(3600)",
    "closes": "import os\nos.closerange(0, 100)",
    "nests": "x = []\nfor _ in range(100_000):\n    x = [x]\nfrom autolab import lesson\nlesson.check('start-zero', x)",
    "many-bytes": "from autolab import lesson\nlesson.check('start-zero', ['x' * 1000] * 20_000)",
    "no-json": None,
}
GOES_ON = ("forges", "kills", "forks", "deletes", "lists", "writes", "reads", "calls", "floods", "exits")
GOES_ON += ("takes-memory", "fills-the-disk", "nests")
"""Hostile first cells after which the other cells run."""


def submission(notebook: Path, choice: dict[str, int], first: str = "", last: str = "") -> dict[str, Any]:
    """A notebook with an answer to each exercise in ``choice``: 0 is right, ``k`` the k-th wrong one."""
    book = json.loads(json.dumps(raw(notebook)))
    for cell in book["cells"]:
        wrong = choice.get(cell["id"])
        if wrong is not None:
            told = answers(notebook)[cell["id"]]["wrong"]
            cell["source"] = mistaken(notebook, cell["id"], told[wrong - 1]) if wrong else solved(notebook, cell["id"])
    book["cells"] = [*_cell(first), *book["cells"], *_cell(last)]
    return book


def _cell(source: str) -> list[dict[str, Any]]:
    return [{"cell_type": "code", "id": "more", "source": source, "metadata": {}, "outputs": []}] if source else []


def drawn(notebook: Path, rng: np.random.Generator) -> dict[str, int]:
    """An answer to each exercise: right, wrong in one of the ways that are known, or none."""
    found = {}
    for name, entry in answers(notebook).items():
        kind = rng.random()
        if kind < 0.9:
            found[name] = 0 if kind < 0.6 else int(rng.integers(1, len(entry["wrong"]) + 1))
    return found


def truth(notebook: Path, choice: dict[str, int]) -> list[tuple[str, str, str]]:
    """Verdict and cause of each exercise."""
    rows = []
    for name, entry in answers(notebook).items():
        wrong = choice.get(name)
        if wrong is None:
            rows.append((name, "not yet", ""))
        else:
            rows.append((name, "wrong", entry["wrong"][wrong - 1]["kind"]) if wrong else (name, "right", ""))
    return rows


def write_class(folder: Path, count: int, port: int, mark: Path, kinds: Sequence[str]) -> dict[str, Any]:
    """``count`` notebooks, of which those of ``kinds`` are hostile; by file what is to come out.

    Verdicts and causes; None where the end of the process decides how far it gets, and then no point is right.
    """
    rng = np.random.default_rng(19)
    expected: dict[str, Any] = {}
    for number in range(count - len(kinds)):
        notebook = NOTEBOOKS[5 * number % len(NOTEBOOKS)]
        choice = drawn(notebook, rng)
        file = f"{number:03}.ipynb"
        (folder / file).write_text(json.dumps(submission(notebook, choice)))
        expected[file] = truth(notebook, choice)
    start = NOTEBOOKS[0]
    wrong = dict.fromkeys(answers(start), 1)
    for number, kind in enumerate(kinds):
        file = f"{kind}-{number:03}.ipynb"
        source = HOSTILE[kind]
        if source is None:
            (folder / file).write_text('{"cells": [{"cell_type"')
        else:
            for name, value in (("FOLDER", folder), ("MARK", mark), ("PORT", port)):
                source = source.replace(name, str(value))
            (folder / file).write_text(json.dumps(submission(start, wrong, first=source)))
        expected[file] = truth(start, wrong) if kind in GOES_ON else None
    return expected
