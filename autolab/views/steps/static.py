"""How a recording is displayed where nothing can be moved: as a static graph; and as text, with one line per step and
the backward pass in sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ...engine import Bundle
from ...recording.grouping import outline
from ...recording.model import Recording, Step
from ...recording.observations import marked_steps
from ...recording.outline import Group
from ...shared.collector import collector_waits
from ..draw import grad_status, plural, say
from ..draw.arrays import text_of
from ..draw.escape import LIMIT, Markup, at_rest, clean, fitting, picture
from ..draw.names import columns, heading, title
from ..graph.graph_svg import describe, draw
from ..graph.listing import describe_program, ended, remarks, unreached
from ..graph.playback import Playback
from ..graph.readings import readings, signs_at, spoken_group
from ..graph.scene import scene
from .moments import frame


def in_a_line(recording: Recording) -> str:
    """The result of `repr`: the function, and the size of the recording."""
    calls = [step for step in recording.steps if step.kind == "call"]
    counts = f"{plural(len(recording.inputs), 'input')}, {plural(len(calls), 'step')}"
    return f"<Recording of {clean(recording.function, 60)}: {counts}>"


def to_text(recording: Recording) -> str:
    """One line per step, in program order: expression, value, gradient; then the backward pass in words."""
    told = grad_status.explained(recording, with_departures=False)  # departures have lines of their own
    outline = recording.outline
    items = outline.shown(outline.at_first())
    marked = signs_at(marked_steps(recording), outline.holders(outline.at_first()))
    rows = [
        (spoken_group(item, recording),) if isinstance(item, Group) else _row(item, told, marked.get(str(item.id), ()))
        for item in items
    ]
    widths = [min(40, max((columns(row[i]) for row in rows if len(row) > 1), default=0)) for i in range(2)]
    lines = ["   ".join([*map(_pad, row[:-1], widths), row[-1]]).rstrip() for row in rows]
    forward = [describe_program(recording), *ended(recording), *(f"  {line}" for line in lines)]
    return "\n".join([*forward, *backward_lines(recording), *remarks(recording)])


def _row(step: Step, told: Callable[[Step], str], signs: Iterable[str]) -> tuple[str, str, str]:
    value = "" if step.value is None else f"value {text_of(step.value)}"
    gradient = "" if step.grad is None else f"gradient {text_of(step.grad)}"
    mark = "".join([f"; {sign}" for sign in signs])
    if step.status == "ended":  # the text above the lines says why
        return heading(step), value, mark.removeprefix("; ")
    if gradient and step.status == "ok":
        return heading(step), value, gradient + mark
    return heading(step), value, (f"{gradient}. {told(step)}" if gradient else told(step)) + mark


def _pad(text: str, width: int) -> str:
    return text + " " * (width - columns(text))


MAX_ROWS = 60


def backward_lines(recording: Recording) -> list[str]:
    """The backward pass as read aloud, in one numbered sentence per step."""
    walk = Playback(recording)
    count = len(walk) - walk.start
    boxes = {step: step for step in walk.steps}
    numbered = [f"  {1 + k}. {frame(walk, walk.start + k, boxes)['spoken']}" for k in range(min(count, MAX_ROWS))]
    more = [f"  {say('first_rows', shown=MAX_ROWS, total=count)}"] if count > MAX_ROWS else []
    return [f"{say('walk_backward')}:", *numbered, *more] if count else []


@collector_waits()
def bundle(recording: Recording) -> Bundle:
    """HTML with the largest picture that fits, and text."""
    return fitting(_ever_smaller(recording), to_text(recording), say("too_large", limit=LIMIT // 1000))


def _ever_smaller(recording: Recording) -> Iterator[Markup]:
    """The whole display; then with a compact picture, with all groups closed, and without a picture."""
    told = [*(ended(recording) or [describe_program(recording)]), unreached(recording), *remarks(recording)]
    closed = outline(recording, most=0)
    for compact, expanded, tree in ((False, None, None), (True, None, None), (True, (), closed)):
        shown, numbers = scene(recording, expanded, tree), readings(recording, expanded, tree)
        drawn = draw(shown, numbers, compact=compact, titled=False)
        yield at_rest(title(recording), picture(drawn, describe(shown, numbers)), *told)
    yield at_rest(title(recording), None, *told)
