"""Gradient rules as formulas: the text of a declared rule, read as Python and written as LaTeX; nothing is executed."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from . import latex_terms as terms
from .latex_terms import Term, literal, number


def _minus(a: Term, b: Term) -> Term:
    """The difference; of two numbers, the number."""
    try:
        return number(repr(float(a.text) - float(b.text)).removesuffix(".0"))
    except ValueError:
        return terms.sub(a, b)


def _power(a: Term, b: Term) -> Term:
    return a if b.ones else terms.power(a, b)


_BINARY = {
    ast.Add: terms.plus,
    ast.Sub: _minus,
    ast.Mult: terms.times,
    ast.Div: terms.div,
    ast.Pow: _power,
    ast.MatMult: terms.matmul,
}
_SHAPING = ("broadcast_to", "sum_to", "reshape")


class _NoFormulaError(Exception):
    """The rule says more than a formula can."""


def gradient(rule: str, values: Mapping[str, Term], shape: tuple[int, ...]) -> Term | None:
    """The gradient that a rule describes, with ``values`` for its names; None if the rule is no formula.

    Parameters
    ----------
    rule : str
        As recorded, for instance ``g * b``.
    values : mapping
        The term of each name: ``g``, the inputs, the output.
    shape : tuple of int
        Of the gradient.
    """
    try:
        return _term(ast.parse(rule, mode="eval").body, values, shape)
    except (SyntaxError, ValueError, _NoFormulaError, RecursionError):
        return None


def vjp(function: str, parameter: str, upstream: Sequence[Term], array: bool) -> Term:
    """A gradient that has no formula: the vector-Jacobian product of the function for one of its inputs."""
    inner = r",\,".join([g.text for g in upstream])
    return Term(
        rf"\operatorname{{vjp}}_{{{literal(function)},\,{literal(parameter)}}}\left({inner}\right)", array=array
    )


def summed(term: Term, shape: tuple[int, ...]) -> Term:
    """A gradient added up over the axes that broadcasting made."""
    return Term(rf"\operatorname{{sum\_to}}_{{{_shape(shape)}}}\left({term.text}\right)", array=shape not in ((), (1,)))


def is_elementwise(rule: str) -> bool:
    """Whether a rule is arithmetic on its names, so that only broadcasting can change the shape."""
    try:
        tree = ast.parse(rule, mode="eval")
    except (SyntaxError, ValueError):  # ValueError: a null character, before Python 3.11.4
        return False
    return not any(isinstance(node, ast.Call | ast.MatMult | ast.Attribute) for node in ast.walk(tree))


def _term(node: ast.expr, values: Mapping[str, Term], shape: tuple[int, ...]) -> Term:
    match node:
        case ast.Name(id=name) if name in values:
            return values[name]
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return number(repr(value))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _BINARY[type(op)](_term(left, values, shape), _term(right, values, shape))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return terms.neg(_term(operand, values, shape))
        case ast.Attribute(value=value, attr="T"):
            return terms.transpose(_term(value, values, shape))
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=keywords) if name in _SHAPING:
            return _shaped(name, _term(argument, values, shape), shape, keywords)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if not name.startswith("_"):
            return terms.call(name, [_term(argument, values, shape) for argument in arguments])
    raise _NoFormulaError


def _shaped(name: str, term: Term, shape: tuple[int, ...], keywords: list[ast.keyword]) -> Term:
    if len(keywords) != 1 or not ast.unparse(keywords[0].value).endswith("_shape"):
        raise _NoFormulaError
    if term.ones and name == "broadcast_to":
        return Term(rf"\mathbf{{1}}_{{{_shape(shape)}}}", array=True, ones=True)
    return Term(rf"\operatorname{{{literal(name)}}}_{{{_shape(shape)}}}\left({term.text}\right)", array=True)


def _shape(shape: tuple[int, ...]) -> str:
    return r" \times ".join(map(str, shape)) or "()"
