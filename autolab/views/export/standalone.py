"""A function as a self-contained program: its source, and that of all the user's code that it needs."""

from __future__ import annotations

import ast
import builtins
import dis
import inspect
import linecache
import sys
import textwrap
from collections.abc import Iterator
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ...engine import a_kind
from ...engine.source import EMPTY, content_of, looked_up
from ...recording.locate import source_of
from ...recording.rule_text import lambda_of
from ..graph.exploration_state import literal

MOST_NUMBERS = 1000
"""An array with more elements is not written into a program."""

_PLAIN = (bool, int, float, str, type(None))
_EVERYWHERE = {"autolab", "numpy", *sys.stdlib_module_names}


class NotStandalone(Exception):
    """Raised if the function needs something that a program cannot contain, which the message names."""


def standalone(function: Any, name: str, /, **named: Any) -> str:
    """Source code that defines ``function`` under ``name``, for an environment with only NumPy and AutoLab.

    Variables that an inner function takes from the outer one become global names of the program. A lambda is assigned
    to ``name``.

    Parameters
    ----------
    function : callable
        A function, or a class with methods, such as a `FunctionNode`.
    name : str
    **named
        Other modules, functions and classes that the program should define, by name.

    Raises
    ------
    NotStandalone
        If the source is not found or is not the code that ran, if the function changes a variable of the function
        around it, or if it needs other packages or values without a short text, such as another Variable.

    Examples
    --------
    >>> import math
    >>> from autolab.views.export.standalone import standalone
    >>> def power_of(n):
    ...     return lambda x: math.pi * x**n
    >>> print(standalone(power_of(3), "fn"))  # doctest: +SKIP
    import math
    <BLANKLINE>
    <BLANKLINE>
    n = 3
    <BLANKLINE>
    <BLANKLINE>
    fn = lambda x: math.pi * x ** n
    """
    parts = _Parts()
    for other, value in named.items():
        parts.add(other, value)
    parts.add(name, function)
    return parts.text()


class _Parts:
    """Collects imports and definitions, each after those that it needs."""

    def __init__(self) -> None:
        self._known: dict[str, Any] = {}
        self._imports: list[str] = []
        self._definitions: list[str] = []

    def text(self) -> str:
        """The whole program."""
        imports = ["\n".join(sorted(self._imports))] if self._imports else []
        return "\n\n\n".join([*imports, *self._definitions])

    def add(self, name: str, value: Any) -> None:
        """Define a name with this value."""
        if name in self._known:
            if self._known[name] is not value:
                raise NotStandalone(f"{name} means two things")
            return
        self._known[name] = value
        if (found := _import_of(name, value)) is not None:
            self._imports.append(found)
        elif isinstance(value, FunctionType):
            self._add_function(name, value)
        elif isinstance(value, type):
            self._define(name, value, _Written.of_class(name, value))
        else:
            self._definitions.append(f"{name} = {self._value(name, value)}")

    def _add_function(self, name: str, function: FunctionType) -> None:
        """Define a user's function, after what it needs."""
        inner = inspect.unwrap(function)
        if not isinstance(inner, FunctionType):
            raise NotStandalone(f"{name} wraps {a_kind(inner)}")
        written = _Written.of(name, inner)
        if inner is not function and not written.is_decorated:
            raise NotStandalone(f"{name} wraps another function")
        self._define(name, function, written)

    def _define(self, name: str, value: Any, written: _Written) -> None:
        """Define a function or class under its name in the source, after what it needs."""
        if written.name == name:
            self._add_what(written)
            self._definitions.append(written.text)
        else:
            self.add(written.name, value)
            self._definitions.append(f"{name} = {written.name}")

    def _add_what(self, written: _Written) -> None:
        """Define the names that it looks up: outer variables, globals of its module, and its defaults or bases."""
        module, around = written.functions[0].__globals__, written.around
        for used in written.at_definition:
            if used in written.known:
                self.add(used, written.known[used])
            elif written.is_inner and not isinstance(module.get(used), ModuleType):
                raise NotStandalone(f"{used} was looked up in the function around {written.name}")
            elif (
                written.is_class and not isinstance(held := module.get(used), ModuleType | None) and not callable(held)
            ):
                raise NotStandalone(f"{used} may have changed since {written.name} was defined")
            else:
                self._look_up(used, module)
        for used in written.names:
            if used in around:
                self.add(used, _held(used, around[used]))
            else:
                self._look_up(used, module)

    def _look_up(self, name: str, module: dict[str, Any]) -> None:
        if name in module:
            self.add(name, module[name])
        elif not hasattr(builtins, name):
            raise NotStandalone(f"{name} is not defined")
        elif self._known.setdefault(name, getattr(builtins, name)) is not getattr(builtins, name):
            raise NotStandalone(f"{name} means two things")

    def _value(self, name: str, value: Any) -> str:
        if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
            if value.size > MOST_NUMBERS:
                raise NotStandalone(f"{name} has {value.size} elements, more than {MOST_NUMBERS}")
            self.add("np", np)
            return literal(value)
        if type(value) is dict and all([type(key) in (int, str) for key in value]):
            return f"{{{', '.join([f'{key!r}: {self._value(name, held)}' for key, held in value.items()])}}}"
        items = value if type(value) in (tuple, list) else [value]
        if len(items) <= MOST_NUMBERS and all([type(item) in _PLAIN and item == item for item in items]):
            return repr(value)
        raise NotStandalone(f"{name} is {a_kind(value)}, which has no short text")


