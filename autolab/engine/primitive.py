"""How functions are declared: the signature is the schema, and a gradient rule's parameters are its retention list.

    @elementwise(a=lambda g, b: g * b, b=lambda g, a: g * a)
    def mul(xp, a, b):
        return xp.multiply(a, b)

`Primitive.apply` and `Primitive.pull` are the definition of what happens in forward and in backward. `specialize.py`
has short cuts of `apply` for the commonest shapes of function; they give the same graph.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import update_wrapper
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from . import protocol
from .backend import Array, as_array, check_real, get_array_module, modules, scalar
from .config import recording
from .errors import DeclarationError
from .node import Node, check_shape
from .observe import ForwardEvent, notify, watchers
from .specialize import shortcut
from .variable import Variable, wrap

Rule = Callable[..., Any]


class Primitive:
    """A declared function: its forward on arrays, and for each input the rule of its gradient.

    Attributes
    ----------
    name : str
    inputs : tuple of str
        Names of the array inputs.
    defaults : dict
        The attributes (keyword-only parameters) with their defaults; `inspect.Parameter.empty` where there is none.
    elementwise : bool
        Whether gradients are summed to the shape of a broadcast input.
    domain : tuple of two floats or None
        Where the function is worth looking at; sliders and plots start there.
    declared : dict
        Input name -> the rule as written.
    retained : dict
        Input name -> what its rule asks for besides ``g``.
    """

    sum_to: ClassVar[Callable[..., Any]]
    cast: ClassVar[Callable[..., Any]]

    def __init__(
        self,
        forward: Callable[..., Array],
        rules: dict[str, Rule],
        elementwise: bool,
        domain: tuple[float, float] | None,
    ) -> None:
        parameters = list(inspect.signature(forward).parameters.values())[1:]
        self.forward, self.name, self.elementwise, self.domain = forward, forward.__name__, elementwise, domain
        self.inputs = tuple([p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD])
        self.defaults = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
        self.signature = inspect.Signature(
            [p.replace(kind=p.POSITIONAL_ONLY) if p.name in self.inputs else p for p in parameters]
        )
        self.declared: dict[str, Rule] = {}
        self.retained: dict[str, tuple[str, ...]] = dict.fromkeys(self.inputs, ())
        self.rules: dict[str, Rule | None] = dict.fromkeys(self.inputs)
        self._input_of: dict[Rule, str] = {}
        for name, rule in rules.items():
            self.add_rule(name, rule)

    def __repr__(self) -> str:
        return f"<function {self.name}{self.signature}>"

    # ------------------------------------------------------------------ declaration
    def add_rule(self, name: str, rule: Rule) -> Rule:
        """Declare ``rule`` for the gradient of input ``name``; its parameters say what is kept for it."""
        if name not in self.inputs:
            raise DeclarationError(f"{self.name}: a rule for {name!r}, but the inputs are {', '.join(self.inputs)}")
        first, *retained = inspect.signature(rule).parameters
        legal = {*self.inputs, "y", *self.defaults, *[f"{i}_shape" for i in self.inputs]}
        if first != "g" or not legal.issuperset(retained):
            raise DeclarationError(
                f"{self.name}: the rule for {name!r} takes ({', '.join([first, *retained])}); "
                f"legal are g, and after it any of {', '.join(sorted(legal))}"
            )
        compiled = _compile(rule, len(retained))
        self.declared[name], self.retained[name], self.rules[name] = rule, tuple(retained), compiled
        self._input_of[compiled] = name
        return rule

    def input_of(self, rule: Rule) -> str:
        """The input whose gradient an edge's ``rule`` computes."""
        return self._input_of[rule]

    # ------------------------------------------------------------------ forward
    def apply(self, args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
        """Arrays in, array out; with any Variable among the inputs, a Variable out, joined to the graph."""
        if len(args) != len(self.inputs):
            self._refuse_count(len(args))
        raw = [arg._data if isinstance(arg, Variable) else arg for arg in args]
        with_variables = any([isinstance(arg, Variable) for arg in args])
        if with_variables or any([type(array) not in modules for array in raw]):
            raw = self._as_arrays(raw)
        if self.defaults:
            attributes = {**self.defaults, **attributes}
        xp = get_array_module(*raw)
        start = perf_counter() if watchers else 0.0
        try:
            y = self.forward(xp, *raw, **attributes)
        except ValueError as error:
            raise self.shape_error(error, raw) from None
        if not with_variables:
            return y
        variable = wrap(y if type(y) in modules else xp.asarray(y), None)
        if recording() and variable._data.dtype.kind == "f":
            edges = self._edges(args, raw, variable._data, attributes)
            if edges:
                variable.node = Node.join(self, edges)
        if watchers:
            notify(ForwardEvent(self, args, (variable,), attributes, perf_counter() - start))
        return variable

    def _as_arrays(self, values: list[Any]) -> list[Array]:
        """Numbers and lists as arrays; a number beside arrays takes their dtype, as it would in NumPy."""
        arrays = [value for value in values if type(value) in modules]
        xp = get_array_module(*arrays)
        beside = np.result_type(*[a.dtype for a in arrays]) if arrays and self.elementwise else None
        converted = []
        for name, value in zip(self.inputs, values, strict=True):
            if beside is not None and type(value) in (float, int):
                converted.append(scalar(value, beside) if xp is np else value)
            else:
                what = f"{self.name}: input {name!r}"
                array = check_real(as_array(value, what), what)
                converted.append(array if type(value) in modules else xp.asarray(array))
        return converted

    def _edges(
        self, args: tuple[Any, ...], raw: list[Array], y: Array, attributes: dict[str, Any]
    ) -> list[tuple[Node, Rule, Any, Any]]:
        edges = []
        for name, arg, array in zip(self.inputs, args, raw, strict=True):
            rule = self.rules[name]
            if rule is not None and isinstance(arg, Variable) and arg.node is not None:
                saved = [self._value(wanted, raw, y, attributes) for wanted in self.retained[name]]
                fit = (array.shape, array.dtype)
                edges.append((arg.node, rule, saved[0] if len(saved) == 1 else tuple(saved) or None, fit))
        return edges

    def _value(self, wanted: str, raw: list[Array], y: Array, attributes: dict[str, Any]) -> Any:
        """What a rule asks for by name: the output, an input, its shape, or an attribute."""
        if wanted == "y":
            return y
        if wanted in self.inputs:
            return raw[self.inputs.index(wanted)]
        if wanted in attributes:
            return attributes[wanted]
        return raw[self.inputs.index(wanted.removesuffix("_shape"))].shape

    def shape_error(self, error: ValueError, arrays: Any) -> ValueError:
        """NumPy's complaint about arrays that do not fit, with the function and its inputs named."""
        shapes = ", ".join([f"{name} has shape {np.shape(a)}" for name, a in zip(self.inputs, arrays, strict=True)])
        return ValueError(f"{self.name}: {shapes}: {error}")

    def _refuse_count(self, count: int) -> None:
        expected = f"{len(self.inputs)} array{'s' * (len(self.inputs) != 1)} ({', '.join(self.inputs)})"
        keywords = f"; {', '.join(self.defaults)} go in by keyword" if self.defaults else ""
        raise TypeError(f"{self.name}: got {count} positional arguments; expected {expected}{keywords}")

    # ------------------------------------------------------------------ backward
    def pull(self, node: Node, g: Any, create_graph: bool) -> list[tuple[Node, Any]]:
        """``[(parent, gradient)]`` for every edge of ``node``: on arrays or, under ``create_graph``, on Variables.

        On Variables, saved values come back as the Variables that they were: the rule's parameter names say which.
        That is why the same rule serves every order.
        """
        pairs: list[tuple[Node, Any]] = []
        edge: Any = node
        while edge is not None:
            saved = edge.saved
            if create_graph and saved is not None:
                saved = self._revive(node, self.retained[self._input_of[edge.rule]], saved)
            gradient = edge.rule(g, saved)
            pairs.append((edge.parent, gradient if edge.fit is None else self.fit(gradient, edge.rule, edge.fit)))
            edge = edge.more
        return pairs

    def _revive(self, node: Node, names: tuple[str, ...], saved: Any) -> Any:
        if len(names) == 1:
            return self._revived(node, names[0], saved)
        return tuple([self._revived(node, name, value) for name, value in zip(names, saved, strict=True)])

    def _revived(self, node: Node, name: str, value: Any) -> Any:
        if name == "y":
            return wrap(value, node)
        edge: Any = node
        while edge is not None:
            if self._input_of[edge.rule] == name:
                return wrap(value, edge.parent)
            edge = edge.more
        return value  # a constant, a shape or an attribute

    def fit(self, g: Any, rule: Rule, fit: tuple[tuple[int, ...], np.dtype]) -> Any:
        """``g`` with the shape and dtype of its input; only elementwise functions may need to be summed."""
        shape, dtype = fit
        if g.shape != shape:
            if not self.elementwise:
                check_shape(self.name, self._input_of[rule], g, shape)
            g = Primitive.sum_to(g, shape=shape)
        return g if g.dtype == dtype else Primitive.cast(g, dtype=dtype)


def _compile(rule: Rule, count: int) -> Rule:
    """``rule`` as ``compiled(g, saved)``; a new function each time, so that it tells the input apart."""
    if count == 0:
        return lambda g, saved: rule(g)
    if count == 1:
        return lambda g, saved: rule(g, saved)
    return lambda g, saved: rule(g, *saved)


def elementwise(*, domain: tuple[float, float] | None = None, numpy: Any = (), **rules: Rule) -> Callable[..., Any]:
    """Declare a differentiable function that works element by element, with broadcasting.

    Parameters
    ----------
    domain : tuple of two floats, optional
        Where the function is worth looking at.
    numpy : NumPy function or tuple of them, optional
        What reaches this function when it is applied to Variables.
    **rules : callable
        For each input that has a gradient, ``rule(g, ...)``: ``g`` is the upstream gradient, the further parameters
        name what it needs: an input, ``y`` (the output), ``<input>_shape`` or an attribute. A rule works on arrays
        and on Variables alike, so it is written with operators and declared functions. Its result is summed over
        broadcast axes by itself.

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
    return _declare(True, domain, numpy, rules)


def primitive(*, domain: tuple[float, float] | None = None, numpy: Any = (), **rules: Rule) -> Callable[..., Any]:
    """Declare a differentiable function of whole arrays. Like `elementwise`, but a rule must give its input's shape
    itself.

    Raises
    ------
    GradientShapeError
        In backward, if a rule's result has another shape than its input: summing it silently would hide a bug.

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
    return _declare(False, domain, numpy, rules)


def _declare(
    elementwise: bool, domain: tuple[float, float] | None, numpy: Any, rules: dict[str, Rule]
) -> Callable[..., Any]:
    def decorate(forward: Callable[..., Array]) -> Callable[..., Any]:
        function = Primitive(forward, rules, elementwise, domain)

        def general(*args: Any, **attributes: Any) -> Any:
            return function.apply(args, attributes)

        call: Any = shortcut(function) or general
        update_wrapper(call, forward)
        call.__signature__, call.function = function.signature, function
        call.vjp = lambda name: lambda rule: function.add_rule(name, rule)
        for numpy_function in numpy if isinstance(numpy, tuple) else (numpy,):
            protocol.register(numpy_function, call)
        return call

    return decorate
