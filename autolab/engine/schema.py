"""Schema: what the signature of a declared function says, and what its gradient rules may retain."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from .calls import LateSignature, call_signature, parameters_of
from .errors import DeclarationError, a_kind


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
