"""Gradients that students write beside a function, in the forms of courses, are compared; other results are not."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import autolab

rng = np.random.default_rng(0)
X, W, B = rng.normal(size=(5, 3)), rng.normal(size=(3, 2)), rng.normal(size=2)
T = np.array([0, 1, 0, 1, 1])


def forward(x, w, b):
    return np.maximum(x @ w + b, 0), (x, w, b)


def gradients(dout, cache):
    x, w, b = cache
    dout = dout * (x @ w + b > 0)
    return dout @ w.T, x.T @ dout, dout.sum(axis=0)


def test_a_pair_of_forward_and_backward() -> None:
    changes = [
        (lambda dx, dw, db: (dx, dw, db), None),
        (lambda dx, dw, db: [dx, dw, db], None),
        (lambda dx, dw, db: {"dx": dx, "dw": dw, "db": db}, None),
        (lambda dx, dw, db: {"b": db, "x": dx, "w": dw}, None),
        (lambda dx, dw, db: (dx, dw, db / 5), "b"),
        (lambda dx, dw, db: (dx, -dw, db), "w"),
        (lambda dx, dw, db: {"dx": 2 * dx, "dw": dw, "db": db}, "x"),
        (lambda dx, dw, db: (dx, dw), "b"),
    ]
    for change, guilty in changes:

        def backward(dout, cache, change=change):
            return change(*gradients(dout, cache))

        for given in (((X, W, B), {}), ((X,), {"w": W, "b": B}))[guilty is not None :]:
            report = autolab.check_gradients(forward, backward, *given[0], **given[1])
            wrong = [item.name for item in report.inputs if item.verdict == "wrong"]
            assert wrong == ([guilty] if guilty else []), str(report)
    with pytest.raises(TypeError, match=r"check_gradients\(forward, backward, x"):
        autolab.check_gradients(forward, X, W, B)


def softmax(w, x, t):
    scores = x @ w
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    loss = -np.log(p[np.arange(len(t)), t]).mean()
    p[np.arange(len(t)), t] -= 1
    return loss, x.T @ p / len(t)


def array_called_dw(w, x, t):
    loss, dw = softmax(w, x, t)
    return loss, dw


def array_called_grad(w, x, t):
    loss, grad = softmax(w, x, t)
    return loss, grad


def dictionary(w, b, x):
    s = x @ w + b
    cost = (s**2).sum()
    grads = {"dw": 2 * x.T @ s, "db": 2 * s.sum(axis=0)}
    return grads, cost


def two_of_one_shape(x, w):
    loss = (x * x * w).sum()
    dw, dx = x * x, 2 * x * w
    return loss, dw, dx


def without_n(w, x, t):
    loss, dw = softmax(w, x, t)
    return loss, dw * len(t)


def without_n_as_dictionary(w, x, t):
    loss, dw = softmax(w, x, t)
    dw = dw * len(t)
    return loss, {"w": dw}


def test_a_loss_and_its_gradient() -> None:
    for fn, given, guilty in (
        (array_called_dw, (W, X, T), None),
        (array_called_grad, (W, X, T), None),
        (dictionary, (W, B, X), None),
        (two_of_one_shape, (X, X + 1), None),
        (without_n_as_dictionary, (W, X, T), "w"),
    ):
        report = autolab.check_gradients(fn, *given)
        assert report.verdict == ("wrong" if guilty else "right"), str(report)
        if guilty:
            assert "5 times" in str(report)


def test_other_results_are_not_taken_for_gradients() -> None:
    def autoencoder(x, w):
        y = np.tanh(x @ w @ w.T)
        return ((y - x) ** 2).mean(), y

    def moments(x):
        mean, std = x.mean(), x.std()
        return mean, std

    def applied(f, x):
        return f(x)

    def inner(x):
        def both(z):
            dx = z * 2
            return z.sum(), dx

        return both(x)[0]

    cases: list[tuple[Any, ...]] = [(autoencoder, X, W), (moments, X), (applied, np.tanh, X), (inner, X)]
    for fn, *given in cases:
        assert autolab.check_gradients(fn, *given).verdict == "right"


# ---------------------------------------------------------------------- the very mistake, of a pair too
def recurrent(x, h, wx, wh):
    out = np.tanh(x @ wx + h @ wh)
    return out, (x, h, wx, wh, out)


def tanh_without_a_square(d, cache):
    x, h, wx, wh, out = cache
    z = d * (1 - out)
    return z @ wx.T, z @ wh.T, x.T @ z, h.T @ z


def weights_not_transposed(d, cache):
    x, h, wx, wh, out = cache
    z = d * (1 - out * out)
    return z @ wx.T, z @ wh, x.T @ z, h.T @ z


def rms_norm(x, w):
    r = np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6)
    return x / r * w, (x, w, r)


def weight_on_one_path(d, cache):
    x, w, r = cache
    h = x / r
    return (d * w - h * (d * h).mean(-1, keepdims=True)) / r, (d * h).sum(0)


def weight_of_what_was_not_normalised(d, cache):
    x, w, r = cache
    h, dh = x / r, d * w
    return (dh - h * (dh * h).mean(-1, keepdims=True)) / r, (d * x).sum(0)


def group_norm(x, gamma):
    z = x.reshape(len(x), 2, -1)
    s = np.sqrt(z.var(2, keepdims=True) + 1e-5)
    h = (z - z.mean(2, keepdims=True)) / s
    return h.reshape(x.shape) * gamma, (h, s, gamma)


def count_of_all_groups(d, cache):
    h, s, gamma = cache
    dh, count = (d * gamma).reshape(h.shape), h.shape[1] * h.shape[2]
    means = dh.sum(2, keepdims=True) / count, h * (dh * h).sum(2, keepdims=True) / count
    return ((dh - sum(means)) / s).reshape(d.shape), (d * h.reshape(d.shape)).sum(0)


def rotated(x):
    angle = np.arange(len(x))[:, None] / 10.0 ** np.arange(x.shape[1] // 2)
    (a, b), cos, sin = np.split(x, 2, axis=1), np.cos(angle), np.sin(angle)
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=1), None


def rotated_the_same_way(d, cache):
    return rotated(d)[0]


def cholesky(a):
    factor = np.linalg.cholesky((a + a.T) / 2)
    return factor, factor


def diagonal_not_halved(d, factor):
    inverse = np.linalg.inv(factor)
    s = inverse.T @ np.tril(factor.T @ np.tril(d)) @ inverse
    return (s + s.T) / 2


def normal(*shape):
    return np.random.default_rng(0).normal(size=shape)


@pytest.mark.parametrize(
    ("forward", "backward", "given", "says"),
    [
        (recurrent, tanh_without_a_square, [(3, 4), (3, 5), (4, 5), (5, 5)], "that of tanh lacks a square"),
        (recurrent, weights_not_transposed, [(3, 4), (3, 5), (4, 5), (5, 5)], "a square matrix that is not transposed"),
        (rms_norm, weight_on_one_path, [(3, 6), (6,)], "through sqrt is not multiplied by the derivative of mul"),
        (rms_norm, weight_of_what_was_not_normalised, [(3, 6), (6,)], "the share of each result .* The factor is r"),
        (group_norm, count_of_all_groups, [(3, 8), (8,)], "through sqrt and through mean is 1/2 times"),
        (rotated, rotated_the_same_way, [(8, 6)], "with the Jacobian and not with its transpose"),
        (cholesky, diagonal_not_halved, [(4, 4)], "a factor that only a diagonal has .* 2 times"),
    ],
)
def test_the_very_mistake_of_a_pair_is_named(forward, backward, given, says) -> None:
    arrays = [normal(*shape) for shape in given]
    if forward is cholesky:
        arrays = [arrays[0] @ arrays[0].T + 4 * np.eye(4)]
    report = autolab.check_gradients(forward, backward, *arrays)
    assert report.verdict == "wrong"
    assert re.search(says, " ".join(map(str, report.findings))), str(report)
