"""Schema: what the signature of a declared function says, and what its gradient rules may ask for."""

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
        Names of the array inputs; the last one stands for any number of them if ``variadic``.
    required : int
        How many inputs must be given; those after may be left out and are None then.
    variadic : bool
    defaults : dict
        The attributes (keyword-only parameters) with their defaults; `inspect.Parameter.empty` where there is none.
    needed : tuple of str
        The attributes without a default.
    outputs : tuple of str
        ``("y",)``, or the names of several results; an output that shares its name with an input has none, ``""``.
    signature : inspect.Signature
        What users see: without ``xp``, and all by position or by name as far as Python can say so.
    fixed : bool
        Whether every call has the same inputs and nothing else.
    """

    def __init__(self, forward: Callable[..., Any], outputs: tuple[str, ...]) -> None:
        """The schema of a forward; a `DeclarationError` if it cannot be one."""
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
        """The name of the input at position ``i``: ``a``, or ``xs[2]`` where one name stands for many."""
        last = len(self.inputs) - 1
        return f"{self.inputs[last]}[{i - last}]" if self.variadic and i >= last else self.inputs[i]

    def completed(self, attributes: dict[str, Any]) -> dict[str, Any]:
        """``attributes`` and the defaults of those left out; a TypeError if one that has none is missing."""
        missing = [name for name in self.needed if name not in attributes] if self.needed else ()
        if missing:
            call = f"{self.function}({', '.join([*self.inputs, *missing])})"
            raise TypeError(f"{self.function}: {', '.join(missing)} must be given: {call}")
        return {**self.defaults, **attributes}

    def retained(self, name: str, rule: Callable[..., Any]) -> tuple[str, ...]:
        """What the rule of input ``name`` asks for besides ``g``; a `DeclarationError` if there is no such thing."""
        if name not in self.inputs:
            raise DeclarationError(f"{self.function}: a rule for {name!r}, but the inputs are {', '.join(self.inputs)}")
        if not callable(rule):
            raise DeclarationError(f"{self.function}: the rule for {name!r} is {a_kind(rule)}; expected a function")
        first, *retained = [name for name, _, _ in parameters_of(rule)] or [""]
        legal = self._legal()
        if first != "g" or not legal.issuperset(retained):
            raise DeclarationError(
                f"{self.function}: the rule for {name!r} takes ({', '.join([first, *retained])}); "
                f"legal are g, and after it any of {', '.join(sorted(legal))}"
            )
        return tuple(retained)

    def _legal(self) -> set[str]:
        fixed = self.inputs[:-1] if self.variadic else self.inputs
        legal = {*self.inputs, *self.outputs, *self.defaults, *[f"{name}_shape" for name in fixed]} - {""}
        return legal | {f"{self.inputs[-1]}_shapes", "index"} if self.variadic else legal


def _name(forward: Any) -> str:
    return getattr(forward, "__name__", type(forward).__name__)
