"""autolab.curvature: beside the dense Hessian, with errors that hold, and for whatever a loss can be."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import functions as F
from autolab.analysis.curvature import Curvature, curvature


def _net(width: int, seed: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    net = autolab.links.MLP((4, width, width, 3))
    net(np.zeros((1, 4)))
    for p in net.params():
        p.data = rng.normal(size=p.shape) * 0.7
    return net, rng.normal(size=(40, 4)), rng.integers(0, 3, 40)


def _loss(net: Any, x: Any, t: Any) -> Any:
    return F.softmax_cross_entropy(F.tanh(net(x)), t)


def _dense(net: Any, x: Any, t: Any) -> np.ndarray:
    """The Hessian by central differences of the gradient."""
    params = list(net.params())
    flat = np.concatenate([p.data.reshape(-1) for p in params])

    def slope(at: np.ndarray) -> np.ndarray:
        start = 0
        for p in params:
            p.data = at[start : start + p.size].reshape(p.shape).copy()
            start += p.size
        return np.concatenate([g.data.reshape(-1) for g in autolab.grad(_loss(net, x, t), params)])

    rows = [(slope(flat + 1e-5 * e) - slope(flat - 1e-5 * e)) / 2e-5 for e in np.eye(flat.size)]
    slope(flat)
    return np.stack(rows)


def test_agrees_with_the_dense_hessian() -> None:
    """Of two networks, one of which is measured and one estimated: extreme values to 1 %, and within the errors stated;
    the trace and each layer's part of it within five standard errors."""
    for width, is_exact in ((6, True), (14, False)):
        net, x, t = _net(width, width)
        values, vectors = np.linalg.eigh(_dense(net, x, t))
        found = curvature(_loss, net, x, t)
        assert found.is_exact is is_exact and found.size == len(values)
        assert is_exact == (found.trace_error == 0)
        for end, i in ((found.largest, -1), (found.smallest, 0)):
            assert abs(end.value - values[i]) <= min(0.01 * abs(values[i]), end.error + 1e-6), (width, i)
            direction = np.concatenate([part.reshape(-1) for part in end.direction])
            assert abs(direction @ vectors[:, i]) > 0.999, (width, i)
        diagonal = np.diagonal(vectors @ np.diag(values) @ vectors.T)
        assert abs(found.trace - diagonal.sum()) <= 5 * found.trace_error + 1e-5
        start = 0
        for layer in found.layers:
            part = diagonal[start : start + layer.size].sum()
            assert abs(layer.trace - part) <= 5 * layer.trace_error + 1e-5, layer
            start += layer.size
        assert sum(layer.share for layer in found.layers) == pytest.approx(1)
        assert found.shares.sum() == pytest.approx(1)
        mean = float(found.places @ found.shares)
        assert mean * found.size == pytest.approx(found.trace, rel=1e-6), "the spectrum and the trace are of one sample"
        assert found.products == found.size if is_exact else found.products < 80 + 6 * 30 + 1


def test_the_errors_hold() -> None:
    """For quadratic losses with known spectra, close, apart, of both signs, or of low rank: an eigenvalue lies within
    the error of each extreme, and the extremes themselves are within 1 %."""
    rng, missed = np.random.default_rng(3), []
    spectra = {
        "even": np.linspace(-1, 3, 280),
        "close": np.r_[np.full(140, 1.0), np.full(140, 1.001)],
        "apart": np.r_[np.geomspace(1e-6, 1, 279), 1e4],
        "low rank": np.r_[np.zeros(275), 1, 2, 3, 4, -5],
        "negative": -np.geomspace(1, 100, 280),
        "tiny": np.linspace(1, 2, 280) * 1e-30,
    }
    for name, values in spectra.items():
        turn = np.linalg.qr(rng.normal(size=(280, 280)))[0]
        matrix = (turn * values) @ turn.T
        found = curvature(lambda x, m: (x @ m @ x) * 0.5, rng.normal(size=280), (matrix + matrix.T) / 2)
        scale = np.abs(values).max()
        for end, true in ((found.largest, values.max()), (found.smallest, values.min())):
            inside = np.abs(values - end.value).min() <= end.error + 1e-9 * scale
            if not inside or abs(end.value - true) > 0.01 * scale:
                missed.append((name, true, end.value, end.error))
    assert not missed


def test_losses_of_every_kind() -> None:
    """Lines bend nowhere; a parameter without influence has no curvature; a single number is enough."""
    line = curvature(lambda w: w.sum() * 2.0, np.ones(300))
    assert (line.largest.value, line.smallest.value, line.trace, line.largest_stable_rate) == (0, 0, 0, math.inf)
    unused = curvature(lambda a, b: (a * a).sum(), (np.ones(2), np.ones(3)))
    assert (unused.largest.value, unused.smallest.value) == (2, 0)
    assert [layer.trace for layer in unused.layers] == [4, 0]
    alone = curvature(lambda x: x**4, 2.0)
    assert (alone.largest.value, alone.trace, alone.largest_stable_rate) == (48, 48, 2 / 48)
    assert np.allclose(alone.largest.losses, (2.0 + np.sign(alone.largest.direction) * alone.distances) ** 4)


def test_nothing_of_the_model_changes() -> None:
    """Parameters, running averages and the random numbers that come next are as before; a dropout draws one mask."""
    net = autolab.links.Sequential(
        autolab.links.Linear(4, 8), autolab.links.BatchNormalization(8), F.relu, lambda h: F.dropout(h, 0.5)
    )
    x = np.random.default_rng(0).normal(size=(16, 4)).astype("f")
    before = [p.data.copy() for p in net.params()]
    averages = net[1].avg_mean.copy()
    found = curvature(lambda net, x: (net(x) ** 2).mean(), net, x, probes=2)
    assert all(np.array_equal(a, p.data) for a, p in zip(before, net.params(), strict=True))
    assert np.array_equal(averages, net[1].avg_mean)
    assert all(p.grad is None for p in net.params())
    assert found.largest.losses[len(found.distances) // 2] == pytest.approx(found.loss), "another mask was drawn"


def test_what_is_refused() -> None:
    x = np.ones(3)
    for call, kind, words in (
        (lambda: curvature(3.0, x), TypeError, "curvature: loss is .*; expected a function"),
        (lambda: curvature(lambda x: x, x), ValueError, r"curvature: the loss has shape \(3,\); expected one number"),
        (lambda: curvature(lambda: 1.0, autolab.links.Chain()), ValueError, "curvature: the model has no parameters"),
        (lambda: curvature(lambda x: (x * np.nan).sum(), x), ValueError, "curvature: the loss is nan .*not finite"),
        (lambda: curvature(lambda x: F.sqrt(x).sum(), np.zeros(3)), ValueError, "gradient is not finite"),
        (lambda: curvature(lambda x: x.sum(), x, probes=1), ValueError, "curvature: probes is 1"),
        (
            lambda: curvature(lambda x: x.sum(), np.ones(3, int)[:0]),
            ValueError,
            "curvature: the model has no parameters",
        ),
    ):
        with pytest.raises(kind, match=words):
            call()


def test_as_text_and_as_a_picture() -> None:
    found: Curvature = curvature(lambda x, y: x**2 - 3 * y**2, (1.0, 0.0))
    words = str(found)
    assert "second derivative of the loss is 2 in one direction and −6 in another" in words and "2 / 2 = 1" in words
    assert words.splitlines()[-1].split() == ["p[1]", "1", "−6", "0", "%"]
    page = found._repr_mimebundle_()["text/html"]
    assert page.count("<img") == 1 and "its parabola" in page and "<td>" in page
