"""Rows of linear, dropout, embedding and the normalizations of batches and layers."""

from __future__ import annotations

from typing import Any

import numpy as np

import autolab
from autolab import Variable
from autolab import functions as F
from helpers.cases import Case, arrays, cases_with, dtype_of, layouts
from helpers.followed import anp
from helpers.rows import Bad, Row


def _x(*shape: int) -> Variable:
    return Variable(np.ones(shape))


def _constant(x: Any, *shape: int) -> np.ndarray:
    return np.linspace(-1, 1, int(np.prod(shape))).reshape(shape).astype(dtype_of(x))


def _linear(x: Any, w: Any, b: Any = None) -> Any:
    y = anp.einsum("...i,oi->...o", x, w)
    return y if b is None else y + b


def _dropout(x: Any, ratio: float = 0.5, rng: Any = None) -> Any:
    kept = rng.random(np.shape(x)) >= ratio
    return x * (kept / (1 - ratio)).astype(dtype_of(x))


def _drawn(seed: int, **attributes: Any) -> Any:
    return lambda f, x: f(x, rng=np.random.default_rng(seed), **attributes)


def _looked_up(*ids: Any) -> Any:
    return lambda f, w: f(np.array(ids, np.int32), w)


def _batch_norm(
    x: Any, gamma: Any, beta: Any, mean: Any = None, var: Any = None, axis: Any = None, eps: float = 1e-5
) -> Any:
    over = tuple([i for i in range(x.ndim) if i != 1]) if axis is None else axis
    over = tuple([i % x.ndim for i in (over if isinstance(over, tuple) else (over,))])
    shape = [1 if i in over else n for i, n in enumerate(x.shape)]
    if x.size == 0:
        return x * anp.reshape(gamma, shape) + anp.reshape(beta, shape)
    mean = anp.mean(x, over, keepdims=True) if mean is None else anp.reshape(mean, shape)
    var = anp.mean((x - mean) ** 2, over, keepdims=True) if var is None else anp.reshape(var, shape)
    return (x - mean) / anp.sqrt(var + eps) * anp.reshape(gamma, shape) + anp.reshape(beta, shape)


def _layer_norm(x: Any, gamma: Any = None, beta: Any = None, axis: Any = -1, eps: float = 1e-5) -> Any:
    over = tuple([i % x.ndim for i in (axis if isinstance(axis, tuple) else (axis,))])
    shape = [n if i in over else 1 for i, n in enumerate(x.shape)]
    away = x - anp.mean(x, over, keepdims=True) if x.size else x
    y = away / anp.sqrt(anp.mean(away * away, over, keepdims=True) + eps) if x.size else x
    y = y if gamma is None else y * anp.reshape(gamma, shape)
    return y if beta is None else y + anp.reshape(beta, shape)


def _tested(f: Any, *inputs: Any) -> Any:
    """The variance must be positive."""
    return f(*inputs[:4], inputs[4] * inputs[4] + 0.5)


_COUNTED = np.array([[2, 0, 1], [1, 1, 2]])


def _one_hot(x: Any, t: Any = _COUNTED, classes: int = 3, axis: int = -1) -> Any:
    """Of classes that are drawn from the signs of ``x``, so that its rows have inputs of floats."""
    return np.moveaxis(np.eye(classes)[t], -1, axis).astype(np.float32)


def _hot(t: Any, **attributes: Any) -> Any:
    """The same for the function, which takes no floats: what is drawn does not count."""

    def call(f: Any, x: Any) -> Any:
        if f is _one_hot:
            return f(x, np.array(t), **attributes)
        classes = autolab.get_array_module(x).asarray(t)
        return f(Variable(classes) if isinstance(x, Variable) else classes, **attributes)

    return call


