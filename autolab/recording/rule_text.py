"""The text of a gradient rule, as declared, and the same with numbers filled in."""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any

import numpy as np

from ..engine import Primitive
from ..engine.source import lines_of
from .locate import source_of

CODE = 2000
"""The maximum number of characters kept of a rule's code."""


def rule_text(function: Primitive, name: str) -> str | None:
    """The formula of the rule of input ``name``: the declared one, or the body of a lambda.

    Examples
    --------
    >>> from autolab.functions import mul
    >>> rule_text(mul.function, "a")
    'g * b'
    """
    return function.formulas.get(name) or _lambda_text(function.declared[name])


def rule_code(function: Primitive, name: str) -> str | None:
    """The rule of input ``name`` as code: a lambda's body, or the statements of a named rule.

    Examples
    --------
    >>> from autolab.functions import linear
    >>> rule_code(linear.function, "w")
    'return product(_rows(g).T, _rows(x))'
    """
    rule = function.declared[name]
    return _lambda_text(rule) or _statements(rule) or rule_text(function, name)


@cache
def _lambda_text(rule: Callable[..., Any]) -> str | None:
    found = lambda_of(rule) if getattr(rule, "__name__", "") == "<lambda>" else None
    return None if found is None else ast.unparse(found.body)


@cache
def _statements(rule: Callable[..., Any]) -> str | None:
    try:
        definition = ast.parse(source_of(rule)[0] or "pass").body[0]
    except SyntaxError:
        return None
    statements = definition.body if isinstance(definition, ast.FunctionDef) else []
    if rule.__doc__:
        statements = statements[1:]
    return "\n".join([ast.unparse(statement) for statement in statements])[:CODE] or None


def lambda_of(function: Callable[..., Any]) -> ast.Lambda | None:
    """The lambda expression of a function, found in the source by its parameters and the position of its body."""
    code = function.__code__
    starts = {(line, column) for line, _, column, _ in code.co_positions()}
    names = list(inspect.signature(function).parameters)
    linecache.checkcache(code.co_filename)  # the file may have been edited and imported again
    for node in _lambdas("".join(lines_of(code))):
        args = node.args
        given = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
        if [a.arg for a in given if a] == names and (node.body.lineno, node.body.col_offset) in starts:
            return node
    return None


@lru_cache(64)
def _lambdas(source: str) -> list[ast.Lambda]:
    try:
        return [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Lambda)]
    except (SyntaxError, ValueError):  # a cell with IPython's own syntax
        return []


def filled_in(text: str, values: Mapping[str, Any], result: Any) -> str | None:
    """``text`` with its names replaced by single numbers, followed by the result; None if a value is not a single
    number, or if the text is a sentence rather than a formula.

    Examples
    --------
    >>> filled_in("g * b", {"g": 1.0, "b": 3.0}, 3.0)
    '1 * 3 = 3'
    """
    total = number_text(result)
    numbers = [] if total is None else [number_text(value) for value in values.values()]
    if total is None or None in numbers:
        return None
    if text.isidentifier():
        return total
    formula = _template(text, tuple(values), tuple([number[0] == "-" for number in numbers if number]))
    if formula is None:
        return None
    filled = formula.format(*[number.removeprefix("-") for number in numbers if number])
    return f"{filled} = {total}"


@cache
def _template(text: str, names: tuple[str, ...], negative: tuple[bool, ...]) -> str | None:
    """``text`` with ``{0}`` for the first name and so on, in brackets where a negative number needs them."""
    try:
        formula = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return None
    called = {id(node.func) for node in ast.walk(formula) if isinstance(node, ast.Call)}
    if "{" in text or any(
        isinstance(n, ast.Name) and n.id not in names and id(n) not in called for n in ast.walk(formula)
    ):
        return None
    places = {
        name: (f"{{{i}}}", is_negative) for i, (name, is_negative) in enumerate(zip(names, negative, strict=True))
    }
    return ast.unparse(_Fill(places).visit(formula))


class _Fill(ast.NodeTransformer):
    def __init__(self, places: Mapping[str, tuple[str, bool]]) -> None:
        self._places = places

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self._places:
            return node
        place, is_negative = self._places[node.id]
        return ast.UnaryOp(ast.USub(), ast.Name(place)) if is_negative else ast.Name(place)


def number_text(value: Any) -> str | None:
    """A single number in short form; None for anything else."""
    number = single_number(value)
    return None if number is None else f"{number:.4g}"


def exact_text(value: Any) -> str | None:
    """A single number with all its digits; None for anything else.

    Examples
    --------
    >>> exact_text(2.0), exact_text(0.1), exact_text("2")
    ('2', '0.1', None)
    """
    number = value if type(value) is float else single_number(value)
    return None if number is None else repr(number).removesuffix(".0")


def single_number(value: Any) -> int | float | None:
    """The value as a number; None if it is not a single number."""
    if type(value) is float or type(value) is int:
        return value
    if type(value) is np.ndarray:
        number = value.item() if value.size == 1 else None
        return number if type(number) is float or type(number) is int else None
    number = value.item() if getattr(value, "size", None) == 1 and hasattr(value, "item") else value
    return number if isinstance(number, int | float) and not isinstance(number, bool) else None
