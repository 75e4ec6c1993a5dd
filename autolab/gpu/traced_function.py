"""TracedFunction: what a Python function computes for given dtypes, and its gradients by the declared rules."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from types import NoneType
from typing import Any

import numpy as np

from ..engine import Variable
from ..engine.errors import FusionError, a_kind
from .kernel_program import KernelProgram
from .symbols import KernelTrace, Symbol, tracing

_PLAIN = (bool, int, str, bytes, NoneType)

UPSTREAM = "upstream gradient"  # cannot be the name of an input


class TracedFunction:
    """A function of Variables, traced once; ``dtypes`` has None for an omitted input.

    Attributes
    ----------
    forward : KernelProgram
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        labels: Sequence[str],
        dtypes: Sequence[np.dtype | None],
        attributes: dict[str, Any],
    ) -> None:
        self.name, self._labels, self.attributes = name, tuple(labels), attributes
        self._trace = KernelTrace(name)
        with tracing(self._trace):
            symbols = [None if d is None else self._trace.input(x, d) for x, d in zip(labels, dtypes, strict=True)]
            xs = [None if symbol is None else Variable(symbol) for symbol in symbols]
            y = _called(name, function, xs, attributes)
            self.forward = KernelProgram(name, self._trace, [y._data])
            self._found = self._differentiated(y, xs)
        self._programs: dict[Any, KernelProgram] = {}

    def _differentiated(self, y: Variable, xs: list[Variable | None]) -> list[Symbol | None]:
        """The gradient of each input as a symbol, computed from the inputs and the upstream gradient."""
        from ..engine.grad import grad

        if y.node is None:
            return [None] * len(xs)
        g = self._trace.input(UPSTREAM, y.dtype)
        leaves = [x for x in xs if x is not None]
        found = grad([y], leaves, [Variable(g, requires_grad=False)])
        by_leaf = {id(x): None if got is None else got._data for x, got in zip(leaves, found, strict=True)}
        return [by_leaf.get(id(x)) for x in xs]

    def has_gradient(self, i: int) -> bool:
        """Whether the result depends differentiably on the input at position ``i``."""
        return self._found[i] is not None

    def gradients(self, targets: tuple[int, ...], sums: tuple[bool, ...]) -> KernelProgram:
        """The program that computes the gradients of the inputs at these positions.

        Gradients to be summed over broadcast axes are not cast to the dtype of their input before that.
        """
        key = (targets, sums)
        if key not in self._programs:
            outputs = [self._uncast(self._found[i]) if s else self._found[i] for i, s in zip(*key, strict=True)]
            self._programs[key] = KernelProgram(f"{self.name}_backward", self._trace, outputs)  # type: ignore[arg-type]
        return self._programs[key]

    def _uncast(self, symbol: Symbol | None) -> Symbol:
        step = self._trace.steps[symbol.index]  # type: ignore[union-attr]
        if step.name != "astype":
            return symbol  # type: ignore[return-value]
        before = step.operands[0].index
        return Symbol(before, self._trace.steps[before].dtype)


def _called(name: str, function: Callable[..., Any], xs: list[Any], attributes: dict[str, Any]) -> Variable:
    """The result of the function for symbols; raises `FusionError` for what symbols do not support."""
    while xs and xs[-1] is None:
        xs = xs[:-1]  # omitted: the function has a default for it
    try:
        y = function(*xs, **attributes)
    except TypeError as error:
        if not isinstance(error, FusionError) and Symbol.device in str(error):
            raise FusionError(
                f"{name} cannot be fused: it uses an array or a Variable that is none of its inputs; pass it as one"
            ) from error
        raise
    if not isinstance(y, Variable) or not isinstance(y._data, Symbol):
        raise FusionError(
            f"{name} cannot be fused: it returned {a_kind(y)}; expected one value computed from its inputs"
        )
    return y


def exact(value: Any) -> Hashable:
    """A representation of ``value`` for use in keys: two are equal only if no computation can tell the values apart.

    Plain keys would not do: ``1 == 1.0 == True`` and ``0.0 == -0.0``, also inside tuples, and NaN is never found again.
    Anything but numbers, strings and tuples of them is compared by identity, whatever its ``__eq__`` says.

    Raises
    ------
    TypeError
        If it is mutable and cannot be hashed.

    Examples
    --------
    >>> exact(1) == exact(1.0), exact((0.0,)) == exact((-0.0,)), exact(float("nan")) == exact(float("nan"))
    (False, False, True)
    """
    kind = type(value)
    if kind in _PLAIN:
        return kind, value
    if isinstance(value, np.generic):
        return kind, value.dtype.str, value.tobytes()
    if kind is float:
        return kind, value.hex()
    if kind is complex:
        return kind, value.real.hex(), value.imag.hex()
    if kind is tuple:
        return kind, *[exact(item) for item in value]
    hash(value)
    return _Same(value)


class _Same:
    """Equal to another one that holds the same object; keeps the object alive."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)