ROWS = (
    Row(
        F.one_hot,
        _one_hot,
        (
            Case("matrix", arrays((2, 3)), _hot(_COUNTED)),
            Case("vector", arrays((3,)), _hot(_COUNTED[0])),
            Case("a list", arrays((3,)), _hot([0, 2, 1])),
            Case("a scalar", arrays(()), _hot(2)),
            Case("more classes", arrays((3,)), _hot(_COUNTED[0], classes=5)),
            Case("classes first", arrays((2, 3)), _hot(_COUNTED, axis=0)),
            Case("in the middle", arrays((2, 3)), _hot(_COUNTED, axis=1)),
            Case("from the end", arrays((2, 3)), _hot(_COUNTED, axis=-2)),
            Case("small integers", arrays((2, 3)), _hot(_COUNTED.astype(np.uint8))),
            Case("nothing", arrays((0,)), _hot(np.zeros(0, int), classes=3)),
            *layouts((2, 3), call=_hot(_COUNTED[::-1])),
        ),
        (
            Bad(
                lambda: F.one_hot([0, 3], 3), ValueError, "one_hot: .*t goes from 0 to 3; expected classes from 0 to 2"
            ),
            Bad(lambda: F.one_hot([-1, 0]), ValueError, "one_hot: .*t goes from -1 to 0"),
            Bad(lambda: F.one_hot([0.5]), TypeError, "one_hot: t is of dtype float64; expected integers"),
            Bad(lambda: F.one_hot([1, 0], axis=2), ValueError, "one_hot: .*expected an axis of the result, from -2"),
        ),
        order=0,
    ),
    Row(
        F.linear,
        _linear,
        (
            *cases_with(
                ("batch", ((5, 4), (3, 4), (3,)), {}),
                ("without b", ((5, 4), (3, 4)), {}),
                ("one example", ((4,), (3, 4), (3,)), {}),
                ("one without b", ((4,), (3, 4)), {}),
                ("sequences", ((2, 5, 4), (3, 4), (3,)), {}),
                ("no examples", ((0, 4), (3, 4), (3,)), {}),
                ("no inputs", ((5, 0), (3, 0), (3,)), {}),
                ("no outputs", ((5, 4), (0, 4), (0,)), {}),
            ),
            Case("None for b", arrays((5, 4), (3, 4)), lambda f, x, w: f(x, w, None)),
            Case("constant x", arrays((3, 4), (3,)), lambda f, w, b: f(_constant(w, 5, 4), w, b)),
            Case("constant w", arrays((5, 4), (3,)), lambda f, x, b: f(x, _constant(x, 3, 4), b)),
            Case("a value with itself", arrays((4, 4)), lambda f, x: f(x, x)),
            *layouts((5, 4), call=lambda f, x: f(x, _constant(x, 3, 4))),
        ),
        (
            Bad(
                lambda: F.linear(_x(2, 3), _x(3, 2)),
                ValueError,
                r"linear: x has shape \(2, 3\), .* expected x \(\.\.\.",
            ),
            Bad(lambda: F.linear(_x(2, 3), _x(1, 4, 3)), ValueError, "linear: .*expected"),
            Bad(lambda: F.linear(_x(2, 3), _x(4, 3), _x(1)), ValueError, r"linear: .*b has shape \(1,\)"),
            Bad(lambda: F.linear(_x(), _x(4, 3)), ValueError, r"linear: x has shape \(\)"),
            Bad(lambda: F.linear(_x(2, 3)), TypeError, r"linear: got 1 .*expected 2 to 3 arrays \(x, w, b\)"),
        ),
        mixed=True,
        exact=False,
    ),
    Row(
        F.dropout,
        _dropout,
        (
            *[Case(str(shape), arrays(shape), _drawn(1)) for shape in ((), (1,), (5, 4), (2, 3, 4), (0, 3))],
            Case("few", arrays((5, 4)), _drawn(2, ratio=0.1)),
            Case("most", arrays((5, 4)), _drawn(3, ratio=0.9)),
            Case("none", arrays((5, 4)), _drawn(4, ratio=0)),
            *layouts((5, 4), call=_drawn(5, ratio=0.3)),
        ),
        (
            Bad(
                lambda: F.dropout(_x(2), ratio=1.0),
                ValueError,
                r"dropout: ratio is 1.0; expected a number of at least 0",
            ),
            Bad(lambda: F.dropout(_x(2), ratio=-0.1), ValueError, r"dropout: ratio is -0.1"),
            Bad(lambda: F.dropout(_x(2), ratio=float("nan")), ValueError, r"dropout: ratio is nan"),
            Bad(lambda: F.dropout("text"), TypeError, r"dropout: input 'x': got str 'text'"),
            Bad(lambda: F.dropout(_x(2), 0.5, 1), TypeError, "dropout"),
        ),
        order=3,
        exact=False,
    ),
    Row(
        F.embedding,
        lambda ids, w: w[ids],
        (
            Case("one", arrays((3, 4)), lambda f, w: f(1, w)),
            Case("some", arrays((5, 4)), _looked_up(0, 3, 4)),
            Case("repeated", arrays((5, 4)), _looked_up(2, 2, 0, 2)),
            Case("a table", arrays((5, 4)), _looked_up([0, 1], [1, 4], [3, 3])),
            Case("all of them", arrays((2, 3)), _looked_up(1, 0)),
            Case("none", arrays((5, 4)), _looked_up()),
            Case("no size", arrays((5, 0)), _looked_up(0, 3)),
            Case("a Variable of ids", arrays((5, 4)), lambda f, w: f(_ids_like(w), w)),
            *layouts((5, 4), call=_looked_up(4, 0, 4)),
        ),
        (
            Bad(lambda: F.embedding([0, 3], _x(3, 2)), ValueError, r"embedding: .*ids go from 0 to 3; expected 0 to 2"),
            Bad(lambda: F.embedding([-1, 0], _x(3, 2)), ValueError, r"embedding: .*ids go from -1 to 0"),
            Bad(
                lambda: F.embedding([0.0], _x(3, 2)), TypeError, "embedding: ids is of dtype float64; expected integers"
            ),
            Bad(lambda: F.embedding([True], _x(3, 2)), TypeError, "embedding: ids is of dtype bool"),
            Bad(lambda: F.embedding([0], _x(3)), ValueError, r"embedding: .*expected w \(rows, size\)"),
        ),
        exact=False,
    ),
    Row(
        F.batch_norm,
        _batch_norm,
        (
            *cases_with(
                ("batch", ((5, 4), (4,), (4,)), {}),
                ("images", ((2, 3, 2, 2), (3,), (3,)), {}),
                ("features last", ((2, 5, 4), (4,), (4,)), {"axis": (0, 1)}),
                ("from the end", ((2, 3, 4), (2, 4), (2, 4)), {"axis": -2}),
                ("wide eps", ((5, 4), (4,), (4,)), {"eps": 0.5}),
                ("a scalar", ((), (), ()), {}),
                ("no examples", ((0, 4), (4,), (4,)), {}),
                ("no features", ((5, 0), (0,), (0,)), {}),
            ),
            Case("tested", arrays((5, 4), (4,), (4,), (4,), (4,)), _tested),
            Case("tested images", arrays((2, 3, 2, 2), *[(3,)] * 4), _tested),
            Case("constant parameters", arrays((5, 4)), lambda f, x: f(x, _constant(x, 4), _constant(x, 4))),
            Case("a value with itself", arrays((5, 4)), lambda f, x: f(x, x[0], x[1])),
            *layouts((5, 4), call=lambda f, x: f(x, _constant(x, 4), _constant(x, 4))),
        ),
        (
            Bad(
                lambda: F.batch_norm(_x(5, 4), _x(5), _x(4)),
                ValueError,
                r"batch_norm: .*expected shape \(4,\), that of",
            ),
            Bad(lambda: F.batch_norm(_x(5, 4), _x(4), _x(1)), ValueError, r"batch_norm: .*beta has shape \(1,\)"),
            Bad(lambda: F.batch_norm(_x(5, 4), _x(4), _x(4), _x(4)), ValueError, "batch_norm: .*both mean and var"),
            Bad(lambda: F.batch_norm(_x(5, 4), _x(4), _x(4), axis=2), ValueError, "batch_norm: .*axis 2"),
            Bad(lambda: F.batch_norm(_x(5, 4), _x(4)), TypeError, "batch_norm: got 2 .*expected 3 to 5 arrays"),
        ),
        exact=False,
    ),
    Row(
        F.layer_norm,
        _layer_norm,
        (
            *cases_with(
                ("rows", ((5, 4),), {}),
                ("with parameters", ((5, 4), (4,), (4,)), {}),
                ("with gamma", ((5, 4), (4,)), {}),
                ("one example", ((4,), (4,), (4,)), {}),
                ("sequences", ((2, 3, 4), (4,), (4,)), {}),
                ("two axes", ((2, 3, 4), (3, 4), (3, 4)), {"axis": (-1, 1)}),
                ("columns", ((5, 4), (5,), (5,)), {"axis": 0}),
                ("wide eps", ((5, 4),), {"eps": 0.5}),
                ("no examples", ((0, 4), (4,), (4,)), {}),
                ("no features", ((5, 0), (0,), (0,)), {}),
            ),
            Case("a value with itself", arrays((5, 4)), lambda f, x: f(x, x[0], x[1])),
            Case("beta alone", arrays((5, 4), (4,)), lambda f, x, b: f(x, None, b)),
            *layouts((5, 4), call=lambda f, x: f(x, _constant(x, 4), _constant(x, 4))),
        ),
        (
            Bad(
                lambda: F.layer_norm(_x(5, 4), _x(5)),
                ValueError,
                r"layer_norm: .*expected shape \(4,\), that of x along the axes",
            ),
            Bad(
                lambda: F.layer_norm(_x(5, 4), axis=-3),
                ValueError,
                "layer_norm: .*there is no axis -3 in an array with 2 axes",
            ),
            Bad(lambda: F.layer_norm(_x()), ValueError, "layer_norm: .*there is no axis -1 in an array with 0 axes"),
        ),
        exact=False,
    ),
)


def _ids_like(w: Any) -> Any:
    ids = np.array([1, 4, 1])
    return Variable(ids) if isinstance(w, autolab.Variable) else ids
