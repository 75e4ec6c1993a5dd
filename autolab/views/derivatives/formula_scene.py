"""The formulas next to the curves, and the derivation of each, as plain data: pure functions of `Derivatives`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...analysis import Derivatives
from ...analysis.expressions import SLOPE, Expression, FunctionCall, Name, Power, RuleLine, split, terms_of
from ...analysis.formulas import MOST_LINES, Formulas
from ...analysis.recorded_expressions import NotReadableError
from ...shared.numerals import MINUS
from ..draw import number, say
from ..draw.typeset import Tree, formula, name, plain, row
from ..draw.typeset import number as number_tree
from ..steps.term_layout import Writer, coefficient_tree, in_order
from .scene import symbol, variable


def head(data: Derivatives, order: int) -> Tree:
    """``tanh′(x)``"""
    called = symbol(data, 0)
    primes = [["text", symbol(data, order).removeprefix(called)]] if order else []
    return row(["name", called], *primes, "(", name(variable(data)), ")")


def formulas(data: Derivatives, most: int) -> list[dict[str, Any]]:
    """For each order, its ``name``, the ``title`` of its derivation, and its formula, ``simplified`` and as
    ``computed``; None where there is none."""
    return [
        {"name": formula(head(data, order)), "title": _title(data, order), **_written(data, order)}
        for order in range(most + 1)
    ]


def _title(data: Derivatives, order: int) -> str:
    return say("curve_derive", name=symbol(data, order))


def _written(data: Derivatives, order: int) -> dict[str, Any]:
    found = data.formulas
    known = order < len(found.orders)
    raw = found.computed[order] if known and order < len(found.computed) else None
    simple = found.orders[order] if known else None
    return {
        key: None if one is None else formula(["wrap", row(head(data, order), "="), *_pieces(found, one)])
        for key, one in (("simplified", simple), ("computed", raw))
    }


def _pieces(found: Formulas, expression: Expression) -> list[Tree]:
    """The terms, and the definitions of the user's names in them."""
    writer = _writer(found)
    where = ["text", say("formula_where")]
    means = [row(where, ["space"], name(text), "=", writer.tree(of)) for text, of in _named(expression).items()]
    return [*writer.pieces(expression), *means]


def _named(expression: Expression) -> dict[str, Expression]:
    """The user's names in an expression with their definitions, each before the names in its own definition."""
    if isinstance(expression, Name):
        of = expression.definition
        return {} if of is None else {expression.text: of, **_named(of)}
    return {text: of for part in expression.parts for text, of in _named(part).items()}


def _writer(found: Formulas) -> Writer:
    """A writer that puts powers of the input first in a product."""
    taken = [] if found.found is None else [one.text for one in (*found.found.inputs, *found.found.names)]
    return Writer(lambda factor: int(not isinstance(factor.base if isinstance(factor, Power) else factor, Name)), taken)


# ---------------------------------------------------------------------------------------------------- derivations
def derivation(data: Derivatives, order: int) -> dict[str, Any]:
    """The derivation of a derivative at the point: ``lines``, each with its ``rule``, its ``formula`` with and without
    numbers below it, and the ``step`` of the graph that it differentiates; a ``note`` if there are no lines."""
    found = data.formulas
    made = found.derivation(order) if 0 < order < len(found.orders) else None
    title = _title(data, order)
    if made is None or len(made) > MOST_LINES:
        note = say("derivation_none") if made is None else say("derivation_long", count=len(made))
        return {"title": title, "x": data.x, "note": note, "lines": [] if made is None else [_result(data, order)]}
    try:
        shown = [_line(data, order, line, k == 0) for k, line in enumerate(made)]
    except NotReadableError:
        return {"title": title, "x": data.x, "note": say("derivation_none"), "lines": []}
    last = [_result(data, order)] if len(made) > 1 else []
    return {"title": title, "x": data.x, "note": "", "lines": [*shown, *last]}


