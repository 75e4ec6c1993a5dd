"""How functions are declared: the signature is the schema, and the parameters of a rule say what is retained for it.

@elementwise(a=lambda g, b: g * b, b=lambda g, a: g * a)
def mul(xp, a, b):
    return xp.multiply(a, b)

Fast paths of `Primitive.apply`: they build the same graph, with everything precomputed from the declaration.

For functions of one input, and for others with a single result; `fast_path_binary.py` is for two inputs and says more.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from . import numpy_protocol
from .arrays import PlainArray
from .backend import modules
from .calls import LEFT_OUT, again, parameters_of, refuse
from .errors import COMPLAINTS, DeclarationError
from .fast_path_binary import FastPath, binary
from .modes import modes, overrides, watchers
from .node import Edge, Node, new_order
from .numpy_protocol import Kernels
from .primitive import Primitive, Rule
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


def elementwise(
    *given: Any, domain: tuple[float, float] | None = None, numpy: Any = (), name: str | None = None, **rules: Rule
) -> Callable[..., Any]:
    """Declare a differentiable elementwise function, with broadcasting.

    Parameters
    ----------
    domain : tuple of two floats, optional
        The interval in which the function is interesting; plots and sliders start there.
    numpy : NumPy function or tuple of them, optional
        NumPy functions that dispatch to this function when applied to Variables.
    name : str, optional
        The name in graphs and errors; by default that of ``forward``.
    **rules : callable
        For each input that has a gradient, ``rule(g, ...)``: ``g`` is the upstream gradient, and the other parameters
        name what the rule needs: an input, ``y`` (the output, unless an input has that name), ``<input>_shape`` or an
        attribute. A rule works on arrays and on Variables alike, so it is written with operators and declared
        functions. Its result is summed over broadcast axes automatically.

    Returns
    -------
    callable
        A decorator for ``forward(xp, *inputs, *, **attributes)``, where ``xp`` is ``numpy`` or ``cupy``. The decorated
        function maps arrays to arrays and Variables to Variables.

    Raises
    ------
    DeclarationError
        If a rule names something that the function does not have.

    Examples
    --------
    >>> import autolab
    >>> @autolab.elementwise(x=lambda g, x: 3 * g * (x * x))
    ... def cube(xp, x):
    ...     return x * x * x
    >>> x = autolab.Variable(2.0)
    >>> cube(x).backward()
    >>> x.grad
    variable(12.0)
    """
    _only_named("elementwise", given)
    return _declare(True, domain, numpy, ("y",), name, rules)


def primitive(
    *given: Any,
    domain: tuple[float, float] | None = None,
    numpy: Any = (),
    outputs: tuple[str, ...] = ("y",),
    name: str | None = None,
    **rules: Rule,
) -> Callable[..., Any]:
    """Declare a differentiable function of whole arrays. Like `elementwise`, but a rule must return the exact shape of
    its input.

    Parameters
    ----------
    domain, numpy, name, **rules
        As for `elementwise`, but nothing is summed: the result of a rule has the shape of its input.
    outputs : tuple of str
        What rules call the results, where ``forward`` returns a tuple of arrays; ``g`` is then a tuple, too.

    Returns
    -------
    callable
        A decorator for ``forward(xp, *inputs, *, **attributes)``, as of `elementwise`.

    Raises
    ------
    GradientShapeError
        In backward, if the result of a rule does not have the shape of its input: summing it silently could hide a bug.

    Examples
    --------
    >>> import autolab
    >>> from autolab.functions import broadcast_to
    >>> @autolab.primitive(x=lambda g, x_shape: broadcast_to(g, shape=x_shape))
    ... def total(xp, x):
    ...     return x.sum()
    >>> x = autolab.Variable([1.0, 2.0])
    >>> total(x).backward()
    >>> x.grad
    variable([1. 1.])
    """
    _only_named("primitive", given)
    return _declare(False, domain, numpy, outputs, name, rules)


def _check_xp(forward: Callable[..., Any], rules: dict[str, Rule]) -> None:
    """Refuse a forward whose first parameter is an input instead of ``xp``."""
    parameters = [name for name, _, _ in parameters_of(forward)] if callable(forward) else []
    if parameters and parameters[0] != "xp" and (parameters[0] in rules or len(parameters) == 1):
        name, inputs = getattr(forward, "__name__", type(forward).__name__), ", ".join(parameters)
        raise DeclarationError(
            f"{name}: its forward takes ({inputs}); expected xp in front, for NumPy or CuPy: def {name}(xp, {inputs})"
        )


def _only_named(decorator: str, given: tuple[Any, ...]) -> None:
    """Refuse positional arguments, such as the function when the decorator is used without parentheses."""
    if given:
        raise DeclarationError(
            f"{decorator}: expected a rule for each input, by its name: @{decorator}(x=lambda g, x: ...), above "
            "def f(xp, x)"
        )


def _declare(
    elementwise: bool,
    domain: tuple[float, float] | None,
    numpy: Any,
    outputs: tuple[str, ...],
    name: str | None,
    rules: dict[str, Rule],
) -> Callable[..., Any]:
    def decorate(forward: Callable[..., Any]) -> Callable[..., Any]:
        _check_xp(forward, rules)
        function = Primitive(forward, rules, elementwise, domain, outputs, name)
        if domain is not None and (not isinstance(domain, tuple) or len(domain) != 2):
            raise DeclarationError(f"{function.name}: domain is {domain!r:.60}; expected two numbers: (low, high)")

        def apply(*args: Any, **attributes: Any) -> Any:
            return function.apply(args, attributes)

        call: Any = _fast_path(function) or apply
        update_wrapper(call, forward)
        call.__signature__, call.function = function.signature, function
        call.vjp = lambda name: lambda rule: function.add_rule(name, rule)
        call.composite, call.spelling = function.add_composite, function.add_spelling
        for numpy_function in numpy if isinstance(numpy, tuple) else (numpy,):
            numpy_protocol.register(numpy_function, call)
        return call

    return decorate


def _fast_path(function: Primitive) -> Callable[..., Any] | None:
    """A faster equivalent of ``function.apply`` for this kind of function, or None."""
    schema = function.schema
    if schema.variadic or function.several:
        return None
    count = len(schema.inputs)
    make = unary if count == schema.required == 1 else binary if count == 2 and schema.fixed else general
    call, function.learn = make(function)
    function.learn()
    return call if not schema.fixed or make is general or not function.takes_names else _by_name(function, call)


def _by_name(function: Primitive, plain: Callable[..., Any]) -> Callable[..., Any]:
    """``plain``, which also accepts inputs by name."""
    count = len(function.inputs)

    def call(*args: Any, **named: Any) -> Any:
        return function.apply(args, named) if named or len(args) != count else plain(*args)

    return call
