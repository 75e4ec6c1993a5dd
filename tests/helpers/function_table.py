"""The table that drives the tests of functions: one row for every declared function, no exceptions."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from autolab import Variable
from autolab import functions as F
from helpers.cases import CONSTANT, Case, arrays, binary_cases, cases_with, dtype_of, fixed, layouts, unary_cases
from helpers.followed import anp, defvjp, primitive
from helpers.rows import Bad, Row
from helpers.table_activation import ROWS as ACTIVATION
from helpers.table_arrangement import ROWS as ARRANGEMENT
from helpers.table_conv import ROWS as CONV
from helpers.table_einsum import ROWS as EINSUM
from helpers.table_elementwise import ROWS as ELEMENTWISE
from helpers.table_fourier import ROWS as FOURIER
from helpers.table_fused import ROWS as FUSED
from helpers.table_loss import ROWS as LOSS
from helpers.table_matrices import ROWS as MATRICES
from helpers.table_metrics import ROWS as METRICS
from helpers.table_nn import ROWS as NN
from helpers.table_norms import ROWS as NORMS
from helpers.table_numpy import ROWS as NUMPY
from helpers.table_parts import ROWS as PARTS
from helpers.table_pool import ROWS as POOL
from helpers.table_powers import ROWS as POWERS
from helpers.table_products import ROWS as PRODUCTS
from helpers.table_reduce import ROWS as REDUCE
from helpers.table_samples import ROWS as SAMPLES


def _sum_to(x: Any, shape: tuple[int, ...]) -> Any:
    lead = x.ndim - len(shape)
    axes = [i for i in range(x.ndim) if i < lead or (shape[i - lead] == 1 and x.shape[i] != 1)]
    return anp.reshape(anp.sum(x, axis=tuple(axes)), shape) if axes else x * 1.0


@primitive
def _cast(x: Any, dtype: Any) -> Any:
    return np.asarray(x).astype(dtype)


defvjp(_cast, lambda y, x, dtype: lambda g: _cast(g, np.float64))


def _x(*shape: int) -> Variable:
    return Variable(np.ones(shape))


ROWS = (
    *ARRANGEMENT,
    *ELEMENTWISE,
    *FOURIER,
    *FUSED,
    *MATRICES,
    *EINSUM,
    *LOSS,
    *CONV,
    *NN,
    *NORMS,
    *NUMPY,
    *ACTIVATION,
    *PARTS,
    *POOL,
    *POWERS,
    *PRODUCTS,
    *REDUCE,
    *SAMPLES,
    *METRICS,
    *[
        Row(
            function,
            reference,
            binary_cases(domain),
            (Bad(partial(function, _x(2), _x(3)), ValueError, rf"{function.__name__}: .*\(2,\).*\(3,\)"),),
            order=3,
            mixed=True,
        )
        for function, reference, domain in (
            (F.add, anp.add, (-2, 2)),
            (F.sub, anp.subtract, (-2, 2)),
            (F.mul, anp.multiply, (-2, 2)),
            (F.div, anp.true_divide, (0.5, 2)),
            (F.pow, anp.power, (0.5, 2)),
        )
    ],
    *[
        Row(function, reference, unary_cases(domain), slope=slope, order=3)
        for function, reference, domain, slope in (
            (F.neg, anp.negative, (-2, 2), lambda x: -np.ones_like(x)),
            (F.exp, anp.exp, (-2, 2), np.exp),
            (F.log, anp.log, (0.5, 3), lambda x: 1 / x),
            (F.sin, anp.sin, (-4, 4), np.cos),
            (F.cos, anp.cos, (-4, 4), lambda x: -np.sin(x)),
            (F.tanh, anp.tanh, (-2, 2), lambda x: 1 - np.tanh(x) ** 2),
        )
    ],
    Row(
        F.sum,
        anp.sum,
        (
            *cases_with(
                ("everything", ((5, 4),), {}),
                ("a scalar", ((),), {}),
                ("rows", ((5, 4),), {"axis": 0}),
                ("last axis", ((2, 3, 4),), {"axis": -1}),
                ("two axes", ((2, 3, 4),), {"axis": (0, -1)}),
                ("no axis", ((2, 3),), {"axis": ()}),
                ("kept", ((2, 3, 4),), {"axis": (1,), "keepdims": True}),
                ("all kept", ((2, 3),), {"keepdims": True}),
                ("nothing", ((0,),), {}),
                ("no rows", ((0, 3),), {"axis": 0}),
                ("no columns", ((3, 0),), {"axis": 0}),
            ),
            *layouts((5, 4), call=fixed(axis=0)),
        ),
        (Bad(lambda: F.sum(_x(2), axis=1), ValueError, "sum: .*axis=1: expected (an|no) axis"),),
    ),
    Row(
        F.reshape,
        lambda x, shape: anp.reshape(x, shape),
        (
            *cases_with(
                ("fold", ((6,),), {"shape": (2, 3)}),
                ("unfold", ((2, 3),), {"shape": (6,)}),
                ("flat", ((2, 3),), {"shape": -1}),
                ("one free", ((2, 3, 4),), {"shape": (4, -1)}),
                ("to a scalar", ((1, 1),), {"shape": ()}),
                ("from a scalar", ((),), {"shape": (1, 1)}),
                ("the same", ((2, 3),), {"shape": (2, 3)}),
                ("nothing", ((0, 3),), {"shape": (3, 0)}),
            ),
            *layouts((6, 2), call=fixed(shape=(3, 4))),
        ),
        (Bad(lambda: F.reshape(_x(2), shape=(3,)), ValueError, r"reshape: .*\(3,\)"),),
    ),
    Row(
        F.transpose,
        lambda x, axes=None: anp.transpose(x, axes if axes is None else [axis % x.ndim for axis in axes]),
        (
            *cases_with(
                ("reversed", ((2, 3, 4),), {}),
                ("matrix", ((2, 3),), {}),
                ("vector", ((3,),), {}),
                ("a scalar", ((),), {}),
                ("cycle", ((2, 3, 4),), {"axes": (1, 2, 0)}),
                ("negative", ((2, 3, 4),), {"axes": (-1, 0, -2)}),
                ("list", ((2, 3),), {"axes": [1, 0]}),
                ("nothing", ((0, 3, 2),), {"axes": (2, 0, 1)}),
            ),
            *layouts((5, 4), call=fixed(axes=(1, 0))),
        ),
        (Bad(lambda: F.transpose(_x(2, 3), axes=(0, 0)), ValueError, "transpose: .*ax[ei]s"),),
    ),
    Row(
        F.broadcast_to,
        lambda x, shape: x * np.ones(shape, dtype_of(x)),
        (
            *cases_with(
                ("from a scalar", ((),), {"shape": (2, 3)}),
                ("new axis", ((3,),), {"shape": (2, 3)}),
                ("stretched", ((3, 1),), {"shape": (3, 4)}),
                ("both", ((3, 1),), {"shape": (2, 3, 4)}),
                ("two stretched", ((1, 3, 1),), {"shape": (2, 3, 4)}),
                ("the same", ((2, 3),), {"shape": (2, 3)}),
                ("to nothing", ((1,),), {"shape": (0,)}),
                ("nothing", ((0, 3),), {"shape": (2, 0, 3)}),
            ),
            *layouts((5, 1), call=fixed(shape=(2, 5, 4))),
        ),
        (Bad(lambda: F.broadcast_to(_x(2), shape=(3,)), ValueError, r"broadcast_to: .*\(3,\)"),),
    ),
    Row(
        F.sum_to,
        _sum_to,
        (
            *cases_with(
                ("to a scalar", ((2, 3),), {"shape": ()}),
                ("a scalar", ((),), {"shape": ()}),
                ("leading", ((2, 3),), {"shape": (3,)}),
                ("stretched", ((3, 4),), {"shape": (3, 1)}),
                ("both", ((2, 3, 4),), {"shape": (3, 1)}),
                ("two stretched", ((2, 3, 4),), {"shape": (1, 3, 1)}),
                ("the same", ((2, 3),), {"shape": (2, 3)}),
                ("one already", ((1, 3),), {"shape": (1, 1)}),
                ("nothing", ((0, 3),), {"shape": (3,)}),
            ),
            *layouts((5, 4), call=fixed(shape=(1, 4))),
        ),
        (
            Bad(lambda: F.sum_to(_x(2, 3), shape=(5,)), ValueError, "sum_to"),
            Bad(lambda: F.sum_to(_x(3), shape=(1, 3)), ValueError, "sum_to"),
        ),
        exact=False,
    ),
    Row(
        F.cast,
        _cast,
        (
            *[
                Case(f"{shape} to {dtype}", arrays(shape), fixed(dtype=dtype))
                for shape in ((), (3,), (0, 3))
                for dtype in ("float32", np.float64)
            ],
            *layouts((5, 4), call=fixed(dtype=np.float32)),
        ),
        (Bad(lambda: F.cast(_x(2), dtype=complex), TypeError, "cast"),),
        order=3,
    ),
    Row(
        F.matmul,
        anp.matmul,
        (
            *[
                Case(f"{a} with {b}", arrays(a, b))
                for a, b in (
                    *(((4,), (4,)), ((5, 4), (4,)), ((4,), (4, 3)), ((5, 4), (4, 3)), ((2, 5, 4), (2, 4, 3))),
                    *(((2, 1, 5, 4), (3, 4, 2)), ((5, 4), (2, 4, 3)), ((2, 5, 4), (4, 3)), ((4,), (2, 4, 3))),
                    *(
                        ((2, 5, 4), (4,)),
                        ((1, 5, 4), (2, 4, 3)),
                        ((0, 4), (4, 3)),
                        ((5, 0), (0, 3)),
                        ((0, 5, 4), (4, 3)),
                    ),
                )
            ],
            Case("a value with itself", arrays((3, 3)), lambda f, a: f(a, a)),
            Case("array on the left", arrays((4, 3)), lambda f, a: f(np.tile(CONSTANT, (2, 1)).astype(dtype_of(a)), a)),
            *layouts((5, 4), call=lambda f, a: f(a, np.tile(CONSTANT, (3, 1)).T.astype(dtype_of(a)))),
        ),
        (
            Bad(lambda: F.matmul(_x(2), _x(3)), ValueError, "matmul"),
            Bad(lambda: F.matmul(_x(2), _x()), ValueError, "matmul"),
        ),
        mixed=True,
        exact=False,  # NumPy gave other last digits for negative strides before 2.1
    ),
)
