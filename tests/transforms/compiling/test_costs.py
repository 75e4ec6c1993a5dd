"""What calls of a compiled function do not do again: look at arguments in full, or make the program of a check."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autolab
from autolab.transforms.compiling import CompileWarning, compiled, compiled_program


def counted(monkeypatch: pytest.MonkeyPatch, where: Any, name: str) -> list[int]:
    made = [0]
    own = getattr(where, name)

    def make(*args: Any, **options: Any) -> Any:
        made[0] += 1
        return own(*args, **options)

    monkeypatch.setattr(where, name, make)
    return made


@pytest.fixture
def refused() -> Callable[..., Any]:
    return autolab.compile(lambda x, scale=1.0: float(x[0]) * scale)


def test_a_refused_call_is_recognized_at_once(monkeypatch: pytest.MonkeyPatch, refused: Any) -> None:
    x = np.ones(3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        refused(x)
    seen = counted(monkeypatch, compiled, "Signature")
    assert [refused(x * k) for k in range(3)] == [0.0, 1.0, 2.0]
    assert seen == [0]


def test_kinds_without_end_are_traced_sixteen_times(monkeypatch: pytest.MonkeyPatch, refused: Any) -> None:
    traced = counted(monkeypatch, compiled, "trace")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [refused(np.ones(n)) for n in range(1, 40)] == [1.0] * 39
    assert traced == [16]


def test_kinds_without_end_are_no_longer_looked_at_though_some_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "_MOST_PROGRAMS", 1)
    step = autolab.compile(lambda x, rate: x * rate)
    x = np.arange(3.0)
    with pytest.warns(CompileWarning, match="too many kinds"):
        for k in range(80):
            assert (step(x, k / 8) == x * (k / 8)).all()
    assert step.programs
    seen = [counted(monkeypatch, compiled, name) for name in ("Signature", "taker", "trace")]
    assert (step(x, 80.0) == 80.0 * x).all()
    assert seen == [[0], [0], [0]]


def test_a_refused_kind_and_a_compiled_one_take_turns() -> None:
    step = autolab.compile(lambda x, shown: float(x[0]) if shown else x * 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k in range(8):
            assert step(np.full(2, k), True) == k
            assert (step(np.full(2, k), False) == 2 * k).all()
    assert [program.calls for program in step.programs] == [7]


@pytest.mark.parametrize("updates", [False, True])
def test_the_program_of_a_check_is_made_once(monkeypatch: pytest.MonkeyPatch, updates: bool) -> None:
    net = autolab.links.Linear(2, 1)
    optimizer = autolab.optimizers.SGD(0.1).setup(net)

    def step(x: Any) -> Any:
        net.cleargrads()
        loss = autolab.functions.sum(net(x) ** 2)
        loss.backward()
        if updates:
            optimizer.update()
        return loss

    fast, x = autolab.compile(step, check_every=2), np.ones((2, 2), "f")
    for _ in range(3):
        fast(x)
    made = counted(monkeypatch, compiled_program, "Executable")
    for _ in range(6):
        fast(x)
    assert made == [0]
    assert not fast.refusals
