"""Layers that normalize groups of channels, single channels, or by the root of the mean square."""

from __future__ import annotations

import numpy as np
import pytest

import autolab
from autolab import functions as F
from autolab import links as L
from autolab.links import Link

x = np.random.default_rng(0).normal(2.0, 3.0, (3, 4, 5))
gamma, beta = np.array([1.0, -2.0, 0.5, 3.0]), np.array([0.0, 1.0, -1.0, 2.0])


def filled(link: Link) -> Link:
    """The link with numbers of its own in its parameters."""
    link(x)
    for name, parameter in link.namedparams():
        parameter.data[...] = gamma[: parameter.size] if name.endswith("gamma") else beta[: parameter.size]
    return link


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        (L.GroupNormalization(2, 4), lambda: F.group_norm(x, 2, gamma, beta, eps=1e-5)),
        (L.GroupNormalization(2), lambda: F.group_norm(x, 2, gamma, beta, eps=1e-5)),
        (L.GroupNormalization(4, eps=0.1), lambda: F.group_norm(x, 4, gamma, beta, eps=0.1)),
        (L.InstanceNormalization(), lambda: F.instance_norm(x, gamma, beta, eps=1e-5)),
    ],
    ids=["groups", "size of the first input", "eps", "instance"],
)
def test_it_scales_and_shifts_what_the_function_normalizes(link: Link, expected) -> None:
    y = filled(link)(x.astype(np.float32))
    np.testing.assert_allclose(y.data, expected().data, rtol=1e-4, atol=1e-5)
    assert y.dtype == np.float32
    y.sum().backward()
    for _, parameter in link.namedparams():
        assert parameter.grad is not None and parameter.grad.shape == (4,)


def test_the_root_mean_square_has_a_scale_and_no_offset() -> None:
    link = L.RMSNormalization(5)
    assert [name.rsplit("/")[-1] for name, _ in link.namedparams()] == ["gamma"]
    y = link(x)
    np.testing.assert_allclose((y.data**2).mean(axis=-1), 1.0, rtol=1e-4)
    assert autolab.check_gradients(lambda a: link(a), x[:1]).verdict == "right"


@pytest.mark.parametrize("link", [L.GroupNormalization(2, 6), L.InstanceNormalization(6), L.RMSNormalization(6)])
def test_another_size_is_refused(link: Link) -> None:
    with pytest.raises(ValueError, match=r"gamma has shape \(6,\); expected"):
        link(x)
