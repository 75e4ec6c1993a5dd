"""Short cuts of `Primitive.apply`: the same graph, with all that a declaration settles settled beforehand.

One for functions of one input, one for two, one for the rest. They hold what `apply` looks up: the rules, what these
keep, which NumPy function. Whatever is out of the ordinary (observers, lists, mixed devices, an unknown array type)
goes to `apply`, before a forward ran: it may draw or print, and runs once. Their length is measured: each line that
seems spare was worth 5 to 15 % of a step (see benchmarks).
"""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays import scalar
from .backend import modules
from .calls import again, refuse
from .complaints import COMPLAINTS
from .config import modes, overrides, watchers
from .kernels import Kernels, on_device
from .node import Edge, Node, new_order
from .variable import Variable

if TYPE_CHECKING:
    from .primitive import Primitive

_new_variable = Variable.__new__
_ndarray, _floating = np.ndarray, np.floating
_LEFT_OUT = object()


def shortcut(function: Primitive) -> Callable[..., Any] | None:
    """A faster equal of ``function.apply`` for its shape of function, or None if there is none."""
    schema = function.schema
    if schema.variadic or function.several:
        return None
    make = {1: _unary, 2: _binary}.get(len(schema.inputs), _general) if schema.fixed else _general
    call, function.learn = make(function)
    function.learn()
    return call if make is _general or not function.takes_names else _by_name(function, call)


def _by_name(function: Primitive, plain: Callable[..., Any]) -> Callable[..., Any]:
    """``plain``, with inputs by name as well."""
    count = len(function.inputs)

    def call(*args: Any, **named: Any) -> Any:
        return function.apply(args, named) if named or len(args) != count else plain(*args)

    return call


Shortcut = tuple[Callable[..., Any], Callable[[], None]]
"""What people call, and what tells it the rules, now and when one is added."""


def _unary(function: Primitive) -> Shortcut:
    kernels = Kernels(function)
    same_dtype, same_shape = kernels.keeps_floats, function.keeps_shapes
    rule: Any = None
    keep: Any = 0

    def learn() -> None:
        nonlocal rule, keep
        rule, places = function.rule(0), _places(function, 0)
        keep = places[0] if max(places) <= 2 and len(places) == 1 else itemgetter(*places)

    def apply(a: Any) -> Any:
        return function.apply(() if a is _LEFT_OUT else (a,), {})

    def call(a: Any = _LEFT_OUT, /, out: Any = None, where: Any = None, dtype: Any = None) -> Any:
        if out is not None or where is not None or dtype is not None:
            refuse(function, out=out, where=where, dtype=dtype)
        x = a._data if isinstance(a, Variable) else a
        kind = type(x)
        if kind not in modules or (watchers and x is not a):
            return apply(a)
        try:
            y = kernels[kind](x)
        except COMPLAINTS as error:
            raise function.complaint(error, [x], {}) from None
        if x is a:
            return y
        if type(y) is not kind:  # NumPy gives scalars for 0-d arrays
            y = function.result(y, modules[kind])
        variable = _new_variable(Variable)
        variable._data = y
        variable._name = None
        parent = a.node
        if (
            parent is None
            or rule is None
            or (overrides and not modes().enable_backprop)
            or not (same_dtype or y.dtype.kind == "f")
        ):
            variable.node = None
            return variable
        variable.node = node = Node()
        node.parent = parent
        node.place = 0
        node.rule = rule
        node.saved = y if keep == 2 else x if keep == 1 else None if keep == 0 else keep((None, x, y, x.shape))
        node.fit = None if same_shape and (same_dtype or y.dtype is x.dtype) else (x.shape, x.dtype)
        node.more = None
        node.function = function
        node.order = new_order()
        return variable

    return call, learn


