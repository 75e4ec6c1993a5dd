"""A function as a program that stands on its own: its source, and that of everything of the user's that it needs."""

from __future__ import annotations

import ast
import builtins
import dis
import sys
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ...recording.locate import source_of
from ..graph.exploration_state import literal

MOST_NUMBERS = 1000
"""An array with more elements is not written into a program."""

_PLAIN = (bool, int, float, str, type(None))
_EVERYWHERE = {"autolab", "numpy", *sys.stdlib_module_names}


class NotStandalone(Exception):
    """The function needs something that a program cannot say."""


def standalone(function: Any, **modules: ModuleType) -> str:
    """Source text after which ``function`` can be called by its name, where only NumPy and AutoLab are installed.

    Parameters
    ----------
    function : callable
    **modules : module
        What has to be imported as well, by the name that it shall have.

    Raises
    ------
    NotStandalone
        If it is no plain function at the top level of its source, or needs other packages or values that have no short
        text, such as another Variable.

    Examples
    --------
    >>> import math
    >>> from autolab.views.export import standalone
    >>> print(standalone.standalone(standalone._root, math=math))
    import math
    <BLANKLINE>
    <BLANKLINE>
    def _root(module: str) -> str:
        return module.partition(".")[0]
    """
    parts = _Parts()
    for name, module in modules.items():
        parts.add(name, module)
    parts.add_function(function.__name__ if isinstance(function, FunctionType) else "", function)
    return parts.text()


class _Parts:
    """Collects imports and definitions, each after what it needs."""

    def __init__(self) -> None:
        self._known: dict[str, Any] = {}
        self._imports: list[str] = []
        self._definitions: list[str] = []

    def text(self) -> str:
        """All of it."""
        imports = ["\n".join(sorted(self._imports))] if self._imports else []
        return "\n\n\n".join([*imports, *self._definitions])

    def add_function(self, name: str, function: Any) -> None:
        """Define a function of the user's; its names first."""
        if not isinstance(function, FunctionType) or function.__closure__ or function.__name__ != name:
            raise NotStandalone(name)
        text = source_of(function)[0]
        tree = _parsed(text)
        if text is None or not isinstance(tree, ast.FunctionDef) or tree.name != name:
            raise NotStandalone(name)
        self._known[name] = function
        for used in dict.fromkeys([*_globals_of(function.__code__), *_at_definition(tree)]):
            if used in function.__globals__:
                self.add(used, function.__globals__[used])
            elif not hasattr(builtins, used):
                raise NotStandalone(used)
        self._definitions.append(text.rstrip())

    def add(self, name: str, value: Any) -> None:
        """Let a name mean this."""
        if name in self._known:
            if self._known[name] is not value:
                raise NotStandalone(name)  # two modules mean different things by it
            return
        self._known[name] = value
        if (found := _import_of(name, value)) is not None:
            self._imports.append(found)
        elif isinstance(value, FunctionType):
            self.add_function(name, value)
        else:
            self._definitions.append(f"{name} = {self._value(name, value)}")

    def _value(self, name: str, value: Any) -> str:
        if isinstance(value, np.ndarray) and value.dtype.kind in "biuf" and value.size <= MOST_NUMBERS:
            self.add("np", np)
            return literal(value)
        items = value if type(value) in (tuple, list) else [value]
        if len(items) <= MOST_NUMBERS and all([type(item) in _PLAIN and item == item for item in items]):
            return repr(value)
        raise NotStandalone(name)


def _parsed(text: str | None) -> ast.stmt | None:
    """The one statement that a text is."""
    try:
        body = ast.parse(text or "").body
    except SyntaxError:
        return None
    return body[0] if len(body) == 1 else None


def _globals_of(code: CodeType) -> Iterator[str]:
    """The names that code looks up outside of its function, those of functions within it included."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _globals_of(constant)


def _at_definition(tree: ast.FunctionDef) -> Iterator[str]:
    """The names that are looked up when the function is defined: in its defaults, annotations and decorators."""
    for part in (tree.args, *tree.decorator_list, *filter(None, [tree.returns])):
        for node in ast.walk(part):
            if isinstance(node, ast.Name):
                yield node.id


def _root(module: str) -> str:
    return module.partition(".")[0]


def _import_of(name: str, value: Any) -> str | None:
    """The line that imports a module, or what a module has; None for what is the user's own."""
    if isinstance(value, ModuleType):
        if _root(value.__name__) not in _EVERYWHERE:
            raise NotStandalone(name)
        return f"import {value.__name__}" + ("" if value.__name__ == name else f" as {name}")
    module, own = getattr(value, "__module__", None), getattr(value, "__name__", None)
    if not isinstance(module, str) or not isinstance(own, str) or _root(module) not in _EVERYWHERE:
        return None
    for place in (_root(module), module):  # what the package itself offers comes from there
        if getattr(sys.modules.get(place), own, None) is value:
            return f"from {place} import {own}" + ("" if own == name else f" as {name}")
    return None
