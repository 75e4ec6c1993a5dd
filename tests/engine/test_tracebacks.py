"""Whose frames a traceback shows: in Python and IPython as they are, in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autolab
from autolab.engine.tracebacks import add_note, folded
from autolab.gradcheck import check_backward, check_double_backward
from autolab.transforms import grad, jacobian

ROOT = Path(__file__).parents[2]
OWN = str(ROOT / "autolab") + os.sep
SCRIPT = """
import numpy as np
import autolab

def layer(x, W):
    return x @ W

def program(x, W):
    h = x + 1
    return layer(h, W)

autolab.record(program, [1.0, 2.0], np.ones((3, 2)))
"""


def printed(tmp_path: Path, *program: str, **environment: str) -> str:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, *program, str(script)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={
            "PYTHONPATH": str(ROOT),
            "IPYTHONDIR": str(tmp_path),
            "HOME": str(tmp_path),
            "PATH": os.environ["PATH"],
            **environment,
        },
    )
    return done.stderr + done.stdout


PROGRAMS = {"python": (), "IPython": ("-m", "IPython", "--colors=NoColor")}


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_prompt_shows_the_user_s_frames_and_says_how_many_are_left_out(tmp_path: Path, program: str) -> None:
    shown = printed(tmp_path, *PROGRAMS[program])
    assert shown.count(OWN) == (program == "python")  # there `record` itself stays
    for line in ("autolab.record(program", "return layer(h, W)", "return x @ W"):
        assert line in shown
    assert "frames of AutoLab left out" in shown and "last_recording()" in shown
    full = printed(tmp_path, *PROGRAMS[program], AUTOLAB_TRACEBACK="full")
    assert full.count("autolab" + os.sep) > 6 and "left out" not in full


def frames(error: BaseException) -> list[str]:
    """Whose the frames are: the name of the user's function, ``*`` for AutoLab's."""
    found = traceback.extract_tb(error.__traceback__)
    return ["*" if frame.filename.startswith(OWN) else frame.name for frame in found][1:]


def failing(x: Any, *_: Any) -> Any:
    h = x * 2
    return h.reshape(7)


X = np.array([1.0, 2.0])
TOOLS = {
    "record": lambda: autolab.record(failing, X),
    "explore": lambda: autolab.explore(failing, X),
    "derivatives": lambda: autolab.derivatives(failing, 1.0),
    "check_gradients": lambda: autolab.check_gradients(failing, X),
    "check_backward": lambda: check_backward(failing, X, np.ones(2)),
    "check_double_backward": lambda: check_double_backward(failing, X, np.ones(2), np.ones(2)),
    "grad": lambda: grad(failing)(X),
    "grad of grad": lambda: grad(grad(failing))(X),
    "jacobian": lambda: jacobian(failing)(X),
}


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_folds(tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="reshape") as caught:
        TOOLS[tool]()
    assert frames(caught.value) == ["<lambda>", "*", "failing"]
    assert sum("left out" in note for note in caught.value.__notes__) == 1
    monkeypatch.setenv("AUTOLAB_TRACEBACK", "full")
    with pytest.raises(ValueError, match="reshape") as caught:
        TOOLS[tool]()
    assert frames(caught.value).count("*") > 3


@pytest.mark.parametrize("tool", TOOLS)
def test_only_the_tool_s_frame_is_left_and_it_is_hidden(tool: str) -> None:
    with pytest.raises(ValueError, match="reshape") as caught:
        TOOLS[tool]()
    own = [f for f, _ in traceback.walk_tb(caught.value.__traceback__) if f.f_code.co_filename.startswith(OWN)]
    assert [frame.f_locals["__tracebackhide__"] for frame in own] == [True]


def test_a_wrong_argument_is_shown_as_it_is() -> None:
    with pytest.raises(TypeError) as caught:
        autolab.record(3.0)
    assert frames(caught.value) == ["*", "*"] and not hasattr(caught.value, "__notes__")


def test_exceptions_that_are_shown_above_are_folded_too() -> None:
    def program(x):
        try:
            return x.reshape(7)
        except ValueError as error:
            raise RuntimeError("mine") from error

    with pytest.raises(RuntimeError) as caught:
        autolab.record(program, X)
    cause = caught.value.__cause__
    assert [frame.name for frame in traceback.extract_tb(cause.__traceback__)] == ["program"]


def test_a_ring_of_exceptions_ends() -> None:
    first, second = ValueError("first"), ValueError("second")
    first.__context__, second.__context__ = second, first
    with pytest.raises(ValueError, match="first"), folded():
        raise first


def test_what_takes_no_note_passes_as_it_is() -> None:
    class Closed(Exception):
        def __setattr__(self, name: str, value: Any) -> None:
            raise AttributeError(name)

    class Odd(Exception):
        __notes__ = 3

    def program(x, kind):
        raise kind

    for kind in (Closed, Odd):
        with pytest.raises(kind):
            autolab.record(program, 1.0, kind)


def test_a_note_is_not_added_twice() -> None:
    error = ValueError()
    for text in ("one is here", "two are here", "one was there"):
        add_note(error, text)
    assert error.__notes__ == ["two are here", "one was there"]


WRONG_CALLS = {
    "autolab.explore(f, x=1.0)": "explore: f(x, y) does not take these inputs: missing a required argument: 'y'",
    "autolab.record(f, 1.0, 2.0, order=9)": "record: option 'order' is 9; expected a whole number from 0 to 4",
    "autolab.check_gradients(3)": "check_gradients: fn is an int; expected a function",
    "autolab.heatmap('a')": "heatmap: array 1: got str 'a'",
    "autolab.interact(f, x='k')": "interact: x is 'k'; expected a number",
    "autolab.plots.surface(f, (0.0, 0.0), steps=-1)": "surface: steps is -1; expected a whole number",
    "autolab.derivatives(f, 1.0)": "f() missing 1 required positional argument: 'y'",
    "F.softmax()": "softmax: got 0 positional arguments; expected 1 array (x), then axis",
    "F.relu('a')": "relu: input 'x': got str 'a'; expected real numbers",
    "autolab.Variable('a')": "Variable: data: got str 'a'; expected real numbers",
    "autolab.links.Linear('a')": "Linear: out_size is 'a'; expected a positive integer",
    "autolab.links.Conv2D(3, 4, 3)([[1.0, 2.0]])": "conv2d: x has shape (1, 2), w has shape (4, 3, 3, 3)",
    "autolab.links.Lineer(3)": "module 'autolab.links' has no attribute 'Lineer'",
    "autolab.optimizers.Adam(lr='x')": "Adam: lr is 'x'; expected a number of at least 0",
    "autolab.optimizers.Adam().setup(3)": "Adam.setup: got an int; expected a Link",
    "autolab.lesson.check('no', 3)": "lesson.check: no exercise is called 'no'",
    "autolab.serializers.load_npz('no.npz', autolab.links.Linear(2, 2))": "No such file or directory: 'no.npz'",
    "F.softmax(autolab.Variable([1.0, 2.0]), axis=4)": "softmax: x has shape (2,), axis=4: expected an axis",
}
CALLS = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance(colors="NoColor")
shell.run_cell("import autolab; from autolab import functions as F\\ndef f(x, y):\\n    return x * y")
for call in {calls!r}:
    print("=====")
    shell.run_cell(call)
"""


