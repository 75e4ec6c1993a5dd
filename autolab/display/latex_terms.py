"""Terms of a formula: LaTeX text with its precedence, so that brackets stand where they are needed and nowhere else.

Only what plain LaTeX with amsmath, MathJax and KaTeX have in common is written. Names come from users: every sign that
means something to TeX, or to HTML around it, is replaced by a command that shows it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .escape import clean

SUM, PRODUCT, POWER, ATOM = range(4)

_NAME_LIMIT = 40
_GREEK = """alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi
psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"""
_GREEK_NAMES = frozenset(_GREEK.split())
_INDEXED = re.compile(r"([A-Za-z]+?)_?(\d+)")
_SIGNS = {
    **{sign: f"\\{sign}" for sign in "{}$#%_"},
    "&": r"\&{}",
    "\\": r"\backslash{}",
    "^": r"\hat{\ }",
    "~": r"{\sim}",
    "<": r"\langle{}",
    ">": r"\rangle{}",
    " ": r"\ ",
    '"': "''",
    "`": r"\grave{\ }",
}


@dataclass(frozen=True)
class Term:
    """A piece of a formula. ``array``: it has several elements. ``ones``: every element is 1. ``minus``: what the
    sign in front of it negates."""

    text: str
    level: int = ATOM
    array: bool = False
    ones: bool = False
    minus: Term | None = None

    def at(self, level: int) -> str:
        """The text, in brackets if it binds less than ``level``."""
        return self.text if self.level >= level else rf"\left({self.text}\right)"


def symbol(name: str) -> str:
    """A user's name in a formula.

    Examples
    --------
    >>> symbol("x"), symbol("w_12"), symbol("alpha"), symbol("loss"), symbol("d_model")
    ('x', 'w_{12}', '\\\\alpha', '\\\\mathit{loss}', '\\\\mathit{d\\\\_model}')
    """
    if found := _INDEXED.fullmatch(name):
        return f"{symbol(found[1])}_{{{found[2]}}}"
    if name in _GREEK_NAMES:
        return f"\\{name}"
    text = literal(name)
    return text if len(name) == 1 else rf"\mathit{{{text}}}"


def literal(text: str) -> str:
    """Any text, sign by sign, as math mode shows it."""
    return "".join([_SIGNS.get(sign, sign) for sign in clean(text, _NAME_LIMIT)])


def number(text: str) -> Term:
    """A number as `repr` or a format wrote it; any other text as it is."""
    if text in ("inf", "-inf", "nan"):
        return Term({"inf": r"\infty", "-inf": r"-\infty", "nan": r"\mathrm{NaN}"}[text], SUM if "-" in text else ATOM)
    if not re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?", text):
        return Term(literal(text))
    digits, _, power = text.partition("e")
    written = rf"{digits} \times 10^{{{int(power)}}}" if power else digits
    return Term(written, SUM if text[0] == "-" or power else ATOM, ones=text in ("1", "1.0"))


# ---------------------------------------------------------------------------------------------------- operators
def add(a: Term, b: Term) -> Term:
    """``a + b``"""
    return Term(f"{a.at(SUM)} + {_after_a_sign(b, SUM)}", SUM, a.array or b.array)


def sub(a: Term, b: Term) -> Term:
    """``a - b``"""
    return Term(f"{a.at(SUM)} - {_after_a_sign(b, PRODUCT)}", SUM, a.array or b.array)


def _after_a_sign(term: Term, level: int) -> str:
    return rf"\left({term.text}\right)" if term.text.startswith("-") else term.at(level)


def neg(a: Term) -> Term:
    """``-a``"""
    return Term(f"-{_after_a_sign(a, PRODUCT)}", SUM, a.array, minus=a)


def mul(a: Term, b: Term) -> Term:
    r"""``a * b``: side by side for numbers, ``\odot`` for the elements of two arrays, a dot before a digit."""
    left, right = a.at(PRODUCT), b.at(PRODUCT)
    sign = r"\odot" if a.array and b.array else r"\cdot" if right[0].isdigit() or r"\times" in left + right else r"\,"
    return Term(f"{left} {sign} {right}", PRODUCT, a.array or b.array)


def div(a: Term, b: Term) -> Term:
    """``a / b``"""
    return Term(rf"\frac{{{a.text}}}{{{b.text}}}", PRODUCT, a.array or b.array)


def power(a: Term, b: Term) -> Term:
    r"""``a ** b``; with ``\odot`` where it is taken element by element, since a matrix has another power."""
    each = r"\odot " if a.array else ""
    return Term(f"{a.at(ATOM)}^{{{each}{b.text}}}", POWER, a.array or b.array)


def matmul(a: Term, b: Term) -> Term:
    """``a @ b``"""
    return Term(rf"{a.at(PRODUCT)} \, {b.at(PRODUCT)}", PRODUCT, True)


def transpose(a: Term) -> Term:
    """``a.T``"""
    return Term(rf"{a.at(ATOM)}^{{\top}}", POWER, a.array)


def plus(a: Term, b: Term) -> Term:
    """``a + b`` in a gradient, where plus minus is minus."""
    return add(a, b) if b.minus is None else sub(a, b.minus)


def times(a: Term, b: Term) -> Term:
    """``a * b`` in a gradient, where a factor of ones is left out if that changes no shape."""
    if a.ones and b.array >= a.array:
        return b
    return a if b.ones and a.array >= b.array else mul(a, b)


# ---------------------------------------------------------------------------------------------------- functions
def call(name: str, arguments: Sequence[Term], attributes: Sequence[tuple[str, str]] = ()) -> Term:
    """``name(arguments)`` in the notation of its own if it has one; attributes as indices."""
    if not attributes and (own := _OWN.get((name, len(arguments)))):
        return own(*arguments)
    if name == "getitem" and (index := _index(attributes)) is not None:
        return Term(rf"{arguments[0].at(ATOM)}\left[{index}\right]", array=True)
    head = _HEADS.get(name, rf"\operatorname{{{literal(name)}}}")
    marks = r",\,".join([rf"\mathrm{{{literal(key)}}}={literal(text)}" for key, text in attributes])
    inner = r",\,".join([argument.text for argument in arguments])
    array = any([argument.array for argument in arguments]) and name not in _TO_ONE
    return Term(rf"{head}{f'_{{{marks}}}' if marks else ''}\left({inner}\right)", ATOM, array)


def _index(attributes: Sequence[tuple[str, str]]) -> str | None:
    """Whole numbers and slices as in ``x[0, :2]``; None for other indices."""
    try:
        index = ast.parse(dict(attributes)["index"], mode="eval").body
    except (SyntaxError, ValueError):  # cut, since it was long
        return None
    parts = [_place(part) for part in (index.elts if isinstance(index, ast.Tuple) else [index])]
    return None if None in parts else r",\,".join(map(str, parts))


def _place(node: ast.expr) -> str | None:
    match node:
        case ast.Constant(value=None):
            return r"\mathrm{None}"
        case ast.Constant(value=value) if value is Ellipsis:
            return r"\ldots{}"
        case ast.Constant(value=int()) | ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int())):
            return ast.unparse(node)
        case ast.Call(func=ast.Name(id="slice"), args=[start, stop, step]):
            ends = ["" if ast.unparse(end) == "None" else _place(end) for end in (start, stop, step)]
            return None if None in ends else "{:}".join(map(str, ends if ends[2] else ends[:2]))
    return None


def _exp(a: Term) -> Term:
    return Term(rf"\exp\left({a.text}\right)", ATOM, True) if a.array else Term(rf"e^{{{a.text}}}", POWER)


_TWO, _ONE = Term("2"), Term("1", ones=True)
_OWN: dict[tuple[str, int], Callable[..., Term]] = {
    ("add", 2): add,
    ("sub", 2): sub,
    ("mul", 2): mul,
    ("div", 2): div,
    ("pow", 2): power,
    ("matmul", 2): matmul,
    ("neg", 1): neg,
    ("transpose", 1): transpose,
    ("exp", 1): _exp,
    ("square", 1): lambda a: power(a, _TWO),
    ("reciprocal", 1): lambda a: div(_ONE, a),
    ("sqrt", 1): lambda a: Term(rf"\sqrt{{{a.text}}}", ATOM, a.array),
    ("cbrt", 1): lambda a: Term(rf"\sqrt[3]{{{a.text}}}", ATOM, a.array),
    ("abs", 1): lambda a: Term(rf"\left|{a.text}\right|", ATOM, a.array),
    ("muladd", 3): lambda a, b, c: add(mul(a, b), c),
    ("expadd", 2): lambda a, b: add(_exp(a), _exp(b)),
}
_COMMANDS = ("sin", "cos", "tan", "sinh", "cosh", "tanh", "arcsin", "arccos", "arctan", "max", "min", "det")
_HEADS = {name: f"\\{name}" for name in _COMMANDS} | {
    "sum": r"\sum",
    "prod": r"\prod",
    "log": r"\ln",
    "log2": r"\log_2",
    "log10": r"\log_{10}",
    "sigmoid": r"\sigma",
}
_TO_ONE = ("sum", "mean", "prod", "max", "min", "norm", "det", "trace")
