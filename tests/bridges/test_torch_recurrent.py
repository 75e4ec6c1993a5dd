"""Recurrent layers of the facade beside PyTorch's: the same names, values, and gradients of all parameters."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: make test-bridges")

from autolab.compat import torch as facade

LENGTH, BATCH, SIZES = 5, 2, (3, 4)


def settings() -> list[dict[str, Any]]:
    """Layers, directions, layouts, with and without biases and first states."""
    names = ("num_layers", "bidirectional", "batch_first", "bias", "batched", "given")
    return [dict(zip(names, values, strict=True)) for values in product((1, 2), *[(False, True)] * 5)]


def shapes(num_layers: int, bidirectional: bool, batch_first: bool, batched: bool) -> tuple[Any, Any]:
    """Those of the input and of a state."""
    runs = num_layers * (1 + bidirectional)
    if not batched:
        return (LENGTH, SIZES[0]), (runs, SIZES[1])
    return ((BATCH, LENGTH) if batch_first else (LENGTH, BATCH)) + (SIZES[0],), (runs, BATCH, SIZES[1])


def flat(found: Any) -> list[Any]:
    return [one for part in found for one in flat(part)] if isinstance(found, tuple) else [found]


def outcome(library: Any, module: Any, arrays: list[np.ndarray]) -> list[np.ndarray]:
    """Results, and the gradients of inputs and parameters for upstream gradients that differ."""
    x, *states = [library.tensor(array, requires_grad=True) for array in arrays]
    found = flat(module(x, None if not states else states[0] if len(states) == 1 else tuple(states)))
    upstream = [np.cos(np.arange(y.numel()) * (i + 1.3)).reshape(tuple(y.shape)) for i, y in enumerate(found)]
    sum([(y * library.tensor(u.astype(np.float32))).sum() for y, u in zip(found, upstream, strict=True)]).backward()
    return [*[y.detach().numpy() for y in found], *[leaf.grad.numpy() for leaf in (x, *states, *module.parameters())]]


def compare(kind: str, shape: Any, state: Any, given: bool, **options: Any) -> None:
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=s) for s in (shape, *[state] * given * (1 + kind.startswith("LSTM")))]
    theirs, ours = [getattr(library.nn, kind)(*SIZES, **options) for library in (torch, facade)]
    ours.load_state_dict(theirs.state_dict())
    assert [*ours.state_dict()] == [*theirs.state_dict()] and repr(ours) == repr(theirs)
    given_arrays = [array.astype(np.float32) for array in arrays]
    for a, b in zip(outcome(facade, ours, given_arrays), outcome(torch, theirs, given_arrays), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_layers_give_what_pytorchs_give(kind: str) -> None:
    for one in settings():
        batched, given = one.pop("batched"), one.pop("given")
        shape, state = shapes(one["num_layers"], one["bidirectional"], one["batch_first"], batched)
        compare(kind, shape, state, given, **one)


@pytest.mark.parametrize("kind", ["LSTMCell", "GRUCell", "RNNCell"])
def test_cells_give_what_pytorchs_give(kind: str) -> None:
    for bias, batch, given in product((False, True), ((), (BATCH,)), (False, True)):
        compare(kind, (*batch, SIZES[0]), (*batch, SIZES[1]), given, bias=bias)


def test_weights_begin_where_pytorchs_begin() -> None:
    for library in (torch, facade):
        library.manual_seed(0)
        weights = [p.detach().numpy() for p in library.nn.LSTM(3, 100, 2).parameters()]
        assert [0.095 < float(np.abs(w).max()) <= 0.1 for w in weights] == [True] * 8
