"""A fused function that reads the world around it gives what the plain function gives, whatever the world does; or it
is refused, and the refusal names what it reads."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.readings import FOLLOWED, REFUSED, Reading

import autolab
from autolab import FusionError, Variable, grad
from autolab import functions as F

FORMS = [
    "x * {}",
    "x + {}",
    "F.tanh(x) ** 2 * {}",
    "(x * 2.0 if {} > 2 else x * x)",
    "x * sum({} for _ in range(2))",
    "(lambda: x * {})()",
    "F.clip(x, -5.0, {})",
    "F.leaky_relu(x - 1.0, slope=0.1 * {})",
]


_world: dict[str, Any] = {"np": np, "autolab": autolab, "F": F}


@pytest.fixture(autouse=True)
def modes_and_settings(tmp_path: Path) -> Iterator[None]:
    before = np.geterr()
    _world["folder"] = tmp_path
    with autolab.using_config("train", True):
        yield
    np.seterr(**before)


def _program(parts: list[tuple[Reading, str]]) -> tuple[str, str, str]:
    """The setup, the function and the change of the world, as text."""
    setups, heads, changes, terms = [], [], [], []
    for i, (reading, form) in enumerate(parts):
        setup, head, change, read = [
            text.replace("$", f"p{i}_") for text in (*reading[1:2], reading.then, reading.change, reading.read)
        ]
        setups.append(setup)
        heads.append(head)
        changes.append(change)
        terms.append(form.format(read))
    body = "\n    ".join([*filter(None, heads), f"return {' + '.join(terms)}"])
    return "\n".join(setups), f"def f(x):\n    {body}\n", "\n".join(changes)


def _run(texts: tuple[str, str, str], fused: bool, points: int) -> list[tuple[Any, ...]]:
    """The bits of the value and the gradient at each point, while the world changes."""
    setup, function, change = texts
    world = dict(_world)
    random.seed(1)
    np.random.seed(1)
    autolab.config.train = True
    np.seterr(over="warn")
    exec(compile(setup, "world", "exec"), world)
    exec(compile(function, "function", "exec"), world)
    f = autolab.fuse(world["f"]) if fused else world["f"]
    found = []
    for i, at in enumerate(np.linspace(-2.0, 3.0, points)):
        if i % 3 == 2:
            world["i"] = i
            exec(compile(change, "change", "exec"), world)
        x = Variable(np.array([at, at + 0.5]))
        y = f(x)
        slope = grad(F.sum(y), x)
        found.append([(a.dtype.str, a.tobytes()) for a in (y.data, slope.data)])
    return found


def _outcome(parts: list[tuple[Reading, str]], points: int) -> str:
    """``equal``, or why it is refused."""
    texts = _program(parts)
    plain = _run(texts, False, points)
    try:
        fused = _run(texts, True, points)
    except FusionError as refusal:
        return str(refusal)
    assert fused == plain, "\n".join(texts)
    return "equal"


@pytest.mark.parametrize("reading", FOLLOWED, ids=[reading.label for reading in FOLLOWED])
def test_what_can_be_looked_up_again_is_followed(reading: Reading) -> None:
    for form in FORMS:
        assert _outcome([(reading, form)], 9) == "equal", form


@pytest.mark.parametrize("reading", REFUSED, ids=[reading.label for reading in REFUSED])
def test_what_cannot_be_looked_up_again_is_refused_by_name(reading: Reading) -> None:
    assert reading.named is not None
    for form in FORMS:
        said = _outcome([(reading, form)], 9)
        assert said.startswith("f cannot be fused: ") and reading.named.replace("$", "p0_") in said, said
        assert len(said) <= 300


def _random_outcome(seed: int, points: int) -> str:
    """A program with one to three readings, most of which can be followed."""
    rng = random.Random(seed)
    kinds = [rng.choice(REFUSED if rng.random() < 0.15 else FOLLOWED) for _ in range(rng.randint(1, 3))]
    return _outcome([(kind, rng.choice(FORMS)) for kind in kinds], points)


@pytest.mark.parametrize("seed", range(40))
def test_programs_that_read_the_world(seed: int) -> None:
    _random_outcome(seed, 12)


@pytest.mark.full
def test_three_thousand_programs_that_read_the_world() -> None:
    outcomes = [_random_outcome(seed, 50) == "equal" for seed in range(3000)]
    assert 1500 < sum(outcomes) < 2900, f"{sum(outcomes)} equal, {len(outcomes) - sum(outcomes)} refused"
