"""Symbols: calling a function with symbols records what it computes, step by step, without computing anything.

A `Symbol` takes the place of an array in the engine: it has a dtype but no elements. Its module, `symbolic`, has
NumPy's elementwise functions; each adds a step to the `KernelTrace` that is open in this thread. Because the engine
treats symbols like the arrays of any other module, its own rules and traversal determine the gradients.

The steps of a traced function that some of its values depend on.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..engine import using_config
from ..engine.backend import modules
from ..engine.errors import FusionError, a_kind
from ..engine.observe import silence
from ..shared.operators import operator_methods


class Value(NamedTuple):
    """An operand that is the result of a step, given by its index; other operands are numbers."""

    index: int  # type: ignore[assignment]  # tuple has a method of that name


@dataclass(frozen=True)
class Operation:
    """A NumPy function applied to earlier values and numbers; traces start with ``input`` and ``constant``."""

    name: str
    operands: tuple[Any, ...]
    dtype: np.dtype

    @property
    def values(self) -> list[int]:
        """The indices of the steps whose results it uses."""
        return [o.index for o in self.operands if isinstance(o, Value)]


@dataclass
class KernelTrace:
    """The steps of a function; repeated computations are recorded once."""

    function: str
    steps: list[Operation] = field(default_factory=list)
    _known: dict[Any, Symbol] = field(default_factory=dict)

    def input(self, label: str, dtype: np.dtype) -> Symbol:
        """A symbol for an input array of the function."""
        return self.add("input", (label,), dtype)

    def add(self, name: str, operands: tuple[Any, ...], dtype: Any) -> Symbol:
        """Add a step; returns its result."""
        plain = tuple([Value(o.index) if isinstance(o, Symbol) else o for o in operands])
        step = Operation(name, plain, np.dtype(dtype))
        key = (name, step.dtype, *[o if isinstance(o, Value) else (type(o), repr(o)) for o in plain])
        if key not in self._known:
            self._known[key] = Symbol(len(self.steps), step.dtype)
            self.steps.append(step)
        return self._known[key]


class _Open(threading.local):
    trace: KernelTrace | None = None


_open = _Open()


@contextmanager
def tracing(trace: KernelTrace) -> Iterator[None]:
    """Make the functions of `symbolic` add to ``trace``, without observers and with the graph recorded."""
    modules.setdefault(Symbol, symbolic)  # type: ignore[arg-type]  # it has what the engine needs of a module
    before, _open.trace = _open.trace, trace
    try:
        with silence, using_config("enable_backprop", True):
            yield
    finally:
        _open.trace = before


def _refused(what: str, instead: str = "") -> FusionError:
    name = _open.trace.function if _open.trace else "fuse"
    return FusionError(f"{name} cannot be fused: it {what}{'; ' if instead else ''}{instead}")


_BRANCH = "branches on the value of an array (if, while, and, or, not), which differs from element to element"
_WHERE = "expected where(condition, a, b)"


class _Shape(tuple[int, ...]):
    """The shape of every symbol: the same for all, and not readable."""

    __slots__ = ()
    __hash__ = tuple.__hash__

    def _unknown(self, *args: Any) -> Any:
        raise _refused("asks for a shape", "expected a function that works element by element, whatever the shape")

    __iter__ = __len__ = __getitem__ = __add__ = _unknown

    def __eq__(self, other: object) -> bool:
        return True if type(other) is _Shape else bool(self._unknown())

    def __ne__(self, other: object) -> bool:
        return not self == other


_SHAPE = _Shape()


class Symbol:
    """A value in a function that is being traced."""

    __slots__ = ("dtype", "index")
    __array_ufunc__ = None
    __hash__ = object.__hash__
    base = None
    device = "a function that is fused"

    def __init__(self, index: int, dtype: np.dtype) -> None:
        self.index, self.dtype = index, dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return _SHAPE

    @property
    def size(self) -> int:
        raise _refused("asks for a size or for the truth of an array", _WHERE)

    ndim = size

    def astype(self, dtype: Any, copy: bool = True) -> Symbol:
        return self if self.dtype == dtype else _added("astype", (self,), dtype)

    def copy(self) -> Symbol:
        return self

    def _branch(self) -> Any:
        raise _refused(_BRANCH, _WHERE)

    __bool__ = __float__ = __int__ = __index__ = item = _branch

    def _parts(self, *args: Any) -> Any:
        raise _refused("takes an array apart", "expected a function that works element by element")

    __iter__ = __len__ = __getitem__ = _parts

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and hasattr(np.ndarray, name):
            raise _refused(f"uses .{name}, which does not work element by element")
        raise AttributeError(f"'Symbol' object has no attribute {name!r}")


for _name, _method in operator_methods(
    lambda symbol, function, operands, in_place: _applied(function, operands),
    lambda other: hasattr(other, "requires_grad"),  # a Variable, which takes precedence
).items():
    if not _name.endswith("matmul__"):
        setattr(Symbol, _name, _method)


def _added(name: str, operands: tuple[Any, ...], dtype: Any) -> Symbol:
    if _open.trace is None:
        raise FusionError(f"{name}: a value of a function that was fused is used outside of it")
    return _open.trace.add(name, operands, dtype)


_OF_ANY_VALUE = {Symbol, float}
"""What the dtype of a result depends on no value of: with integers, some overflow."""


def _applied(function: Any, operands: tuple[Any, ...]) -> Any:
    """A step of ``function``; the dtype of its result is the one that NumPy gives for one element of each operand."""
    operands = tuple([o if type(o) is Symbol else _operand(o) for o in operands])
    types = {*map(type, operands)}
    if Symbol not in types:
        return function(*operands)
    if types <= _OF_ANY_VALUE:
        dtype = _known_dtype(function, tuple([float if type(o) is float else o.dtype for o in operands]))
    else:
        dtype = _dtype(function, operands)
    return _added(function.__name__, operands, dtype)


def _dtype(function: Any, operands: Iterable[Any]) -> np.dtype:
    samples = [np.ones(1, o.dtype) if isinstance(o, Symbol) else o for o in operands]
    with np.errstate(all="ignore"):
        found: np.dtype = function(*samples).dtype
    return found


@lru_cache(4096)
def _known_dtype(function: Any, kinds: tuple[Any, ...]) -> np.dtype:
    return _dtype(function, [1.0 if kind is float else Symbol(0, kind) for kind in kinds])


def _operand(value: Any) -> Any:
    """A symbol or a number."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return value[()]
    if not isinstance(value, Symbol | int | float | np.generic):
        raise _refused(f"uses {_described(value)} that is none of its inputs", "pass it as one")
    return value