class _Written:
    """The source of a function, or of a class with its methods: its text, the ``name`` that it defines, the ``names``
    that it looks up when called, those looked up ``at_definition``, and the ``known`` values of these.
    """

    def __init__(self, name: str, text: str, tree: ast.stmt | ast.Lambda, functions: list[FunctionType]) -> None:
        self.name, self.text, self.functions = name, text, functions
        self.is_inner, self.is_class = "<locals>" in functions[0].__qualname__, isinstance(tree, ast.ClassDef)
        try:
            code = compile(text, "<program>", "exec")
        except SyntaxError:  # a nonlocal no longer has a variable around it
            raise NotStandalone(f"{name} changes a variable of the function around it") from None
        inside, self.at_definition = _codes(code), [*looked_up(code, deep=False)]
        if self.is_class:
            body = inside[0]
            own = {step.argval for step in dis.get_instructions(body) if step.opname == "STORE_NAME"}
            inside = _codes(body)
            self.at_definition += [used for used in looked_up(body, deep=False) if used not in {"__name__", *own}]
        if not all([_gist(f.__code__) in [_gist(c) for c in inside] for f in functions]):
            raise NotStandalone(f"the source of {name} is not the code that ran")
        self.names = list(dict.fromkeys([used for c in inside for used in looked_up(c)]))
        self.known: dict[str, Any] = {}
        self.is_decorated = isinstance(tree, ast.FunctionDef) and bool(tree.decorator_list)

    @classmethod
    def of(cls, name: str, function: FunctionType) -> _Written:
        """The source that defines ``function``, verified against its code."""
        if function.__name__ == "<lambda>":
            tree: ast.Lambda | ast.stmt | None = lambda_of(function)
            text = None if tree is None else f"{name} = {ast.unparse(tree)}"
        else:
            text = source_of(function)[0]
            tree = _parsed(text)
            name = tree.name if isinstance(tree, ast.FunctionDef) else name
        if text is None or not isinstance(tree, ast.FunctionDef | ast.Lambda):
            raise NotStandalone(f"the source of {name} was not found")
        written = cls(name, text.rstrip(), tree, [function])
        written.known = dict(_defaults(tree.args, function))
        return written

    @classmethod
    def of_class(cls, name: str, kind: type) -> _Written:
        """The source that defines a class, verified against the code of its methods and its bases."""
        parts = [inspect.unwrap(getattr(value, "__func__", value)) for value in vars(kind).values()]
        methods = [part for part in parts if isinstance(part, FunctionType)]
        tree, text = _class_around(methods, kind.__name__)
        if tree is None:
            raise NotStandalone(f"{name} is {a_kind(kind)}, whose source was not found")
        written = cls(tree.name, text, tree, methods)
        bases = zip(tree.bases, kind.__bases__, strict=False)  # object need not be written as a base
        written.known = {node.id: base for node, base in bases if isinstance(node, ast.Name)}
        return written

    @property
    def around(self) -> dict[str, CellType]:
        """The variables of enclosing functions."""
        held = [zip(f.__code__.co_freevars, f.__closure__ or (), strict=True) for f in self.functions]
        return dict([pair for pairs in held for pair in pairs])


