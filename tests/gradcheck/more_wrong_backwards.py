"""More wrong backwards, function by function: each as students write them."""

from __future__ import annotations

import numpy as np
from wrong_backwards import Culprit, wrong

X = ((3, 4),)
XY = ((3, 4), (3, 4))
POSITIVE = (0.3, 3.0)

Cases = dict[str, Culprit]


def _each(name, forward, shapes, cases, domain=(-3.0, 3.0)) -> Cases:
    """``cases``: what is wrong -> (backward, failing input, acceptable kinds)."""
    return {
        f"{name}: {what}": wrong(forward, shapes, backward, failing, *kinds, domain=domain)
        for what, (backward, failing, *kinds) in cases.items()
    }


def _norm(a):
    return np.sqrt((a * a).sum())


def _standard(a):
    return (a - a.mean(axis=1, keepdims=True)) / a.std(axis=1, keepdims=True)


def _sigmoid(a):
    return 1 / (1 + np.exp(-a))


def _convolved(x, w):
    return np.stack([(x[k : k + w.size] * w).sum() for k in range(x.size - w.size + 1)])


def _convolution_backward(g, x, w, flip=False, same=False):
    gx, gw = np.zeros_like(x), np.zeros_like(w)
    for k, part in enumerate(g):
        gx[k : k + w.size] += part * (w[::-1] if flip else w)
        gw += part * x[(0 if same else k) : (0 if same else k) + w.size]
    return gx, gw


def _picked(x):
    return x[np.array([0, 2, 2, 1])]


def _scatter(g, x, add=True):
    gx = np.zeros_like(x)
    index = np.array([0, 2, 2, 1])
    if add:
        np.add.at(gx, index, g)
    else:
        gx[index] = g
    return gx


def _largest(x):
    return x.max(axis=1)


def _where_largest(x):
    return x == x.max(axis=1, keepdims=True)


def _cross(x, t):
    return np.stack([x[1] * t[2] - x[2] * t[1], x[2] * t[0] - x[0] * t[2], x[0] * t[1] - x[1] * t[0]])


def _exp_share(x):
    e = np.exp(x)
    return e / e.sum()


