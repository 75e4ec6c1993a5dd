"""A fused function that reads the world around it gives what the plain function gives, whatever the world does; or it
is refused, and the refusal names what it reads."""

from __future__ import annotations

import functools
import random
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.each import each
from helpers.readings import FOLLOWED, FORMS, REFUSED, Reading, program, random_parts

import autolab
from autolab import FusionError, Variable, grad
from autolab import functions as F

_world: dict[str, Any] = {"np": np, "autolab": autolab, "F": F}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> None:
    _world["folder"] = tmp_path


@contextmanager
def modes_and_settings() -> Iterator[None]:
    with autolab.using_config("train", True), np.errstate(), warnings.catch_warnings():
        yield


@modes_and_settings()
def _run(texts: tuple[str, str, str], fused: bool, points: int) -> list[Any]:
    """The bits of the value and the gradient at each point, or what is raised there, while the world changes."""
    setup, function, change = texts
    world = dict(_world)
    random.seed(1)
    np.random.seed(1)
    autolab.config.train = True
    np.seterr(all="warn", under="ignore")
    warnings.simplefilter("ignore")
    exec(compile(setup, "world", "exec"), world)
    exec(compile(function, "function", "exec"), world)
    f = autolab.fuse(world["f"]) if fused else world["f"]
    found = []
    for i, at in enumerate(np.linspace(-2.0, 3.0, points)):
        if i % 3 == 2:
            world["i"] = i
            exec(compile(change, "change", "exec"), world)
        x = Variable(np.array([at, at + 0.5]))
        try:
            y = f(x)
            slope = grad(F.sum(y), x)
        except (FloatingPointError, RuntimeWarning, KeyError) as error:  # another part of the program catches those
            found.append(type(error))
        else:
            found.append([(a.dtype.str, a.tobytes()) for a in (y.data, slope.data)])
    return found


def _outcome(parts: list[tuple[Reading, str]], points: int) -> str:
    """``equal``, or why it is refused."""
    texts = program(parts)
    plain = _run(texts, False, points)
    try:
        fused = _run(texts, True, points)
    except FusionError as refusal:
        return str(refusal)
    assert fused == plain, "\n".join(texts)
    return "equal"


@each("reading", FOLLOWED, ids=[reading.label for reading in FOLLOWED])
def test_what_can_be_looked_up_again_is_followed(reading: Reading) -> None:
    for form in FORMS:
        assert _outcome([(reading, form)], 9) == "equal", form


@each("reading", REFUSED, ids=[reading.label for reading in REFUSED])
def test_what_cannot_be_looked_up_again_is_refused_by_name(reading: Reading) -> None:
    assert reading.named is not None
    for form in FORMS:
        said = _outcome([(reading, form)], 9)
        assert said.startswith("f cannot be fused: ") and reading.named.replace("$", "p0_") in said, said
        assert len(said) <= 300


_RULES = {
    "declared": "@autolab.elementwise(x=lambda g: g * s)\ndef own(xp, x): return x * 2",
    "by a helper": "def h(g): return g * s\n@autolab.elementwise(x=lambda g: h(g))\ndef own(xp, x): return x * 2",
    "of a node": "class Node(autolab.FunctionNode):\n    def forward(self, xs): return (xs[0] * 2,)\n"
    "    def backward(self, wanted, gs): return (gs[0] * s,)\ndef own(x): return Node().apply((x,))[0]",
    "custom": "own = autolab.custom_vjp(lambda x: x * 2)\nown.defvjp(lambda x: (x * 2, None), lambda r, g: (g * s,))",
    "that counts": "def rule(g):\n    global s\n    s += 1\n    return g\n@autolab.elementwise(x=rule)\n"
    "def own(xp, x): return x * 2",
}


def test_rules_that_read_what_may_change_before_they_run_are_refused() -> None:
    for label, text in _RULES.items():
        world = {**_world, "__name__": "world", "s": 2.0}
        exec(text + "\ndef f(x): return own(x) * 3", world)
        with pytest.raises(FusionError, match=r"its rule for the gradient can read [sh],|has a backward of its own"):
            autolab.fuse(world["f"])(Variable(np.ones(2)))
        assert world["s"] == 2.0, label
    world = dict(_world)
    exec("import math\n@autolab.elementwise(x=lambda g: F.tanh(g) * math.pi)\ndef own(xp, x): return x * 2", world)
    x = Variable(np.ones(2))
    assert grad(F.sum(autolab.fuse(lambda x: world["own"](x))(x)), x).data == pytest.approx(np.tanh(1.0) * np.pi)


class _Kept:
    scale = 2.0


_EFFECTS = {
    "an attribute that is only written": "kept.last = 3.0",
    "a new attribute of a class": "Kept.new = 1.0",
    "a value kept on first use": "if not hasattr(kept, 'h'): kept.h = x.data * 2",
    "a result kept on first use": "if not hasattr(kept, 'h'): kept.h = F.tanh(x)",
    "what a refusal stands before": "kept.last = 3.0\n    print(1)",
    "what follows a caught refusal": "try: print(1)\n    except Exception: kept.last = 3.0",
}


def test_a_refused_call_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    for label, line in _EFFECTS.items():
        kept = _Kept()
        kept.last = 0.0  # type: ignore[attr-defined]
        before = {**vars(kept)}, {**vars(_Kept)}
        world = {**_world, "__name__": "world", "kept": kept, "Kept": _Kept}
        exec(f"def f(x):\n    {line}\n    return x * 2 * getattr(kept, 'h', 1.0)", world)
        with pytest.raises(FusionError, match=r"f cannot be fused: it (changes|can read|calls) (kept|Kept|print)"):
            autolab.fuse(world["f"])(Variable(np.ones(2)))
        assert ({**vars(kept)}, {**vars(_Kept)}) == before and not capsys.readouterr().out, label


def test_what_an_object_computes_on_first_use_is_followed() -> None:
    class Own:
        s = 2.0

        @functools.cached_property
        def twice(self) -> float:
            return self.s * 2

    own, x = Own(), Variable(np.ones(2))
    f = autolab.fuse(lambda x: x * own.twice)
    assert f(x).data.tolist() == [4, 4] and own.__dict__ == {"twice": 4.0}
    del own.twice
    own.s = 3.0
    assert f(x).data.tolist() == [6, 6]


def test_a_gradient_of_a_stale_trace_is_that_of_its_forward() -> None:
    x, found = Variable(np.array([0.5, 1.0])), []
    for wrap in (autolab.fuse, lambda f: f):
        s = 2.0
        y = F.sum(wrap(lambda x: x * x.data * s + F.tanh(x) * s)(x))  # noqa: B023
        s = 2.0 if found else 3.0
        first = grad(y, x, create_graph=True)
        found.append((first.data, grad(F.sum(first), x).data))
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_names_of_arguments_are_refused_by_name() -> None:
    with pytest.raises(FusionError, match="asks for the name of an argument"):
        autolab.fuse(lambda x: x * len(x.name))(Variable(np.ones(2), name="abc"))


def _random_outcome(seed: int, points: int) -> str:
    return _outcome(random_parts(seed), points)


@each("seed", range(40))
def test_programs_that_read_the_world(seed: int) -> None:
    _random_outcome(seed, 12)


@pytest.mark.full
def test_three_thousand_programs_that_read_the_world() -> None:
    outcomes = [_random_outcome(seed, 50) == "equal" for seed in range(3000)]
    assert 1500 < sum(outcomes) < 2900, f"{sum(outcomes)} equal, {len(outcomes) - sum(outcomes)} refused"