def _defaults(args: ast.arguments, function: FunctionType) -> Iterator[tuple[str, Any]]:
    """The names used as defaults, with their values when the function was defined."""
    positional = zip(args.defaults, function.__defaults__ or (), strict=True)
    given = function.__kwdefaults__ or {}
    by_name = [(node, given.get(a.arg)) for a, node in zip(args.kwonlyargs, args.kw_defaults, strict=True) if node]
    for node, value in [*positional, *by_name]:
        if isinstance(node, ast.Name):
            yield node.id, value


def _class_around(methods: list[FunctionType], name: str) -> tuple[ast.ClassDef | None, str]:
    """The class statement with this name that contains the methods, and its text."""
    lines = linecache.getlines(methods[0].__code__.co_filename) if methods else []
    first = {function.__code__.co_firstlineno for function in methods}
    try:
        nodes = [node for node in ast.walk(ast.parse("".join(lines))) if isinstance(node, ast.ClassDef)]
    except SyntaxError:  # a cell with IPython's own syntax
        nodes = []
    for node in nodes:
        begin = min([node.lineno, *[one.lineno for one in node.decorator_list]])
        if node.name == name and first <= set(range(begin, (node.end_lineno or 0) + 1)):
            return node, textwrap.dedent("".join(lines[begin - 1 : node.end_lineno])).rstrip()
    return None, ""


def _parsed(text: str | None) -> ast.stmt | None:
    """The only statement in a text."""
    try:
        body = ast.parse(text or "").body
    except SyntaxError:
        return None
    return body[0] if len(body) == 1 else None


def _codes(code: CodeType) -> list[CodeType]:
    """The code objects nested inside."""
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def _gist(code: CodeType) -> tuple[Any, ...]:
    """What does not depend on where a function is defined: an outer variable may have become a global one."""
    constants = [_gist(c) if isinstance(c, CodeType) else (type(c), c) for c in code.co_consts]
    if not code.co_name.startswith("<") and isinstance(code.co_consts[0], str):
        constants.pop(0)  # the docstring, whose indentation may differ
    return code.co_varnames, code.co_argcount, code.co_kwonlyargcount, {*code.co_names, *code.co_freevars}, constants


def _held(name: str, cell: CellType) -> Any:
    content = content_of(cell)
    if content is EMPTY:
        raise NotStandalone(f"{name} has no value yet")
    return content


def _root(module: str) -> str:
    return module.partition(".")[0]


def _import_of(name: str, value: Any) -> str | None:
    """The line that imports a module or a value from one; None for the user's own."""
    if isinstance(value, ModuleType):
        if _root(value.__name__) not in _EVERYWHERE:
            raise NotStandalone(f"{name} is the package {value.__name__}, which a playground does not have")
        return f"import {value.__name__}" + ("" if value.__name__ == name else f" as {name}")
    module, own = getattr(value, "__module__", None), getattr(value, "__name__", None)
    if isinstance(value, np.ufunc):
        module = module or "numpy"  # missing in ufuncs of older NumPy versions
    if not isinstance(module, str) or not isinstance(own, str) or _root(module) not in _EVERYWHERE:
        return None
    parts = module.split(".")
    for place in [".".join(parts[: i + 1]) for i in range(len(parts))]:  # the outermost package that offers it
        if getattr(sys.modules.get(place), own, None) is value:
            return f"from {place} import {own}" + ("" if own == name else f" as {name}")
    return None
