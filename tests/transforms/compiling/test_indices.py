"""Training steps in which arrays of integers and truth values select, compare and count, compiled beside plain."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from helpers.each import each
from helpers.steps_with_indices import LOSSES, K, world

import autolab
from autolab import links as L
from autolab import optimizers

WAYS = ("input", "closure", "attribute", "item")


def losses_and_parameters(loss: Any, way: str, seed: int, compiled: bool) -> tuple[list[Any], list[str], int]:
    """Five updates with other labels each: the bits of losses and parameters, and whether it was refused."""
    rng = np.random.default_rng(seed)
    net, held, box = L.Linear(3, K), world(), {"t": None}
    optimizer = optimizers.Adam(0.1).setup(net)
    labels: Any = None

    def forward(x: Any, t: Any) -> Any:
        net.cleargrads()
        found = loss(net(x), t, x, held)
        found.backward()
        optimizer.update()
        return found

    steps = {
        "input": lambda x, t: forward(x, t),
        "closure": lambda x, t: forward(x, labels),
        "attribute": lambda x, t: forward(x, held.labels),
        "item": lambda x, t: forward(x, box["t"]),
    }
    step = autolab.compile(steps[way]) if compiled else steps[way]
    bits: list[Any] = []
    for _ in range(5):
        x, t = rng.normal(size=(6, 3)).astype("f"), rng.integers(0, K, 6)
        labels = held.labels = box["t"] = t
        found = step(x, t) if way == "input" else step(x, None)
        bits += [found.data.tobytes(), found.dtype, *[p.data.tobytes() for p in net.params()]]
    return bits, step.refusals if compiled else [], max([p.calls for p in step.programs], default=0) if compiled else 0


@each("seed", [0, *[pytest.param(i, marks=pytest.mark.full) for i in range(1, 20)]])
def test_labels_and_masks_change(seed: int) -> None:
    wrong = []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for i, (name, loss) in enumerate(LOSSES.items()):
            for way in ("input", WAYS[1 + i % 3])[: 1 + ((i + seed) % 3 == 0)]:
                with autolab.using_config("rng", np.random.default_rng(seed)):
                    plain, _, _ = losses_and_parameters(loss, way, seed, False)
                with autolab.using_config("rng", np.random.default_rng(seed)):
                    compiled, refusals, calls = losses_and_parameters(loss, way, seed, True)
                if compiled != plain:
                    wrong.append(f"{name}, {way}: other bits")
                if refusals or (way == "input" and not calls):
                    wrong.append(f"{name}, {way}: {refusals}, {calls} runs")
    assert not wrong, "\n".join(wrong)
