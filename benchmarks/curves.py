"""What traced programs save where a function is computed at many points: `python benchmarks/curves.py [--save]`.

Each row is computed twice in this process, by programs and point by point, in turns; the numbers are compared first.
`--save` writes results/curves.json.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any
from unittest import mock

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy starts its threads
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import autolab
from autolab import functions as F
from autolab import links as L
from autolab.analysis import Study
from autolab.analysis.curves import quickly
from autolab.analysis.ladder import Ladder
from autolab.shared.files import write
from autolab.transforms.tracing import Branches

ROUNDS = 3
RESULTS = Path(__file__).parent / "results" / "curves.json"
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


class Mlp(L.Chain):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = L.Linear(4, 8), L.Linear(8, 3)

    def __call__(self, x: Any) -> Any:
        return self.second(F.relu(self.first(x)))


def rosenbrock(x: Any, y: Any) -> Any:
    return (1 - x) ** 2 + 100 * (y - x * x) ** 2


MODEL = Mlp()
HELD = Ladder("benchmark", recurrent, 2)
ROWS: dict[str, Callable[[], np.ndarray]] = {
    "derivatives, net": lambda: Study(net, 0.5, 2, (-2.0, 2.0)).data.curves.y,
    "derivatives, recurrent net": lambda: Study(recurrent, 0.5, 1, (-2.0, 2.0)).data.curves.y,
    "curves of the orders, at first": lambda: quickly(Ladder("benchmark", net, 2), (-2.0, 2.0), True).y,
    "curves of the orders, moved": lambda: quickly(HELD, (-2.0, 2.0), True).y,
    "surface, two numbers": lambda: autolab.surface(rosenbrock, (0.5, 0.5)).values,
    "surface, net of two layers": lambda: autolab.surface(lambda m: F.softmax_cross_entropy(m(X), T), MODEL).values,
}


def one_by_one(compute: Callable[[], np.ndarray]) -> np.ndarray:
    with mock.patch.object(Branches, "at", lambda self, points, others=(): None):
        return compute()


def timed(compute: Callable[[], Any]) -> tuple[float, Any]:
    start = perf_counter()
    found = compute()
    return 1000 * (perf_counter() - start), found


def main() -> None:
    rows = {}
    for name, compute in ROWS.items():
        rounds = []
        for _ in range(ROUNDS):
            slow, expected = timed(lambda compute=compute: one_by_one(compute))
            fast, found = timed(compute)
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
            rounds.append((slow, fast))
        slow, fast = (median(times) for times in zip(*rounds, strict=True))
        gain = median([one / other for one, other in rounds])
        rows[name] = {"one by one, ms": round(slow, 1), "program, ms": round(fast, 1), "times": round(gain, 1)}
        print(f"{name:38} {slow:9.1f} ms {fast:8.1f} ms {gain:6.1f} times")
    if "--save" in sys.argv[1:]:
        write(RESULTS, json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
