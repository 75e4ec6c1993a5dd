"""A state as code: one line that opens the same view at the same point."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..binding import Bound
from ..engine.backend import Array, device_name, to_cpu
from ..engine.variable import Variable
from .state import Origin, State

LITERAL = 1000
"""Arrays of more elements are written as where they came from and what was changed in them."""


def call_code(bound: Bound, state: State) -> str:
    """Python text that gives the present point: what differs from the defaults of `explore` is written out.

    It stands on its own but for the function and large arrays, which are the user's own names.
    """
    lines: list[str] = []  # edits of large arrays stand before the call

    def text(variable: Variable) -> str:
        name = str(variable.name)
        array, origin = state.arrays[name], state.origins.get(name, Origin())
        return _as_given(_expression(name, array, origin, lines), variable)

    call = bound.code(text).partition("(")
    options = _options(state, lines)
    arguments = [part for part in (call[2].removesuffix(")"), options) if part]
    return "; ".join([*lines, f"autolab.explore({', '.join([call[0], *arguments])})"])


def _options(state: State, lines: list[str]) -> str:
    """The options that are not the defaults."""
    entries = []
    outputs = sorted([key for key in state.arrays if isinstance(key, int)])
    if outputs:
        origins = state.origins
        parts = [_expression(f"upstream{i}", state.arrays[i], origins.get(i, Origin()), lines) for i in outputs]
        entries.append(f'"upstream": {parts[0] if len(parts) == 1 else "(" + ", ".join(parts) + ")"}')
    if state.order:
        entries += [f'"order": {state.order}', *([f'"wrt": {state.wrt!r}'] if state.wrt is not None else [])]
    if state.opened:
        entries.append(f'"open": {list(state.opened)!r}')
    if state.replaced:
        values = ", ".join([f"{step}: {literal(new.value)}" for step, new in state.replaced.items()])
        entries.append(f'"replace": {{{values}}}')
    if not state.train:
        entries.append('"train": False')
    return f"options={{{', '.join(entries)}}}" if entries else ""


def _expression(name: str, array: Array, origin: Origin, lines: list[str]) -> str:
    """An expression for the array; edits of a large one become lines before it."""
    if array.size <= LITERAL:
        text = literal(array)
    elif not origin.steps:
        text = origin.expression or name
    else:
        text = name if name.isidentifier() else "array"
        lines.append(f"{text} = {origin.expression or f'{text}.copy()'}")
        lines += [_line(text, step) for step in origin.steps]
    return text if device_name(array) == "cpu" else f"autolab.to_gpu({text})"


def _line(name: str, step: tuple[int, Any] | str) -> str:
    if isinstance(step, str):
        return f"{name} = {name}.astype(np.{step})"
    return f"{name}.reshape(-1)[{step[0]}] = {step[1]!r}"


def literal(array: Array) -> str:
    """An array of few elements as Python text that gives exactly the same numbers."""
    values = to_cpu(array)
    if values.ndim == 0 and values.dtype == np.float64:
        return repr(values.item()) if math.isfinite(values) else f"float({str(values.item())!r})"
    text = repr(_plain(values)).replace("nan", "np.nan").replace("inf", "np.inf")
    if values.size == 0:
        return f"np.zeros({values.shape}, dtype=np.{values.dtype})"
    return f"np.array({text})" if values.dtype == np.float64 else f"np.array({text}, dtype=np.{values.dtype})"


def _plain(values: np.ndarray) -> Any:
    return (values if values.dtype.itemsize <= 8 else values.astype(np.float64)).tolist()


def _as_given(text: str, variable: Variable) -> str:
    """Around an input that was a Variable without a claim to a gradient, the same claim."""
    if variable.requires_grad or variable.dtype.kind != "f":
        return text
    return f"autolab.Variable({text}, requires_grad=False)"
