"""Schema: what the signature of a declared function says, and what its gradient rules may retain.

Inputs as arrays: how a declared function converts the numbers and lists among its inputs.

What the edges of one application of a variadic function share, so that time and memory are linear in the number of
inputs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import accumulate
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays import as_array, check_real, scalar
from .backend import Array, get_array_module, is_array, modules
from .calls import LateSignature, call_signature, parameters_of
from .errors import DeclarationError, a_kind
from .variable import Variable

if TYPE_CHECKING:
    from .primitive import Primitive


class Schema:
    """The inputs, attributes and outputs of ``forward(xp, a, b, c=None, *rest, attribute=default)``.

    Attributes
    ----------
    inputs : tuple of str
        Names of the array inputs; if ``variadic``, the last one stands for any number of them.
    required : int
        The number of required inputs; later ones may be omitted and are then None.
    variadic : bool
    defaults : dict
        The attributes (keyword-only parameters) with their defaults, or `inspect.Parameter.empty`.
    needed : tuple of str
        The attributes without a default.
    outputs : tuple of str
        ``("y",)``, or the names of several results; an output that shares its name with an input has none, ``""``.
    signature : inspect.Signature
        The signature that users see: without ``xp``, and with all parameters positional or by name, as far as possible.
    fixed : bool
        Whether every call has the same inputs and no attributes.
    """

    def __init__(self, forward: Callable[..., Any], outputs: tuple[str, ...]) -> None:
        """Read the schema of a forward; raises a `DeclarationError` if it is invalid."""
        kinds, empty = inspect.Parameter, inspect.Parameter.empty
        first, *parameters = (parameters_of(forward) if callable(forward) else []) or [("", None, None)]
        if first[1] is not kinds.POSITIONAL_OR_KEYWORD:
            raise DeclarationError(f"{_name(forward)}: expected a function forward(xp, *inputs), with xp in front")
        if not isinstance(outputs, tuple) or not outputs or not all([isinstance(name, str) for name in outputs]):
            raise DeclarationError(f"{_name(forward)}: outputs is {outputs!r:.60}; expected a tuple of names")
        named = {name: default for name, kind, default in parameters if kind is kinds.POSITIONAL_OR_KEYWORD}
        rest = [name for name, kind, _ in parameters if kind is kinds.VAR_POSITIONAL]
        self.function, self.inputs, self.variadic = forward.__name__, (*named, *rest), bool(rest)
        self.required = sum([default is empty for default in named.values()])
        self.defaults = {name: default for name, kind, default in parameters if kind is kinds.KEYWORD_ONLY}
        self.needed = tuple([name for name, default in self.defaults.items() if default is empty])
        self.outputs = tuple(["" if name in self.inputs else name for name in outputs])
        self.signature = LateSignature.of(lambda: call_signature(forward))
        self.fixed = not self.defaults and not rest and self.required == len(named)

    def label(self, i: int) -> str:
        """The name of the input at position ``i``: ``a``, or ``xs[2]`` for a variadic input."""
        last = len(self.inputs) - 1
        return f"{self.inputs[last]}[{i - last}]" if self.variadic and i >= last else self.inputs[i]

    def completed(self, attributes: dict[str, Any]) -> dict[str, Any]:
        """``attributes`` completed with defaults; a TypeError if a required one is missing."""
        missing = [name for name in self.needed if name not in attributes] if self.needed else ()
        if missing:
            call = f"{self.function}({', '.join([*self.inputs, *missing])})"
            raise TypeError(f"{self.function}: {', '.join(missing)} must be given: {call}")
        return {**self.defaults, **attributes}

    def retained(self, name: str, rule: Callable[..., Any]) -> tuple[str, ...]:
        """The names that the rule of input ``name`` retains besides ``g``; a `DeclarationError` if one is unknown."""
        if name not in self.inputs:
            raise DeclarationError(
                f"{self.function}: got a rule for {name!r}, but the inputs are {', '.join(self.inputs)}"
            )
        if not callable(rule):
            raise DeclarationError(f"{self.function}: the rule for {name!r} is {a_kind(rule)}; expected a function")
        first, *retained = [name for name, _, _ in parameters_of(rule)] or [""]
        legal = self._legal()
        if first != "g" or not legal.issuperset(retained):
            raise DeclarationError(
                f"{self.function}: the rule for {name!r} takes ({', '.join([first, *retained])}); "
                f"expected g, and after it any of {', '.join(sorted(legal))}"
            )
        return tuple(retained)

    def _legal(self) -> set[str]:
        fixed = self.inputs[:-1] if self.variadic else self.inputs
        legal = {*self.inputs, *self.outputs, *self.defaults, *[f"{name}_shape" for name in fixed]} - {""}
        return legal | {f"{self.inputs[-1]}_shapes", "index"} if self.variadic else legal


def _name(forward: Any) -> str:
    return getattr(forward, "__name__", type(forward).__name__)


def as_arrays(function: Primitive, values: list[Any]) -> list[Array]:
    """Numbers and lists as arrays; as in NumPy, numbers take the dtype of the arrays."""
    if len(values) == 2 and function.elementwise:  # a fast path for the most common case, x * 2.0
        a, b = values
        if type(a) is np.ndarray and a.dtype.kind in "fiub" and type(b) in (float, int):
            return [a, function.number(np, b, a.dtype)]
        if type(b) is np.ndarray and b.dtype.kind in "fiub" and type(a) in (float, int):
            return [function.number(np, a, b.dtype), b]
    arrays = [value for value in values if is_array(value)]
    xp = get_array_module(*arrays)
    beside = np.result_type(*_weighty(function, values, arrays)) if arrays and function.elementwise else None
    converted: list[Any] = []
    for i, value in enumerate(values):
        if value is None and i >= function.schema.required:
            converted.append(None)
        elif beside is not None and type(value) in (float, int):
            converted.append(function.number(xp, value, beside))
        else:
            converted.append(_converted(function, xp, value, f"{function.name}: input {function.schema.label(i)!r}"))
    return converted


def _converted(function: Primitive, xp: Any, value: Any, what: str) -> Array:
    if isinstance(value, list | tuple) and any([isinstance(item, Variable) for item in value]):
        how = f"one sequence: {function.name}(xs)" if function.schema.variadic else "one value, such as stack(xs)"
        raise TypeError(f"{what}: got {a_kind(value)} of Variables; expected {how}")
    array = check_real(as_array(value, what), what)
    return xp.asarray(array) if type(array) is np.ndarray and type(value) is not np.ndarray else array


def number_beside(function: Primitive, xp: Any, value: float, dtype: np.dtype) -> Any:
    """A number combined with arrays: CuPy's own functions accept it directly, and nothing is copied to the device."""
    if xp is np or getattr(xp, "draws_as_numpy", False):  # recorded arrays, too, give NumPy's bits
        return scalar(value, dtype)
    return value if function.direct or dtype.kind != "f" else xp.full((), value, dtype)