def _binary(function: Primitive) -> Shortcut:
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
        a, b = _places(function, 0), _places(function, 1)
        simple = len(a) == len(b) == 1 and max(a + b) <= 3  # no shape
        keep_a, keep_b = (a[0], b[0]) if simple else (itemgetter(*a), itemgetter(*b))

    def apply(a: Any, b: Any) -> Any:
        found = None if watchers else on_device.with_number(function, kernels, a, b)
        return function.apply((a,) if b is _LEFT_OUT else (a, b), {}) if found is None else found

    def call(a: Any, b: Any = _LEFT_OUT, /, out: Any = None, where: Any = None, dtype: Any = None) -> Any:
        if out is not None or where is not None or dtype is not None:
            refuse(function, out=out, where=where, dtype=dtype)
        if isinstance(a, Variable) and isinstance(b, Variable):
            x, p, y, q = a._data, a.node, b._data, b.node
        elif type(a) is _ndarray and type(b) is _ndarray:
            try:
                return kernels[_ndarray](a, b)
            except COMPLAINTS as error:
                raise function.complaint(error, [a, b], {}) from None
        else:
            x, p, y, q = _operands(a, b, elementwise)
        kind = type(x)
        if watchers or type(y) is not kind or kind not in modules:
            return apply(a, b)
        try:
            z = kernels[kind](x, y)
        except COMPLAINTS as error:
            raise function.complaint(error, [x, y], {}) from None
        if rule_a is None:
            p = None
        if rule_b is None:
            q = None
        if type(z) is not kind:
            z = function.result(z, modules[kind])
        variable: Any = _new_variable(Variable)
        variable._data = z
        variable._name = None
        if (
            (p is None and q is None)
            or (overrides and not modes().enable_backprop)
            or not (same_dtype or z.dtype.kind == "f")
        ):
            variable.node = None
            return variable
        fit_a = fit_b = None
        if not (same_shape and x.dtype is y.dtype and (same_dtype or z.dtype is x.dtype)):
            fit_a, fit_b = (x.shape, x.dtype), (y.shape, y.dtype)
        elif x.shape != y.shape:  # what was broadcast has to be summed
            fit_a = None if x.shape == z.shape else (x.shape, x.dtype)
            fit_b = None if y.shape == z.shape else (y.shape, y.dtype)
        values = (None, x, y, z) if simple else (None, x, y, z, x.shape, y.shape)
        node: Any = Node()
        edge: Any = node
        variable.node = node
        node.function = function
        node.order = new_order()
        if p is not None:
            node.parent = p
            node.place = 0
            node.rule = rule_a
            node.saved = values[keep_a] if simple else keep_a(values)
            node.fit = fit_a
            if q is None:
                node.more = None
                return variable
            node.more = edge = Edge()
        edge.parent = q
        edge.place = 1
        edge.rule = rule_b
        edge.saved = values[keep_b] if simple else keep_b(values)
        edge.fit = fit_b
        edge.more = None
        return variable

    return call, learn


def _operands(a: Any, b: Any, elementwise: bool) -> tuple[Any, Node | None, Any, Node | None]:
    """``(array, node, array, node)`` where one operand or both are constants; they are changed if they are numbers."""
    if isinstance(a, Variable):
        return a._data, a.node, _constant(b, a._data, elementwise), None
    if isinstance(b, Variable):
        return _constant(a, b._data, elementwise), None, b._data, b.node
    return a, None, None, None  # numbers, lists, arrays of a GPU: no Variable, so that none comes out


def _constant(value: Any, beside: Any, elementwise: bool) -> Any:
    """A number as an array where it stands beside one; None for what `apply` has to look at."""
    kind = type(value)
    if kind is float or kind is int:
        try:
            return scalar(value, beside.dtype) if elementwise and type(beside) is _ndarray else None
        except OverflowError:
            return None
    return value if kind is _ndarray and value.dtype.kind in "fiub" else None


def _general(function: Primitive) -> Shortcut:
    forward, apply, schema = function.forward, function.apply, function.schema
    count, required, defaults = len(schema.inputs), schema.required, schema.defaults
    plans: list[Any] = []

    def learn() -> None:
        found = enumerate([function.plan(i) for i in range(count)])
        plans[:] = [None if plan is None else (place, *plan) for place, plan in found]

    def call(*args: Any, **attributes: Any) -> Any:
        if watchers:
            return apply(args, attributes)
        raw: list[Any] = []
        arrays_only = True
        for arg in args:
            if type(arg) is _ndarray:
                usual = arg.dtype.kind in "biuf"
            elif isinstance(arg, Variable):
                arrays_only = False
                arg = arg._data
                usual = type(arg) is _ndarray
            elif isinstance(arg, _floating):  # what NumPy makes of a 0-d gradient
                arg = np.asarray(arg)
                usual = True
            else:
                usual = arg is None and len(raw) >= required
            if not usual:
                return apply(args, attributes)
            raw.append(arg)
        if len(raw) < count:
            if len(raw) < required:
                return apply(args, attributes)
            raw += [None] * (count - len(raw))
        try:
            y = forward(np, *raw, **attributes)
        except COMPLAINTS as error:
            return again(function, error, args, raw, attributes)
        if arrays_only:
            return y
        variable: Any = _new_variable(Variable)
        variable._data = y = y if type(y) is _ndarray else function.result(y, np)
        variable._name = None
        variable.node = None
        if (overrides and not modes().enable_backprop) or y.dtype.kind != "f":
            return variable
        if len(attributes) < len(defaults):
            attributes = {**defaults, **attributes}
        node: Any = None
        edge: Any = None
        for arg, array, plan in zip(args, raw, plans, strict=False):
            if plan is None or not isinstance(arg, Variable) or arg.node is None:
                continue
            if edge is None:
                variable.node = node = edge = Node()
            else:
                edge.more = edge = Edge()
            edge.place, edge.rule, keep = plan
            edge.parent = arg.node
            edge.saved = None if keep is None else keep(raw, (y,), attributes)
            edge.fit = array.shape, array.dtype
        if edge is not None:
            edge.more = None
            node.function = function
            node.order = new_order()
        return variable

    return call, learn


def _places(function: Primitive, i: int) -> tuple[int, ...]:
    """Where the values that the rule of input ``i`` keeps stand in ``(None, *inputs, output, *shapes of inputs)``."""
    names = function.retained[function.inputs[i]] if function.plan(i) is not None else ()
    values = (None, *function.inputs, *function.schema.outputs, *[f"{name}_shape" for name in function.inputs])
    return tuple([values.index(name) for name in names]) or (0,)
