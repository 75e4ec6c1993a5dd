"""The table of a facade: signatures of functions and classes, and functions that only call AutoLab's.

Each facade has a file ``table.txt`` with a section for each module. An entry is a line, followed by its docstring,
indented:

- ``tril(input: Any, diagonal: int = 0) => F.tril(input, diagonal)`` is a complete function, which `fill` adds to the
  module.
- ``relu => adapted(F.relu)`` is a name for the value of an expression. ``sin cos => adapted(F.{})`` defines several
  names, with each of them in place of ``{}``, as ``sin cos(x: Any) => F.{}(x)`` does.
- ``cross_entropy(input: Any, target: Any, reduction: str = "mean")`` gives the types and defaults of a function, or of
  the ``__init__`` of a class, that is marked with `signed`: the code has only the names of its parameters. A class
  derived from `Settled` does not need even that: see ``torch.nn.Linear``.

A parameter ``swap: bool = only(False)`` is refused with any other value, and ``n_threads: int = ignored(1)`` has no
effect. Neither appears in the code.
"""

from __future__ import annotations
import __future__

import ast
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from .absent import missing, original
from .raw_errors import RAW, explained, restated


class Entry(NamedTuple):
    """An entry of a table: parameters, the type after ``->``, the expression after ``=>``, location and docstring."""

    parameters: str | None
    returns: str
    expression: str
    line: int
    column: int
    said: str = ""


def _table(module: str) -> Path:
    return Path(__file__).parent / module.partition(".")[0] / "table.txt"


def entries(module: str) -> dict[str, Entry]:
    """The entries in the section of a module, by name.

    Examples
    --------
    >>> from autolab.compat.table import entries
    >>> entries("chainer.functions.networks")["softmax"].expression
    'F.softmax(x, axis=axis)'
    """
    return _sections(_table(module))[module]


@cache
def _sections(path: Path) -> dict[str, dict[str, Entry]]:
    """A whole table: the entries by name, by section."""
    sections: dict[str, dict[str, Entry]] = {}
    section, names, gap = "", "", ""
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if line.startswith("["):
            section = line.strip("[]")
            sections[section] = {}
        elif line.startswith(" "):
            for name in names.split():
                entry = sections[section][name]
                sections[section][name] = entry._replace(said=f"{entry.said}{gap}\n{line[4:]}".lstrip("\n"))
            gap = ""
        elif line and line[0] != "#":
            names, entry = _entry(line, number)
            for name in names.split():
                if name in sections[section]:
                    raise ValueError(f"{path}: {section}.{name} is there twice")
                sections[section][name] = entry._replace(expression=entry.expression.replace("{}", name))
        else:
            gap = "\n"
    return sections


def _entry(line: str, number: int) -> tuple[str, Entry]:
    head, _, expression = line.partition(" => ")
    name, is_call, rest = head.partition("(")
    parameters, arrow, returns = rest.partition(") -> ")
    parameters = parameters if arrow else rest.removesuffix(")")
    return name, Entry(parameters if is_call else None, returns, expression, number, len(line) - len(expression))


def signed(function: Callable[..., Any]) -> Any:
    """Decorator: give a function the defaults and annotations of its parameters in the table.

    Raises
    ------
    TypeError
        If the table has different parameters.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> torch.nn.Conv2d.__init__.__defaults__
    (1, 0, 1, 1, True, 'zeros', None, None)
    """
    name, code = function.__qualname__.removesuffix(".__init__"), function.__code__
    entry = entries(original(function.__module__))[name]
    if "." in function.__qualname__:
        entry = _of_object(entry)
    passed = _passed(entry)
    if [parameter.strip("*") for parameter in passed] != [*code.co_varnames[: len(passed)]]:
        raise TypeError(f"{function.__module__}.{name}: the table has other parameters: {entry.parameters}")
    if _only(entry):
        given = [one if one.startswith("*") or one == "self" else f"{one}={one}" for one in passed]
        made = _defined(entry._replace(expression=f"_call({', '.join(given)})"), name, function.__module__, function)
        made.__qualname__ = function.__qualname__
        made.__name__, made.__doc__ = function.__name__, function.__doc__
        return made
    meant = _defined(entry, name, function.__module__)
    function.__defaults__, function.__kwdefaults__ = meant.__defaults__, meant.__kwdefaults__
    function.__annotations__ = meant.__annotations__
    return function


