"""How a recording shows itself: the graph, the tape, and what each step sent back."""

from __future__ import annotations

from collections.abc import Iterator

from ...recording.collector import collector_waits
from ...recording.model import Recording
from ...recording.outline import outline
from ..draw.escape import Markup, join
from ..draw.html import LIMIT, paragraph, picture, prose
from ..draw.messages import say
from ..draw.registry import Bundle
from ..graph.listing import ended
from ..graph.readings import readings
from ..graph.remarks import describe_program, remarks
from ..graph.scene import scene
from ..graph.svg import describe, draw
from .text import source_table, tables, to_text


@collector_waits()
def bundle(recording: Recording) -> Bundle:
    """HTML with the largest picture that fits, and text."""
    text = to_text(recording)
    for html in _ever_smaller(recording):
        if len(html.encode()) + len(text.encode()) <= LIMIT:
            return {"text/html": str(html), "text/plain": text}
    return {"text/plain": f"{text}\n{say('too_large', limit=LIMIT // 1000)}"}


def _ever_smaller(recording: Recording) -> Iterator[Markup]:
    """The whole display; with a compact picture; with all groups closed; without a picture."""
    before, tables = [paragraph(prose(sentence)) for sentence in ended(recording)], _tables(recording)
    folded = outline(recording, most=0)
    for compact, expanded, tree in ((False, None, None), (True, None, None), (True, (), folded)):
        shown, numbers = scene(recording, expanded, tree), readings(recording, expanded, tree)
        yield join([*before, picture(draw(shown, numbers, compact=compact), describe(shown, numbers)), *tables])
    yield join([paragraph(prose(describe_program(recording))), *before, *tables])


def _tables(recording: Recording) -> list[Markup]:
    source = source_table(recording)
    told = [paragraph(prose(remark)) for remark in remarks(recording)]
    return [*tables(recording), *([source] if source is not None else []), *told]
