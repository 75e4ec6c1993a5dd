"""The inputs of another library's function: its arrays, by the names in its signature."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from ..engine import a_kind
from ..shared.binding import InputPlaceholder, fill_gaps, fitted, signature_of
from .library import Library


@dataclass(frozen=True)
class BridgeInputs:
    """A function with its arguments. The arrays among them, including those in containers, are its inputs.

    ``caller`` is the tool that bound them, for error messages.
    """

    fn: Any
    values: dict[str, Any]
    _args: tuple[Any, ...]
    _kwargs: dict[str, Any]
    caller: str

    library: ClassVar[Library]

    @classmethod
    def bind(cls, caller: str, fn: Any, args: tuple[Any, ...], inputs: Mapping[str, Any]) -> Self:
        """Bind ``args`` and ``inputs`` to the signature of ``fn``.

        Raises
        ------
        TypeError
            If ``fn`` is not callable, or the arguments do not fit its signature.
        UnsupportedError
            If its computation cannot be followed.
        """
        if not callable(fn):
            raise TypeError(f"{caller}: fn is {a_kind(fn)}; expected {cls.library.function}")
        unbound = cls(fn, {}, (), {}, caller)
        unbound.refuse()
        exchanged = cls.library.exchanged

        def slot(label: str, value: Any) -> Any:
            unbound.values[label] = cls.library.as_input(value)
            return InputPlaceholder(label)

        bound = fitted(caller, fn, args, inputs, unbound.signature())
        if bound is None:  # a built-in function without a signature
            positional = tuple([exchanged(a, slot, f"x{i}") for i, a in enumerate(args)])
            return replace(unbound, _args=positional, _kwargs={k: exchanged(v, slot, k) for k, v in inputs.items()})
        if not unbound.takes_keywords:
            fill_gaps(bound)
        for key, value in bound.arguments.items():
            if bound.signature.parameters[key].kind is inspect.Parameter.VAR_KEYWORD:
                bound.arguments[key] = {k: exchanged(v, slot, k) for k, v in value.items()}
            else:
                bound.arguments[key] = exchanged(value, slot, key)
        return replace(unbound, _args=bound.args, _kwargs=bound.kwargs)

    @property
    def name(self) -> str:
        """The function's name."""
        return str(getattr(self.fn, "__name__", type(self.fn).__name__))

    @property
    def code_name(self) -> str:
        """The name of the function in source code."""
        return self.name if self.name.isidentifier() else "fn"

    @property
    def written(self) -> Any:
        """The user's function, without the library's wrappers."""
        return self.fn

    @property
    def python(self) -> Any:
        """The Python function whose source is shown."""
        return self.written

    @property
    def runs(self) -> Any:
        """The callable that is run."""
        return self.fn

    @property
    def takes_keywords(self) -> bool:
        """Whether arguments may be omitted and passed by keyword."""
        return True

    def signature(self) -> inspect.Signature | None:
        """The signature to which the arguments are bound; None for a function without one."""
        return signature_of(self.fn)

    def refuse(self) -> None:
        """Raise if the function's computation cannot be followed; by default it can."""

    def call(self, values: Mapping[str, Any]) -> Any:
        """Run the function on other values of its inputs."""

        def filled(leaf: Any) -> Any:
            return values[leaf.name] if isinstance(leaf, InputPlaceholder) else leaf

        args = [self.library.rebuilt(a, filled) for a in self._args]
        return self.runs(*args, **{key: self.library.rebuilt(a, filled) for key, a in self._kwargs.items()})