MORE: Cases = {
    **_each(
        "sub",
        lambda x, y: x - y,
        XY,
        {
            "sign of y": (lambda g, x, y: (g, g), 1, "wrong_sign"),
            "both signs": (lambda g, x, y: (-g, g), 0, "wrong_sign", "swapped_inputs"),
            "y forgotten": (lambda g, x, y: (g, None), 1, "missing_dependency"),
            "y without g": (lambda g, x, y: (g, -np.ones_like(g)), 1, "upstream_ignored"),
        },
    ),
    **_each(
        "div",
        lambda x, y: x / y,
        XY,
        {
            "sign of y": (lambda g, x, y: (g / y, g * x / y**2), 1, "wrong_sign"),
            "y not squared": (lambda g, x, y: (g / y, -g * x / y), 1, "wrong_function"),
            "x multiplied": (lambda g, x, y: (g * y, -g * x / y**2), 0, "wrong_function"),
            "x in y forgotten": (lambda g, x, y: (g / y, -g / y**2), 1, "wrong_function"),
            "swapped": (lambda g, x, y: (-g * x / y**2, g / y), 0, "swapped_inputs"),
        },
        POSITIVE,
    ),
    **_each(
        "pow",
        lambda x, y: x**y,
        XY,
        {
            "no logarithm": (lambda g, x, y: (g * y * x ** (y - 1), g * x**y), 1, "wrong_function"),
            "power not lowered": (lambda g, x, y: (g * y * x**y, g * x**y * np.log(x)), 0, "wrong_function"),
            "base 10": (
                lambda g, x, y: (g * y * x ** (y - 1), g * x**y * np.log10(x)),
                1,
                "wrong_function",
                "wrong_factor",
            ),
        },
        POSITIVE,
    ),
    **_each(
        "sqrt",
        np.sqrt,
        X,
        {
            "half forgotten": (lambda g, x: g / np.sqrt(x), 0, "wrong_factor"),
            "of the input": (lambda g, x: g / 2 * x, 0, "wrong_function"),
            "negative": (lambda g, x: -g / (2 * np.sqrt(x)), 0, "wrong_sign"),
            "a third": (lambda g, x: g / (3 * np.sqrt(x)), 0, "wrong_factor"),
        },
        POSITIVE,
    ),
    **_each(
        "reciprocal",
        lambda x: 1 / x,
        X,
        {
            "sign": (lambda g, x: g / x**2, 0, "wrong_sign"),
            "not squared": (lambda g, x: -g / x, 0, "wrong_function"),
            "reversed rows": (lambda g, x: (-g / x**2)[::-1], 0, "rearranged"),
        },
        POSITIVE,
    ),
    **_each(
        "norm",
        lambda x: np.asarray(_norm(x)),
        X,
        {
            "not divided": (lambda g, x: g * x, 0, "wrong_function", "wrong_factor"),
            "squared": (lambda g, x: g * x / _norm(x) ** 2, 0, "wrong_function", "wrong_factor"),
            "twice": (lambda g, x: 2 * g * x / _norm(x), 0, "wrong_factor"),
            "sign only": (lambda g, x: g * np.sign(x) / _norm(x), 0, "wrong_function"),
            "summed": (lambda g, x: np.sum(g * x / _norm(x)), 0, "wrong_shape"),
        },
    ),
    **_each(
        "dot",
        lambda x, y: np.asarray(x @ y),
        ((5,), (5,)),
        {
            "swapped": (lambda g, x, y: (g * x, g * y), 0, "swapped_inputs"),
            "y reversed": (lambda g, x, y: (g * y[::-1], g * x), 0, "rearranged"),
            "y shifted": (lambda g, x, y: (g * y, g * np.roll(x, 1)), 1, "rearranged"),
            "x 0": (lambda g, x, y: (0 * x, g * x), 0, "missing_dependency"),
        },
    ),
    **_each(
        "outer",
        np.outer,
        ((3,), (4,)),
        {
            "one row": (lambda g, x, y: (g @ y, x[0] * g[0]), 1, "missing_term", "unreduced_broadcast"),
            "one column": (lambda g, x, y: (g[:, 0] * y[0], x @ g), 0, "missing_term"),
            "not summed": (lambda g, x, y: (g * y, x @ g), 0, "unreduced_broadcast", "wrong_shape"),
            "mean": (lambda g, x, y: (g @ y / 4, x @ g), 0, "wrong_factor"),
        },
    ),
    **_each(
        "linear",
        lambda x, w, b: x @ w.T + b,
        ((5, 3), (4, 3), (4,)),
        {
            "bias, one row": (lambda g, x, w, b: (g @ w, g.T @ x, g[0]), 2, "unreduced_broadcast"),
            "bias, last row": (lambda g, x, w, b: (g @ w, g.T @ x, g[-1]), 2, "unreduced_broadcast"),
            "bias not summed": (lambda g, x, w, b: (g @ w, g.T @ x, g), 2, "unreduced_broadcast"),
            "bias averaged": (lambda g, x, w, b: (g @ w, g.T @ x, g.mean(axis=0)), 2, "wrong_factor"),
            "weight, transposed": (lambda g, x, w, b: (g @ w, x.T @ g, g.sum(axis=0)), 1, "wrong_shape"),
            "weight, first sample": (
                lambda g, x, w, b: (g @ w, np.outer(g[0], x[0]), g.sum(axis=0)),
                1,
                "missing_term",
            ),
            "weight without g": (
                lambda g, x, w, b: (g @ w, np.ones_like(g).T @ x, g.sum(axis=0)),
                1,
                "upstream_ignored",
            ),
            "x with a sign": (lambda g, x, w, b: (-g @ w, g.T @ x, g.sum(axis=0)), 0, "wrong_sign"),
            "batch divided twice": (lambda g, x, w, b: (g @ w, g.T @ x / 5, g.sum(axis=0)), 1, "wrong_factor"),
        },
    ),
    **_each(
        "matmul of squares",
        lambda x, w: x @ w,
        ((4, 4), (4, 4)),
        {
            "w not transposed": (lambda g, x, w: (g @ w, x.T @ g), 0, "rearranged"),
            "x not transposed": (lambda g, x, w: (g @ w.T, x @ g), 1, "rearranged"),
            "g transposed": (lambda g, x, w: (g.T @ w.T, x.T @ g), 0, "rearranged"),
            "result transposed": (lambda g, x, w: ((g @ w.T).T, x.T @ g), 0, "rearranged"),
            "swapped": (lambda g, x, w: (x.T @ g, g @ w.T), 0, "swapped_inputs"),
        },
    ),
    **_each(
        "standardise",
        _standard,
        X,
        {
            "only the scale": (lambda g, x: g / x.std(axis=1, keepdims=True), 0, "wrong_function", "missing_term"),
            "the mean only": (
                lambda g, x: (g - g.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True),
                0,
                "wrong_function",
                "missing_term",
            ),
        },
    ),
    **_each(
        "sigmoid",
        _sigmoid,
        X,
        {
            "not one minus": (lambda g, x: g * _sigmoid(x), 0, "wrong_function"),
            "squared": (lambda g, x: g * _sigmoid(x) ** 2, 0, "wrong_function", "local_error"),
            "g twice": (lambda g, x: g * g * _sigmoid(x) * (1 - _sigmoid(x)), 0, "wrong_function"),
            "shifted columns": (lambda g, x: np.roll(g * _sigmoid(x) * (1 - _sigmoid(x)), 1, 1), 0, "rearranged"),
        },
    ),
    **_each(
        "convolution",
        _convolved,
        ((7,), (3,)),
        {
            "kernel reversed": (
                lambda g, x, w: _convolution_backward(g, x, w, flip=True),
                0,
                "wrong_function",
                "rearranged",
            ),
            "same window": (lambda g, x, w: _convolution_backward(g, x, w, same=True), 1, "wrong_function"),
            "weight reversed": (
                lambda g, x, w: (_convolution_backward(g, x, w)[0], _convolution_backward(g, x, w)[1][::-1]),
                1,
                "rearranged",
            ),
            "weight averaged": (
                lambda g, x, w: (_convolution_backward(g, x, w)[0], _convolution_backward(g, x, w)[1] / 5),
                1,
                "wrong_factor",
            ),
        },
    ),
    **_each(
        "picked rows",
        _picked,
        ((4, 3),),
        {
            "repeated rows overwrite": (lambda g, x: _scatter(g, x, add=False), 0, "local_error"),
            "picked again": (lambda g, x: g[np.array([0, 2, 2, 1])], 0, "wrong_function", "local_error", "rearranged"),
            "sign": (lambda g, x: -_scatter(g, x), 0, "wrong_sign"),
        },
    ),
    **_each(
        "maximum of rows",
        _largest,
        X,
        {
            "to all": (lambda g, x: g[:, None] * np.ones_like(x), 0, "local_error"),
            "to the smallest": (
                lambda g, x: g[:, None] * (x == x.min(axis=1, keepdims=True)),
                0,
                "wrong_function",
                "local_error",
                "rearranged",
            ),
            "negative": (lambda g, x: -g[:, None] * _where_largest(x), 0, "wrong_sign"),
            "shared out": (lambda g, x: g[:, None] * _where_largest(x) / 4, 0, "wrong_factor"),
        },
    ),
    **_each(
        "cumulative sum",
        lambda x: np.cumsum(x, axis=0),
        ((5, 3),),
        {
            "not reversed": (lambda g, x: np.cumsum(g, axis=0), 0, "rearranged", "wrong_function"),
            "g itself": (lambda g, x: g, 0, "missing_term", "local_error", "wrong_function"),
            "reversed result": (lambda g, x: np.cumsum(g[::-1], axis=0), 0, "rearranged"),
        },
    ),
    **_each(
        "cross product",
        _cross,
        ((3,), (3,)),
        {
            "order": (lambda g, x, t: (_cross(g, t), _cross(g, x)), 0, "wrong_sign", "wrong_function"),
            "swapped": (lambda g, x, t: (_cross(g, x), _cross(t, g)), 0, "swapped_inputs"),
            "first only": (lambda g, x, t: (_cross(t, g), None), 1, "missing_dependency"),
        },
    ),
    **_each(
        "polar",
        lambda x, y: (np.hypot(x, y), np.arctan2(y, x)),
        ((4,), (4,)),
        {
            "angle forgotten in x": (
                lambda g, h, x, y: (g * x / np.hypot(x, y), g * y / np.hypot(x, y) + h * x / (x * x + y * y)),
                0,
                "missing_term",
            ),
            "radius forgotten in y": (
                lambda g, h, x, y: (
                    g * x / np.hypot(x, y) - h * y / (x * x + y * y),
                    h * x / (x * x + y * y),
                ),
                1,
                "missing_term",
            ),
            "sign of the angle in x": (
                lambda g, h, x, y: (
                    g * x / np.hypot(x, y) + h * y / (x * x + y * y),
                    g * y / np.hypot(x, y) + h * x / (x * x + y * y),
                ),
                0,
                "missing_term",
            ),
        },
    ),
    **_each(
        "share",
        _exp_share,
        ((6,),),
        {
            "diagonal only": (lambda g, x: g * _exp_share(x) * (1 - _exp_share(x)), 0, "missing_term"),
            "quotient forgotten": (lambda g, x: g * _exp_share(x), 0, "wrong_function", "missing_term"),
            "sum of g alone": (
                lambda g, x: _exp_share(x) * (g - g.sum()),
                0,
                "wrong_function",
            ),
        },
    ),
    **_each(
        "broadcast product",
        lambda x, b: x * b,
        ((4, 3), (1, 3)),
        {
            "one row": (lambda g, x, b: (g * b, (g * x)[:1]), 1, "unreduced_broadcast"),
            "all axes": (lambda g, x, b: (g * b, np.full(b.shape, (g * x).sum())), 1, "wrong_function"),
            "not reduced": (lambda g, x, b: (g * b, g * x), 1, "unreduced_broadcast"),
            "largest instead": (lambda g, x, b: (g * b, (g * x).max(axis=0, keepdims=True)), 1, "wrong_function"),
        },
    ),
    **_each(
        "clip",
        lambda x: np.clip(x, -1, 1),
        ((4, 5),),
        {
            "no mask": (lambda g, x: g, 0, "local_error"),
            "above only": (lambda g, x: g * (x < 1), 0, "local_error"),
            "mask reversed": (lambda g, x: g * (np.abs(x) > 1), 0, "wrong_function", "local_error"),
        },
    ),
    **_each(
        "transpose",
        lambda x: x.T * 1.0,
        ((4, 4),),
        {
            "not undone": (lambda g, x: g, 0, "rearranged"),
            "undone and reversed": (lambda g, x: g.T[::-1], 0, "rearranged"),
        },
    ),
    **_each(
        "mean of squares",
        lambda x, t: np.asarray(((x - t) ** 2).mean()),
        XY,
        {
            "2 forgotten": (lambda g, x, t: (g * (x - t) / 12, -2 * g * (x - t) / 12), 0, "wrong_factor"),
            "size forgotten": (lambda g, x, t: (2 * g * (x - t), -2 * g * (x - t) / 12), 0, "wrong_factor"),
            "sign of t": (lambda g, x, t: (2 * g * (x - t) / 12, 2 * g * (x - t) / 12), 1, "wrong_sign"),
            "target as constant": (lambda g, x, t: (2 * g * (x - t) / 12, None), 1, "missing_dependency"),
        },
    ),
}
