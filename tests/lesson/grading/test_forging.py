"""Notebooks that know AutoLab's grading: forged messages, late ones, answers that lie or change. None earns a point."""

from __future__ import annotations

import os

import pytest

from autolab.lesson.grading import NotebookLimits, fences, grade

from .test_cheating import write

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
HEAD = """
import atexit, gc, os, sys, threading, time
import numpy as np
from autolab import FunctionNode, Variable, lesson
from autolab.lesson.grading import fences, notebook_process, wire
frame = sys._getframe()
while "line" not in frame.f_locals:
    frame = frame.f_back
line, send = frame.f_locals["line"], frame.f_locals["line"].send
late = {"answer": "start-sign", "number": 0, "what": {"plain": "down"}}
"""
FORGED = {
    "verdicts": """
for state in ({"state": "right"}, {"verdict": "right"}, {"passed": True}, {"is": {"plain": "right"}}, {"points": 6}):
    send({"answer": "start-sign", "number": 0, "what": None} | state)
""",
    "two numbers": """
def reply(self, request):
    if request["do"] == "gradients":
        return {"is": wire.encoded([Variable(3.0), Variable(-1.0)])}
    return {"is": wire.encoded((0, False, Variable(VALUE)))}
notebook_process._HandedIn.reply = reply
lesson.check("start-own", lambda x, y: x)
""",
    "what was asked": """
notebook_process._HandedIn.reply = lambda self, request: {"is": request["with"]}
lesson.check("start-own", lambda x, y: x)
lesson.check("start-slope", lambda f, x, y, h=1: x)
""",
    "functions that are not lent": """
notebook_process._HandedIn.reply = lambda self, request: {"lent": NUMBER, "with": {"list": []}}
lesson.check("start-own", lambda x, y: x)
""",
    "another cell": "lesson.check('start-own', lambda x, y: x)\nfor _ in range(9):\n    send({'cell': 0})",
    "an early end": "send({'end': True})\nsend(late)",
    "atexit": "atexit.register(send, late)",
    "after the end": "line.send = lambda message: (send(message), 'end' in message and send(late))",
    "a thread": """
def wait():
    while not ended.wait(0.001):
        pass
    while True:
        send(late)
ended = threading.Event()
line.send = lambda message: (send(message), 'end' in message and (ended.set(), time.sleep(0.05)))
threading.Thread(target=wait, daemon=True).start()
""",
    "lies": """
class Liar:
    data, shape, ndim, size, dtype = np.array(-1.0), (), 0, 1, np.dtype(float)
    __eq__ = __le__ = __lt__ = __ge__ = __bool__ = lambda *of: True
    __hash__ = None
    __float__ = lambda self: -1.0
    __array__ = lambda self, *of, **named: np.array(-1.0)
    __str__ = __repr__ = lambda self: "up"
    lower = strip = lambda self: "down"
for name in ("start-sign", "start-reuse", "start-number", "start-zero"):
    lesson.check(name, Liar())
""",
    "subclasses": """
class Number(float):
    __eq__ = __le__ = lambda *of: True
    __float__ = __abs__ = lambda self: -1.0
    __repr__ = __str__ = lambda self: "-1.0"
    __sub__ = __rsub__ = lambda *of: 0.0
class Text(str):
    __eq__ = lambda *of: True
    __hash__ = str.__hash__
    strip = lower = lambda self: "down"
class Whole(int):
    __eq__ = lambda *of: True
    __repr__ = __str__ = __index__ = __int__ = lambda self: -1
class Array(np.ndarray):
    __eq__ = lambda *of: True
    __float__ = lambda self: -1.0
for name in ("start-reuse", "start-zero"):
    for answer in (Number(7), Whole(7), np.array(7.0).view(Array)):
        lesson.check(name, answer)
lesson.check("start-sign", Text("up"))
""",
    "changed later": """
number, variable = np.array(7.0), Variable(7.0)
lesson.check("start-zero", number)
lesson.check("start-reuse", variable)
number[...], variable.data = -1, np.array(-2.0)
""",
    "changes by turns": """
calls = []
def f(x, y):
    calls.append(1)
    return 3 * x - y if len(calls) % PERIOD else x
lesson.check("start-own", f)
""",
    "who calls": """
def f(x, y):
    names, frame = set(), sys._getframe()
    while frame := frame.f_back:
        names.add(frame.f_code.co_name)
    return y if "reply" in names else 3 * x - y
lesson.check("start-own", f)
""",
}
CLASS = """
calls = []
def stack():
    names, frame = set(), sys._getframe(1)
    while frame := frame.f_back:
        names.add(frame.f_code.co_name)
    return names
class Own(FunctionNode):
    def forward(self, inputs):
        calls.append(1)
        x, = inputs
        self.retain_inputs((0,))
        return (x / (1 + abs(x)) if WHEN else x,)
    def backward(self, targets, upstream):
        return upstream
lesson.check("softsign-own", Own)
"""
WHEN = ("'check_bound' not in stack()", "'judged' not in stack()", "len(calls) % 2")
HOOK = {
    "names": "os.path.realpath = os.fsdecode = lambda path: '/x'",
    "inner names": "import posixpath\nposixpath._joinrealpath = lambda *of: ('/x', True)",
    "system calls": "os.lstat = os.readlink = None",
    "builtins": "import builtins\nbuiltins.any = builtins.all = lambda *of: False",
    "its makers": "fences.tripwire.refuse = fences.enclose = sys.addaudithook = lambda *of, **named: None",
    "its code": "os.path.realpath.__code__ = (lambda filename, strict=False: '/x').__code__",
    "its cells": """
for one in gc.get_objects():
    if getattr(one, "__module__", "") == "autolab.lesson.grading.tripwire" and getattr(one, "__closure__", None):
        for cell in one.__closure__:
            cell.cell_contents = frozenset() if isinstance(cell.cell_contents, frozenset) else ()
""",
    "its frame": """
try:
    open(path)
except OSError as error:
    at = error.__traceback__
    while at is not None:
        found = at.tb_frame.f_locals
        for one in [one for one in found.values() if getattr(one, "__closure__", None)]:
            for cell in one.__closure__:
                cell.cell_contents = (lambda *of: "/x") if callable(cell.cell_contents) else ()
        at = at.tb_next
""",
    "a name that lies": """
class Name(str):
    partition = lambda self, *of: ("x", "", "")
    startswith = lambda self, *of: False
    __getitem__ = lambda self, of: "x"
    __eq__ = lambda *of: False
    __hash__ = str.__hash__
path = Name(path)
""",
    "a path that changes": """
class Path:
    def __init__(self, of):
        self.of, self.count = of, 0
    def __fspath__(self):
        self.count += 1
        return self.of if self.count % 2 else "x"
path = Path(path)
""",
    "a folder": "path, at = 'start/answers.toml', os.open(os.path.dirname(os.path.dirname(path)), os.O_RDONLY)",
    "tracing": "sys.settrace(lambda frame, *of: frame.f_globals.update(_depth=len))",
}
READ = """
import autolab.lessons
path, at = os.path.join(os.path.dirname(autolab.lessons.__file__), "start", "answers.toml"), None
try:
{patch}
except Exception:
    pass
for read in (lambda: open(path).read(), lambda: os.read(os.open(path, os.O_RDONLY, dir_fd=at), 9)):
    try:
        found = read()
    except Exception:
        continue
    lesson.check("start-sign", "down")
"""


