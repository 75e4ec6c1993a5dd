"""Gradient rules and derivatives in the user's own names, and sums of products with their numbers."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...recording.model import Operand, Recording, Step
from ...recording.step_text import parsed
from ...shared.numerals import MINUS, no_digits
from ..draw import clean, number, say
from ..draw.names import label, shorten

_IDENTIFIER = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_NEGATIVE = re.compile(r"(?<!\w)-(?=[\w(])|(?<=\de)-(?=\d)")
_NO_DIGITS = re.compile(r"(?<!\w)(?:inf|nan)(?!\w)")
_NAME_COLUMNS = 18
_SHOWN_TERMS = 5
_OPERATOR = re.compile(r"[-+*/%@=<>&|^ \u2212\u00d7\u00b7]")
_ATOMS = (ast.Name, ast.Constant, ast.Call, ast.Attribute, ast.Subscript, ast.List, ast.Tuple, ast.Dict, ast.Set)
_MARKED = tuple("]₀₁₂₃₄₅₆₇₈₉")

Token = str | tuple[str, str]
"""Text, or a fraction of two texts."""


def names_in(step: Step, by_id: Mapping[int, Step]) -> dict[str, str]:
    """The user's names for what a rule of ``step`` refers to: its inputs, its output ``y``, the upstream gradient."""
    names = {operand.parameter: _operand_label(operand, by_id) for operand in step.operands}
    return {"y": label(step), **names, "g": say("upstream")}


def _operand_label(operand: Operand, by_id: Mapping[int, Step]) -> str:
    return clean(operand.constant or operand.parameter) if operand.step is None else label(by_id[operand.step])


def in_names(rule: str, names: Mapping[str, str]) -> str:
    """The rule in the user's names: ``g * b`` becomes ``upstream × y``."""

    def rename(match: re.Match[str]) -> str:
        word = match.group()
        if word.endswith("_shape") and word.removesuffix("_shape") in names:
            return f"shape of {grouped(names[word.removesuffix('_shape')])}"
        alone = rule[match.start() - 1 : match.start()] == "(" and rule[match.end() : match.end() + 1] == ")"
        return word if word not in names else names[word] if alone else grouped(names[word])

    return clean(signs(_IDENTIFIER.sub(rename, rule)))


def signs(formula: str) -> str:
    """A formula in mathematical notation.

    Examples
    --------
    >>> signs("-g * -(x - 1)"), signs("axis=-1"), signs("1e-05 * y")
    ('−g × −(x − 1)', 'axis=−1', '1e−05 × y')
    """
    return _NEGATIVE.sub(MINUS, formula.replace(" * ", " × ").replace(" - ", f" {MINUS} "))


def numbers_in(formula: str) -> str:
    """A formula of numbers in mathematical notation.

    Examples
    --------
    >>> numbers_in("-1 / (2 * 0) = -inf"), numbers_in("2e-05 - nan = nan")
    ('−1 / (2 × 0) = −∞', '2e−05 − NaN = NaN')
    """
    return _NO_DIGITS.sub(lambda word: no_digits(float(word.group())) or "", signs(formula))


def grouped(name: str) -> str:
    """Parentheses around an operand that is itself an expression, whether or not it was written with spaces.

    Examples
    --------
    >>> [grouped(name) for name in ("y-t", "-x", "f(a, b)", "x[0]", "(a + b)", "h")]
    ['(y-t)', '(-x)', 'f(a, b)', 'x[0]', '(a + b)', 'h']
    """
    return name if _is_atom(name) else f"({name})"


def _is_atom(name: str) -> bool:
    """Whether an operand keeps its meaning beside any operator: a name, a number, a call, or something in brackets."""
    inner = name[1:-1] if name[:1] == "(" and name[-1:] == ")" else ""
    if inner and parsed(inner) is not None:
        return True
    node = parsed(name)
    return not _OPERATOR.search(name) if node is None else isinstance(node, _ATOMS)


# ------------------------------------------------------------------ derivatives
def loss_name(recording: Recording) -> str:
    """The letter for what is differentiated: the name of the output if it is a scalar, else L."""
    output = recording.by_id[recording.outputs[0]] if len(recording.outputs) == 1 else None
    value = None if output is None else output.value
    upstream = recording.upstream[0] if recording.upstream else None
    is_one = value is not None and value.size == 1 and (upstream is None or upstream.values.reshape(-1)[0] == 1)
    if output and is_one and output.name is not None:
        return label(output)
    taken = {step.name for step in recording.steps}
    return next((letter for letter in "LJEC" if letter not in taken), "L")


def derivative(of: str, by: str, sign: str = "∂") -> tuple[str, str]:
    """``∂of/∂by`` as a fraction; with the sign ``d``, the total derivative, along all paths."""
    return f"{sign}{_short(of)}", f"{sign}{_short(by)}"


def _short(name: str) -> str:
    """A name in a fraction; a name with an index or a subscript has its parentheses already."""
    short = shorten(name, _NAME_COLUMNS)
    return short if name[-1:] in _MARKED else grouped(short)


# ------------------------------------------------------------------ numbers
def product_text(factors: Sequence[Any], result: Any) -> str:
    """``0.5 × (−2) = −1``."""
    return f"{_product(factors)} = {number(result)}"


def sum_text(terms: Sequence[Sequence[Any]], result: Any) -> str:
    """A sum of products with its result; for a long sum, the first terms and their number.

    Examples
    --------
    >>> sum_text([(2.0, 3.0), (1.0, -0.5), (-0.5, 3.0)], 4.0)
    '2 × 3 + 1 × (−0.5) − 0.5 × 3 = 4'
    """
    if not terms:
        return f"0 = {number(result)}" if result != 0 else number(result)
    return f"{terms_text(terms)} = {number(result)}"


def terms_text(terms: Sequence[Sequence[Any]], most: int = _SHOWN_TERMS) -> str:
    """The sum without its result."""
    products = [_product(factors) for factors in terms[:most]]
    shown = products[0] + "".join([_added(product) for product in products[1:]])
    return shown + (f" + … {say('terms', count=len(terms))}" if len(terms) > most else "")


def _added(product: str) -> str:
    return f" {MINUS} {product.removeprefix(MINUS)}" if product.startswith(MINUS) else f" + {product}"


def _product(factors: Sequence[Any]) -> str:
    first, *others = [number(factor) for factor in factors]
    return " × ".join([first, *[f"({text})" if text.startswith(MINUS) else text for text in others]])
