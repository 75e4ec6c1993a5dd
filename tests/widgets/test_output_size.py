"""R16: what views weigh in a notebook."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autolab.widgets.explorer import Explorer

from .programs import LAYER, layer, muladd, twenty

PER_OUTPUT = 200_000


def output_bytes(view: Explorer) -> int:
    """What the cell's output weighs."""
    data, _ = view._repr_mimebundle_()
    return len(json.dumps(data))


def state_bytes(view: Explorer) -> int:
    """What a notebook saves of the view's widgets, the module's text included."""
    state = {**view.get_state(), **view.layout.get_state()}
    return len(json.dumps(state, default=lambda b: base64.b64encode(bytes(b)).decode()))


def chain(A: Any) -> Any:
    for _ in range(30):
        A = np.tanh(A)
    return A.sum()


@pytest.mark.parametrize(
    ("fn", "inputs", "state"),
    [
        (muladd, {"x": 2.0, "y": 3.0, "z": 4.0}, 130_000),
        (twenty, {"x": 0.5, "y": 2.0}, 200_000),
        (layer, LAYER, 200_000),
        (chain, {"A": np.random.default_rng(0).normal(size=(100, 100))}, 300_000),
    ],
)
def test_an_output_and_its_saved_state_are_small(
    explorer: Callable[..., Explorer], fn: Any, inputs: dict[str, Any], state: int
) -> None:
    view = explorer(fn, **inputs)
    assert output_bytes(view) <= PER_OUTPUT
    assert state_bytes(view) <= state
