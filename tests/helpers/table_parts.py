"""Rows of the functions that join, split and index, and of diagonals and triangles."""

from __future__ import annotations

from array import array as buffer
from collections.abc import Callable
from typing import Any

import numpy as np

from autolab import Variable
from autolab import functions as F
from helpers.cases import Case, arrays, cases_with, fixed, layouts
from helpers.followed import anp
from helpers.rows import Bad, Row
from helpers.table_arrangement import moved

MASK = np.array([[True, False, True], [False, True, True]])
_ORDER = np.array([[2, 0, 1, 0], [1, 1, 1, 1], [0, 2, 1, 2]])


def _x(*shape: int) -> Variable:
    return Variable(np.ones(shape))


def _trace(x: Any, **attributes: Any) -> Any:
    return anp.sum(moved(np.diagonal)(x, **attributes), axis=-1)


def _joined(*shapes: tuple[tuple[int, ...], ...], **attributes: Any) -> tuple[Case, ...]:
    return tuple([Case(str(some), arrays(*some), lambda f, *xs: f(*xs, **attributes)) for some in shapes])


def _list_first(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *xs, axis=0: function(xs, axis=axis)


def _taken(*shapes: tuple[int, ...], index: Any) -> tuple[Case, ...]:
    return tuple([Case(f"{index!r:.40} of {shape}", arrays(shape), fixed(index=index)) for shape in shapes])


def _part(sections: Any, i: int, axis: int = 0) -> Callable[..., Any]:
    return lambda f, x: f(x, sections=sections, axis=axis)[i]


ROWS = (
    Row(
        F.concatenate,
        _list_first(anp.concatenate),
        (
            *_joined(((3,), (2,)), ((2, 3), (4, 3)), ((2,),), ((2, 3), (0, 3), (1, 3))),
            *_joined(((2, 3), (2, 1)), ((2, 3, 4), (2, 5, 4), (2, 1, 4)), axis=1),
            *_joined(((2, 3), (2, 1)), axis=-1),
            Case("a value with itself", arrays((2, 3)), lambda f, a: f(a, a, axis=1)),
            Case("with an array", arrays((4,)), lambda f, a: f(np.ones(2, np.float32), a)),
            *layouts((5, 4), call=lambda f, a: f(a, a)),
        ),
        (
            Bad(lambda: F.concatenate(_x(2, 3), _x(2, 2)), ValueError, r"concatenate: xs\[0\].*xs\[1\].*match"),
            Bad(lambda: F.concatenate(_x(), _x()), ValueError, "concatenate: .*zero-dimensional"),
            Bad(lambda: np.concatenate([_x(2)], out=np.ones(2)), TypeError, r"numpy\.concatenate .*out"),
        ),
        mixed=True,
    ),
    Row(
        F.stack,
        _list_first(anp.stack),
        (
            *_joined(((3,), (3,)), ((), ()), ((2, 3), (2, 3), (2, 3)), ((0, 3), (0, 3)), ((2,),)),
            *_joined(((2, 3), (2, 3)), axis=1),
            *_joined(((2, 3), (2, 3)), axis=-1),
            Case("a value with itself", arrays((2, 3)), lambda f, a: f(a, a, axis=1)),
            *layouts((5, 4), call=lambda f, a: f(a, a, axis=1)),
        ),
        (
            Bad(lambda: F.stack(_x(2), _x(3)), ValueError, "stack: .*same shape"),
            Bad(lambda: F.stack(_x(2), axis=3), ValueError, "stack: .*axis=3: expected an axis from"),
        ),
        mixed=True,
    ),
    Row(
        F.split,
        lambda x, sections, axis=0: anp.split(x, sections, axis),
        (
            Case("halves", arrays((4, 3)), _part(2, 0)),
            Case("the other half", arrays((4, 3)), _part(2, 1)),
            Case("columns", arrays((4, 3)), _part(3, 1, -1)),
            Case("at places", arrays((5, 4)), _part([1, 3], 1)),
            Case("the rest", arrays((5, 4)), _part((1, 3), 2)),
            Case("an empty part", arrays((5, 4)), _part([2, 2], 1)),
            Case("from the end", arrays((5, 4)), _part([-2], 0)),
            Case("nothing", arrays((0, 3)), _part(2, 1)),
            *layouts((4, 5), call=_part(2, 0)),
        ),
        (
            Bad(lambda: F.split(_x(5), sections=2), ValueError, "split: axis 0 has length 5; .* 2 equal parts"),
            Bad(lambda: F.split(_x(5), sections=0), ValueError, "split: .* 0 equal parts"),
            Bad(
                lambda: F.split(_x(5), sections=1, axis=1), ValueError, r"split: axis=1 is not an axis of x, .* \(5,\)"
            ),
        ),
    ),
    Row(
        F.getitem,
        moved(lambda places, index: places[index]),
        (
            *_taken((3,), (3, 2), index=1),
            *_taken((3, 2), index=-1),
            *_taken((5,), (5, 4), index=slice(1, None, 2)),
            *_taken((5, 4), index=slice(None, None, -1)),
            *_taken((5, 4), index=(slice(None), 2)),
            *_taken((5, 4), index=(1, 2)),
            *_taken((2, 3, 4), index=(..., 0)),
            *_taken((2, 3), index=(None, slice(None), None)),
            *_taken((), (2, 3), index=...),
            *_taken((), (2,), index=None),
            *_taken((), index=()),
            *_taken((3, 2), index=[0, 2, 0]),
            *_taken((3, 2), index=np.array([[0, 2], [0, 0]])),
            *_taken((3, 2), index=(np.array([0, 2, 0]), np.array([1, 1, 1]))),
            *_taken((3, 2), index=((0, 0), (1, 1))),
            *_taken((3, 2, 4), index=(np.array([0, 2, 0]), slice(None), np.array([1, 1, 1]))),
            *_taken((3, 2), index=(slice(1, None), np.array([1, 1]))),
            *_taken((2, 3), index=MASK),
            *_taken((2, 3, 4), index=MASK),
            *_taken((2, 3), index=(np.array([False, True]), np.array([1, 1]))),
            *_taken((2, 3), index=[True, False]),
            *_taken((3, 2), index=range(-2, 2)),
            *_taken((3,), index=buffer("i", [0, 0, 2])),
            *_taken((3,), index=np.array([], int)),
            *_taken((3,), index=np.int64(2)),
            *_taken((0, 3), index=slice(1)),
            *layouts((5, 4), call=fixed(index=(slice(None), [0, 0, 1]))),
        ),
        (
            Bad(
                lambda: F.getitem(_x(3), index=3),
                IndexError,
                r"getitem: x has shape \(3,\), index=3: expected an index from -3 to 2",
            ),
            Bad(lambda: _x(3)[[5]], IndexError, "getitem: .*index from -3 to 2"),
            Bad(lambda: _x(3)[1, 2], IndexError, "getitem: .*too many"),
            Bad(lambda: _x(3)[MASK], IndexError, "getitem"),
            Bad(lambda: _x(3)["a"], IndexError, "getitem"),
            Bad(lambda: iter(_x()), TypeError, "without axes"),
        ),
    ),
    Row(
        F.take_along_axis,
        moved(lambda places, indices, axis=-1: np.take_along_axis(places, indices, axis)),
        (
            *cases_with(
                ("last", ((3, 5),), {"indices": _ORDER}),
                ("first", ((3, 4),), {"indices": _ORDER, "axis": 0}),
                ("from the end", ((3, 4),), {"indices": _ORDER, "axis": -2}),
                ("flat", ((3, 4),), {"indices": _ORDER.ravel(), "axis": None}),
                ("broadcast indices", ((3, 5),), {"indices": _ORDER[:1], "axis": 1}),
                ("broadcast input", ((1, 5),), {"indices": _ORDER, "axis": 1}),
                ("vector", ((3,),), {"indices": _ORDER[0], "axis": 0}),
                ("nothing", ((0, 3),), {"indices": np.zeros((0, 2), int), "axis": 1}),
            ),
            *layouts((3, 5), call=fixed(indices=_ORDER, axis=1)),
        ),
        (
            Bad(
                lambda: F.take_along_axis(_x(2), indices=np.array([2])),
                IndexError,
                "take_along_axis: .*index from -2 to 1",
            ),
            Bad(lambda: F.take_along_axis(_x(2), indices=np.array([[1]])), ValueError, "take_along_axis"),
        ),
    ),
    Row(
        F.diagonal,
        moved(np.diagonal),
        (
            *cases_with(
                ("square", ((3, 3),), {}),
                ("wide", ((2, 4),), {"offset": 1}),
                ("tall", ((4, 2),), {"offset": -1}),
                ("beyond", ((2, 3),), {"offset": 5}),
                ("stack", ((2, 3, 4),), {"axis1": 1, "axis2": 2}),
                ("crossed", ((2, 3, 4),), {"axis1": -1, "axis2": 0, "offset": 1}),
                ("nothing", ((0, 3),), {}),
            ),
            *layouts((5, 4), call=fixed(offset=-1)),
        ),
        (
            Bad(lambda: F.diagonal(_x(2)), ValueError, "diagonal"),
            Bad(lambda: F.diagonal(_x(2, 2), axis1=1), ValueError, "diagonal: .*same"),
        ),
    ),
    Row(
        F.trace,
        _trace,
        (
            *cases_with(
                ("square", ((3, 3),), {}),
                ("wide", ((2, 4),), {"offset": 1}),
                ("tall", ((4, 2),), {"offset": -1}),
                ("beyond", ((2, 3),), {"offset": 5}),
                ("stack", ((2, 3, 4),), {"axis1": 1, "axis2": 2}),
                ("crossed", ((2, 3, 4),), {"axis1": -1, "axis2": 0, "offset": 1}),
                ("nothing", ((0, 3),), {}),
            ),
            *layouts((5, 4), call=fixed(offset=-1)),
        ),
        (
            Bad(lambda: F.trace(_x(2)), ValueError, "trace"),
            Bad(lambda: F.trace(_x(2, 2), axis1=1), ValueError, "trace: .*same"),
        ),
        exact=False,
    ),
    *[
        Row(
            function,
            reference,
            (
                *cases_with(
                    ("square", ((3, 3),), {}),
                    ("wide", ((2, 4),), {"k": 1}),
                    ("tall", ((4, 2),), {"k": -1}),
                    ("beyond", ((2, 3),), {"k": 5}),
                    ("stack", ((2, 3, 4),), {}),
                    ("nothing", ((0, 3),), {}),
                ),
                *layouts((5, 4), call=fixed(k=-1)),
            ),
            (
                Bad(lambda f=function: f(_x(2)), ValueError, "tri[lu]: .*expected a matrix"),
                Bad(lambda f=function: f(_x()), ValueError, "tri[lu]: .*expected a matrix"),
            ),
        )
        for function, reference in ((F.tril, anp.tril), (F.triu, anp.triu))
    ],
)
