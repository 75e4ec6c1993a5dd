"""Rows of the functions that move, repeat and surround elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autolab import Variable
from autolab import functions as F
from helpers.cases import cases_with, fixed, layouts
from helpers.followed import anp
from helpers.rows import Bad, Row


def moved(function: Callable[..., Any]) -> Callable[..., Any]:
    """A reference: what ``function`` does to the places of the elements, done to the elements."""

    def reference(x: Any, **attributes: Any) -> Any:
        for name, value in attributes.items():
            if isinstance(value, np.unsignedinteger):  # NumPy 2.0 negates a shift without a sign
                attributes[name] = int(value)
        places = function(np.arange(np.size(x)).reshape(np.shape(x)), **attributes)
        return anp.reshape(x, (-1,))[places]

    return reference


def _x(*shape: int) -> Variable:
    return Variable(np.ones(shape))


def _pad(x: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Any:
    if mode == "constant":
        return anp.pad(x, pad_width, mode, constant_values=constant_values)
    return moved(np.pad)(x, pad_width=pad_width, mode=mode)


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
                ("a scalar", ((),), {}),
            ),
            *layouts((5, 1), call=fixed(axis=-1)),
        ),
        (
            Bad(lambda: F.squeeze(_x(2, 1), axis=0), ValueError, "squeeze: .*expected axes of size 1"),
            Bad(lambda: F.squeeze(_x(2), axis=3), ValueError, "squeeze: .*axis=3: expected an axis from"),
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
            Bad(lambda: F.expand_dims(_x(2), axis=3), ValueError, "expand_dims: .*axis=3: expected an axis from"),
            Bad(lambda: F.expand_dims(_x(2), axis=(0, 0)), ValueError, "expand_dims: .*expected each axis once"),
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
            Bad(lambda: F.flip(_x(2), axis=1), ValueError, "flip: .*axis=1: expected an axis from"),
            Bad(lambda: F.flip(_x(2), axis=(0, 0)), ValueError, "flip: .*expected each axis once"),
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
                ("without a sign", ((2, 3),), {"shift": np.uint8(1), "axis": 1}),
                ("nothing", ((0, 3),), {"shift": 1, "axis": 0}),
                ("a scalar", ((),), {"shift": 1}),
            ),
            *layouts((5, 4), call=fixed(shift=1, axis=0)),
        ),
        (
            Bad(lambda: F.roll(_x(2), shift=1, axis=1), ValueError, "roll: .*axis=1: expected an axis from"),
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
            Bad(lambda: F.repeat(_x(3), repeats=-1), ValueError, "repeat: .*expected numbers not below 0"),
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
            Bad(lambda: F.tile(_x(2), reps=-1), ValueError, "tile: .*expected numbers not below 0"),
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
                ("wrap, more than once", ((3,),), {"pad_width": ((5, 2),), "mode": "wrap"}),
                ("reflect, more than once", ((3,),), {"pad_width": ((9, 1),), "mode": "reflect"}),
                ("nothing", ((0, 3),), {"pad_width": 1}),
            ),
            *layouts((5, 4), call=fixed(pad_width=((1, 2), (3, 0)))),
        ),
        (
            Bad(
                lambda: F.pad(_x(2), pad_width=1, mode="linear_ramp"), ValueError, "pad: .*linear_ramp.*expected one of"
            ),
            Bad(lambda: F.pad(_x(2), pad_width=((1, 1), (1, 1))), ValueError, "pad: .*broadcast"),
            Bad(lambda: F.pad(_x(2), pad_width=-1), ValueError, "pad: .*expected numbers not below 0"),
            Bad(lambda: np.pad(_x(2), 1, "reflect", reflect_type="odd"), TypeError, r"numpy\.pad .*reflect_type"),
        ),
    ),
)
