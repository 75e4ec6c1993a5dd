"""What is zero but for rounding is right in every scale."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import functions as F


def subjects(rng: np.random.Generator) -> Iterator[tuple[str, Any, tuple[Any, ...]]]:
    """Saturated functions, functions that ignore a shift or a scale, and functions whose terms cancel."""
    n, s = int(rng.integers(2, 6)), 10 ** rng.uniform(-1, 1.5)
    x, z, w = rng.normal(size=n) * s, rng.normal(size=(n, 3)), rng.normal(size=(n, 3))
    c, k, t = rng.normal(size=(n, 1)), rng.uniform(0.3, 3, size=(n, 1)), rng.integers(0, 3, n)

    def by_hand(z: Any, c: Any) -> Any:
        e = autolab.exp(z + c)
        p = e / e.sum(axis=1, keepdims=True)
        return -autolab.log(p[np.arange(n), t]).mean()

    yield "squares", lambda x: F.softmax(x * x), (x,)
    yield "reversed", lambda x: F.softmax(x * x[::-1]), (x,)
    yield "logistic", lambda x: F.sigmoid(x * x * 9), (x,)
    yield "scaled", lambda x: F.softmax(40 * x) * x, (x,)
    yield "tanh", lambda x: F.tanh(x * 3) * x, (x,)
    yield "log_softmax", lambda z: F.log_softmax(z * s, axis=1), (z,)
    yield "shift of softmax", lambda z, c: F.softmax(z + c, axis=1), (z, c)
    yield "shift of log_softmax", lambda z, c: F.log_softmax(z + c, axis=1)[np.arange(n), t].mean(), (z, c)
    yield "shift of a loss", lambda z, c: F.softmax_cross_entropy(z + c, t), (z, c)
    yield "shift by hand", by_hand, (z, c)
    yield "one shift by hand", by_hand, (z, c[0, 0])
    yield "centred", lambda z, c: ((z + c - (z + c).mean(axis=1, keepdims=True)) ** 2 * w).sum(), (z, c)
    yield "scale of a unit vector", lambda z, k: (F.normalize(z * k) ** 3).sum(), (z, k)
    yield "scale of a cosine", lambda z, k: F.cosine_similarity(z * k, w).sum(), (z, k)
    yield "scale of a deviation", lambda z, k: (z * k / (z * k).std(axis=1, keepdims=True)).sum(), (z, k)
    yield "ratio", lambda k, z: (z * k).sum(axis=1) / k[:, 0], (k, z)
    yield "circle", lambda x: F.sin(x) ** 2 + F.cos(x) ** 2, (x,)
    yield "probabilities", lambda z: F.softmax(z, axis=1).sum(axis=1), (z,)
    yield "logarithms", lambda k: F.log(k * 3) - F.log(k), (k,)
    yield "exponentials", lambda x: F.exp(x) * F.exp(-x), (x / s,)


def _tried(seed: int, rounds: int) -> tuple[int, list[str], list[str]]:
    rng, count = np.random.default_rng(seed), 0
    accused, undecided = [], []
    for _ in range(rounds):
        for name, fn, given in subjects(rng):
            report, count = autolab.check_gradients(fn, *given), count + 1
            accused += [f"{name}: {report}"] if report.verdict == "wrong" else []
            said = "float32" in str(report) or "float16" in str(report)
            undecided += [f"{name}: {report}"] if report.verdict == "cannot tell" or said else []
    return count, accused, undecided


def test_a_slope_of_zero_is_right_in_every_scale() -> None:
    count, accused, undecided = _tried(7, 1)
    assert not accused, accused[0]
    assert len(undecided) <= count // 100 + 1, "\n".join(undecided)


@pytest.mark.full
def test_a_slope_of_zero_is_right_in_every_scale_in_a_thousand_draws() -> None:
    count, accused, undecided = _tried(11, 60)
    assert not accused, accused[0]
    assert len(undecided) <= count // 100, "\n".join(undecided[:5])
