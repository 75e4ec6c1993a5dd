"""Recurrent layers of Chainer along sequences of different lengths, beside NumPy, one sequence at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autolab
import autolab.compat.chainer as chainer
import autolab.compat.chainer.functions as F
import autolab.compat.chainer.links as L

LENGTHS = (2, 4, 1, 4)
KINDS = ["RNNTanh", "RNNReLU", "GRU", "LSTM"]


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def step(kind: str, ws: list[Any], bs: list[Any], x: np.ndarray, states: list[np.ndarray]) -> list[np.ndarray]:
    n = len(ws) // 2
    h, *memory = states
    pairs = list(zip(ws, bs, strict=True))
    xs, hs = [[w @ v + b for w, b in part] for v, part in ((x, pairs[:n]), (h, pairs[n:]))]
    if kind == "LSTM":
        i, f, a, o = [one + other for one, other in zip(xs, hs, strict=True)]
        c = sigmoid(f) * memory[0] + sigmoid(i) * np.tanh(a)
        return [sigmoid(o) * np.tanh(c), c]
    if kind == "GRU":
        r, z = sigmoid(xs[0] + hs[0]), sigmoid(xs[1] + hs[1])
        return [z * h + (1 - z) * np.tanh(xs[2] + r * hs[2])]
    return [np.tanh(xs[0] + hs[0]) if kind == "RNNTanh" else (xs[0] + hs[0]).clip(0)]


def expected(kind: str, link: Any, starts: list[np.ndarray], xs: list[np.ndarray]) -> tuple[list[Any], list[Any]]:
    ends, ys = [np.zeros_like(start) for start in starts], []
    for number, steps in enumerate(xs):
        for first in range(0, len(link), link.direction):
            ways = []
            for k in range(first, first + link.direction):
                count = 2 * link.n_gates
                ws = [getattr(link[k], f"w{i}").array for i in range(count)]
                bs = [getattr(link[k], f"b{i}").array for i in range(count)]
                states, seen = [start[k, number] for start in starts], []
                for x in steps if k == first else steps[::-1]:
                    states = step(kind, ws, bs, x, states)
                    seen.append(states[0])
                for end, state in zip(ends, states, strict=True):
                    end[k, number] = state
                ways.append(seen if k == first else seen[::-1])
            steps = np.concatenate(ways, axis=1)
        ys.append(steps)
    return ends, ys


def made(
    way: str, kind: str, dropout: float = 0.0, size: int = 5, lengths: tuple[int, ...] = LENGTHS
) -> tuple[Any, list[np.ndarray], list[np.ndarray]]:
    rng = np.random.default_rng(0)
    link = getattr(L, f"NStep{way}{kind}")(2, 3, size, dropout)
    for parameter in link.params():
        parameter.array = rng.normal(size=parameter.shape)
    starts = [rng.normal(size=(len(link), len(lengths), size)) for _ in range(1 + (kind == "LSTM"))]
    return link, starts, [rng.normal(size=(length, 3)) for length in lengths]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", ["", "Bi"])
def test_layers_run_along_each_sequence_to_its_end(way: str, kind: str) -> None:
    link, starts, xs = made(way, kind)
    *ends, ys = link(*starts, xs)
    told, results = expected(kind, link, starts, xs)
    for found, right in zip([*ends, *ys], [*told, *results], strict=True):
        assert type(found) is chainer.Variable
        np.testing.assert_allclose(found.array, right, rtol=1e-12)
    zeros = [np.zeros_like(start) for start in starts]
    np.testing.assert_array_equal(link(*[None] * len(starts), xs)[0].array, link(*zeros, xs)[0].array)


@pytest.mark.parametrize("kind", ["GRU", "LSTM"])
def test_gradients_reach_the_weights_the_inputs_and_the_first_states(kind: str) -> None:
    link, starts, xs = made("Bi", kind, size=2, lengths=(1, 2))

    def loss(start: Any, first: Any) -> Any:
        *ends, ys = link(start, *starts[1:], [first, *xs[1:]])
        return sum([F.sum(y * y) for y in [*ends, *ys]])

    parameters = tuple(link.params())
    assert autolab.check_gradients(loss, start=starts[0], first=xs[0]).passed
    chainer.gradient_check.check_backward(loss, (starts[0], xs[0]), None, parameters, dtype=np.float64, atol=1e-4)
    assert len(parameters) == len(link) * 2 * (8 if kind == "LSTM" else 6)


def test_names_sizes_and_dropout_are_chainers() -> None:
    link, starts, xs = made("", "LSTM", dropout=0.5)
    assert [path for path, _ in link.namedparams()][:3] == ["/0/w0", "/0/b0", "/0/w1"]
    assert (link[0].w0.shape, link[0].w4.shape, link[1].w0.shape) == ((5, 3), (5, 5), (5, 5))
    assert L.NStepBiLSTM(2, 3, 5, 0.0)[2].w0.shape == (5, 10)
    with chainer.using_config("train", False):
        calm = [link(*starts, xs)[2][0].array for _ in range(2)]
    np.testing.assert_array_equal(*calm)
    assert not np.allclose(link(*starts, xs)[2][0].array, calm[0])
