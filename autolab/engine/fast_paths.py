"""Fast paths of `Primitive.apply`: they build the same graph, with everything precomputed from the declaration.

For functions of one input, and for others with a single result; `fast_path_binary.py` is for two inputs and says more.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from .backend import modules
from .calls import LEFT_OUT, again, refuse
from .complaints import COMPLAINTS
from .fast_path_binary import FastPath
from .kernels import Kernels
from .modes import modes, overrides, watchers
from .node import Edge, Node, new_order
from .plain_arrays import PlainArray
from .retention import places
from .variable import Variable

if TYPE_CHECKING:
    from .primitive import Primitive

_new_variable, _ndarray, _floating = Variable.__new__, np.ndarray, (np.floating, PlainArray)


def unary(function: Primitive) -> FastPath:
    """The fast call of a function of one input, and a function to update it when rules are added."""
    kernels, defaults = Kernels(function), function.schema.defaults
    same_dtype, same_shape = kernels.keeps_floats, function.keeps_shapes
    rule: Any = None
    keep: Any = 0

    def learn() -> None:
        nonlocal rule, keep
        rule, kept = function.rule(0), places(function, 0)
        keep = kept[0] if max(kept) <= 2 and len(kept) == 1 else itemgetter(*kept)

    def call(a: Any = LEFT_OUT, /, *more: Any, **attributes: Any) -> Any:
        if (more or attributes) and not defaults:
            refuse(function, more, **attributes)
            more, attributes = (), {}
        x = a._data if isinstance(a, Variable) else a
        kind = type(x)
        if kind not in modules or more or (watchers and x is not a):
            if isinstance(a, _floating) and not more:  # as NumPy returns for a 0-d gradient or mask
                return call(np.asarray(a), **attributes)
            return function.apply(() if a is LEFT_OUT else (a, *more), attributes)
        try:
            y = kernels[kind](x, **attributes) if attributes else kernels[kind](x)
        except COMPLAINTS as error:
            return again(function, error, (a,), [x], attributes)
        if x is a:
            return y
        if type(y) is not kind:  # NumPy returns scalars for 0-d results
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
        if keep == 2 or keep == 1 or keep == 0:
            node.saved = y if keep == 2 else x if keep == 1 else None
        else:
            node.saved = keep((None, x, y, x.shape, *{**defaults, **attributes}.values()))
        node.fit = None if same_shape and (same_dtype or y.dtype is x.dtype) else (x.shape, x.dtype)
        node.more = None
        node.function = function
        node.order = new_order()
        return variable

    return call, learn


def general(function: Primitive) -> FastPath:
    """The same for several inputs and attributes, and one result."""
    forward, apply, schema = function.run, function.apply, function.schema
    count, required, defaults = len(schema.inputs), schema.required, schema.defaults
    plans: list[Any] = []

    def learn() -> None:
        found = enumerate([function.plan(i) for i in range(count)])
        plans[:] = [None if plan is None else (place, *plan) for place, plan in found]

    def call(*args: Any, **attributes: Any) -> Any:
        if watchers or len(args) < required:
            return apply(args, attributes)
        raw: list[Any] = []
        arrays_only = True
        for arg in args:
            if isinstance(arg, Variable):
                arrays_only, arg = False, arg._data
            elif isinstance(arg, _floating):
                arg = np.asarray(arg)
            if not (arg.dtype.kind in "biuf" if type(arg) is _ndarray else arg is None and len(raw) >= required):
                return apply(args, attributes)
            raw.append(arg)
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
        if (overrides and not modes().joins(args)) or y.dtype.kind != "f":
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
