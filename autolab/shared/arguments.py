"""The arguments of a bound call, with placeholders for its inputs, alone or inside lists, tuples and dicts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..engine import Variable
from .structure import rebuilt


@dataclass(frozen=True)
class InputPlaceholder:
    """Marks the place of the input of this name among the arguments."""

    name: str


@dataclass(frozen=True)
class Structure:
    """An argument that is a list, tuple or dict containing placeholders."""

    tree: Any


def with_inputs(argument: Any, variables: Mapping[str, Variable]) -> Any:
    """An argument with placeholders replaced by their Variables; without placeholders, the object itself."""
    if isinstance(argument, Structure):
        return rebuilt(argument.tree, lambda leaf: with_inputs(leaf, variables))
    return variables[argument.name] if isinstance(argument, InputPlaceholder) else argument


def source_text(argument: Any, text: Callable[[InputPlaceholder], str]) -> str:
    """An argument as source text; functions, classes and other callables by their names."""
    if isinstance(argument, InputPlaceholder):
        return text(argument)
    tree = argument.tree if isinstance(argument, Structure) else argument
    if isinstance(tree, dict):
        return f"{{{', '.join([f'{key!r}: {source_text(item, text)}' for key, item in tree.items()])}}}"
    if not isinstance(tree, list | tuple):
        return (name_of(tree) if callable(tree) else None) or repr(tree)
    items = ", ".join([source_text(item, text) for item in tree])
    if hasattr(tree, "_fields"):
        return f"{type(tree).__name__}({items})"
    if isinstance(tree, list):
        return f"[{items}]"
    return f"({items},)" if len(tree) == 1 else f"({items})"


def named_in(argument: Any) -> Iterator[Any]:
    """The functions and classes whose names `source_text` writes."""
    tree = argument.tree if isinstance(argument, Structure) else argument
    if isinstance(tree, dict | list | tuple):
        if hasattr(tree, "_fields"):
            yield type(tree)
        for item in tree.values() if isinstance(tree, dict) else tree:
            yield from named_in(item)
    elif _has_name(tree):
        yield tree


def name_of(fn: Any) -> str | None:
    """The name of a callable in source text: its own, or else that of a variable of the notebook or script."""
    if _has_name(fn):
        return str(fn.__name__)
    names = [name for name, value in vars(sys.modules["__main__"]).items() if value is fn and not name.startswith("_")]
    return names[0] if names else None


def _has_name(value: Any) -> bool:
    return callable(value) and str(getattr(value, "__name__", "")).isidentifier()


def token_labels(caller: str, given: Any) -> tuple[str, ...]:
    """Check the option ``tokens``: one label for each position of a sequence; in a string, each character is a label.

    Raises
    ------
    TypeError
        If it is neither a string nor a list of strings.
    """
    if not isinstance(given, str | list | tuple) or not all([isinstance(label, str) for label in given]):
        raise TypeError(f"{caller}: option 'tokens' is {given!r:.60}; expected a list of strings, one per position")
    return tuple(given)