def test_a_notebook_shows_a_wrong_call_as_the_users_cell_and_one_sentence(tmp_path: Path) -> None:
    script = tmp_path / "calls.py"
    script.write_text(CALLS.format(calls=list(WRONG_CALLS)))
    environment = {"PYTHONPATH": str(ROOT), "IPYTHONDIR": str(tmp_path), "HOME": str(tmp_path)}
    for setting in ("", "full"):
        env = {**environment, "PATH": os.environ["PATH"], "AUTOLAB_TRACEBACK": setting}
        done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=env, check=True)
        shown = done.stdout.split("=====")[1:]
        assert len(shown) == len(WRONG_CALLS)
        for text, (call, sentence) in zip(shown, WRONG_CALLS.items(), strict=True):
            assert f"----> 1 {call}" in text and sentence in text
            assert (OWN in text) == (setting == "full"), text


MISSPELLED = {
    "autolab.Variable(1.0).gradd": "Similar: grad, ",
    "autolab.links.Linear(2, 3).paramters()": "Similar: parameters, ",
    "F.conv3(1)": "Similar: conv2d, conv1d",
    "F.crossentopy": "Similar: cross_entropy, ",
    "autolab.seed(1)": "",  # the message says what to use instead
    "type('Net', (autolab.links.Link,), {})().childern": "Similar: children",
    "autolab.Variable(1.0).qqqq": "",
    "autolab.Variable(1.0)._gradd": "",
    "autolab.plot": "",  # the message says what to use instead
    "math.sine": "",  # not AutoLab's
    "autolab.transforms.vjp(f, 1.0, wtr=0)": "Similar: wrt",
    "autolab.Variable(1.0, requires_gard=True)": "Similar: requires_grad",
    "autolab.Variable([1.0]).reshape(1, 1, ordr=1)": "",  # it has no such keyword
    "f(1.0, 2.0, wtr=0)": "",  # the user's own
}


def test_a_notebook_names_what_is_spelled_alike(tmp_path: Path) -> None:
    script = tmp_path / "calls.py"
    script.write_text(CALLS.format(calls=["import math", *MISSPELLED]))
    env = {"PYTHONPATH": str(ROOT), "IPYTHONDIR": str(tmp_path), "HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=env, check=True)
    for text, (call, similar) in zip(done.stdout.split("=====")[2:], MISSPELLED.items(), strict=True):
        assert "AttributeError: " in text or "TypeError: " in text, call
        assert f"\n{similar}" in text if similar else "Similar" not in text, text


def test_a_fault_of_autolab_keeps_its_frames_in_a_notebook(tmp_path: Path) -> None:
    program = "import sys, autolab.recording.record\ndel sys.modules['autolab.recording.record']._outputs"
    script = tmp_path / "fault.py"
    script.write_text(CALLS.format(calls=[program, "autolab.record(f, 1.0, 2.0)"]))
    env = {"PYTHONPATH": str(ROOT), "IPYTHONDIR": str(tmp_path), "HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=env, check=True)
    assert "name '_outputs' is not defined" in done.stdout and OWN in done.stdout
