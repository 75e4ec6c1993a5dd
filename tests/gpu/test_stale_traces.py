"""A fused function that reads the world around it gives what the plain function gives, whatever the world does; or it
is refused, and the refusal names what it reads."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.readings import FOLLOWED, FORMS, REFUSED, Reading, program, random_parts

import autolab
from autolab import FusionError, Variable, grad
from autolab import functions as F

_world: dict[str, Any] = {"np": np, "autolab": autolab, "F": F}


@pytest.fixture(autouse=True)
def modes_and_settings(tmp_path: Path) -> Iterator[None]:
    _world["folder"] = tmp_path
    with autolab.using_config("train", True), np.errstate(), warnings.catch_warnings():
        yield


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
    return _outcome(random_parts(seed), points)


@pytest.mark.parametrize("seed", range(40))
def test_programs_that_read_the_world(seed: int) -> None:
    _random_outcome(seed, 12)


@pytest.mark.full
def test_three_thousand_programs_that_read_the_world() -> None:
    outcomes = [_random_outcome(seed, 50) == "equal" for seed in range(3000)]
    assert 1500 < sum(outcomes) < 2900, f"{sum(outcomes)} equal, {len(outcomes) - sum(outcomes)} refused"
