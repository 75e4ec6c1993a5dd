"""Functions that casts, masks, errstate or warnings lead elsewhere: Python's numbers at every point, or a refusal."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from helpers.each import each
from helpers.programs_with_escapes import LOSSES, NOTICED, Loss
from playwright.sync_api import Page

import autolab
from autolab import Variable, grad
from autolab import functions as F
from autolab.analysis.ladder import Ladder
from autolab.engine.undisturbed import quietly
from autolab.transforms.tracing import ArrayProgram, Untraceable, replay, trace
from autolab.transforms.tracing.program import to_json, why_not

from .test_evaluator import COMPARE, bare, numbers  # noqa: F401 (a fixture)

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # as in a session, where they are no errors

RNG = np.random.default_rng(0)
POINTS = np.concatenate(
    [RNG.normal(size=(20, 2)), RNG.uniform(-3, 5, (22, 2)), RNG.uniform(-300, 300, (6, 2)), [[0.0, -0.0], [-0.5, 2.0]]]
)
MOST_REFUSED = 19
"""Of the programs; more would mean that something is refused that was computed before."""


def run(loss: Loss) -> Any:
    def value_and_slope(array: Any) -> list[Any]:
        x = Variable(array)
        y = loss(x)
        return [y.data, grad(y, x).data]

    return value_and_slope


def plainly(function: Any, point: np.ndarray) -> Any:
    """What Python computes, as in a session where warnings are printed; None where it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(point)
        except Exception:
            return None


def programs() -> list[tuple[int, ArrayProgram | None]]:
    found: list[tuple[int, ArrayProgram | None]] = []
    for i, loss in enumerate(LOSSES):
        starts = [point for point in POINTS if plainly(run(loss), point) is not None]
        for start in starts[:6]:
            try:
                with quietly():
                    found.append((i, trace(run(loss), [start])))
                break
            except Untraceable:
                continue
        else:
            found.append((i, None))
    return found


def test_a_program_gives_pythons_numbers_or_none() -> None:
    traced, equal = programs(), 0
    for i, program in traced:
        if program is None:
            continue
        with np.errstate(all="ignore"):
            found, fits = replay(program, [POINTS])
        for k in np.flatnonzero(fits):
            expected = plainly(run(LOSSES[i]), POINTS[k])
            assert expected is not None, (i, POINTS[k])
            for a, b in zip(found, expected, strict=True):
                np.testing.assert_allclose(a[k], b, rtol=1e-9, err_msg=f"program {i} at {POINTS[k]}")
            equal += 1
    assert sum([program is None for _, program in traced]) <= MOST_REFUSED and equal > 2500


@pytest.mark.browser
def test_a_page_gives_pythons_numbers_or_says_that_it_needs_python(bare: Page) -> None:  # noqa: F811
    moved = 0
    for i, program in programs():
        if program is None or why_not(program):
            continue
        with np.errstate(all="ignore"):
            found, fits = replay(program, [POINTS])
        expected = [[numbers(a[k]) for a in found] if fits[k] else None for k in range(len(POINTS))]
        gaps = bare.evaluate(COMPARE, [to_json(program), [[numbers(p)] for p in POINTS], expected])
        assert not gaps, (i, gaps[:3])
        assert bare.evaluate(FITS, [to_json(program), [[numbers(p)] for p in POINTS]]) == fits.tolist(), i
        moved += 1
    assert moved > 45


FITS = """([program, points]) => {
  const evaluator = makeEvaluator(program);
  return points.map((inputs) => evaluator.run(inputs.map((values) => values.map(Number))).fits);
}"""


@each("loss", [*NOTICED, LOSSES[0], LOSSES[1], LOSSES[4], LOSSES[40], LOSSES[42], LOSSES[60]])
def test_a_surface_shows_what_the_loss_is_everywhere(loss: Loss) -> None:
    found = autolab.surface(loss, np.array([0.5, 1.0]), directions="axes", span=2.5, steps=15)
    for i, y in enumerate(found.y):
        for j, x in enumerate(found.x):
            expected = plainly(loss, Variable(np.array([x, y])))
            np.testing.assert_allclose(found.values[i, j], float(expected.data), rtol=1e-9, err_msg=f"{x}, {y}")


@each("loss", [*NOTICED, LOSSES[0], LOSSES[1], LOSSES[4], LOSSES[40], LOSSES[60]])
def test_a_curve_shows_what_the_function_is_everywhere(loss: Loss) -> None:
    xs = np.linspace(-3, 6, 121)
    found = Ladder("test", lambda x: loss(F.stack([x, 2 - x])), 0).at(xs)[0]
    for x, y in zip(xs, found, strict=True):
        expected = float(plainly(loss, F.stack([Variable(x), Variable(2 - x)])).data)
        assert y == pytest.approx(expected, rel=1e-9, nan_ok=True) or not np.isfinite(expected), x
