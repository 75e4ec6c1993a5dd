# ruff: noqa: E501 - one mistake a line
"""Mistakes in what rows share (counts, norms, deviations), in one path of several, and in products of matrices."""

from __future__ import annotations

import numpy as np
from hidden_mistakes import Hidden, centred, rowmean, rowsum, softmax
from hidden_mistakes import mistake as m

EPS = 1e-5


def _unit(x):
    return x / np.sqrt(rowsum(x * x))


def _unit_back(g, x, power):
    s = np.sqrt(rowsum(x * x))
    return (g - _unit(x) * rowsum(g * _unit(x))) / s**power


def _normed(x, w, b):
    s = np.sqrt(x.var(axis=0) + EPS)
    return w * (x - x.mean(axis=0)) / s + b


def _normed_back(g, x, w, b, inner):
    n, s = len(x), np.sqrt(x.var(axis=0) + EPS)
    h = (x - x.mean(axis=0)) / s
    dx = w / inner(x.var(axis=0), n) / n * (n * g - g.sum(axis=0) - h * (g * h).sum(axis=0))
    return dx, (g * h).sum(axis=0), g.sum(axis=0)


def _grouped(x):
    z = x.reshape(len(x), 2, -1)
    return (centred(z) / np.sqrt(z.var(axis=-1, keepdims=True) + EPS)).reshape(x.shape)


def _grouped_back(g, x, count):
    z, d = x.reshape(len(x), 2, -1), g.reshape(len(x), 2, -1)
    s = np.sqrt(z.var(axis=-1, keepdims=True) + EPS)
    h = centred(z) / s
    return ((d - rowsum(d) / count - h * rowsum(d * h) / count) / s).reshape(x.shape)


def _rms(x, w):
    r = 1 / np.sqrt(rowmean(x * x) + EPS)
    return (x * r) * w


def _rms_back(g, x, w, inner):
    r = 1 / np.sqrt(rowmean(x * x) + EPS)
    return r * g * w - x * r**3 * inner(g, x, w), (g * x * r).sum(axis=0)


def _logsumexp(x):
    e = np.exp(x - x.max())
    return x.max() + np.log(e.sum())


def _recurrent(x, h, wx, wh):
    return np.tanh(x @ wx + h @ wh)


def _recurrent_back(g, x, h, wx, wh, to_h, to_wh):
    a = g * (1 - _recurrent(x, h, wx, wh) ** 2)
    return a @ wx.T, to_h(a, wh), x.T @ a, to_wh(h, a)


SHARED, LOST, ROWS = ("wrong_factor",), ("missing_term",), [(6, 4), (4,), (4,)]
CELL = [(5, 3), (5, 4), (3, 4), (4, 4)]

STATISTICS: list[Hidden] = [
    m("unit rows, divided by the square of the norm", _unit, lambda g, x: _unit_back(g, x, 2), [(3, 4)], SHARED, r"along axis 1 share.*norm"),
    m("unit rows, not divided by the norm", _unit, lambda g, x: _unit_back(g, x, 0), [(3, 4)], SHARED, r"along axis 1 share"),
    m("logsumexp, exp(x)", _logsumexp, lambda g, x: g * np.exp(x), [(5,)], SHARED, r"share.*sum\(exp\(x\)\)|share.*sum\(exp"),
    m("logsumexp, exp(x - max)", _logsumexp, lambda g, x: g * np.exp(x - x.max()), [(5,)], (*SHARED, *LOST), r"share|derivative of log"),
    m("softmax of weights, not divided", lambda x: rowsum(softmax(x) * x), lambda g, x: g * rowsum(np.exp(x)) * softmax(x) * (1 + x - rowsum(softmax(x) * x)), [(3, 5)], SHARED, r"along axis 1 share.*sum"),
    m("batch norm, n - 1 in the deviation", _normed, lambda g, *a: _normed_back(g, *a, lambda v, n: np.sqrt(v * n / (n - 1) + EPS)), ROWS, SHARED, r"variance is divided by 5 in one place and by 6"),
    m("batch norm, the variance for the deviation", _normed, lambda g, *a: _normed_back(g, *a, lambda v, n: v + EPS), ROWS, SHARED, r"along axis 0 share"),
    m("group norm, the count of one channel", _grouped, lambda g, x: _grouped_back(g, x, 6), [(2, 4, 2, 3)], LOST, r"and through mean is 2 times"),
    m("group norm, the count of channels", _grouped, lambda g, x: _grouped_back(g, x, 2), [(2, 4, 2, 3)], LOST, r"and through mean is 6 times"),
    m("RMS norm, its weight forgotten inside", _rms, lambda g, *a: _rms_back(g, *a, lambda g, x, w: rowmean(g * x)), [(3, 5), (5,)], LOST, r"is not multiplied by the derivative of mul"),
    m("RMS norm, a sum for the mean", _rms, lambda g, *a: _rms_back(g, *a, lambda g, x, w: rowsum(g * w * x)), [(3, 5), (5,)], LOST, r"is 5 times"),
    m("recurrent cell, Wh not transposed", _recurrent, lambda g, *a: _recurrent_back(g, *a, lambda a, w: a @ w, lambda h, a: h.T @ a), CELL, ("wrong_function",), r"matmul .* not transposed"),
    m("recurrent cell, h not transposed", lambda h, w: np.tanh(h @ w), lambda g, h, w: ((g * (1 - np.tanh(h @ w) ** 2)) @ w.T, h @ (g * (1 - np.tanh(h @ w) ** 2))), [(4, 4), (4, 4)], ("wrong_function",), r"matmul .* not transposed"),
]  # fmt: skip
