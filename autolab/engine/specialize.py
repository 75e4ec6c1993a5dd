"""Short cuts of `Primitive.apply` for elementwise functions of one or two inputs: the same graph, without the loops.

They hold what the general way looks up: which rule, what it keeps, which NumPy function. Whatever is out of the
ordinary (observers, lists, mixed devices, an unknown array type) goes to `apply`. Their length is measured: each line
that seems spare was worth 5 to 15 % of a step (see benchmarks).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .backend import Array, get_array_module, modules, scalar
from .config import config, overrides
from .node import Edge, Node, new_order
from .observe import watchers
from .variable import Variable

if TYPE_CHECKING:
    from .primitive import Primitive

_new_variable, _new_node, _new_edge = Variable.__new__, Node.__new__, Edge.__new__
_ndarray = np.ndarray


class _Kernels(dict[type, Callable[..., Array]]):
    """Array type -> the forward on that type's module.

    A forward that says no more than ``return xp.tanh(x)`` is the module's own function, whose name is ``direct``;
    calling that one saves a Python call per step, and its result has its inputs' common dtype.
    """

    def __init__(self, forward: Callable[..., Array], inputs: int) -> None:
        self._forward = forward
        self.direct = _direct_name(forward, inputs)

    def __missing__(self, kind: type) -> Callable[..., Array]:
        module = modules.get(kind)
        if module is None:
            return get_array_module  # no array: a parameter without a size, which says so when it is asked
        kernel = getattr(module, self.direct) if self.direct else partial(self._forward, module)
        self[kind] = kernel
        return kernel


class _Probe:
    """Stands in for ``xp`` once: says which of its functions was called, and with what."""

    def __getattr__(self, name: str) -> Callable[..., tuple[str, tuple[Any, ...]]]:
        return lambda *args: (name, args)


def _direct_name(forward: Callable[..., Any], inputs: int) -> str | None:
    """The name of the module's function that ``forward`` hands its inputs to and nothing else, or None."""
    arguments = tuple([object() for _ in range(inputs)])
    try:
        name, passed = forward(_Probe(), *arguments)
    except (TypeError, ValueError, AttributeError):  # it does more than that
        return None
    return name if passed == arguments else None


def shortcut(function: Primitive) -> Callable[..., Any] | None:
    """A faster equal of ``function.apply`` for its shape of function, or None if there is none."""
    if not function.elementwise or function.schema.defaults:
        return None
    if len(function.declared) < len(function.inputs) or any(
        "_shape" in n for names in function.retained.values() for n in names
    ):
        return None
    if len(function.inputs) == 1:
        return _unary(function)
    return _binary(function) if len(function.inputs) == 2 else None


def _unary(function: Primitive) -> Callable[..., Any] | None:
    rule, (retained,) = function.rule(0), function.retained.values()
    if len(retained) > 1:
        return None
    keeps_y, keeps_x = retained == function.schema.outputs, retained == function.inputs
    kernels, apply = _Kernels(function.forward, 1), function.apply
    keeps_dtype = kernels.direct is not None

    def call(a: Any, /) -> Any:
        if not isinstance(a, Variable):
            return kernels[type(a)](a) if type(a) in modules else apply((a,), {})
        if watchers:
            return apply((a,), {})
        x = a._data
        kind = type(x)
        y = kernels[kind](x)
        if type(y) is not kind:  # NumPy gives scalars for 0-d arrays
            y = modules[kind].asarray(y)
        variable = _new_variable(Variable)
        variable._data = y
        variable.name = None
        parent = a.node
        if parent is None or (overrides and not config.enable_backprop) or not (keeps_dtype or y.dtype.kind == "f"):
            variable.node = None
            return variable
        variable.node = node = _new_node(Node)
        node.parent = parent
        node.rule = rule
        node.saved = y if keeps_y else x if keeps_x else None
        node.fit = None if keeps_dtype or y.dtype is x.dtype else (x.shape, x.dtype)
        node.more = None
        node.function = function
        node.order = new_order()
        return variable

    return call


def _binary(function: Primitive) -> Callable[..., Any]:
    rule_a, rule_b = function.rule(0), function.rule(1)
    keep_a, keep_b = [_keeper(names, function.inputs) for names in function.retained.values()]
    kernels, apply = _Kernels(function.forward, 2), function.apply
    keeps_dtype = kernels.direct is not None

    def call(a: Any, b: Any, /) -> Any:
        if watchers:
            return apply((a, b), {})
        if isinstance(a, Variable):
            x, p = a._data, a.node
            if isinstance(b, Variable):
                y, q = b._data, b.node
            else:
                q, number = None, type(b)
                if (number is float or number is int) and type(x) is _ndarray:
                    y = scalar(b, x.dtype)
                elif number is _ndarray and b.dtype.kind in "fiub":
                    y = b
                else:
                    return apply((a, b), {})
        elif isinstance(b, Variable):
            y, q, p, number = b._data, b.node, None, type(a)
            if (number is float or number is int) and type(y) is _ndarray:
                x = scalar(a, y.dtype)
            elif number is _ndarray and a.dtype.kind in "fiub":
                x = a
            else:
                return apply((a, b), {})
        else:
            return apply((a, b), {})
        kind = type(x)
        if type(y) is not kind:
            return apply((a, b), {})
        try:
            z = kernels[kind](x, y)
        except ValueError as error:
            raise function.complaint(error, (x, y)) from None
        if type(z) is not kind:
            z = modules[kind].asarray(z)
        variable = _new_variable(Variable)
        variable._data = z
        variable.name = None
        if (
            (p is None and q is None)
            or (overrides and not config.enable_backprop)
            or not (keeps_dtype or z.dtype.kind == "f")
        ):
            variable.node = None
            return variable
        if x.shape == y.shape and x.dtype is y.dtype and (keeps_dtype or z.dtype is x.dtype):
            fit_a = fit_b = None
        else:
            fit_a, fit_b = (x.shape, x.dtype), (y.shape, y.dtype)
        node = _new_node(Node)
        edge: Any = node
        variable.node = node
        node.function = function
        node.order = new_order()
        if p is not None:
            node.parent = p
            node.rule = rule_a
            node.saved = (
                y
                if keep_a == 2
                else None
                if keep_a == 0
                else x
                if keep_a == 1
                else z
                if keep_a == 3
                else keep_a(x, y, z)
            )
            node.fit = fit_a
            if q is None:
                node.more = None
                return variable
            node.more = edge = _new_edge(Edge)
        edge.parent = q
        edge.rule = rule_b
        edge.saved = (
            x if keep_b == 1 else None if keep_b == 0 else y if keep_b == 2 else z if keep_b == 3 else keep_b(x, y, z)
        )
        edge.fit = fit_b
        edge.more = None
        return variable

    return call


def _keeper(names: tuple[str, ...], inputs: tuple[str, ...]) -> Any:
    """What a rule keeps of (x, y, z): 0 nothing, 1 the first input, 2 the second, 3 the output, else a function of
    them."""
    places = [(*inputs, "y").index(name) for name in names]
    if len(places) <= 1:
        return places[0] + 1 if places else 0
    return lambda *xyz: tuple([xyz[place] for place in places])
