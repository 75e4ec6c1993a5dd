"""What is to be told about one moment of a walk: the calculation with its numbers, the rule, the words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..recording.model import Recording, Snapshot, Step
from .formula import Token, derivative, grouped, loss_name
from .messages import say
from .numbers import MINUS, number, shape_text
from .readings import spoken_value
from .share import Pick, Share
from .sheet import MAX_CELLS, Index, Sheet, Space, index_of, index_text, strongest
from .steps import SYMBOLS, heading, label
from .walk import Moment, Walk

_OPERATORS = ("add", "sub", "mul", "div")
_SPOKEN_VALUES = 8


def frame(
    walk: Walk,
    k: int,
    boxes: Mapping[int, int],
    pick: Pick | None = None,
    most: int = MAX_CELLS,
    results: Mapping[int, int] | None = None,
) -> tuple[dict[str, Any], list[bytes]]:
    """Moment ``k`` as plain data, and the float32 cells of its arrays.

    Parameters
    ----------
    walk : Walk
    k : int
    boxes : mapping
        The box of the picture in which each step stands.
    pick : tuple, optional
        The cell whose numbers are to be followed, as ``(space, row, column)``; by default that of greatest magnitude.
    most : int
        Rows and columns of an array, at most.
    results : mapping, optional
        For boxes that stand for many steps, the one whose numbers they show.

    Raises
    ------
    IndexError
        If the walk has no such moment.
    """
    if not 0 <= k < len(walk):
        raise IndexError(f"frame: got moment {k}; the walk has {len(walk)}")
    moment = walk.moments[k]
    sheet = Sheet(most)
    told = {"given": _given, "forward": _forward, "start": _start, "backward": _backward}[moment.phase]
    words = told(walk, k, sheet, pick)
    in_backward = k >= walk.start
    pass_length = len(walk) - walk.start if in_backward else walk.start
    step = None if moment.step is None else walk.steps[moment.step]
    data = {
        "k": k,
        "phase": say("walk_backward" if in_backward else "walk_forward"),
        "place": say("walk_place", k=1 + k - (walk.start if in_backward else 0), count=pass_length),
        "backward": in_backward,
        "line": None if step is None else step.outer_line,
        "lines": sheet.lines,
        "growing": walk.growing(k, boxes, results or {}),
        **_lit(walk, moment, boxes),
        "formula": [],
        "rule": None,
        "numbers": [],
        "notes": [],
        "code": None,
        **words,
    }
    return data, sheet.buffers


def _lit(walk: Walk, moment: Moment, boxes: Mapping[int, int]) -> dict[str, Any]:
    """Which boxes and which edge the moment is about; ``nth`` tells edges between the same two boxes apart."""
    recording = walk.recording
    if moment.phase == "given":
        return {"nodes": _boxes(recording.inputs, boxes), "edge": None}
    if moment.phase == "start":
        return {"nodes": _boxes(recording.outputs, boxes), "edge": None}
    assert moment.step is not None
    if moment.operand is None:
        return {"nodes": _boxes(range(moment.step, moment.upto + 1), boxes), "edge": None}
    operands = walk.steps[moment.step].operands
    source = operands[moment.operand].step
    assert source is not None
    alone = boxes[source] == source and boxes[moment.step] == moment.step  # to and from a group, lines are one
    nth = sum(operand.step == source for operand in operands[: moment.operand]) if alone else 0
    edge = {"from": boxes[source], "to": boxes[moment.step], "nth": nth}
    return {"nodes": [edge["from"], edge["to"]], "edge": edge}


def _boxes(steps: Any, boxes: Mapping[int, int]) -> list[int]:
    return list(dict.fromkeys([boxes[step] for step in steps if step in boxes]))


# ------------------------------------------------------------------ forward
def _given(walk: Walk, k: int, sheet: Sheet, pick: Pick | None) -> dict[str, Any]:
    steps = [walk.steps[i] for i in walk.recording.inputs]
    for step in steps:
        if step.value is not None:
            sheet.add("", label(step), step.value)
    values = ", ".join([_spoken(step) for step in steps[:_SPOKEN_VALUES]])
    return {"title": say("walk_given"), "spoken": say("spoken_given", values=values)}


def _spoken(step: Step) -> str:
    return f"{label(step)} = {'' if step.value is None else spoken_value(step.value)}"


def _forward(walk: Walk, k: int, sheet: Sheet, pick: Pick | None) -> dict[str, Any]:
    moment = walk.moments[k]
    assert moment.step is not None
    step = walk.steps[moment.step]
    made = [step] if step.value is not None else [walk.steps[i] for i in range(step.id + 1, moment.upto + 1)]
    made = [result for result in made if result.kind in ("call", "part")]
    chosen = _chosen(step, pick)
    sign = {"add": "+", "sub": MINUS, "mul": "×", "div": "÷"}.get(step.function or "", "")
    for i, operand in enumerate(step.operands):
        source = None if operand.step is None else walk.steps[operand.step]
        if source is not None and source.value is not None:
            mark = None if chosen is None else _brought(chosen, source.value.shape)
            space: Space | None = "out" if mark is not None and mark == chosen else None
            sheet.add(sign if i else "", label(source), source.value, (), space, mark)
    for result in made:
        if result.value is not None:
            sheet.add("=", label(result), result.value, (), "out" if step.function in _OPERATORS else None, chosen)
    value = ", ".join([spoken_value(result.value) for result in made if result.value is not None])
    return {
        "title": heading(step),
        "numbers": _forward_numbers(walk, step, chosen),
        "notes": _repeated(walk, step),
        "spoken": say("spoken_forward", heading=heading(step), value=value),
    }


def _chosen(step: Step, pick: Pick | None) -> Index | None:
    """The element of an operator's result whose numbers are followed."""
    value = step.value
    if value is None or step.function not in _OPERATORS or not value.is_whole or not value.size:
        return None
    index = index_of(value.shape, pick[1], pick[2]) if pick else None
    return strongest(value) if index is None else index


