"""What the lenses cost: a gradient check of right and of wrong functions, of many weights, and a heatmap of much.

Right functions and wrong ones are those of the tests, at points drawn anew. Beside the cost, how many of the wrong ones
were caught and of the right ones accused. Needs the extra `test`. Prints a table and one line of JSON; `--save` writes
it under `results`.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from speed.figures import tell

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "gradcheck"))
from check_subjects import CORRECT, draw_inputs, node
from more_wrong_backwards import MORE
from wrong_backwards import CULPRITS, inputs_of

from autolab import check_gradients
from autolab.gradcheck import GradientReport
from autolab.views.heatmap.board import Board, gather
from autolab.views.heatmap.heatmap import Heatmap

GOALS: dict[str, tuple[float | None, str]] = {
    "right_evaluations": (250, ""),
    "right_ms": (50, "ms"),
    "right_accused": (0, ""),
    "right_checked": (None, ""),
    "wrong_evaluations": (500, ""),
    "wrong_ms": (50, "ms"),
    "wrong_missed": (0, ""),
    "wrong_checked": (None, ""),
    "weights_right_s": (2, "s"),
    "weights_wrong_s": (2, "s"),
    "weights_wrong_evaluations": (None, ""),
    "heatmap_s": (2, "s"),
    "heatmap_bytes": (256_000, "bytes"),
}
WEIGHTS = (512, 512)
HEATMAP = (10_000, 10_000)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds, and what came out."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def of_checks(checks: list[Callable[[], GradientReport]]) -> tuple[list[GradientReport], dict[str, float]]:
    """The reports, and the medians of what they cost."""
    found = [timed(check) for check in checks]
    reports = [report for _, report in found]
    return reports, {
        "evaluations": statistics.median([report.evaluations for report in reports]),
        "ms": 1000 * statistics.median([seconds for seconds, _ in found]),
        "checked": len(reports),
    }


def right(draws: int) -> dict[str, Any]:
    """Correct functions over shapes and scales."""

    def check(seed: int) -> Callable[[], GradientReport]:
        rng = np.random.default_rng([seed, 11])
        function, count, domain = list(CORRECT.values())[rng.integers(len(CORRECT))]
        inputs = draw_inputs(rng, count, domain)
        return lambda: check_gradients(function, *inputs, rng=rng)

    reports, found = of_checks([check(seed) for seed in range(draws)])
    return {**found, "accused": sum([report.verdict == "wrong" for report in reports])}


def wrong(draws: int) -> dict[str, Any]:
    """Wrong backwards of every kind."""
    culprits = list({**CULPRITS, **MORE}.values())

    def check(k: int) -> Callable[[], GradientReport]:
        culprit = culprits[k % len(culprits)]
        inputs = inputs_of(culprit, np.random.default_rng([k, 1]))
        return lambda: check_gradients(culprit.function, *inputs)

    reports, found = of_checks([check(k) for k in range(max(draws, len(culprits)))])
    return {**found, "missed": sum([report.verdict != "wrong" for report in reports])}


def weights(shape: tuple[int, int]) -> dict[str, Any]:
    """One matrix of weights with a right gradient, and with one that is wrong at a single weight."""
    w = np.random.default_rng(3).normal(size=shape)
    place = shape[0] // 5, shape[1] // 3

    def backward(g: Any, w: Any) -> Any:
        gradient = g * 2 * w
        gradient[place] *= 1.01
        return gradient

    good, report = timed(lambda: check_gradients(lambda w: np.sum(w * w), w))
    bad, found = timed(lambda: check_gradients(node(lambda w: (w * w).sum(), backward), w))
    if report.verdict != "right" or found.verdict != "wrong" or found.inputs[0].worst != place:
        raise SystemExit(f"the checks are wrong: {report}\n{found}")
    return {"right_s": good, "wrong_s": bad, "wrong_evaluations": found.evaluations}


def heatmap(shape: tuple[int, int]) -> dict[str, Any]:
    """From the array to the state that is sent to the page."""
    array = np.random.default_rng(0).standard_normal(shape, np.float32)
    seconds, view = timed(lambda: Heatmap(Board(gather((array,), {}), "value", "linear", True)))
    (shown,) = view.numbers.values()
    sent = sum(map(len, shown["cells"]))
    view.close()
    return {"s": seconds, "bytes": sent}


def measure(draws: int = 400, weight_shape: tuple[int, int] = WEIGHTS, array_shape: tuple[int, int] = HEATMAP) -> Any:
    """All figures by name."""
    parts = {"right": right(draws), "wrong": wrong(draws), "weights": weights(weight_shape)}
    parts["heatmap"] = heatmap(array_shape)
    return {f"{part}_{name}": value for part, found in parts.items() for name, value in found.items()}


if __name__ == "__main__":
    tell("lenses", __doc__, measure, GOALS)
