"""The forward pass of a walk: what is shown when the inputs are given and when a call computes its value."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...recording.model import Step
from ...shared.numerals import MINUS
from ..draw import number, say, shape_text
from ..draw.arrays import a_value, spoken_value
from ..draw.names import heading, label
from ..graph.playback import Playback
from ..graph.rule_formulas import grouped, numbers_in, sum_text
from .share import Pick
from .worksheet import Index, Sheet, Space, brought, forward_product, index_of, index_text, strongest

_BROADCAST = {"add": "+", "sub": MINUS, "mul": "×", "div": "÷"}
_SIGNS = {**_BROADCAST, "matmul": "@"}
_SPOKEN_VALUES = 8


def given(walk: Playback, k: int, sheet: Sheet, pick: Pick | None) -> dict[str, Any]:
    """The inputs get their values."""
    steps = [walk.steps[i] for i in walk.recording.inputs]
    for step in steps:
        if step.value is not None:
            sheet.add("", label(step), step.value)
    values = ", ".join([_spoken(step) for step in steps[:_SPOKEN_VALUES]])
    return {"title": say("walk_given"), "spoken": say("spoken_given", values=values)}


def _spoken(step: Step) -> str:
    if step.value is not None and step.value.size > 1:
        return say("spoken_of_shape", name=label(step), shape=shape_text(step.value.shape))
    return f"{label(step)} = {say('walk_not_kept') if step.value is None else spoken_value(step.value)}"


def computed(walk: Playback, k: int, sheet: Sheet, pick: Pick | None) -> dict[str, Any]:
    """A call computes its value, or several."""
    moment = walk.moments[k]
    assert moment.step is not None
    step = walk.steps[moment.step]
    made = [step] if step.value is not None else [walk.steps[i] for i in range(step.id + 1, moment.upto + 1)]
    made = [result for result in made if result.kind in ("call", "part")]
    chosen = _chosen(walk, step, pick)
    is_replaced = bool(made) and all([result.replaced for result in made])
    if is_replaced:
        for result in made:
            if result.value is not None:
                sheet.add("=", label(result), result.value)
    else:
        _write(walk, step, made, chosen, sheet)
    values = [a_value(result.value) for result in made if result.value is not None]
    value = ", ".join(values) or say("walk_not_kept")
    return {
        "title": heading(step),
        "numbers": [] if is_replaced else _numbers(walk, step, chosen),
        "notes": ([say("replaced_step")] if is_replaced else _repeated(walk, step))
        + ([] if values else [say("value_lost")]),
        "spoken": say("spoken_replaced" if is_replaced else "spoken_forward", heading=heading(step), value=value),
    }


def _write(walk: Playback, step: Step, made: list[Step], chosen: Index | None, sheet: Sheet) -> None:
    """The operands and the results, with the followed element marked in all of them that have it."""
    product = forward_product(step, walk.steps)
    if product is not None and chosen is not None and product.fits(sheet.most):
        product.write(sheet, label(step), (), "out", chosen)
        return
    sign = _SIGNS.get(step.function or "", "")
    for i, operand in enumerate(step.operands):
        source = None if operand.step is None else walk.steps[operand.step]
        if source is not None and source.value is not None:
            mark = brought(chosen, source.value.shape) if chosen is not None and sign != "@" else None
            space: Space | None = "out" if mark is not None and mark == chosen else None
            sheet.add(sign if i else "", label(source), source.value, (), space, mark)
    for result in made:
        if result.value is not None:
            sheet.add("=", label(result), result.value, (), "out" if chosen is not None else None, chosen)


def _chosen(walk: Playback, step: Step, pick: Pick | None) -> Index | None:
    """The element of an operator's result that is followed."""
    value = step.value
    if value is None or step.function not in _SIGNS or not value.is_whole or not value.size:
        return None
    if step.function == "matmul" and _matrices(walk, step) is None:
        return None
    index = index_of(value.shape, pick[1], pick[2]) if pick else None
    return strongest(value) if index is None else index


def _matrices(walk: Playback, step: Step) -> tuple[np.ndarray, np.ndarray] | None:
    """The factors of a product of two completely known matrices."""
    values = [None if operand.step is None else walk.steps[operand.step].value for operand in step.operands]
    whole = [value.values for value in values if value is not None and value.is_whole and len(value.shape) == 2]
    return (whole[0], whole[1]) if len(whole) == 2 else None


def _numbers(walk: Playback, step: Step, chosen: Index | None) -> list[str]:
    """The operator with the numbers of one element, or the function with its numbers."""
    value = step.value
    if value is None:
        return []
    where = f"{index_text(grouped(label(step)), chosen)}: " if chosen is not None and value.size > 1 else ""
    if step.function == "matmul" and chosen is not None:
        left, right = _matrices(walk, step) or (np.zeros((0, 0)),) * 2
        terms = list(zip(left[chosen[0]], right[:, chosen[1]], strict=True))
        return [where + sum_text(terms, value.values[chosen])]
    numbers = _operand_numbers(walk, step, chosen)
    if len(numbers) != len(step.operands) or not numbers:
        return []
    if chosen is not None:
        sign = _SIGNS[step.function or ""]
        return [f"{where}{numbers[0]} {sign} {_grouped(numbers[1])} = {number(value.values[chosen])}"]
    if value.size > 1:
        return []
    return [f"{step.function}({', '.join(numbers)}) = {number(value.values.reshape(-1)[0])}"]


def _operand_numbers(walk: Playback, step: Step, chosen: Index | None) -> list[str]:
    """The operands' numbers at one element; operands without a single number are left out."""
    numbers = []
    for operand in step.operands:
        value = None if operand.step is None else walk.steps[operand.step].value
        if operand.constant is not None:
            numbers.append(numbers_in(operand.constant))
        elif value is not None and value.is_whole and (value.size == 1 or chosen is not None):
            numbers.append(number(value.values[brought(chosen or (0,) * len(value.shape), value.shape)]))
    return numbers


def _grouped(text: str) -> str:
    return f"({text})" if text.startswith(MINUS) else text


def _repeated(walk: Playback, step: Step) -> list[str]:
    """Which operands of an operator are broadcast."""
    if step.value is None or step.function not in _BROADCAST:
        return []
    sources = [walk.steps[operand.step] for operand in step.operands if operand.step is not None]
    return [
        say("repeated", name=label(s), small=shape_text(s.value.shape), large=shape_text(step.value.shape))
        for s in sources
        if s.value is not None and s.value.shape != step.value.shape and s.value.size < step.value.size
    ]