class Settled:
    """Base of classes that get their ``__init__`` from the table; it passes all arguments to `_settle`, by name.

    A class that is not in the table keeps its own ``__init__``.
    """

    __init__: Any

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        module = getattr(cls, "__module__", "")
        name = original(module)
        found = _sections(_table(name)).get(name, {}).get(cls.__name__) if name != module else None
        if found is not None and not found.expression:
            entry = _of_object(found)
            given = ", ".join([f"{one}={one}" for one in _passed(entry)[1:]])
            made = _defined(entry._replace(expression=f"self._settle(dict({given}))"), cls.__name__, cls.__module__)
            made.__name__, made.__qualname__ = "__init__", f"{cls.__qualname__}.__init__"
            cls.__init__ = made  # type: ignore[misc]


def fill(
    module: str, one: Callable[..., Any] | None = None, several: Callable[..., Any] | None = None
) -> Callable[[str], Any]:
    """Add the functions in a module's section of the table to it. Returns its ``__getattr__``, as `missing` does.

    Parameters
    ----------
    module : str
        ``__name__`` of the module; the expressions may use its names.
    one : callable, optional
        Applied to each function, for example to give results the facade's class.
    several : callable, optional
        Applied instead to those whose expression is not a single function of AutoLab.
    """
    written = vars(sys.modules[module])
    for name, held in [*written.items()]:
        is_public = inspect.isfunction(held) and held.__module__ == module and name[0] != "_"
        if is_public and held.__code__.co_name == name:  # not one made by a function
            written[name] = explained(held)
    for name, made in made_by(original(module), module):
        entry = entries(original(module))[name]
        is_one = entry.expression.count("F.") == 1 and "np." not in entry.expression
        decorate = one if several is None or is_one else several
        if entry.parameters is not None:
            made = decorate(made) if decorate is not None else made
            made.__module__ = module
        written[name] = made
    return missing(module)


def made_by(section: str, module: str) -> Iterator[tuple[str, Any]]:
    """The values of a section's expressions, by name, evaluated with the names of a module."""
    for name, entry in entries(section).items():
        if entry.parameters is None:
            yield name, eval(entry.expression, vars(sys.modules[module]))
        elif entry.expression:
            yield name, called(_defined(entry, name, module), name, entry.said)


_ONLY = re.compile(r"(\w+)(: [^=,]+)? = (only|ignored)\(((?:[^()]|\([^()]*\))*)\)")


def _only(entry: Entry) -> dict[str, tuple[str, str]]:
    """The parameters that do not appear in the code: ``only`` or ``ignored``, and the text of the value."""
    return {name: (kind, value) for name, _, kind, value in _ONLY.findall(entry.parameters or "")}


def _parameters(entry: Entry) -> list[str]:
    """The names of the parameters, in the order in which the code has them."""
    taken = ast.parse(f"def f({entry.parameters}): ...").body[0].args  # type: ignore[attr-defined]
    found = [one.arg for one in (*taken.posonlyargs, *taken.args, *taken.kwonlyargs)]
    more = [("*", taken.vararg), ("**", taken.kwarg)]
    return found + [stars + one.arg for stars, one in more if one is not None]


def _passed(entry: Entry) -> list[str]:
    """The names of the parameters that appear in the code: those that may have more than one value."""
    return [name for name in _parameters(entry) if name.strip("*") not in _only(entry)]


