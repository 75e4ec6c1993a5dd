"""A page computes what Python computes, whatever the function reads around it; or it says that Python is needed."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.each import each
from helpers.readings import FORMS, REFUSED, Reading, program, random_parts

import autolab
from autolab import Variable, grad
from autolab import functions as F
from autolab.transforms.tracing import Untraceable, replay
from autolab.views.graph.page_program import _proved
from autolab.views.graph.session import Session

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of functions that catch such an error

MOVES = 50


def _outcome(parts: list[tuple[Reading, str]], folder: Path) -> str:
    """``equal`` if each move shows what Python computes next, or why the page does not move."""
    setup, function, _ = program(parts)
    world: dict[str, Any] = {"np": np, "autolab": autolab, "F": F, "folder": folder, "__name__": "lesson"}
    random.seed(1)
    exec(setup, world)
    exec(function, world)
    f, start = world["f"], np.array([0.5, 1.25])
    session = Session(f, options={}, inputs={"x": start})
    recording = session.record()
    try:
        found = _proved(session, recording, {"x": start, 0: np.ones(2)}, walks=False)
    except (Untraceable, TypeError) as refusal:
        return str(refusal)
    shown = [(recording.steps[step].name, which) for (step, which, *_), _ in found.shown]
    places = {which: i for i, (name, which) in enumerate(shown) if name == "x"}
    result = max(i for i, (_, which) in enumerate(shown) if which == "value")
    for at in np.linspace(-2.0, 3.0, MOVES):
        moved = np.array([at, at + 0.5])
        values, fits = replay(found.program, [moved[None], np.ones((1, 2))])
        x = Variable(moved)
        with autolab.using_config("rng", session.rng()):  # whose numbers stay while an input is moved
            y = f(x)
        if fits[0]:
            np.testing.assert_allclose(values[result][0], y.data, rtol=1e-9, atol=1e-12, err_msg=function)
            np.testing.assert_allclose(values[places["grad"]][0], grad(F.sum(y), x).data, rtol=1e-9, err_msg=function)
    return "equal"


def _check(seed: int, folder: Path) -> str:
    # What NumPy does about errors is set by the view, so that it is no warning to look at infinities.
    parts = [part for part in random_parts(seed) if part[0].label != "NumPy's setting"] or random_parts(0)
    with autolab.using_config("train", True), np.errstate():
        return _outcome(parts, folder)


@each("seed", range(15))
def test_moves_of_programs_that_read_the_world(seed: int, tmp_path: Path) -> None:
    _check(seed, tmp_path)


@pytest.mark.parametrize("reading", [r for r in REFUSED if r.label.startswith("counter")], ids=lambda r: r.label)
def test_what_counts_does_not_move(reading: Reading, tmp_path: Path) -> None:
    assert "changes" in _outcome([(reading, FORMS[0])], tmp_path)


@pytest.mark.full
def test_moves_of_a_thousand_programs_that_read_the_world(tmp_path: Path) -> None:
    outcomes = [_check(seed, tmp_path) == "equal" for seed in range(1000)]
    assert 500 < sum(outcomes) < 990, f"{sum(outcomes)} equal, {len(outcomes) - sum(outcomes)} refused"
