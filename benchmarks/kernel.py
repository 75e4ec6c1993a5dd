"""What the views compute in the kernel: `python benchmarks/kernel.py [lenses] [curves] [--save]`.

- `lenses`, their cost: gradient checks of right and of wrong functions and of many weights, and a heatmap of a large
  array. The functions are those of the tests, at newly drawn points, so the extra `test` is needed. It also reports how
  many of the wrong ones were caught, and how many of the right ones were falsely accused.
- `curves`, what traced programs save when a function is computed at many points. Each row is computed in two ways in
  this process, by programs and point by point, in turns; the results are compared first.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any
from unittest import mock

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy starts its threads
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from speed.harness import Goals, tell

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "gradcheck"))
from check_subjects import CORRECT, draw_inputs, node
from more_wrong_backwards import MORE
from wrong_backwards import CULPRITS, inputs_of

import autolab
from autolab import check_gradients
from autolab import functions as F
from autolab import links as L
from autolab.analysis import Study
from autolab.analysis.curves import quickly
from autolab.analysis.ladder import Ladder
from autolab.gradcheck import GradientReport
from autolab.transforms.tracing import BatchEvaluator
from autolab.views.heatmap.board import Board, gather
from autolab.views.heatmap.heatmap import Heatmap


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """The seconds taken, and the result."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


# --------------------------------------------------------------------------------------------------------- lenses
LENSES: Goals = {
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


def of_checks(checks: list[Callable[[], GradientReport]]) -> tuple[list[GradientReport], dict[str, float]]:
    """The reports, and the medians of their costs."""
    found = [timed(check) for check in checks]
    reports = [report for _, report in found]
    return reports, {
        "evaluations": median([report.evaluations for report in reports]),
        "ms": 1000 * median([seconds for seconds, _ in found]),
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

    reports, found = of_checks([check(k) for k in range(draws)])
    return {**found, "missed": sum([report.verdict != "wrong" for report in reports])}


def weights(shape: tuple[int, int]) -> dict[str, Any]:
    """One weight matrix with a right gradient, and with one that is wrong at a single weight."""
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
    sent = sum([len(panel["cells"]) for panel in shown["panels"]])
    view.close()
    return {"s": seconds, "bytes": sent}


def lenses(draws: int = 400, weight_shape: tuple[int, int] = WEIGHTS, array_shape: tuple[int, int] = HEATMAP) -> Any:
    """All figures by name."""
    parts = {"right": right(draws), "wrong": wrong(draws), "weights": weights(weight_shape)}
    parts["heatmap"] = heatmap(array_shape)
    return {f"{part}_{name}": value for part, found in parts.items() for name, value in found.items()}


# --------------------------------------------------------------------------------------------------------- curves
ROUNDS = 3
RNG = np.random.default_rng(0)
V, W, B = RNG.normal(size=(16, 16)), RNG.normal(size=(16, 1)), RNG.normal(size=16)
X, T = RNG.normal(size=(32, 4)), RNG.integers(0, 3, 32)


def net(x: Any) -> Any:
    return F.sum(B * F.tanh(V @ F.tanh(W @ F.reshape(x, shape=(1,)) + B)))


def recurrent(x: Any) -> Any:
    h = np.zeros(16)
    for _ in range(5):
        h = F.tanh(V @ h + x * B)
    return F.sum(h * B)


class Layers(L.Chain):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = L.Linear(4, 8), L.Linear(8, 3)

    def __call__(self, x: Any) -> Any:
        return self.second(F.relu(self.first(x)))


def rosenbrock(x: Any, y: Any) -> Any:
    return (1 - x) ** 2 + 100 * (y - x * x) ** 2


MODEL = Layers()
HELD = Ladder("benchmark", recurrent, 2)
CURVES: dict[str, Callable[[], np.ndarray]] = {
    "derivatives, net": lambda: Study(net, 0.5, 2, (-2.0, 2.0)).data.curves.y,
    "derivatives, recurrent net": lambda: Study(recurrent, 0.5, 1, (-2.0, 2.0)).data.curves.y,
    "curves of the orders, at first": lambda: quickly(Ladder("benchmark", net, 2), (-2.0, 2.0), True).y,
    "curves of the orders, moved": lambda: quickly(HELD, (-2.0, 2.0), True).y,
    "surface, two numbers": lambda: autolab.surface(rosenbrock, (0.5, 0.5)).values,
    "surface, net of two layers": lambda: autolab.surface(lambda m: F.softmax_cross_entropy(m(X), T), MODEL).values,
}


def one_by_one(compute: Callable[[], np.ndarray]) -> np.ndarray:
    with mock.patch.object(BatchEvaluator, "at", lambda self, points, others=(): None):
        return compute()


def curves() -> dict[str, float]:
    """Milliseconds point by point and by programs, and the ratio of the two."""
    found = {}
    for name, compute in CURVES.items():
        rounds = []
        for _ in range(ROUNDS):
            slow, expected = timed(lambda compute=compute: one_by_one(compute))
            fast, values = timed(compute)
            np.testing.assert_allclose(values, expected, rtol=1e-9, atol=1e-9)
            rounds.append((1000 * slow, 1000 * fast, slow / fast))
        found |= {
            f"{name}: {what}": median(times) for what, times in zip(SHOWN, zip(*rounds, strict=True), strict=True)
        }
    return found


SHOWN = {"one by one": "ms", "program": "ms", "gain": "times"}
GAINS: Goals = {f"{name}: {what}": (None, unit) for name in CURVES for what, unit in SHOWN.items()}

if __name__ == "__main__":
    tell(__doc__, {"lenses": (lenses, LENSES), "curves": (curves, GAINS)})
