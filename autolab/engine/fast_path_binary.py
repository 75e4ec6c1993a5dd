"""What ``x * y`` runs: the fast path of functions of two inputs, with everything precomputed from the declaration.

`binary` turns a `Primitive` into the function that users call. It builds the same graph as `Primitive.apply`, and
passes anything unusual (observers, lists, mixed devices) on to it before running the forward, which may draw or print
and must run only once. Its length is measured: each spare line cost 5 to 15 % of a step. `declare.py` has the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays import PlainArray, scalar
from .backend import modules
from .calls import LEFT_OUT, refuse
from .errors import COMPLAINTS
from .modes import modes, overrides, watchers
from .node import Edge, Node, new_order
from .numpy_protocol import Kernels, on_device
from .retention import places
from .variable import Variable

if TYPE_CHECKING:
    from .primitive import Primitive

FastPath = tuple[Callable[..., Any], Callable[[], None]]
_new_variable, _ndarray = Variable.__new__, np.ndarray


def binary(function: Primitive) -> FastPath:
    """The fast call of ``function``, and a function to update it when rules are added."""
    kernels, elementwise = Kernels(function), function.elementwise
    same_dtype, same_shape = kernels.keeps_floats, function.keeps_shapes
    rule_a: Any = None
    rule_b: Any = None
    keep_a: Any = 0
    keep_b: Any = 0
    simple = True

    def learn() -> None:
        nonlocal rule_a, rule_b, keep_a, keep_b, simple
        rule_a, rule_b = function.rule(0), function.rule(1)
        a, b = places(function, 0), places(function, 1)
        simple = len(a) == len(b) == 1 and max(a + b) <= 3  # no shape
        keep_a, keep_b = (a[0], b[0]) if simple else (itemgetter(*a), itemgetter(*b))

    def apply(a: Any, b: Any) -> Any:
        found = None if watchers else on_device.with_number(function, kernels, a, b)
        return function.apply((a,) if b is LEFT_OUT else (a, b), {}) if found is None else found

    def call(a: Any, b: Any = LEFT_OUT, /, out: Any = None, where: Any = None, dtype: Any = None) -> Any:
        if out is not None or where is not None or dtype is not None:
            refuse(function, out=out, where=where, dtype=dtype)
        if isinstance(a, Variable) and isinstance(b, Variable):
            x, x_node, y, y_node, number = a._data, a.node, b._data, b.node, None
        elif type(a) is _ndarray and type(b) is _ndarray:
            try:
                return kernels[_ndarray](a, b)
            except COMPLAINTS as error:
                raise function.complaint(error, [a, b], {}) from None
        else:
            x, x_node, y, y_node, number = _operands(a, b, elementwise)
        # The result, by the NumPy or CuPy function that the forward amounts to.
        kind = type(x)
        if watchers or type(y) is not kind or kind not in modules:
            return apply(a, b)
        try:
            z = kernels[kind](x, y)
        except COMPLAINTS as error:
            raise function.complaint(error, [x, y], {}) from None
        if rule_a is None:
            x_node = None
        if rule_b is None:
            y_node = None
        if type(z) is not kind:
            z = function.result(z, modules[kind])
        # The Variable of the result, without a node if no input requires a gradient.
        variable: Any = _new_variable(Variable)
        variable._data = z
        variable._name = None
        if (
            (x_node is None and y_node is None)
            or (overrides and not modes().enable_backprop)
            or not (same_dtype or z.dtype.kind == "f")
        ):
            variable.node = None
            return variable
        # Which gradients have to be fitted to the shape and dtype of their inputs.
        fit_a = fit_b = None
        if not (same_shape and x.dtype is y.dtype and (same_dtype or z.dtype is x.dtype)):
            fit_a, fit_b = (x.shape, x.dtype), (y.shape, y.dtype)
        elif x.shape != y.shape:  # gradients of broadcast inputs have to be summed
            fit_a = None if x.shape == z.shape else (x.shape, x.dtype)
            fit_b = None if y.shape == z.shape else (y.shape, y.dtype)
        # The node: an edge to each input that needs a gradient, with its rule and what is retained for the rule.
        values = (number, x, y, z) if simple else (number, x, y, z, x.shape, y.shape)
        node: Any = Node()
        edge: Any = node
        variable.node = node
        node.function = function
        node.order = new_order()
        if x_node is not None:
            node.parent = x_node
            node.place = 0
            node.rule = rule_a
            node.saved = values[keep_a] if simple else keep_a(values)
            node.fit = fit_a
            if y_node is None:
                node.more = None
                return variable
            node.more = edge = Edge()
        edge.parent = y_node
        edge.place = 1
        edge.rule = rule_b
        edge.saved = values[keep_b] if simple else keep_b(values)
        edge.fit = fit_b
        edge.more = None
        return variable

    return call, learn


def _operands(a: Any, b: Any, elementwise: bool) -> tuple[Any, Node | None, Any, Node | None, Any]:
    """``(array, node, array, node, number)`` if one or both operands are constants; numbers become arrays."""
    if isinstance(a, Variable):
        y = _constant(b, a._data, elementwise)
        return a._data, a.node, y, None, None if y is b else y
    if isinstance(b, Variable):
        x = _constant(a, b._data, elementwise)
        return x, None, b._data, b.node, None if x is a else x
    return a, None, None, None, None  # no Variable: plain arrays in, plain arrays out


def _constant(value: Any, beside: Any, elementwise: bool) -> Any:
    """A constant operand as an array like the other one; None if `apply` has to handle it."""
    kind = type(value)
    if kind is float or kind is int:
        try:
            return scalar(value, beside.dtype) if elementwise and type(beside) is _ndarray else None
        except OverflowError:
            return None
    value = np.asarray(value) if kind is PlainArray else value
    return value if type(value) is _ndarray and value.dtype.kind in "fiub" else None
