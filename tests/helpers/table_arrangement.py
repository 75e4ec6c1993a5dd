"""Rows of the functions that move, repeat, choose and join elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import autograd.numpy as anp
import numpy as np

from autolab import Variable
from autolab import functions as F
from helpers.cases import Case, arrays, cases_with, fixed, layouts
from helpers.rows import Bad, Row

MASK = np.array([[True, False, True], [False, True, True]])


def moved(function: Callable[..., Any]) -> Callable[..., Any]:
    """A reference: what ``function`` does to the places of the elements, done to the elements."""

    def reference(x: Any, **attributes: Any) -> Any:
        places = function(np.arange(np.size(x)).reshape(np.shape(x)), **attributes)
        return anp.reshape(x, (-1,))[places]

    return reference


def _x(*shape: int) -> Variable:
    return Variable(np.ones(shape))


def _trace(x: Any, **attributes: Any) -> Any:
    return anp.sum(moved(np.diagonal)(x, **attributes), axis=-1)


def _joined(*shapes: tuple[tuple[int, ...], ...], **attributes: Any) -> tuple[Case, ...]:
    return tuple([Case(str(some), arrays(*some), lambda f, *xs: f(*xs, **attributes)) for some in shapes])


def _list_first(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *xs, axis=0: function(xs, axis=axis)


def _pad(x: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Any:
    if mode == "constant":
        return anp.pad(x, pad_width, mode, constant_values=constant_values)
    return moved(np.pad)(x, pad_width=pad_width, mode=mode)


def _taken(*shapes: tuple[int, ...], index: Any) -> tuple[Case, ...]:
    return tuple([Case(f"{index!r:.40} of {shape}", arrays(shape), fixed(index=index)) for shape in shapes])


def _part(sections: Any, i: int, axis: int = 0) -> Callable[..., Any]:
    return lambda f, x: f(x, sections=sections, axis=axis)[i]


_ORDER = np.array([[2, 0, 1, 0], [1, 1, 1, 1], [0, 2, 1, 2]])

ROWS = (
    Row(
        F.swapaxes,
        moved(np.swapaxes),
        (
            *cases_with(
                ("matrix", ((2, 3),), {"axis1": 0, "axis2": 1}),
                ("outer", ((2, 3, 4),), {"axis1": 0, "axis2": 2}),
                ("from the end", ((2, 3, 4),), {"axis1": -1, "axis2": -2}),
                ("the same", ((2, 3),), {"axis1": 1, "axis2": -1}),
                ("nothing", ((0, 3),), {"axis1": 0, "axis2": 1}),
            ),
            *layouts((5, 4), call=fixed(axis1=0, axis2=1)),
        ),
        (
            Bad(lambda: F.swapaxes(_x(2, 3), axis1=0, axis2=2), ValueError, "swapaxes: .*axis2"),
            Bad(lambda: F.swapaxes(_x(2, 3), axis1=0), TypeError, "axis2"),
        ),
    ),
    Row(
        F.moveaxis,
        moved(np.moveaxis),
        (
            *cases_with(
                ("last to first", ((2, 3, 4),), {"source": -1, "destination": 0}),
                ("first to last", ((2, 3, 4),), {"source": 0, "destination": -1}),
                ("two", ((2, 3, 4, 5),), {"source": (0, 1), "destination": (-1, -2)}),
                ("nothing", ((0, 3),), {"source": 0, "destination": 1}),
                ("the same", ((2, 3),), {"source": 1, "destination": 1}),
            ),
            *layouts((5, 4), call=fixed(source=0, destination=1)),
        ),
        (
            Bad(lambda: F.moveaxis(_x(2, 3), source=2, destination=0), ValueError, "moveaxis: .*source"),
            Bad(lambda: F.moveaxis(_x(2, 3), source=(0, 1), destination=0), ValueError, "moveaxis"),
        ),
    ),
    Row(
        F.squeeze,
        moved(np.squeeze),
        (
            *cases_with(
                ("all", ((1, 3, 1),), {}),
                ("to a scalar", ((1, 1),), {}),
                ("one", ((1, 3, 1),), {"axis": 0}),
                ("from the end", ((1, 3, 1),), {"axis": -1}),
                ("two", ((1, 3, 1),), {"axis": (0, 2)}),
                ("none there", ((2, 3),), {}),
                ("nothing", ((0, 1),), {}),
            ),
            *layouts((5, 1), call=fixed(axis=-1)),
        ),
        (
            Bad(lambda: F.squeeze(_x(2, 1), axis=0), ValueError, "squeeze: .*size not equal to one"),
            Bad(lambda: F.squeeze(_x(2), axis=3), ValueError, "squeeze: .*axis 3"),
        ),
    ),
    Row(
        F.expand_dims,
        moved(np.expand_dims),
        (
            *cases_with(
                ("first", ((2, 3),), {"axis": 0}),
                ("last", ((2, 3),), {"axis": -1}),
                ("two", ((2, 3),), {"axis": (0, 2)}),
                ("a scalar", ((),), {"axis": 0}),
                ("nothing", ((0, 3),), {"axis": 1}),
            ),
            *layouts((5, 4), call=fixed(axis=1)),
        ),
        (
            Bad(lambda: F.expand_dims(_x(2), axis=3), ValueError, "expand_dims: .*axis 3"),
            Bad(lambda: F.expand_dims(_x(2), axis=(0, 0)), ValueError, "expand_dims: .*repeated"),
        ),
    ),
    Row(
        F.flip,
        moved(np.flip),
        (
            *cases_with(
                ("all", ((2, 3, 4),), {}),
                ("one", ((2, 3),), {"axis": 0}),
                ("from the end", ((2, 3),), {"axis": -1}),
                ("two", ((2, 3, 4),), {"axis": (0, -1)}),
                ("nothing", ((0, 3),), {"axis": 0}),
                ("a scalar", ((),), {}),
            ),
            *layouts((5, 4), call=fixed(axis=1)),
        ),
        (
            Bad(lambda: F.flip(_x(2), axis=1), ValueError, "flip: .*axis 1"),
            Bad(lambda: F.flip(_x(2), axis=(0, 0)), ValueError, "flip: .*repeated"),
        ),
    ),
    Row(
        F.roll,
        moved(np.roll),
        (
            *cases_with(
                ("flat", ((2, 3),), {"shift": 2}),
                ("backwards", ((2, 3),), {"shift": -1, "axis": 1}),
                ("far", ((5,),), {"shift": 12}),
                ("two", ((2, 3, 4),), {"shift": (1, -2), "axis": (0, -1)}),
                ("a list", ((2, 3),), {"shift": [1, 2], "axis": [0, 1]}),
                ("nothing", ((0, 3),), {"shift": 1, "axis": 0}),
            ),
            *layouts((5, 4), call=fixed(shift=1, axis=0)),
        ),
        (
            Bad(lambda: F.roll(_x(2), shift=1, axis=1), ValueError, "roll: .*axis 1"),
            Bad(lambda: F.roll(_x(2)), TypeError, "shift"),
        ),
    ),
    Row(
        F.repeat,
        moved(np.repeat),
        (
            *cases_with(
                ("flat", ((2, 3),), {"repeats": 2}),
                ("rows", ((2, 3),), {"repeats": 3, "axis": 0}),
                ("from the end", ((2, 3),), {"repeats": 2, "axis": -1}),
                ("never", ((2, 3),), {"repeats": 0, "axis": 1}),
                ("each its own", ((2, 3),), {"repeats": [2, 0, 1], "axis": 1}),
                ("an array", ((3, 2),), {"repeats": np.array([1, 3, 2]), "axis": 0}),
                ("flat, each its own", ((2, 2),), {"repeats": (1, 2, 0, 3)}),
                ("one in a list", ((2, 3),), {"repeats": [2], "axis": 1}),
                ("a scalar", ((),), {"repeats": 3}),
                ("nothing", ((0, 3),), {"repeats": 2, "axis": 0}),
            ),
            *layouts((5, 4), call=fixed(repeats=2, axis=0)),
        ),
        (
            Bad(lambda: F.repeat(_x(3), repeats=[1, 2], axis=0), ValueError, "repeat: .*broadcast"),
            Bad(lambda: F.repeat(_x(3), repeats=-1), ValueError, "repeat: .*negative"),
        ),
    ),
    Row(
        F.tile,
        moved(np.tile),
        (
            *cases_with(
                ("vector", ((3,),), {"reps": 2}),
                ("as many axes", ((2, 3),), {"reps": (2, 3)}),
                ("fewer", ((2, 3),), {"reps": 2}),
                ("more", ((3,),), {"reps": (2, 1, 3)}),
                ("a list", ((2, 3),), {"reps": [1, 2]}),
                ("never", ((2, 3),), {"reps": (0, 2)}),
                ("a scalar", ((),), {"reps": (2, 2)}),
                ("nothing", ((0, 3),), {"reps": 2}),
            ),
            *layouts((5, 4), call=fixed(reps=(2, 1))),
        ),
        (
            Bad(lambda: F.tile(_x(2), reps=-1), ValueError, "tile: .*negative"),
            Bad(lambda: F.tile(_x(2)), TypeError, "reps"),
        ),
    ),
    Row(
        F.pad,
        _pad,
        (
            *cases_with(
                ("everywhere", ((2, 3),), {"pad_width": 1}),
                ("before and after", ((2, 3),), {"pad_width": (0, 2)}),
                ("each axis", ((2, 3),), {"pad_width": ((1, 0), (0, 2))}),
                ("sevens", ((2, 3),), {"pad_width": 1, "constant_values": 7}),
                ("edge", ((2, 3),), {"pad_width": ((1, 2), (0, 3)), "mode": "edge"}),
                ("reflect", ((3, 4),), {"pad_width": ((1, 2), (3, 5)), "mode": "reflect"}),
                ("symmetric", ((3, 2),), {"pad_width": 3, "mode": "symmetric"}),
                ("wrap", ((3, 4),), {"pad_width": ((1, 2), (0, 3)), "mode": "wrap"}),
                ("nothing", ((0, 3),), {"pad_width": 1}),
            ),
            *layouts((5, 4), call=fixed(pad_width=((1, 2), (3, 0)))),
        ),
        (
            Bad(
                lambda: F.pad(_x(2), pad_width=1, mode="linear_ramp"), ValueError, "pad: .*linear_ramp.*expected one of"
            ),
            Bad(lambda: F.pad(_x(2), pad_width=((1, 1), (1, 1))), ValueError, "pad: .*broadcast"),
            Bad(lambda: F.pad(_x(2), pad_width=-1), ValueError, "pad: .*negative"),
            Bad(lambda: np.pad(_x(2), 1, "reflect", reflect_type="odd"), TypeError, r"numpy\.pad .*reflect_type"),
        ),
    ),
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
            Bad(lambda: F.stack(_x(2), axis=3), ValueError, "stack: .*axis 3"),
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
            Bad(lambda: F.split(_x(5), sections=1, axis=1), ValueError, r"split: x has shape \(5,\).*axis=1"),
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
            *_taken((3,), index=np.array([], int)),
            *_taken((3,), index=np.int64(2)),
            *_taken((0, 3), index=slice(1)),
            *layouts((5, 4), call=fixed(index=(slice(None), [0, 0, 1]))),
        ),
        (
            Bad(lambda: F.getitem(_x(3), index=3), IndexError, r"getitem: x has shape \(3,\): .*out of bounds"),
            Bad(lambda: _x(3)[[5]], IndexError, "getitem: .*out of bounds"),
            Bad(lambda: _x(3)[1, 2], IndexError, "getitem: .*too many"),
            Bad(lambda: _x(3)[MASK], IndexError, "getitem"),
            Bad(lambda: _x(3)["a"], IndexError, "getitem"),
            Bad(lambda: iter(_x()), TypeError, "without axes"),
        ),
    ),
    Row(
        F.take_along_axis,
        moved(np.take_along_axis),
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
            Bad(lambda: F.take_along_axis(_x(2), indices=np.array([2])), IndexError, "take_along_axis: .*bounds"),
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