def points(folder):
    return {one.file: (one.points, one.problem) for one in grade(folder, limits=NotebookLimits(seconds=20))}


def sources():
    """The cell of each attempt, by name."""
    for way, source in FORGED.items():
        drawn = {"VALUE": ("3.0", "0.0", "float('nan')"), "NUMBER": ("0", "-1", "9", "'0'", "[]"), "PERIOD": ("2", "3")}
        name = next((name for name in drawn if name in source), "")
        for value in drawn.get(name, ("",)):
            yield f"{way} {value}", source.replace(name, value) if name else source
    for when in WHEN:
        yield when, CLASS.replace("WHEN", when)


def test_who_forges_or_lies_earns_nothing(tmp_path):
    for number, (way, source) in enumerate(sources()):
        lesson = "softsign-own" if "softsign" in source else "start-zero"
        write(tmp_path / f"{number:02}.ipynb", HEAD + f"# {way}\n{source}", f"0 and lesson.check('{lesson}', None)")
    found = points(tmp_path)
    assert len(found) == number + 1 > 20 and {earned for earned, _ in found.values()} == {0}, found


def test_the_same_answers_given_honestly_earn_their_points(tmp_path):
    """So that none of the attempts fails for another reason."""
    write(tmp_path / "late.ipynb", HEAD + "send(late)", "0 and lesson.check('start-zero', None)")
    write(tmp_path / "own.ipynb", HEAD + "lesson.check('start-own', lambda x, y: 3 * x - y + 7)")
    right = CLASS.replace("WHEN", "1").replace("return upstream", "return (upstream[0] / (1 + abs(X)) ** 2,)")
    write(tmp_path / "class.ipynb", HEAD + right.replace("X)", "self.get_retained_inputs()[0])"))
    assert points(tmp_path) == dict.fromkeys(("class.ipynb", "late.ipynb", "own.ipynb"), (1, "")), points(tmp_path)


@pytest.mark.skipif("landlock" not in fences.holding(), reason="only the kernel keeps the answers")
def test_who_patches_the_hook_reads_no_answers(tmp_path):
    for way, source in HOOK.items():
        patch = "\n".join(["    " + line for line in source.splitlines()])
        write(
            tmp_path / f"{way}.ipynb", HEAD + READ.replace("{patch}", patch), "0 and lesson.check('start-zero', None)"
        )
    found = points(tmp_path)
    assert {way for way, (earned, _) in found.items() if earned} == set()
    assert not [way for way, (_, problem) in found.items() if "ended" in problem], found  # they did run
