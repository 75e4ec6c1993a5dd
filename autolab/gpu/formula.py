"""A program as a formula, for the views."""

from __future__ import annotations

from typing import Any

from .kernel_program import KernelProgram
from .symbols import Operation, Value

LONG = 72
"""Longer formulas, in characters, are not readable."""

_SIGNS = {
    "add": (" + ", 4),
    "subtract": (" - ", 4),
    "multiply": (" * ", 5),
    "true_divide": (" / ", 5),
    "divide": (" / ", 5),
    "power": (" ** ", 7),
    "less": (" < ", 2),
    "less_equal": (" <= ", 2),
    "greater": (" > ", 2),
    "greater_equal": (" >= ", 2),
    "equal": (" == ", 2),
    "not_equal": (" != ", 2),
}
_ATOM = 9


def formula(program: KernelProgram, renamed: dict[str, str]) -> str | None:
    """The single result of a program as one expression; None if that would be too long.

    ``renamed`` maps some of the inputs to other names.
    """
    texts: dict[int, tuple[str, int]] = {}
    for i, step in program.steps.items():
        if step.name == "input":
            texts[i] = renamed.get(step.operands[0], step.operands[0]), _ATOM
        else:
            texts[i] = _written(step, [texts[o.index] if isinstance(o, Value) else _number(o) for o in step.operands])
        if len(texts[i][0]) > LONG:
            return None
    return texts[program.outputs[0]][0]


def _written(step: Operation, operands: list[tuple[str, int]]) -> tuple[str, int]:
    """The expression of a step, and its operator precedence."""
    if step.name in _SIGNS:
        sign, strength = _SIGNS[step.name]
        left, right = operands
        return f"{_within(left, strength)}{sign}{_within(right, strength + 1)}", strength
    if step.name == "negative":
        return f"-{_within(operands[0], 6)}", 6
    if step.name in ("constant", "astype"):
        return operands[0]
    return f"{step.name}({', '.join([text for text, _ in operands])})", _ATOM


def _within(operand: tuple[str, int], strength: int) -> str:
    text, own = operand
    return text if own >= strength else f"({text})"


def _number(value: Any) -> tuple[str, int]:
    text = f"{value:.6g}"
    return text, 6 if text.startswith("-") else _ATOM
