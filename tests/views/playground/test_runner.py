"""What runs in the playground's Python, here in a process of its own: it takes IPython's place."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("anywidget")

START = """
import json, sys
from autolab.views.playground.runner import Runner
sent = []
runner = Runner(lambda text, held: sent.append([json.loads(text), [len(one) for one in held]]), sys.argv[1])
"""
MULADD = """\
import autolab

def muladd(x, y, z):
    h = x * y
    return h + z

print("look:")
autolab.explore(muladd, x=2.0, y=3.0, z=4.0)
"""


def ran(folder: Path, *lines: str) -> Any:
    """What ``print(json.dumps(...))`` at the end of the lines tells."""
    code = "\n".join([START, *lines])
    done = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_a_live_view_opens_answers_a_move_and_tells_the_program_at_its_point(tmp_path: Path) -> None:
    whole, kinds, moved, program, closed, heavy = ran(
        tmp_path,
        f"whole = runner.run({MULADD!r})",
        "kinds = [message['do'] for message, _ in sent]",
        "model = sent[-1][0]['model']",
        "move = {'do': 'move', 'seq': 1, 'key': 'x', 'index': None, 'value': 5.0, 'final': True}",
        "runner.receive(model, json.dumps(move))",
        "moved = [m for m, _ in sent if m['do'] == 'comm_msg' and 'numbers' in m['data'].get('state', {})]",
        "program = runner.program_here()",
        "runner.run(program)",
        "closed = [m['model'] for m, _ in sent if m['do'] == 'comm_close']",
        "heavy = sorted({'IPython.core.completer', 'jedi', 'PIL', 'matplotlib', 'h5py', 'typst'} & set(sys.modules))",
        "print(json.dumps([whole, kinds, len(moved), program, model in closed, heavy]))",
    )
    assert whole is True and kinds[0] == "print" and kinds[-1] == "view" and kinds.count("comm_open") == 4
    assert moved >= 1 and closed is True and heavy == []
    assert program.splitlines()[:-1] == MULADD.splitlines()[:-1]
    assert program.splitlines()[-1] == "autolab.explore(muladd, x=5.0, y=3.0, z=4.0)"


def test_an_error_names_the_lines_of_the_program_alone(tmp_path: Path) -> None:
    program = "import autolab\n\ndef f(x):\n    return (x * 2)[3]\n\nautolab.record(f, 2.0)\n"
    whole, text, bundles = ran(
        tmp_path,
        f"whole = runner.run({program!r})",
        "text = ''.join(m['text'] for m, _ in sent if m['do'] == 'print')",
        "print(json.dumps([whole, text, [m['text'][:20] for m, _ in sent if m['do'] == 'show']]))",
    )
    assert whole is False and text.startswith("Traceback (most recent call last):\n") and "IndexError" in text
    assert text.count('  File "') == 2 == text.count("playground.py") and "line 4, in f" in text
    assert len(bundles) == 1, "the picture up to the line that raised"


@pytest.mark.parametrize(
    ("program", "whole", "shown", "printed"),
    [
        ("", True, [], ""),
        ("1 + 1", True, ["2"], ""),
        ("x = 1", True, [], ""),
        ("None", True, [], ""),
        ("print('a')\nprint('b', end='')", True, [], "a\nb"),
        ("import sys; sys.exit(0)", True, [], ""),
        ("import sys; sys.exit(3)", False, [], ""),
        ("def f(:", False, [], "SyntaxError"),
        ("'<b>bold</b>'", True, ["'<b>bold</b>'"], ""),
        ("print('x' * 300_000)", True, [], "(more was printed)"),
    ],
)
def test_what_a_program_shows(tmp_path: Path, program: str, whole: bool, shown: list[str], printed: str) -> None:
    found = ran(
        tmp_path,
        f"whole = runner.run({program!r})",
        "shown = [m['text'] for m, _ in sent if m['do'] == 'show']",
        "print(json.dumps([whole, shown, ''.join(m['text'] for m, _ in sent if m['do'] == 'print')]))",
    )
    assert found[:2] == [whole, shown] and printed in found[2] and (printed or not found[2])


def test_no_clock_is_needed_that_a_browser_lacks() -> None:
    program = "import time; del time.thread_time; import autolab; print(autolab.check_gradients(lambda x: x * x, 2.0))"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert told.stdout.startswith("check_gradients(<lambda>): right"), told.stderr
