"""Names and sources in notebook cells, by IPython itself, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import json, sys
from autolab.recording.locate import source_of
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
shell.history_manager.enabled = False
cells = json.loads(sys.stdin.read())
for cell in cells:
    result = shell.run_cell(cell, store_history=True, silent=False)
    result.raise_error()
shown = []
for name in ("one", "two", "three", "four"):
    r = shell.user_ns[name]
    shown.append([r.file, [[s.name, s.source, s.statement, s.file, s.line] for s in r.steps if s.kind == "call"]])
shown.append(source_of(shell.user_ns["g"])[0])
print("RESULT" + json.dumps(shown))
"""
CELLS = [
    "import autolab\nfrom autolab import functions as F\nw = autolab.Variable(2.0)",
    "def f(x, y):\n    h = x * y\n    return F.tanh(h)\n",
    "one = autolab.record(f, 2.0, y=3.0)",
    "# the same name, defined anew\n\ndef f(x):\n    g = x / w\n    return g\ntwo = autolab.record(f, 1.0)",
    "import numpy as np\ndef g(x):\n    return np.sin(x) * x\nfour = autolab.record(g, 1.0)",
    "%pwd\nthree = autolab.record(lambda x: x + w, 1.0)",  # IPython's own syntax beside it
]


def test_steps_know_their_cell(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", SCRIPT],
        input=json.dumps(CELLS),
        capture_output=True,
        text=True,
        check=True,
        env={"IPYTHONDIR": str(tmp_path), "HOME": str(tmp_path), "PATH": ""},
        cwd=Path(__file__).parents[2],
    )
    one, two, three, four, text = json.loads(done.stdout.rpartition("RESULT")[2])
    assert one == [
        "cell [2]",
        [["h", "x * y", "h = x * y", "cell [2]", 2], [None, "F.tanh(h)", "return F.tanh(h)", "cell [2]", 3]],
    ]
    assert two == ["cell [4]", [["g", "x / w", "g = x / w", "cell [4]", 4]]]
    assert four[0] == "cell [5]" and [step[1] for step in four[1]] == ["np.sin(x)", "np.sin(x) * x"]
    assert text == "def g(x):\n    return np.sin(x) * x\n"  # its import is in the same cell, and compiled by itself
    assert three[0] == "cell [6]" and three[1][0][1:2] == ["x + w"] and three[1][0][3] == "cell [6]"


BODY = "import autolab\ndef f(x):\n    h = x * x\n    {also}\n    return h + k\nseen.append(autolab.record(f, 2.0))"
WAYS = {
    "%%time": ["%%time\n" + BODY],
    "%%timeit": ["%%timeit -n1 -r1\n" + BODY],
    "%%prun": ["%%prun\n" + BODY],
    "%%capture": ["%%capture caught\n" + BODY],
    "%%time with %": ["%%time\n%pwd\n" + BODY],
    "exec": [f"exec({BODY!r})"],
    "exec of a name": [f"text = {BODY!r}", "exec(text)"],
    "exec elsewhere": [f"space = dict(seen=seen)\nexec({BODY!r}, space)"],
    "inner functions": ["%%timeit -n1 -r1\ndef outer():\n    " + BODY.replace("\n", "\n    ") + "\nouter()"],
    "exec of a file": ["exec(open('FILE {also}.py').read())"],
    "in a function": [f"def run():\n    exec({BODY!r}, dict(seen=seen))\nrun()"],
}
SHOWS = """
import json, sys
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
shell.history_manager.enabled = False
shown = {}
for way, cells in json.loads(sys.stdin.read()).items():
    seen = shell.user_ns["seen"] = []
    for cell in cells:
        shell.run_cell(cell, store_history=True, silent=False).raise_error()
    shown[way] = [[r.source, [[s.name, s.source] for s in r.steps if s.kind == "call"]] for r in seen]
print("RESULT" + json.dumps(shown))
"""


def test_code_without_a_file_has_the_text_that_it_is_from(tmp_path: Path) -> None:
    """Each way twice, with another function of the same name."""
    for also in TWO:
        (tmp_path / f"{also}.py").write_text(BODY.replace("{also}", also))
    ways = {way: [cell.replace("FILE ", f"{tmp_path}/") for cell in cells] for way, cells in WAYS.items()}
    cells = {f"{way} {also}": [one.replace("{also}", also) for one in ways[way]] for way in ways for also in TWO}
    done = subprocess.run(
        [sys.executable, "-c", SHOWS],
        input=json.dumps(cells),
        capture_output=True,
        text=True,
        check=True,
        env={"IPYTHONDIR": str(tmp_path), "HOME": str(tmp_path), "PATH": ""},
        cwd=Path(__file__).parents[2],
    )
    shown = json.loads(done.stdout.rpartition("RESULT")[2])
    assert shown.keys() == cells.keys()
    for way, found in shown.items():
        k = way.rpartition("k = ")[2]
        text = f"def f(x):\n    h = x * x\n    k = {k}\n    return h + k\n"
        assert found and all([(one.rstrip("\n") + "\n", steps) == (text, _steps(k)) for one, steps in found]), (
            way,
            found,
        )


TWO = ("k = x + 1", "k = x * 3")


def _steps(k: str) -> list[list[str | None]]:
    return [["h", "x * x"], ["k", k], [None, "h + k"]]
