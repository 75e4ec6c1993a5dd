"""Expressions for steps that nobody wrote down: those of derivatives, of links and inside of fused functions."""

from __future__ import annotations

from collections.abc import Sequence

from .drafts import Draft

_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "**", "matmul": "@"}
_LONG = 24


def expression_of(draft: Draft, drafts: Sequence[Draft], long: int = _LONG) -> str:
    """A step as an expression of its operands; an operand without a name whose expression is long is given one."""
    words = [_operand(use.step, use.constant, drafts, long) for use in draft.uses]
    if draft.function in _SIGNS and len(words) == 2:
        return f" {_SIGNS[draft.function]} ".join(words)
    if draft.function == "neg":
        return f"-{words[0]}"
    inner = [word[1:-1] if word[0] == "(" and word[-1] == ")" else word for word in words]
    return f"{str(draft.function).removeprefix('_')}({', '.join(inner)})"


def _operand(step: int | None, constant: str | None, drafts: Sequence[Draft], long: int) -> str:
    """The name of an operand, or its expression in brackets; a long one is given a name, by its number."""
    if step is None:
        return constant or "None"
    draft = drafts[step]
    source = draft.place.source if draft.place is not None else None
    text = source or draft.function or draft.kind
    if draft.name is None and len(text) > long:
        draft.name = f"v{step}"
    return draft.name or (f"({text})" if " " in text else text)
