"""Gradients that students write beside a function, in the forms of courses, are compared; other results are not."""

from __future__ import annotations

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
