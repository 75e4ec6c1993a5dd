"""`autolab.diagnose`, the last hint of lesson 11, names what is wrong with the programs of its notebook."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import Variable
from autolab import functions as F

from .lessons import NOTEBOOKS, raw


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The names of the notebook after the cells that show a broken program."""
    notebook = next(path for path in NOTEBOOKS if path.stem == "11_stuck")
    folder = tmp_path_factory.mktemp("stuck")
    names: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for cell in raw(notebook)["cells"]:
            if cell["id"] == "stuck-draw" or cell["id"].endswith("-see"):
                source = "".join(cell["source"])
                path = Path(folder / f"{cell['id']}.py")
                path.write_text(source)
                exec(compile(source, str(path), "exec"), names)
    return names


def named(fn: Any, *args: Any, **options: Any) -> tuple[str, str]:
    found = autolab.diagnose(fn, *args, **options).findings[0]
    return found.kind, found.message


def test_each_program_is_named(shown: dict[str, Any]) -> None:
    x, t, rng = shown["x"], shown["t"], np.random.default_rng(0)
    w1, w2 = Variable(rng.normal(size=(3, 4))), Variable(rng.normal(size=4))
    kind, message = named(shown["line"], x, Variable(np.zeros((3, 1))), t)
    assert kind == "broadcast_loss" and "(8, 1)" in message and "(8,)" in message
    assert named(shown["swinging"], x, Variable(np.zeros(3)), t, steps=20)[0] == "gradients_accumulate"
    assert named(shown["unsure"], x, Variable(rng.normal(size=(3, 4))), np.arange(8) % 4)[0] == "double_softmax"
    kind, message = named(shown["half"], x, w1, w2, t)
    assert kind == "cut_gradient" and ".data" in message
    assert named(lambda net: F.mean(net(x)), shown["Forgetful"]())[0] == "unregistered_parameter"
    scores = Variable(np.array([2.0, 60.0, -5.0]))
    assert named(shown["textbook"], scores, np.array([1.0, 0.0, 0.0]))[0] == "not_finite"


def repaired(x: Any, w1: Any, w2: Any, t: Any) -> Any:
    y = F.tanh(x @ w1) @ w2
    return F.mean((y - t) ** 2)


def test_units_that_begin_alike_are_named_and_others_are_not(shown: dict[str, Any]) -> None:
    x, t, rng = shown["x"], shown["t"], np.random.default_rng(0)
    kind, message = named(repaired, x, Variable(np.full((3, 4), 0.5)), Variable(np.full(4, 0.5)), t)
    assert kind == "symmetric_units" and "All 4 units of w1" in message
    found = autolab.diagnose(repaired, x, Variable(rng.normal(size=(3, 4))), Variable(rng.normal(size=4)), t)
    assert found.findings == ()


def test_a_step_that_clears_is_not_accused(shown: dict[str, Any]) -> None:
    def step(x: Any, w: Any, t: Any) -> Any:
        w.cleargrad()
        loss = F.mean((x @ w - t) ** 2)
        loss.backward()
        w.data = w.data - 0.1 * w.grad.data
        return loss

    assert autolab.diagnose(step, shown["x"], Variable(np.zeros(3)), shown["t"], steps=20).findings == ()