def _brought(index: Index, shape: tuple[int, ...]) -> Index:
    return tuple([0 if n == 1 else i for i, n in zip(index[len(index) - len(shape) :], shape, strict=True)])


def _forward_numbers(walk: Walk, step: Step, chosen: Index | None) -> list[str]:
    """The operator with the numbers of one element, or the function with its numbers."""
    numbers = []
    for operand in step.operands:
        value = None if operand.step is None else walk.steps[operand.step].value
        if operand.constant is not None:
            numbers.append(operand.constant.replace("-", MINUS))
        elif value is not None and value.is_whole and (value.size == 1 or chosen is not None):
            numbers.append(number(value.values[_brought(chosen or (0,) * len(value.shape), value.shape)]))
    if step.value is None or len(numbers) != len(step.operands) or not numbers:
        return []
    if chosen is not None:
        where = f"{index_text(grouped(label(step)), chosen)}: " if step.value.size > 1 else ""
        sign = SYMBOLS[step.function or ""]
        return [f"{where}{numbers[0]} {sign} {_grouped(numbers[1])} = {number(step.value.values[chosen])}"]
    if step.value.size > 1:
        return []
    return [f"{step.function}({', '.join(numbers)}) = {number(step.value.values.reshape(-1)[0])}"]


def _grouped(text: str) -> str:
    return f"({text})" if text.startswith(MINUS) else text


def _repeated(walk: Walk, step: Step) -> list[str]:
    """Which operands of an operator are broadcast."""
    if step.value is None or step.function not in _OPERATORS:
        return []
    sources = [walk.steps[operand.step] for operand in step.operands if operand.step is not None]
    return [
        say("repeated", name=label(s), small=shape_text(s.value.shape), large=shape_text(step.value.shape))
        for s in sources
        if s.value is not None and s.value.shape != step.value.shape and s.value.size < step.value.size
    ]


# ------------------------------------------------------------------ backward
def _start(walk: Walk, k: int, sheet: Sheet, pick: Pick | None) -> dict[str, Any]:
    recording, loss = walk.recording, loss_name(walk.recording)
    started: list[tuple[Step, Snapshot]] = [
        (walk.steps[output], upstream)
        for output, upstream in zip(recording.outputs, recording.upstream, strict=False)
        if upstream is not None
    ]
    for step, upstream in started:
        math: list[Token] = [derivative(loss, label(step))]
        sheet.add("", say("term_upstream"), upstream, math)
    names = ", ".join([label(step) for step, _ in started])
    values = ", ".join([spoken_value(upstream) for _, upstream in started])
    return {
        "title": say("walk_starts"),
        "notes": [loss_note(recording)],
        "spoken": say("spoken_start", name=names, value=values),
    }


def loss_note(recording: Recording) -> str:
    """What the letter in the derivatives stands for."""
    loss = loss_name(recording)
    output = next(step for step in recording.steps if step.id == recording.outputs[0])
    upstream = recording.upstream[0] if len(recording.upstream) == 1 else None
    plain = upstream is not None and upstream.size == 1 and upstream.values.reshape(-1)[0] == 1
    return say("loss", loss=loss, name=label(output)) if plain else say("loss_sum", loss=loss)


def share_at(walk: Walk, k: int, pick: Pick | None = None) -> Share:
    """The share that is sent at a backward moment."""
    moment = walk.moments[k]
    use = walk.use(moment)
    assert moment.step is not None and use.step is not None
    arrivals = walk.arrivals[use.step]
    return Share(
        step=walk.steps[moment.step],
        use=use,
        target=walk.steps[use.step],
        steps=walk.steps,
        upstream=moment.upstream,
        before=walk.before(k, use.step),
        number=1 + [arrival.moment for arrival in arrivals].index(k),
        count=len(arrivals),
        loss=loss_name(walk.recording),
        pick=pick,
    )


def _backward(walk: Walk, k: int, sheet: Sheet, pick: Pick | None) -> dict[str, Any]:
    share = share_at(walk, k, pick)
    share.write(sheet)
    source, target = share.names
    return {
        "title": say("walk_sends", source=source, target=target),
        "formula": [list(token) if isinstance(token, tuple) else token for token in share.formula()],
        "rule": share.rule(),
        "numbers": share.numbers(),
        "notes": share.notes(),
        "code": None if share.step.backward_code is None else share.step.backward_code[:4000],
        "spoken": share_sentence(share),
    }


def share_sentence(share: Share) -> str:
    """A share as one would read it aloud."""
    source, target = share.names
    words = {"source": source, "target": target, "share": spoken_value(share.share)}
    upstream = say("absent") if share.upstream is None else spoken_value(share.upstream)
    if share.use.local is not None and share.use.product is None:
        sentence = say("spoken_product", upstream=upstream, local=spoken_value(share.use.local), **words)
    else:
        sentence = say("spoken_share", upstream=upstream, **words)
    if share.count == 1:
        return sentence
    if share.number == 1:
        return f"{sentence} {say('spoken_first', count=share.count, target=target)}"
    total = spoken_value(share.use.total or share.share)
    return f"{sentence} {say('spoken_sum', arrived=share.number, count=share.count, target=target, total=total)}"
