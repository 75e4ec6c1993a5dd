"""Rows of the normalizations of every example by itself: over groups of channels, or by the mean square."""

from __future__ import annotations

from typing import Any

import numpy as np

from autolab import Variable
from autolab import functions as F
from helpers.cases import Case, arrays, cases_with, fixed, layouts
from helpers.followed import anp
from helpers.rows import Bad, Row


def _x(*shape: int) -> Variable:
    return Variable(np.ones(shape))


def _group_norm(x: Any, groups: int, gamma: Any = None, beta: Any = None, eps: float = 1e-5) -> Any:
    shape = (1, -1, *[1] * (x.ndim - 2))
    y = x * 1
    if x.size:
        parts = anp.reshape(x, (x.shape[0], groups, -1))
        away = parts - anp.mean(parts, 2, keepdims=True)
        y = anp.reshape(away / anp.sqrt(anp.mean(away * away, 2, keepdims=True) + eps), x.shape)
    y = y if gamma is None else y * anp.reshape(gamma, shape)
    return y if beta is None else y + anp.reshape(beta, shape)


def _instance_norm(x: Any, gamma: Any = None, beta: Any = None, eps: float = 1e-5) -> Any:
    return _group_norm(x, x.shape[1], gamma, beta, eps)


def _rms_norm(x: Any, gamma: Any = None, axis: Any = -1, eps: float = 1e-5) -> Any:
    over = tuple([i % x.ndim for i in (axis if isinstance(axis, tuple) else (axis,))])
    y = x / anp.sqrt(anp.mean(x * x, over, keepdims=True) + eps) if x.size else x * 1
    shape = [n if i in over else 1 for i, n in enumerate(x.shape)]
    return y if gamma is None else y * anp.reshape(gamma, shape)


def _grouped(groups: int, **options: Any) -> Any:
    return lambda f, x, *parameters: f(x, groups, *parameters, **options)


ROWS = (
    Row(
        F.group_norm,
        _group_norm,
        (
            Case("image", arrays((2, 4, 3, 2), (4,), (4,)), _grouped(2)),
            Case("vectors", arrays((3, 6), (6,), (6,)), _grouped(3)),
            Case("without parameters", arrays((2, 4, 3)), _grouped(2)),
            Case("gamma alone", arrays((2, 4, 3), (4,)), _grouped(2)),
            Case("beta alone", arrays((2, 4, 3), (4,)), lambda f, x, b: f(x, 2, None, b)),
            Case("one group", arrays((2, 3, 2), (3,), (3,)), _grouped(1)),
            Case("a group for each", arrays((2, 3, 4), (3,), (3,)), _grouped(3, eps=0.1)),
            Case("no examples", arrays((0, 4, 2), (4,), (4,)), _grouped(2)),
            Case("nothing behind", arrays((2, 4, 0), (4,), (4,)), _grouped(2)),
            *layouts((4, 3, 4), call=lambda f, x: f(x, 1)),
        ),
        (
            Bad(lambda: F.group_norm(_x(2, 4), 3), ValueError, "group_norm: groups is 3; .* divides the channels, 4"),
            Bad(lambda: F.group_norm(_x(2, 4), 0), ValueError, "group_norm: groups is 0"),
            Bad(lambda: F.group_norm(_x(2, 4), 2, _x(2)), ValueError, r"group_norm: gamma has shape \(2,\); .*\(4,\)"),
            Bad(lambda: F.group_norm(_x(4), 2), ValueError, r"group_norm: x has shape \(4,\); expected \(examples, ch"),
            Bad(lambda: F.group_norm(_x(2, 4), 1.5), ValueError, "group_norm: groups is 1.5; expected a number that"),
            Bad(lambda: F.group_norm(_x(2, 4), 2, eps="a"), ValueError, "group_norm: eps is 'a'; expected a number"),
            Bad(lambda: F.group_norm("text", 2), TypeError, "group_norm: input 'x': got str 'text'"),
        ),
        exact=False,
        rounding=64,
    ),
    Row(
        F.instance_norm,
        _instance_norm,
        (
            *cases_with(
                ("image", ((2, 3, 4, 2), (3,), (3,)), {}),
                ("sequence", ((2, 3, 5), (3,), (3,)), {}),
                ("without parameters", ((2, 3, 4),), {}),
                ("gamma alone", ((2, 3, 4), (3,)), {"eps": 0.1}),
                ("no examples", ((0, 4, 2), (4,), (4,)), {}),
                ("nothing behind", ((2, 4, 0),), {}),
            ),
            *layouts((4, 3, 4)),
        ),
        (
            Bad(lambda: F.instance_norm(_x(2, 4)), ValueError, r"instance_norm: x has shape \(2, 4\); expected more"),
            Bad(lambda: F.instance_norm(_x(4)), ValueError, r"instance_norm: x has shape \(4,\)"),
            Bad(lambda: F.instance_norm(_x(2, 4, 3), _x(3)), ValueError, r"instance_norm: gamma .*expected \(4,\)"),
            Bad(lambda: F.instance_norm(_x(2, 4, 3), "text"), TypeError, "instance_norm: input 'gamma': got str"),
        ),
        exact=False,
        rounding=64,
    ),
    Row(
        F.rms_norm,
        _rms_norm,
        (
            *cases_with(
                ("rows", ((5, 4), (4,)), {}),
                ("without gamma", ((5, 4),), {}),
                ("sequence", ((2, 3, 4), (4,)), {"eps": 0.1}),
                ("columns", ((5, 4), (5,)), {"axis": 0}),
                ("two axes", ((2, 3, 4), (3, 4)), {"axis": (1, -1)}),
                ("a vector", ((4,), (4,)), {}),
                ("no rows", ((0, 4), (4,)), {}),
                ("nothing in rows", ((3, 0),), {}),
            ),
            Case("a value with itself", arrays((4,)), lambda f, x: f(x, x)),
            *layouts((5, 4), call=fixed(axis=0)),
        ),
        (
            Bad(lambda: F.rms_norm(_x(5, 4), _x(5)), ValueError, r"rms_norm: gamma has shape \(5,\); expected \(4,\)"),
            Bad(lambda: F.rms_norm(_x(5, 4), axis=2), ValueError, "rms_norm: axis=2 is not an axis of x"),
            Bad(lambda: F.rms_norm(_x(4), eps=-1), ValueError, "rms_norm: eps is -1; expected a number of at least 0"),
            Bad(lambda: F.rms_norm("text"), TypeError, "rms_norm: input 'x': got str 'text'"),
        ),
        exact=False,
    ),
)
