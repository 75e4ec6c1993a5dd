"""What a program works on, by the user's names, also what is inside lists, dicts and objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import FunctionType, ModuleType
from typing import Any

_LIBRARIES = ("builtins", "torch", "jax", "jaxlib", "numpy", "autolab")


def items(named: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """What is named, also inside lists, tuples, dicts and objects of the user's classes."""
    waiting, seen = list(named.items()), set()
    while waiting:
        name, value = waiting.pop(0)
        if id(value) in seen:
            continue
        seen.add(id(value))
        yield name, value
        if isinstance(value, dict):
            waiting += [(f"{name}[{key!r}]", inner) for key, inner in value.items()]
        elif isinstance(value, list | tuple):
            waiting += [(f"{name}[{i}]", inner) for i, inner in enumerate(value[:1000])]
        elif _is_plain(value):
            waiting += [(f"{name}.{key}", inner) for key, inner in vars(value).items()]


def _is_plain(value: Any) -> bool:
    """An object of a class of the user's."""
    module = type(value).__module__.partition(".")[0]
    is_one = hasattr(value, "__dict__") and not isinstance(value, type | FunctionType | ModuleType)
    is_model = any(base.__name__ in ("Module", "Link", "Optimizer", "Variable") for base in type(value).__mro__)
    return is_one and not is_model and module not in _LIBRARIES