def _line(data: Derivatives, order: int, line: RuleLine, is_whole: bool) -> dict[str, Any]:
    found, writer = data.formulas, _writer(data.formulas)
    assert found.found is not None
    slope = FunctionCall(SLOPE, (line.of,))
    left = head(data, order) if is_whole else writer.tree(slope)
    pairs = [[(left, _number(data, slope))], *_right(data, line.result, writer)]
    steps = found.found.steps
    step = line.of.step if isinstance(line.of, Name) else steps.get(line.of)
    return {**_in_pairs(pairs), "rule": _rule(line, writer), "step": step}


def _result(data: Derivatives, order: int) -> dict[str, Any]:
    expression = data.formulas.orders[order]
    pieces = _pieces(data.formulas, expression)
    tree = ["wrap", row(head(data, order), "="), *pieces, row("=", number_tree(_number(data, expression)))]
    bare = ["wrap", row(head(data, order), "="), *pieces]
    return {"numbers": formula(tree), "formula": formula(bare), "rule": say("rule_together"), "step": None}


def _number(data: Derivatives, expression: Expression) -> str:
    value = np.asarray(data.formulas.value(expression, data.x))
    if value.size != 1:
        raise NotReadableError  # an array, such as weights: only a single number fits below a symbol
    return number(value.item() + 0.0)


def _right(data: Derivatives, result: Expression, writer: Writer) -> Iterator[list[tuple[Tree, str]]]:
    """The terms factor by factor, each with its number; a new list begins where a line may end."""
    for k, term in enumerate(in_order(result)):
        coefficient, factors = split(term)
        sign = MINUS if coefficient < 0 else "+" if k else ""
        signs = [(["op", text], text) for text in (("=", sign) if not k else (sign,)) if text]
        size = abs(coefficient)
        inner = [] if size == 1 and factors else [(coefficient_tree(size), number(float(size)))]
        inner += [(_factor(writer, factor), _number(data, factor)) for factor in factors]
        yield [*signs, inner[0]]
        yield from ([(["op", "·"], "·"), pair] for pair in inner[1:])


def _factor(writer: Writer, factor: Expression) -> Tree:
    return writer.tree(factor) if len(terms_of(factor)) == 1 else row("(", writer.tree(factor), ")")


def _in_pairs(pieces: list[list[tuple[Tree, str]]]) -> dict[str, Any]:
    """The symbols, and the same with their numbers below; the spoken form has both."""
    symbols = [row(*[tree for tree, _ in piece]) for piece in pieces]
    both = [["pairs", *[[tree, _below(tree, text)] for tree, text in piece]] for piece in pieces]
    words = " ".join([plain(tree).strip() for piece in pieces for tree, _ in piece])
    numbers = " ".join([text for piece in pieces for _, text in piece])
    return {
        "formula": {"text": words, "tree": ["wrap", *symbols]},
        "numbers": {"text": f"{words}; {numbers}", "tree": ["wrap", *both]},
    }


def _below(tree: Tree, text: str) -> Tree:
    return tree if tree[0] == "op" else number_tree(text)


def _rule(line: RuleLine, writer: Writer) -> str:
    """The rule of a line, in words."""
    of, named = line.of, ""
    if isinstance(line.of, Name) and line.of.definition is not None:
        of = line.of.definition
        named = f"{line.of.text} = {plain(writer.tree(of))}; "
    (inner, *others) = of.parts or (of,)
    u = inner.text if isinstance(inner, Name) else "u"
    words = say("rule_chains" if line.rule == "chain" and others else f"rule_{line.rule}", function=_called(of), u=u)
    if line.rule == "chain" and not others and not isinstance(inner, Name):
        words += say("rule_inner", inner=plain(writer.tree(inner)))
    return named + words


def _called(of: Expression) -> str:
    return of.function.lstrip("_") if isinstance(of, FunctionCall) else "pow"