def _described(value: object) -> str:
    return "an array" if isinstance(value, np.ndarray) else a_kind(value)


class Symbolic:
    """NumPy's elementwise functions for symbols, and what else the engine needs of a module."""

    __name__ = "symbolic"

    def __getattr__(self, name: str) -> Any:
        found = getattr(np, name, None)
        if isinstance(found, np.ufunc) and found.nout == 1 and found.signature is None:
            return lambda *operands: _applied(found, operands)
        if isinstance(found, type | float):
            return found
        if found is None:
            raise AttributeError(f"numpy has no {name!r}")
        raise _refused(f"uses {name}, which does not work element by element or draws its own values")

    def where(self, condition: Any, a: Any, b: Any) -> Any:
        return _applied(np.where, (condition, a, b))

    def clip(self, x: Any, low: Any = None, high: Any = None) -> Any:
        x = x if low is None else self.maximum(x, low)
        return x if high is None else self.minimum(x, high)

    def around(self, x: Any, decimals: int = 0) -> Any:
        return _applied(np.around, (x, operator.index(decimals)))

    def zeros_like(self, x: Symbol) -> Symbol:
        return _added("zeros_like", (x,), x.dtype)

    def ones_like(self, x: Symbol) -> Symbol:
        return _added("ones_like", (x,), x.dtype)

    def full(self, shape: tuple[int, ...], value: float, dtype: Any) -> Symbol:
        return _added("constant", (np.dtype(dtype).type(value),), dtype)

    def asarray(self, value: Any) -> Symbol:
        number = _operand(value)
        return number if isinstance(number, Symbol) else self.full((), number, np.asarray(number).dtype)

    def result_type(self, *values: Any) -> np.dtype:
        return np.result_type(*[v.dtype if isinstance(v, Symbol) else v for v in values])


symbolic = Symbolic()
"""The module of symbols, like `numpy` for arrays."""


class KernelSteps:
    """The part of a trace that some of its values depend on.

    Attributes
    ----------
    steps : dict of int to Operation
        In order, by index in the trace, including the inputs.
    inputs : dict of int to str
        The needed inputs, with their labels.
    outputs : tuple of int
        The indices of the results.
    """

    def __init__(self, name: str, trace: KernelTrace, outputs: Sequence[Symbol]) -> None:
        self.name, self.outputs = name, tuple([symbol.index for symbol in outputs])
        needed, waiting = set[int](), list(self.outputs)
        while waiting:
            index = waiting.pop()
            if index not in needed:
                needed.add(index)
                waiting += trace.steps[index].values
        self.steps: dict[int, Operation] = {i: trace.steps[i] for i in sorted(needed)}
        self.inputs = {i: step.operands[0] for i, step in self.steps.items() if step.name == "input"}

    @property
    def dtypes(self) -> tuple[np.dtype, ...]:
        """The dtypes of the results."""
        return tuple([self.steps[i].dtype for i in self.outputs])
