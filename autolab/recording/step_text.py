"""Expressions for steps that nobody wrote down: those of derivatives, of links and inside of fused functions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from .drafts import Draft

_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "**", "matmul": "@"}
_LONG = 24


def expression_of(
    draft: Draft, drafts: Sequence[Draft], long: int = _LONG, fallback: Mapping[int, str] = MappingProxyType({})
) -> str:
    """A step as an expression of its operands; an operand without a name whose expression is long is given one: that of
    ``fallback``, else its number."""
    words = [_operand(use.step, use.constant, drafts, long, fallback) for use in draft.uses]
    if draft.function in _SIGNS and len(words) == 2:
        return f" {_SIGNS[draft.function]} ".join(words)
    if draft.function == "neg":
        return f"-{words[0]}"
    inner = [word[1:-1] if word[0] == "(" and word[-1] == ")" else word for word in words]
    return f"{str(draft.function).removeprefix('_')}({', '.join(inner)})"


def in_short(call: str, long: int) -> str:
    """A call without its arguments, if these are long; nothing of what is no call.

    Examples
    --------
    >>> in_short("ln1(x)", 12), in_short("F.gelu(fc(ln2(x)))", 12), in_short("(q @ k) / 8", 6)
    ('ln1(x)', 'gelu(…)', '')
    """
    match = re.fullmatch(r"(?:[\w.]*\.)?(\w+)\(.*\)", call, re.DOTALL)
    return "" if match is None else call if len(call) <= long else f"{match[1]}(…)"


def _operand(
    step: int | None, constant: str | None, drafts: Sequence[Draft], long: int, fallback: Mapping[int, str]
) -> str:
    """The name of an operand, or its expression in brackets; a long one in short, or it is given a name."""
    if step is None:
        return constant or "None"
    draft = drafts[step]
    source = draft.place.source if draft.place is not None else None
    text = source or draft.function or draft.kind
    if draft.name is None and len(text) > long:
        if not draft.is_inner and source and (short := in_short(source, long)):
            return short
        draft.name = fallback.get(step, f"v{step}")
    return draft.name or (f"({text})" if " " in text else text)
