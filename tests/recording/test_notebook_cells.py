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
