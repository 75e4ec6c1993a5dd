"""How a recording shows itself: the graph, the tape, and what each step sent back."""

from __future__ import annotations

from collections.abc import Iterator

from ..recording.model import Operand, Recording, Snapshot, Step
from . import status
from .escape import Markup, escape, join
from .html import LIMIT, code, details, paragraph, picture, prose, table
from .messages import plural, say
from .readings import readings, text_of
from .registry import Bundle
from .scene import scene
from .steps import MAX_DRAWN, heading, label
from .svg import describe, draw
from .text import describe_program, remarks, to_text

_MAX_ROWS = 60


def bundle(recording: Recording) -> Bundle:
    """HTML with the largest picture that fits, and text."""
    text = to_text(recording)
    for html in _ever_smaller(recording):
        if len(html.encode()) + len(text.encode()) <= LIMIT:
            return {"text/html": str(html), "text/plain": text}
    return {"text/plain": f"{text}\n{say('too_large', limit=LIMIT // 1000)}"}


def _ever_smaller(recording: Recording) -> Iterator[Markup]:
    """The whole display; with a compact picture; with the ends of the program only; without a picture."""
    tables = _tables(recording)
    for compact, most in ((False, MAX_DRAWN), (True, MAX_DRAWN), (True, 0)):
        shown, numbers = scene(recording, most), readings(recording, most)
        yield join([picture(draw(shown, numbers, compact=compact), describe(shown, numbers)), *tables])
    yield join([paragraph(prose(describe_program(recording))), *tables])


def _tables(recording: Recording) -> list[Markup]:
    by_id = {step.id: step for step in recording.steps}
    forward = [_forward_row(step) for step in recording.steps[:_MAX_ROWS]]
    sent = [
        _backward_row(by_id, by_id[back.of], back.upstream, operand)
        for back in recording.backward[:_MAX_ROWS]
        for operand in by_id[back.of].operands
        if operand.contribution is not None and operand.step is not None
    ][:_MAX_ROWS]
    parts = [
        details(
            f"Tape: {plural(len(recording.steps), 'step')}",
            table(["step", "expression", "value", "gradient", "line"], forward),
            *_more(len(recording.steps)),
        )
    ]
    if sent:
        headings = ["at", "upstream gradient", "sends to", "by the rule", "this gradient"]
        parts.append(
            details(
                f"Backward: {plural(len(recording.backward), 'step')}",
                table(headings, sent),
                *_more(len(recording.backward)),
            )
        )
    return [*parts, *(paragraph(prose(remark)) for remark in remarks(recording))]


def _more(count: int) -> list[Markup]:
    return [paragraph(escape(say("first_rows", shown=_MAX_ROWS, total=count)))] if count > _MAX_ROWS else []


def _forward_row(step: Step) -> list[Markup]:
    gradient = escape(status.of_step(step)) if step.grad is None else code(text_of(step.grad))
    place = "" if step.line is None else f"{step.file}, {step.line}"
    return [escape(step.id), code(heading(step)), _code(step.value), gradient, code(place)]


def _backward_row(by_id: dict[int, Step], step: Step, upstream: Snapshot | None, operand: Operand) -> list[Markup]:
    target = by_id[operand.step] if operand.step is not None else step
    cells = [code(heading(step)), _code(upstream), code(label(target)), code(operand.rule or "")]
    return [*cells, _code(operand.contribution)]


def _code(snapshot: Snapshot | None) -> Markup:
    return code("" if snapshot is None else text_of(snapshot))