def _of_object(entry: Entry) -> Entry:
    """The entry of a method."""
    return entry._replace(parameters=f"self, {entry.parameters}", returns=entry.returns or "None")


def _refuse(function: str, library: str, given: dict[str, tuple[Any, Any]]) -> None:
    """Refuse a parameter with another value than the only one allowed; None and False count as equal."""
    for name, (value, only) in given.items():
        value_is_off, only_is_off = [one is None or one is False for one in (value, only)]
        is_equal = isinstance(value, int | float | str) and value == only
        if not (is_equal or value is only or (value_is_off and only_is_off)):
            raise NotImplementedError(f"{function}: {name}={value!r:.40} is not part of AutoLab's {library} facade")


def _defined(entry: Entry, name: str, module: str, call: Any = None) -> Any:
    """A function as if defined in the module: its defaults and its expression may use the module's names."""
    parameters = _ONLY.sub(r"\1\2 = \4", entry.parameters or "")
    only = [(one, value) for one, (kind, value) in _only(entry).items() if kind == "only"]
    given = ", ".join([f"{one!r}: ({one}, {value})" for one, value in only])
    who = "type(self).__name__" if parameters.startswith("self, ") else repr(name)
    check = f"_check({who}, {original(module).partition('.')[0]!r}, {{{given}}}); " if given else ""
    returned = f"{check}return {entry.expression or None}"
    returned = f"try: {returned}"
    indent = " " * max(entry.column - returned.index("return ") - len("return "), 2)
    source = f"def make(_check, _call, _raw, _restated):\n def made({parameters}) -> {entry.returns or 'Any'}:\n"
    source += (
        f"{indent}{returned}\n{indent}except _raw as error:\n{indent} other = _restated({name!r}, error, locals())\n"
    )
    source += f"{indent} if other is None: raise\n{indent} raise other from None\n return made"
    tree = ast.parse(source)
    for node in ast.walk(tree):  # tracebacks show the line of the table, and underline parts of it
        if getattr(node, "lineno", 0) > 3:
            place = {"lineno": 3, "end_lineno": 3, "col_offset": entry.column, "end_col_offset": entry.column + 1}
            vars(node).update(place)
    flags = __future__.annotations.compiler_flag
    code = compile(tree, str(_table(original(module))), "exec", flags, dont_inherit=True)
    found: dict[str, Any] = {}
    exec(code, vars(sys.modules[module]), found)
    made = found["make"](_refuse, call, RAW, partial(_restated, _passed(entry)))
    made.__code__ = made.__code__.replace(co_firstlineno=entry.line - 1)  # as in the table
    return made


def _restated(parameters: list[str], function: str, error: Exception, names: dict[str, Any]) -> Exception | None:
    return restated(function, error, {one: names[one] for name in parameters if (one := name.strip("*")) in names})


def called(function: Any, name: str, said: str) -> Any:
    """The function or class itself, after setting its name and docstring.

    Examples
    --------
    >>> twice = called(lambda x: 2 * x, "twice", "Two times a number.")
    >>> twice.__name__, twice.__doc__
    ('twice', 'Two times a number.')
    """
    function.__name__ = function.__qualname__ = name
    function.__doc__ = said
    return function


def with_settings(base: type, name: str, said: str, shape: inspect.Signature, **body: Any) -> Any:
    """A class whose ``__init__`` has this signature and passes all arguments to ``_settle``, by name.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> torch.nn.ELU(alpha=0.5)
    ELU(alpha=0.5)
    """

    def __init__(self: Any, *args: Any, **options: Any) -> None:
        bound = shape.bind(*args, **options)
        bound.apply_defaults()
        self._settle({**bound.arguments})

    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    taken = shape.replace(parameters=[itself, *shape.parameters.values()], return_annotation="None")
    __init__.__signature__ = taken  # type: ignore[attr-defined]  # for help
    return type(name, (base,), {"__init__": __init__, "__doc__": said, **body})
