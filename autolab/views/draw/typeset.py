"""Formulas as plain data: nested lists, from which a page builds MathML (live/mathml.js) and a report text (`plain`).

A formula is a list that begins with its kind: ``["name", "x"]``, ``["num", "2"]``, ``["op", "+"]``, ``["text",
"ones"]``, ``["row", a, b]``, ``["frac", a, b]``, ``["power", a, b]``, ``["sub", a, b]``, ``["root", a]``,
``["space"]``, ``["mark", key, a]`` (a part that the page can find), ``["pairs", [a, b], [c, d]]`` (two lines: each
symbol with its number below) and, only as the outermost list, ``["wrap", head, a, b]`` (a sum: its terms, each with its
sign; lines may break between them).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any

from ...recording.step_text import parsed
from ...shared.numerals import MINUS
from .escape import clean

Tree = list[Any]

TIMES = "\N{INVISIBLE TIMES}"
_LETTERS = """alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho _ sigma tau
upsilon phi chi psi omega"""
_GREEK = {name: chr(0x3B1 + k) for k, name in enumerate(_LETTERS.split())}
_INDEXED = re.compile(r"([A-Za-z]+?)_?(\d+)")
_FUNCTIONS = {"sigmoid": "σ", "sigmoid_slope": "σ′", "log": "ln", "sum": "Σ", "prod": "Π"}
_MODULES = ("F", "np", "numpy", "math", "functions", "autolab", "xp")
_SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉"
_DIGITS = str.maketrans(_SUBSCRIPTS, "0123456789")
_POWERS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_LONG = 60
_SHALLOW = 12


def row(*parts: Tree | str) -> Tree:
    """Parts side by side; a plain string is an operator."""
    return ["row", *[["op", part] if isinstance(part, str) else part for part in parts]]


def group(inner: Tree) -> Tree:
    """A formula in parentheses."""
    return row("(", inner, ")")


def name(text: str) -> Tree:
    """A user's name: names of Greek letters become the letters, and digits at the end a subscript.

    Examples
    --------
    >>> name("x"), name("w_1"), name("alpha"), name("d_model")
    (['name', 'x'], ['sub', ['name', 'w'], ['num', '1']], ['name', 'α'], ['name', 'd_model'])
    """
    if found := _INDEXED.fullmatch(text):
        return ["sub", name(found[1]), ["num", found[2]]]
    return ["name", _GREEK.get(text, clean(text))]


def number(text: str) -> Tree:
    """A number; its minus sign becomes an operator."""
    return row(MINUS, ["num", text[1:]]) if text.startswith((MINUS, "-")) else ["num", text]


def function(called: str, arguments: Sequence[Tree], simple: bool = False) -> Tree:
    """``f(a, b)``; without parentheses for a ``simple`` argument, as in ``sin x``."""
    head = ["name", _FUNCTIONS.get(called, clean(called.lstrip("_")))]
    if simple and len(arguments) == 1:
        return row(head, ["space"], arguments[0])
    inner: list[Tree | str] = []
    for argument in arguments:
        inner += [",", argument] if inner else [argument]
    return row(head, "(", *inner, ")")


def derivative(of: Tree, by: Tree, order: int = 1, sign: str = "∂") -> Tree:
    """``∂of/∂by`` as a fraction."""
    above = ["power", ["name", sign], ["num", str(order)]] if order > 1 else ["name", sign]
    below = ["power", by, ["num", str(order)]] if order > 1 else by
    return ["frac", row(above, of), row(["name", sign], below)]


# ---------------------------------------------------------------------------------------------------- from Python
def of_source(source: str) -> Tree:
    """An expression as the user wrote it; what is not a formula becomes text.

    Examples
    --------
    >>> of_source("x**2")
    ['power', ['name', 'x'], ['num', '2']]
    >>> of_source("F.exp(x)")
    ['row', ['name', 'exp'], ['op', '('], ['name', 'x'], ['op', ')']]
    >>> of_source("for t in x")
    ['text', 'for t in x']
    """
    node = parsed(source) if len(source) <= _LONG else None
    found = None if node is None else _of_node(node, 0)
    return ["text", clean(source)] if found is None else found


_SUM, _PRODUCT, _UNARY, _POWER = range(4)
_SIGNS = {ast.Add: ("+", _SUM), ast.Sub: (MINUS, _SUM), ast.Mult: ("·", _PRODUCT), ast.Div: ("/", _PRODUCT)}


def _of_node(node: ast.expr, depth: int, level: int = _SUM) -> Tree | None:
    """A formula, in parentheses if it binds less tightly than ``level``; None if the node is not a formula."""
    if depth > _SHALLOW:
        return None
    match node:
        case ast.Name(id=text):
            return name(text)
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return number(repr(value))
        case ast.Attribute(value=inner, attr="T"):
            base = _of_node(inner, depth + 1, _POWER)
            return base and ["power", base, ["op", "⊤"]]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            base = _of_node(inner, depth + 1, _PRODUCT)
            return base and _at(row(MINUS, base), _UNARY if level <= _SUM else _SUM, level)
        case ast.BinOp(op=op, left=left, right=right):
            return _operation(op, left, right, depth, level)
        case ast.Call(func=called, args=arguments, keywords=[]):
            head = _head(called)
            parts = [_of_node(argument, depth + 1) for argument in arguments]
            return None if head is None or None in parts else function(head, [part for part in parts if part])
        case ast.Subscript(value=inner, slice=index):
            base = _of_node(inner, depth + 1, _POWER)
            return base and ["sub", base, ["text", ast.unparse(index).strip("()")]]
    return None


def _operation(op: ast.operator, left: ast.expr, right: ast.expr, depth: int, level: int) -> Tree | None:
    if isinstance(op, ast.Pow):
        base, exponent = _of_node(left, depth + 1, _POWER), _of_node(right, depth + 1)
        return base and exponent and _at(["power", base, exponent], _UNARY, level)
    sign, own = (TIMES, _PRODUCT) if isinstance(op, ast.MatMult) else _SIGNS.get(type(op), (None, _SUM))
    leading = _SUM if isinstance(left, ast.UnaryOp) else own  # -x * y needs no parentheses
    a, b = _of_node(left, depth + 1, leading), _of_node(right, depth + 1, own + 1)
    return _at(row(a, sign, b), own, level) if a and b and sign else None


def _at(tree: Tree, own: int, level: int) -> Tree:
    return tree if own >= level else group(tree)


def _head(called: ast.expr) -> str | None:
    match called:
        case ast.Name(id=text):
            return text
        case ast.Attribute(value=ast.Name(id=module), attr=text) if module in _MODULES:
            return text
    return None


def of_label(text: str) -> Tree:
    """The label of a value: a name or an expression, with its parentheses, and the index of a use as a subscript."""
    bare = text.rstrip(_SUBSCRIPTS)
    tree = of_source(bare)
    tree = group(tree) if bare.startswith("(") and bare.endswith(")") and tree[0] != "text" else tree
    return tree if bare == text else ["sub", tree, ["num", text[len(bare) :].translate(_DIGITS)]]


def of_tokens(tokens: Sequence[Any]) -> Tree:
    """A formula from words and fractions of words, as ``formula.py`` writes them."""
    return ["row", *[of_token(token) for token in tokens]]


def of_token(token: Any) -> Tree:
    """A word, or a derivative such as ``("∂w", "∂x")`` or ``("dw", "dx")``."""
    if isinstance(token, str):
        return ["op", token]
    of, by = [of_label(part[1:]) for part in token]
    return derivative(of, by, sign=token[0][0])


def in_pairs(pairs: Sequence[tuple[Any, Any]]) -> Tree:
    """Words and derivatives, each with its number below."""
    return ["pairs", *[[of_token(token), number(below) if below != token else ["op", below]] for token, below in pairs]]


def formula(tree: Tree) -> dict[str, Any]:
    """A formula for a page, with the text that is read aloud."""
    return {"text": plain(tree), "tree": tree}


# ---------------------------------------------------------------------------------------------------- as text
def plain(tree: Tree) -> str:
    """A formula on one line, as it is read aloud.

    Examples
    --------
    >>> plain(["frac", row("∂", name("w")), row("∂", name("x"))]), plain(["power", name("x"), ["num", "2"]])
    ('∂w/∂x', 'x²')
    """
    kind, *parts = tree
    match kind:
        case "row":
            return _spaced("".join([plain(part) for part in parts]))
        case "wrap":
            return " ".join(in_pieces(tree))
        case "frac":
            signed = [part[:2] in (["row", ["name", "∂"]], ["row", ["name", "d"]]) for part in parts]
            return "/".join([plain(part) if is_so else _alone(part) for part, is_so in zip(parts, signed, strict=True)])
        case "power":
            base, exponent = _alone(parts[0]), _alone(parts[1])
            return base + (exponent.translate(_POWERS) if exponent.isdecimal() else f"^{exponent}")
        case "sub":
            return f"{plain(parts[0])}_{plain(parts[1])}"
        case "root":
            return f"√{_alone(parts[0])}"
        case "mark":
            return plain(parts[1])
        case "pairs":
            return "; ".join([_spaced("".join([plain(pair[k]) for pair in parts])) for k in range(2)])
        case "space":
            return " "
        case "op" if parts[0] in ("=", "+", MINUS, "·", "×"):
            return f" {parts[0]} "
    return " " if parts[0] == TIMES else str(parts[0])


def in_pieces(whole: Tree) -> list[str]:
    """The head and the terms of a sum, one line each, with a space after each leading sign."""
    head, first, *others = [plain(part) for part in whole[1:]]
    return [head, first, *[re.sub(rf"^([+{MINUS}]) ?", r"\1 ", text) for text in others]]


def _alone(tree: Tree) -> str:
    text = plain(tree)
    has_own = tree[0] == "row" and tree[1] == ["op", "("] and tree[-1] == ["op", ")"]
    return f"({text})" if re.search(rf"[ /^]|^{MINUS}", text) and not has_own else text


def _spaced(text: str) -> str:
    text = re.sub(r"(\d) ([A-Za-zα-ω])(?![A-Za-zα-ω_])", r"\1\2", text)  # 2x
    text = re.sub(rf"(^|[(=·] ?) {MINUS} ", rf"\1{MINUS}", re.sub(" +", " ", text))
    return text.strip()
