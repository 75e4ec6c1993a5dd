"""Rows of the losses and of accuracy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from autolab import Variable
from autolab import functions as F
from helpers.cases import Case, arrays, dtype_of, layouts
from helpers.followed import anp
from helpers.rows import Bad, Row

Shape = tuple[int, ...]


def _x(*shape: int) -> Variable:
    return Variable(np.ones(shape))


def _constant(x: Any, *shape: int) -> np.ndarray:
    return np.linspace(-1, 1, int(np.prod(shape))).reshape(shape).astype(dtype_of(x))


def _mean(terms: Any, reduction: str = "mean") -> Any:
    if reduction == "none":
        return terms
    return anp.sum(terms) / (max(terms.size, 1) if reduction == "mean" else 1)


def _softmax(x: Any, axis: int = -1) -> Any:
    e = anp.exp(x)
    return e / anp.sum(e, axis=axis, keepdims=True)


def _regression() -> tuple[Case, ...]:
    return (
        *[Case(str(shape), arrays(shape, shape)) for shape in ((), (1,), (5,), (5, 4), (2, 3, 4), (0,), (0, 3))],
        Case("a value with itself", arrays((5, 4)), lambda f, x: f(x, x[::-1])),
        Case("constant target", arrays((5, 4)), lambda f, x: f(x, _constant(x, 5, 4))),
        Case("constant prediction", arrays((5, 4)), lambda f, t: f(_constant(t, 5, 4), t)),
        Case("their sum", arrays((5, 4), (5, 4)), lambda f, x, t: f(x, t, reduction="sum")),
        Case("each by itself", arrays((5, 4), (5, 4)), lambda f, x, t: f(x, t, reduction="none")),
        *layouts((5, 4), call=lambda f, x: f(x, _constant(x, 5, 4))),
    )


def _different_shapes(function: Any) -> tuple[Bad, ...]:
    name = function.__name__
    return (
        Bad(lambda: function(_x(3), _x(3, 1)), ValueError, rf"{name}: .*\(3,\).*\(3, 1\): expected the same shape"),
        Bad(lambda: function(_x(3), 1.0), ValueError, rf"{name}: .*expected the same shape"),
        Bad(lambda: function(_x(3)), TypeError, rf"{name}: got 1 positional argument; expected 2"),
        Bad(
            lambda: function(_x(3), _x(3), reduction="max"),
            ValueError,
            rf"{name}: .*reduction is 'max'; expected 'mean'",
        ),
    )


def _of_probabilities(call: Any) -> Any:
    """The same call, of numbers in between 0 and 1."""
    return lambda f, *xs: call(lambda x, t, **options: f(0.5 + 0.2 * x, 0.5 + 0.2 * t, **options), *xs)


def _huber(x: Any, t: Any, delta: float = 1.0, reduction: str = "mean") -> Any:
    away = anp.abs(x - t)
    return _mean(anp.where(away <= delta, 0.5 * away * away, delta * (away - 0.5 * delta)), reduction)


def _smooth_l1(x: Any, t: Any, beta: float = 1.0, reduction: str = "mean") -> Any:
    return _huber(x, t, beta, reduction) / beta


def _sigmoid_cross_entropy(x: Any, t: Any, reduction: str = "mean") -> Any:
    return _binary_cross_entropy(1 / (1 + anp.exp(-x)), t, reduction)


def _binary_cross_entropy(x: Any, t: Any, reduction: str = "mean") -> Any:
    return _mean(-t * anp.log(x) - (1 - t) * anp.log(1 - x), reduction)


def _kl_divergence(p: Any, q: Any, axis: int = -1, reduction: str = "mean") -> Any:
    return _mean(anp.sum(p * anp.log(p / q), axis=axis), reduction)


def _distributions(**attributes: Any) -> Any:
    """Of the squares of what is drawn: the terms need not sum to 1."""
    return lambda f, p, q: f(p * p + 0.1, q * q + 0.1, **attributes)


def _classes(*t: Any, dtype: Any = int, **attributes: Any) -> Any:
    return lambda f, x: f(x, np.array(t, dtype), **attributes)


def _softmax_cross_entropy(
    x: Any,
    t: Any,
    axis: int = -1,
    class_weight: Any = None,
    ignore_label: int | None = None,
    reduction: str = "mean",
) -> Any:
    logs = anp.log(_softmax(x, axis)) if x.size else x
    return _nll_loss(logs, t, axis, class_weight, ignore_label, reduction)


def _nll_loss(
    logs: Any,
    t: Any,
    axis: int = -1,
    class_weight: Any = None,
    ignore_label: int | None = None,
    reduction: str = "mean",
) -> Any:
    x = logs
    t = np.asarray(t)
    counted = np.ones(t.shape, bool) if ignore_label is None else t != ignore_label
    safe = np.where(counted, t, 0)
    weights = counted * (1.0 if class_weight is None else np.asarray(class_weight)[safe])
    chosen = (np.arange(x.shape[axis]) == safe[..., None]) * weights[..., None]
    chosen = np.moveaxis(chosen, -1, axis).astype(dtype_of(x))
    total = float(weights.sum()) or 1.0
    if reduction == "none":
        return -anp.sum(chosen * logs, axis=axis)
    return -anp.sum(chosen * logs) / (total if reduction == "mean" else 1)


def _accuracy(x: Any, t: Any, axis: int = -1, ignore_label: int | None = None) -> Any:
    t = np.asarray(t)
    counted = t != (-100 if ignore_label is None else ignore_label)
    hits = (np.argmax(x, axis=axis) == t) & counted
    return np.asarray(hits.sum() / max(int(counted.sum()), 1), x.dtype)


_SCORED = (
    Case("batch", arrays((4, 3)), _classes(0, 2, 1, 2)),
    Case("one example", arrays((3,)), lambda f, x: f(x, 2)),
    Case("small integers", arrays((4, 3)), _classes(0, 2, 1, 2, dtype=np.uint8)),
    Case("a list", arrays((2, 3)), lambda f, x: f(x, [1, 0])),
    Case("classes first", arrays((3, 4)), _classes(0, 2, 1, 2, axis=0)),
    Case("images", arrays((2, 3, 2, 2)), _classes([[0, 1], [2, 0]], [[2, 2], [1, 1]], axis=1)),
    Case("sequences", arrays((2, 2, 3)), _classes([0, 1], [2, 2])),
    Case("some do not count", arrays((4, 3)), _classes(0, -1, 1, -1, ignore_label=-1)),
    Case("a class does not count", arrays((4, 3)), _classes(0, 2, 1, 2, ignore_label=2)),
    Case("none counts", arrays((2, 3)), _classes(-1, -1, ignore_label=-1)),
    Case("no examples", arrays((0, 3)), _classes()),
    *layouts((4, 3), call=_classes(0, 2, 1, 1)),
)


_OTHERWISE = (
    Case("weighted", arrays((4, 3)), _classes(0, 2, 1, 2, class_weight=[1.0, 2.0, 0.5])),
    Case(
        "weighted, some do not count",
        arrays((4, 3)),
        _classes(0, 2, -1, 2, class_weight=np.array([1, 0, 3]), ignore_label=-1),
    ),
    Case("a label that is no class", arrays((4, 3)), _classes(0, 255, 1, 2, ignore_label=255)),
    Case("their sum", arrays((4, 3)), _classes(0, 2, 1, 2, reduction="sum")),
    Case("their weighted sum", arrays((4, 3)), _classes(0, 2, 1, 2, reduction="sum", class_weight=[1.0, 2.0, 0.5])),
    Case("each by itself", arrays((4, 3)), _classes(0, 2, 1, 2, reduction="none")),
    Case(
        "each with its weight",
        arrays((3, 4)),
        _classes(0, 2, -100, 2, axis=0, reduction="none", class_weight=[1, 0, 3], ignore_label=-100),
    ),
)


def _wrong_targets(function: Any) -> tuple[Bad, ...]:
    name = function.__name__
    x = _x(2, 3)
    return (
        Bad(lambda: function(x, [0, 3]), ValueError, rf"{name}: .*t holds 3, but the classes go from 0 to 2"),
        Bad(lambda: function(x, [-1, 0]), ValueError, rf"{name}: .*t holds -1"),
        Bad(lambda: function(x, [-1, 5], ignore_label=-1), ValueError, rf"{name}: .*t holds 5"),
        Bad(lambda: function(x, [0.0, 1.0]), TypeError, rf"{name}: t is of dtype float64; expected integers"),
        Bad(lambda: function(x, [True, False]), TypeError, rf"{name}: t is of dtype bool"),
        Bad(
            lambda: function(x, [[0], [1]]), ValueError, rf"{name}: .*t has shape \(2, 1\).*expected t of shape \(2,\)"
        ),
        Bad(lambda: function(x, [0, 1], axis=2), ValueError, rf"{name}: .*x has no axis 2"),
    )


ROWS = (
    Row(
        F.mean_squared_error,
        lambda x, t, reduction="mean": _mean((x - t) ** 2, reduction),
        _regression(),
        _different_shapes(F.mean_squared_error),
        order=3,
        mixed=True,
        exact=False,
    ),
    Row(
        F.mean_absolute_error,
        lambda x, t, reduction="mean": _mean(anp.abs(x - t), reduction),
        _regression(),
        _different_shapes(F.mean_absolute_error),
        order=3,
        mixed=True,
        exact=False,
    ),
    Row(
        F.huber,
        _huber,
        (*_regression(), Case("another delta", arrays((5, 4), (5, 4)), lambda f, x, t: f(x, t, delta=0.3))),
        (
            *_different_shapes(F.huber),
            Bad(lambda: F.huber(_x(3), _x(3), delta=0.0), ValueError, "huber: .*delta is 0.0; expected a number above"),
        ),
        order=3,
        mixed=True,
        exact=False,
    ),
    Row(
        F.smooth_l1,
        _smooth_l1,
        (*_regression(), Case("another beta", arrays((5, 4), (5, 4)), lambda f, x, t: f(x, t, beta=0.3))),
        (
            *_different_shapes(F.smooth_l1),
            Bad(lambda: F.smooth_l1(_x(3), _x(3), beta=0.0), ValueError, "smooth_l1: .*beta is 0.0; expected a number"),
        ),
        order=3,
        mixed=True,
        exact=False,
    ),
    Row(
        F.binary_cross_entropy,
        _binary_cross_entropy,
        (
            *[replace(case, call=_of_probabilities(case.call)) for case in _regression()],
            Case("integer targets", arrays((4,), domain=(0.1, 0.9)), _classes(0, 1, 1, 0)),
        ),
        (
            *_different_shapes(F.binary_cross_entropy),
            Bad(
                lambda: F.binary_cross_entropy(_x(2), [0, 2]), ValueError, "binary_cross_entropy: .*from 0 to 2; expec"
            ),
            Bad(
                lambda: F.binary_cross_entropy(_x(2) * 1.5, [0, 1]),
                ValueError,
                "binary_cross_entropy: .*x goes from 1.5 to 1.5; expected probabilities",
            ),
        ),
        order=3,
        mixed=True,
        exact=False,
        rounding=32,
    ),
    Row(
        F.nll_loss,
        _nll_loss,
        (*_SCORED, *_OTHERWISE),
        (
            *_wrong_targets(F.nll_loss),
            Bad(
                lambda: F.nll_loss(_x(2, 3), [0, 1], reduction=None),
                ValueError,
                "nll_loss: .*reduction is None; expected 'mean', 'sum' or 'none'",
            ),
        ),
        exact=False,
    ),
    Row(
        F.sigmoid_cross_entropy,
        _sigmoid_cross_entropy,
        (
            *_regression(),
            Case("integer targets", arrays((4,)), _classes(0, 1, 1, 0)),
            Case("boolean targets", arrays((2,)), lambda f, x: f(x, _either(f, [True, False]))),
        ),
        (
            *_different_shapes(F.sigmoid_cross_entropy),
            Bad(
                lambda: F.sigmoid_cross_entropy(_x(2), [0, 2]), ValueError, "sigmoid_cross_entropy: .*from 0 to 2; exp"
            ),
            Bad(lambda: F.sigmoid_cross_entropy(_x(2), [-1, 1]), ValueError, "sigmoid_cross_entropy: .*from -1 to 1"),
        ),
        order=3,
        mixed=True,
        exact=False,
        rounding=32,
    ),
    Row(
        F.kl_divergence,
        _kl_divergence,
        (
            *[
                Case(f"{shape} {attributes}", arrays(shape, shape), _distributions(**attributes))
                for shape, attributes in (
                    *(((3,), {}), ((5, 4), {}), ((5, 4), {"axis": 0}), ((2, 3, 4), {"axis": 1}), ((1,), {})),
                    *(((0, 3), {}), ((3, 0), {})),
                )
            ],
            Case("a value with itself", arrays((5, 4)), lambda f, x: f(x * x + 0.1, x * x + 0.1)),
            Case("their sum", arrays((5, 4), (5, 4)), _distributions(reduction="sum")),
            Case("each by itself", arrays((5, 4), (5, 4)), _distributions(axis=0, reduction="none")),
            Case("constant p", arrays((5, 4)), lambda f, q: f(_constant(q, 5, 4) ** 2 + 0.1, q * q + 0.1)),
            *layouts((5, 4), call=lambda f, x: f(x * x + 0.1, _constant(x, 5, 4) ** 2 + 0.1)),
        ),
        (
            *_different_shapes(F.kl_divergence)[:2],
            Bad(
                lambda: F.kl_divergence(_x(3), _x(3), axis=1),
                ValueError,
                "kl_divergence: .*there is no axis 1 in arrays with 1 axes",
            ),
            Bad(lambda: F.kl_divergence(_x(), _x()), ValueError, "kl_divergence: .*no axis -1 in arrays with 0 axes"),
        ),
        mixed=True,
        exact=False,
        rounding=32,
    ),
    Row(
        F.softmax_cross_entropy,
        _softmax_cross_entropy,
        (*_SCORED, *_OTHERWISE),
        (
            *_wrong_targets(F.softmax_cross_entropy),
            Bad(
                lambda: F.softmax_cross_entropy(_x(2, 3), [0, 1], class_weight=[1.0, 2.0]),
                ValueError,
                r"softmax_cross_entropy: .*class_weight has shape \(2,\); expected \(3,\)",
            ),
        ),
        order=3,
        exact=False,
    ),
    Row(F.accuracy, _accuracy, _SCORED, _wrong_targets(F.accuracy), order=0),
)


def _either(f: Any, truths: list[bool]) -> np.ndarray:
    """Truths for the function, numbers for the reference, which subtracts them."""
    return np.array(truths) if f is F.sigmoid_cross_entropy else np.array(truths, np.float16)