def _weighty(function: Primitive, values: list[Any], arrays: list[Array]) -> list[np.dtype]:
    """The dtypes that determine that of a number: those of the inputs with a rule, so not that of a condition."""
    ruled = [v for i, v in enumerate(values) if type(v) in modules and function.plan(i) is not None]
    return [array.dtype for array in ruled or arrays]


class Inputs(list[Any]):
    """The inputs of one application; all from position ``first`` on share one name.

    ``number`` is the index, counted from ``first``, of the input whose edge is being made.
    """

    number = 0

    def __init__(self, values: Iterable[Any], first: int) -> None:
        super().__init__(values)
        self.first = first

    @cached_property
    def many(self) -> Many:
        """The inputs that share the name."""
        return Many(self[self.first :])

    @cached_property
    def shapes(self) -> Shapes:
        """Their shapes."""
        return Shapes([array.shape for array in self[self.first :]])


class Many(tuple[Any, ...]):
    """The inputs that share one name and, once requested, the Variables that they were."""

    variables: tuple[Any, ...] | None = None


class Shapes(tuple[tuple[int, ...], ...]):
    """The shapes of those inputs."""

    def bounds(self, axis: int | None) -> list[int]:
        """Where each starts if they are concatenated along an axis (None: flattened), and finally the end.

        Examples
        --------
        >>> Shapes([(2, 3), (1, 3)]).bounds(0), Shapes([(2, 3), (1, 3)]).bounds(None)
        ([0, 2, 3], [0, 6, 9])
        """
        known: dict[int | None, list[int]] = self.__dict__.setdefault("_bounds", {})
        if axis not in known:
            known[axis] = [0, *accumulate([prod(shape) if axis is None else shape[axis] for shape in self])]
        return known[axis]
