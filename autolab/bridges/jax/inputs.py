"""The inputs of a JAX function: its arrays, by the names of its signature."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jax
from jax import numpy as jnp

from ...engine.errors import a_kind
from ...shared.arguments import InputPlaceholder
from .arrays import exchanged


@dataclass(frozen=True)
class JaxInputs:
    """A function with its arguments. The arrays among them, also inside pytrees, are its inputs."""

    fn: Any
    arrays: dict[str, Any]
    _args: tuple[Any, ...]
    _kwargs: dict[str, Any]
    caller: str

    @property
    def name(self) -> str:
        return str(getattr(self.fn, "__name__", type(self.fn).__name__))

    @property
    def written(self) -> Any:
        """What the user wrote, without what `jax.jit` and the like put around it."""
        return inspect.unwrap(self.fn)

    def call(self, *values: Any) -> Any:
        """Run the function on other values of its inputs, in their order."""
        given = dict(zip(self.arrays, values, strict=True))

        def filled(value: Any) -> Any:
            return given[value.name] if isinstance(value, InputPlaceholder) else value

        args, kwargs = jax.tree_util.tree_map(filled, (self._args, self._kwargs), is_leaf=_is_slot)
        return self.fn(*args, **kwargs)


def _is_slot(value: Any) -> bool:
    return isinstance(value, InputPlaceholder)


def bind(caller: str, fn: Any, args: tuple[Any, ...], inputs: Mapping[str, Any]) -> JaxInputs:
    """Bind ``args`` and ``inputs`` to the signature of ``fn``.

    Raises
    ------
    TypeError
        If ``fn`` is not callable, or the arguments do not fit its signature.
    """
    if not callable(fn):
        raise TypeError(f"{caller}: fn is {a_kind(fn)}; expected a function of JAX arrays")
    found: dict[str, Any] = {}

    def slot(label: str, value: Any) -> InputPlaceholder:
        found[label] = jnp.asarray(value)
        return InputPlaceholder(label)

    try:
        signature = inspect.signature(fn)
        bound = signature.bind(*args, **inputs)
    except ValueError:  # a built-in function has no signature
        positional = tuple([exchanged(a, slot, f"x{i}") for i, a in enumerate(args)])
        return JaxInputs(fn, found, positional, {k: exchanged(v, slot, k) for k, v in inputs.items()}, caller)
    except TypeError as error:
        name = getattr(fn, "__name__", type(fn).__name__)
        raise TypeError(f"{caller}: {name}{signature} does not take these inputs: {error}") from None
    for key, value in bound.arguments.items():
        if signature.parameters[key].kind is inspect.Parameter.VAR_KEYWORD:
            bound.arguments[key] = {k: exchanged(v, slot, k) for k, v in value.items()}
        else:
            bound.arguments[key] = exchanged(value, slot, key)
    return JaxInputs(fn, found, bound.args, bound.kwargs, caller)
