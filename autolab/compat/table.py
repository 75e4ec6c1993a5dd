"""The table of a facade: the signatures of its functions and classes, and the functions that only call AutoLab's.

Each facade has a file ``table.txt`` with a section for each module. An entry is a line, and below it, indented, is what
`help` says:

- ``tril(input: Any, diagonal: int = 0) => F.tril(input, diagonal)`` is a whole function, which `fill` puts into the
  module.
- ``max_pool2d => _pooling("max_pool2d", F.max_pool2d)`` is another name, or what a function of the module makes.
- ``GroupNorm(num_groups: int, num_channels: int, eps: float = 1e-5)`` has the types and defaults of a function, or of
  ``__init__`` of a class, that is marked with `signed` in the code. There are the names of its parameters alone.
"""

from __future__ import annotations
import __future__

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import Any, NamedTuple

from .absent import missing, original
from .naming import called


class Entry(NamedTuple):
    """One line of a table: parameters, the type after ``->``, the expression after ``=>``, and what `help` says."""

    parameters: str | None
    returns: str
    expression: str
    said: str = ""


@cache
def entries(module: str) -> dict[str, Entry]:
    """The section of a module, by name.

    Examples
    --------
    >>> from autolab.compat.table import entries
    >>> entries("chainer.functions.activation")["softmax"].expression
    'F.softmax(x, axis=axis)'
    """
    text = (Path(__file__).parent / module.partition(".")[0] / "table.txt").read_text("utf-8")
    found: dict[str, Entry] = {}
    for line in f"\n{text}".partition(f"\n[{module}]\n")[2].partition("\n[")[0].split("\n"):
        if line and not line.startswith(" "):
            head, _, expression = line.partition(" => ")
            head, _, returns = head.partition(") -> ")
            name, is_call, parameters = head.removesuffix(")").partition("(")
            if name in found:
                raise ValueError(f"the table has {module}.{name} twice")
            found[name] = Entry(parameters if is_call else None, returns, expression)
        elif found:
            found[name] = found[name]._replace(said=f"{found[name].said}{line}\n")
    return {name: entry._replace(said=dedent(entry.said).strip()) for name, entry in found.items()}


def signed(function: Callable[..., Any]) -> Any:
    """Give a function the defaults and annotations that the table has for its parameters; in code are their names.

    Raises
    ------
    TypeError
        If the table has other parameters.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> torch.nn.Conv2d.__init__.__defaults__
    (1, 0, 1, 1, True, 'zeros')
    """
    name, is_method = function.__qualname__.removesuffix(".__init__"), "." in function.__qualname__
    entry, code = entries(original(function.__module__))[name], function.__code__
    if is_method:
        entry = entry._replace(parameters=f"self, {entry.parameters}", returns=entry.returns or "None")
    meant = _defined(entry, function.__module__)
    if meant.__code__.co_varnames != code.co_varnames[: len(meant.__code__.co_varnames)]:
        raise TypeError(f"{function.__module__}.{name}: the table has other parameters: {entry.parameters}")
    function.__defaults__, function.__kwdefaults__ = meant.__defaults__, meant.__kwdefaults__
    function.__annotations__ = meant.__annotations__
    return function


def fill(
    module: str, one: Callable[..., Any] | None = None, several: Callable[..., Any] | None = None
) -> Callable[[str], Any]:
    """Put the functions of a module's section into it, and return its ``__getattr__``, as `missing` does.

    Parameters
    ----------
    module : str
        ``__name__`` of the module, whose names the expressions may use.
    one : callable, optional
        What is done to each function, such as giving results the facade's class.
    several : callable, optional
        What is done instead to those which call more than one function of AutoLab's.
    """
    for name, entry in entries(original(module)).items():
        if entry.parameters is None:
            vars(sys.modules[module])[name] = eval(entry.expression, vars(sys.modules[module]))
        elif entry.expression:
            made = called(_defined(entry, module), name, entry.said)
            decorate = several if several is not None and entry.expression.count("F.") > 1 else one
            vars(sys.modules[module])[name] = made = made if decorate is None else decorate(made)
            made.__module__ = module
    return missing(module)


def _defined(entry: Entry, module: str) -> Any:
    """A function as if it were written in the module, whose names its defaults and its expression may use."""
    source = f"def made({entry.parameters}) -> {entry.returns or 'Any'}: return {entry.expression}"
    code = compile(source, __file__, "exec", __future__.annotations.compiler_flag, dont_inherit=True)
    found: dict[str, Any] = {}
    exec(code, vars(sys.modules[module]), found)
    return found["made"]
