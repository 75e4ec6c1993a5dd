"""Expressions for steps without source: those of derivatives, of links and inside fused functions."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from .drafts import Draft
from .step import Step

_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "**", "matmul": "@"}
_LONG = 24
_COMPOUND = (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Lambda)
_SAME_NUMBERS = ("broadcast_in_dim", "convert_element_type", "squeeze", "stop_gradient")
"""JAX's functions that keep the numbers of their operand and change only its shape or dtype."""


def expression_of(
    draft: Draft, drafts: Sequence[Draft], long: int = _LONG, fallback: Mapping[int, str] = MappingProxyType({})
) -> str:
    """A step as an expression of its operands; an unnamed operand with a long expression gets a name, from ``fallback``
    or else from its number."""
    words = [_operand(use.step, use.constant, drafts, long, fallback) for use in draft.uses]
    if draft.function in _SIGNS and len(words) == 2:
        return f" {_SIGNS[draft.function]} ".join(words)
    if draft.function == "neg":
        return f"-{words[0]}"
    inner = [word[1:-1] if word[0] == "(" and word[-1] == ")" else word for word in words]
    return f"{str(draft.function).removeprefix('_')}({', '.join(inner)})"


def in_short(call: str, long: int) -> str:
    """A call without its arguments if these are long; an empty string for anything but a call.

    Examples
    --------
    >>> in_short("ln1(x)", 12), in_short("F.gelu(fc(ln2(x)))", 12), in_short("(q @ k) / 8", 6)
    ('ln1(x)', 'gelu(…)', '')
    >>> in_short("f(x) + g(y)", 6)
    ''
    """
    match = re.fullmatch(r"(?:[\w.]*\.)?(\w+)\(.*\)", call, re.DOTALL)
    if match is None or isinstance(parsed(call), _COMPOUND):
        return ""
    return call if len(call) <= long else f"{match[1]}(…)"


def numbered_name(step: Draft | Step) -> str:
    """The name of an unnamed step: its function and number, or just its number for a step of a derivative."""
    return f"v{step.id}" if step.order or step.function is None else f"{step.function.lstrip('_')}_{step.id}"


@lru_cache(maxsize=4096)
def parsed(text: str) -> ast.expr | None:
    """The syntax tree of an expression; None for anything else, such as ``∂w/∂x`` or a text that was cut."""
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _operand(
    step: int | None, constant: str | None, drafts: Sequence[Draft], long: int, fallback: Mapping[int, str]
) -> str:
    """The name of an operand, or its expression in brackets; a long expression is shortened or replaced by a name."""
    if step is None:
        return constant or "None"
    draft = drafts[step]
    while draft.is_inner and draft.name is None and draft.function in _SAME_NUMBERS and draft.uses[0].step is not None:
        draft = drafts[draft.uses[0].step]
    source = draft.place.source if draft.place is not None else None
    text = source or draft.function or draft.kind
    if draft.name is None and len(text) > long:
        if source and draft.id not in fallback and (short := in_short(source, long)):
            return short
        if draft.is_inner or draft.id in fallback or len(text) > _LONG:
            draft.name = fallback.get(draft.id) or numbered_name(draft)
    return draft.name or (f"({text})" if " " in text or isinstance(parsed(text), _COMPOUND) else text)
