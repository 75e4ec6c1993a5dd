"""Mistakes in the backward of layers, as students write them by hand: convolutions, batch norm, weighted losses."""

from __future__ import annotations

import numpy as np
import pytest
from check_subjects import node

from autolab import check_gradients


def _windows(x, width, pad=0):
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    return np.lib.stride_tricks.sliding_window_view(x, (width, width), axis=(2, 3))


def _convolved(x, w, pad=0):
    return np.einsum("nchwkl,ockl->nohw", _windows(x, w.shape[2], pad), w)


def _back_to_x(g, w):
    """The gradient of the padded input."""
    return _convolved(g, w.transpose(1, 0, 2, 3)[:, :, ::-1, ::-1], pad=w.shape[2] - 1)


def _back_to_w(g, x, pad=0):
    return np.einsum("ncklhw,nohw->ockl", _windows(x, g.shape[2], pad), g)


def _upsampled(x):
    return np.repeat(np.repeat(x, 2, axis=2), 2, axis=3)


CLASSES = np.array([0, 1, 2, 1])
WEIGHTS = np.array([1.0, 5.0, 0.5])[CLASSES]


def _softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def _weighted_loss(x):
    return -(WEIGHTS * np.log(_softmax(x)[np.arange(4), CLASSES])).sum() / WEIGHTS.sum()


def _weighted_backward(g, x, divisor):
    return g * (_softmax(x) - np.eye(3)[CLASSES]) / divisor


def _normal(x):
    mean = x.mean(axis=0)
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(axis=0) + 1e-5)


def _normal_backward(g, x, count):
    y = _normal(x)
    return (g - g.mean(axis=0) - y * (g * y).sum(axis=0) / count) / np.sqrt(x.var(axis=0) + 1e-5)


IMAGES, KERNEL, ROWS = (2, 2, 5, 5), (3, 2, 3, 3), (6, 3)
CASES = {
    "kernel not reversed": (
        lambda x, w: _convolved(x, w),
        lambda g, x, w: (_back_to_x(g, w[:, :, ::-1, ::-1]), _back_to_w(g, x)),
        (IMAGES, KERNEL),
        ("rearranged", "uses inputs[1] in the wrong order (it is reversed along axes 2 and 3)"),
    ),
    "gradient of the kernel reversed": (
        lambda x, w: _convolved(x, w),
        lambda g, x, w: (_back_to_x(g, w), _back_to_w(g, x)[:, :, ::-1, ::-1]),
        (IMAGES, KERNEL),
        ("rearranged", "it is reversed along axes 2 and 3"),
    ),
    "padding left on": (
        lambda x, w: _convolved(x, w, 1),
        lambda g, x, w: (_back_to_x(g, w)[:, :, :5, :5], _back_to_w(g, x, 1)),
        (IMAGES, KERNEL),
        ("rearranged", "it is shifted by 1 along axes 2 and 3, and what is pushed out is lost"),
    ),
    "padding taken off twice": (
        lambda x, w: _convolved(x, w, 1),
        lambda g, x, w: (_back_to_x(g, w)[:, :, 2:, 2:], _back_to_w(g, x, 1)),
        (IMAGES, KERNEL),
        ("rearranged", "it is shifted by −1 along axes 2 and 3, and what is pushed out is lost"),
    ),
    "one of four copies": (
        _upsampled,
        lambda g, x: g[:, :, ::2, ::2].copy(),
        ((1, 2, 3, 3),),
        ("local_error", "those that are used in several places: they get the share of the first one only"),
    ),
    "N - 1": (
        _normal,
        lambda g, x: _normal_backward(g, x, count=5),
        (ROWS,),
        ("missing_term", "is 6/5 times what it should be"),
    ),
    "mean for a weighted mean": (
        _weighted_loss,
        lambda g, x: _weighted_backward(g, x, 4.0 / WEIGHTS[:, None]),
        ((4, 3),),
        ("wrong_factor", "is 2.875 times what it should be"),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_mistake_is_named(name):
    forward, backward, shapes, (kind, said) = CASES[name]
    rng = np.random.default_rng(3)
    report = check_gradients(node(forward, backward), *[rng.normal(size=shape) for shape in shapes])
    (finding,) = [finding for finding in report.findings if not finding.innocent]
    assert finding.kind == kind and said in finding.message, str(report)


@pytest.mark.parametrize("pad", [0, 1])
def test_right_ones_of_all_shapes_are_right(pad):
    rng = np.random.default_rng(4)
    function = node(
        lambda x, w: _convolved(x, w, pad),
        lambda g, x, w: (_back_to_x(g, w)[:, :, pad : pad + x.shape[2], pad : pad + x.shape[3]], _back_to_w(g, x, pad)),
    )
    for shapes in ((IMAGES, KERNEL), ((3, 3, 3, 3), (3, 3, 3, 3))):
        assert check_gradients(function, *[rng.normal(size=shape) for shape in shapes]).verdict == "right"


def test_another_order_that_the_function_refuses_is_no_answer():
    """A matrix with its rows in another order has no Cholesky decomposition."""
    a, x = np.array([[2.0, 0.3, 0.1], [0.3, 1.0, 0.2], [0.1, 0.2, 3.0]]), np.array([0.5, -1.0, 2.0])
    mixed = np.array([[1.0, 2.0, -1.0], [0.5, 3.0, 1.0], [2.0, -1.0, 4.0]])
    function = node(lambda a, x: np.linalg.cholesky(a) @ x, lambda g, a, x: (None, mixed @ g))
    (finding,) = [finding for finding in check_gradients(function, a, x).findings if finding.input == "inputs[1]"]
    assert finding.kind == "wrong_function"


def test_calls_at_another_order_are_counted():
    calls = [0]

    def counted(x, w):
        calls[0] += 1
        return _convolved(x, w)

    _, backward, shapes, _ = CASES["kernel not reversed"]
    rng = np.random.default_rng(3)
    report = check_gradients(node(counted, backward), *[rng.normal(size=shape) for shape in shapes])
    assert report.evaluations >= 0.9 * calls[0]
