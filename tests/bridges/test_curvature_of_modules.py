"""autolab.curvature of PyTorch's modules and JAX's pytrees: the numbers of AutoLab's own network."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: make test-bridges")
jax = pytest.importorskip("jax", reason="needs JAX: make test-bridges")

import autolab
from autolab import functions as F
from autolab.analysis.curvature import Curvature


def _weights(hidden: int) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    rng = np.random.default_rng(hidden)
    shapes = ((hidden, 4), (hidden,), (3, hidden), (3,))
    return (
        [rng.normal(size=s).astype("f") for s in shapes],
        rng.normal(size=(30, 4)).astype("f"),
        rng.integers(0, 3, 30),
    )


def _facts(found: Curvature) -> list[Any]:
    ends = [(end.value, end.losses[0]) for end in (found.largest, found.smallest)]
    return [found.loss, found.gradient_norm, *ends, found.trace, [layer.trace for layer in found.layers]]


def test_three_libraries_agree() -> None:
    """The same network in AutoLab, PyTorch and JAX, measured and estimated."""
    for hidden in (9, 40):
        (w1, b1, w2, b2), x, t = _weights(hidden)

        def own(w1: Any, b1: Any, w2: Any, b2: Any, x: Any, t: Any) -> Any:
            return F.softmax_cross_entropy(F.linear(F.tanh(F.linear(x, w1, b1)), w2, b2), t)

        net = torch.nn.Sequential(torch.nn.Linear(4, hidden), torch.nn.Tanh(), torch.nn.Linear(hidden, 3))
        with torch.no_grad():
            for p, given in zip(net.parameters(), (w1, b1, w2, b2), strict=True):
                p.copy_(torch.as_tensor(given))

        def of_params(p: Any, x: Any, t: Any) -> Any:
            scores = jax.numpy.tanh(x @ p["0"]["w"].T + p["0"]["b"]) @ p["1"]["w"].T + p["1"]["b"]
            return -jax.nn.log_softmax(scores)[jax.numpy.arange(len(t)), t].mean()

        tree = {"0": {"b": b1, "w": w1}, "1": {"b": b2, "w": w2}}
        tree = jax.tree_util.tree_map(jax.numpy.asarray, tree)
        mine = _facts(autolab.curvature(own, (w1, b1, w2, b2), x, t))
        of_torch = _facts(
            autolab.curvature(
                lambda net, x, t: torch.nn.functional.cross_entropy(net(x), t), net, torch.tensor(x), torch.tensor(t)
            )
        )
        of_jax = _facts(autolab.curvature(of_params, tree, x, t))
        by_layer = [mine[-1][0] + mine[-1][1], mine[-1][2] + mine[-1][3]]
        exact = hidden == 9
        for other in (of_torch, of_jax):
            assert np.allclose(np.array(other[:2]), mine[:2], rtol=1e-4)
            assert np.allclose(np.array(other[2:4]), np.array(mine[2:4]), rtol=1e-3 if exact else 5e-2)
            if exact:
                assert np.allclose(other[-1], by_layer, rtol=1e-3, atol=1e-4)


def test_a_module_stays_as_it_is() -> None:
    """With batch normalization in training mode, a dropout, a frozen parameter and one that is not used."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(
        torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.ReLU(), torch.nn.Dropout(0.5), torch.nn.Linear(8, 1)
    )
    net[0].bias.requires_grad_(False)
    net.extra = torch.nn.Parameter(torch.ones(2))
    x = torch.randn(16, 4)
    before = {name: value.clone() for name, value in net.state_dict().items()}
    drawn = torch.get_rng_state()
    found = autolab.curvature(lambda net, x: (net(x) ** 2).mean(), net, x)
    assert all(torch.equal(value, before[name]) for name, value in net.state_dict().items())
    assert torch.equal(drawn, torch.get_rng_state()) and all(p.grad is None for p in net.parameters())
    assert found.largest.losses[len(found.distances) // 2] == pytest.approx(found.loss, rel=1e-5)
    assert [layer.name for layer in found.layers] == ["extra", "0", "1", "4"]
    assert found.layers[0].trace == 0 and found.size == 2 + 32 + 16 + 9
    assert set(found.largest.direction) == {name for name, p in net.named_parameters() if p.requires_grad}


def test_what_is_refused_by_name() -> None:
    frozen = torch.nn.Linear(2, 1).requires_grad_(False)
    for call, kind, words in (
        (lambda: autolab.curvature(lambda net: net.weight.sum(), frozen), ValueError, "no parameters that require"),
        (lambda: autolab.curvature(lambda x: x, torch.ones(2)), ValueError, "curvature: the loss is .*one number"),
        (lambda: autolab.curvature(lambda x: x.sum(), torch.ones(2, dtype=int)), TypeError, "curvature: p\\[0\\] is"),
        (lambda: autolab.curvature(lambda x: x, jax.numpy.ones(2)), ValueError, "curvature: the loss is .*one number"),
        (lambda: autolab.curvature(lambda p: p["n"].sum(), {"n": jax.numpy.arange(3)}), TypeError, "curvature: n is"),
    ):
        with pytest.raises(kind, match=words):
            call()
