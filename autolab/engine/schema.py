"""Schema: what the signature of a declared function says, and what its gradient rules may ask for."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .calls import call_signature, parameter_names
from .errors import DeclarationError, a_kind


@dataclass(frozen=True)
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
    """

    function: str
    inputs: tuple[str, ...]
    required: int
    variadic: bool
    defaults: dict[str, Any]
    needed: tuple[str, ...]
    outputs: tuple[str, ...]
    signature: inspect.Signature

    @classmethod
    def of(cls, forward: Callable[..., Any], outputs: tuple[str, ...]) -> Schema:
        """The schema of a forward; a `DeclarationError` if it cannot be one."""
        everything = list(inspect.signature(forward).parameters.values()) if callable(forward) else []
        if not everything or everything[0].kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD:
            raise DeclarationError(f"{_name(forward)}: expected a function forward(xp, *inputs), with xp in front")
        parameters = everything[1:]
        if not isinstance(outputs, tuple) or not outputs or not all([isinstance(name, str) for name in outputs]):
            raise DeclarationError(f"{_name(forward)}: outputs is {outputs!r:.60}; expected a tuple of names")
        named = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        rest = [p for p in parameters if p.kind is p.VAR_POSITIONAL]
        inputs = tuple([p.name for p in named + rest])
        return cls(
            function=forward.__name__,
            inputs=inputs,
            required=sum([p.default is p.empty for p in named]),
            variadic=bool(rest),
            defaults={p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY},
            needed=tuple([p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty]),
            outputs=tuple(["" if name in inputs else name for name in outputs]),
            signature=call_signature(parameters),
        )

    @property
    def fixed(self) -> bool:
        """Whether every call has the same inputs and nothing else."""
        return not self.defaults and not self.variadic and self.required == len(self.inputs)

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
        first, *retained = parameter_names(rule) or [""]
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
