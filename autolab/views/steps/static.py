"""How a recording shows itself where nothing can be moved: the graph, the tape, what each step sent back; and the same
as text, a line per step and the backward pass in sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ...engine.display import Bundle
from ...recording.collector import collector_waits
from ...recording.model import Recording, Snapshot, Step
from ...recording.observations import marked_steps
from ...recording.outline import Group, outline
from ..draw import grad_status
from ..draw.arrays import text_of
from ..draw.escape import LIMIT, Markup, clean, code, details, escape, fitting, join, paragraph, picture, prose, table
from ..draw.messages import plural, say
from ..draw.names import columns, heading, label
from ..graph.graph_svg import describe, draw
from ..graph.listing import describe_program, ended, listing, remarks, unreached
from ..graph.playback import Playback
from ..graph.readings import readings, signs_of, spoken_group
from ..graph.scene import scene
from .frames import frame, share_at


def in_a_line(recording: Recording) -> str:
    """What `repr` gives: the function, and how much there is of it."""
    calls = [step for step in recording.steps if step.kind == "call"]
    counts = f"{plural(len(recording.inputs), 'input')}, {plural(len(calls), 'step')}"
    return f"<Recording of {clean(recording.function, 60)}: {counts}>"


def to_text(recording: Recording) -> str:
    """One line per step, in the order of the program: expression, value, gradient; then the backward pass in words."""
    told = grad_status.explained(recording, with_departures=False)  # they have lines of their own
    marked = signs_of(marked_steps(recording))
    items = recording.outline.shown(recording.outline.at_first())
    rows = [
        (spoken_group(item, recording),) if isinstance(item, Group) else _row(item, told, marked.get(item.id, ()))
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
    if step.status == "ended":  # what is above the lines says why
        return heading(step), value, mark.removeprefix("; ")
    if gradient and step.status == "ok":
        return heading(step), value, gradient + mark
    return heading(step), value, (f"{gradient}. {told(step)}" if gradient else told(step)) + mark


def _pad(text: str, width: int) -> str:
    return text + " " * (width - columns(text))


MAX_ROWS = 60
_FORWARD = ("step", "expression", "value", "gradient", "line")
_SOURCE = ("line", "code", "")
_BACKWARD = ("step", "from", "upstream gradient", "local derivative", "to", "by the rule", "share", "gradient so far")


def tables(recording: Recording) -> list[Markup]:
    """The forward rows, then the backward rows, each behind a line that opens on a click."""
    steps = recording.steps
    forward = table(_FORWARD, [_forward_row(step) for step in steps[:MAX_ROWS]])
    parts = [details(f"Tape: {plural(len(steps), 'step')}", forward, *_more(len(steps)))]
    walk = Playback(recording)
    count = len(walk) - walk.start
    if count:
        rows = [_backward_row(walk, k) for k in range(walk.start, min(walk.start + MAX_ROWS, len(walk)))]
        parts.append(details(f"Backward: {plural(count, 'step')}", table(_BACKWARD, rows), *_more(count)))
    return parts


def source_table(recording: Recording) -> Markup | None:
    """The source with the line that raised and those that were not reached; None where there is nothing to say."""
    shown = listing(recording, {})
    marks = shown.get("marks")
    if not marks:
        return None
    numbers = range(shown["first"], shown["first"] + len(shown["lines"]))
    rows = [
        [escape(n), code(line), escape(marks.get(str(n), ""))] for n, line in zip(numbers, shown["lines"], strict=True)
    ]
    return details(" ".join(filter(None, ["Source.", unreached(recording)])), table(_SOURCE, rows))


def backward_lines(recording: Recording) -> list[str]:
    """The backward pass as one would read it aloud, a numbered sentence per step."""
    walk = Playback(recording)
    count = len(walk) - walk.start
    boxes = {step: step for step in walk.steps}
    numbered = [f"  {1 + k}. {frame(walk, walk.start + k, boxes)[0]['spoken']}" for k in range(min(count, MAX_ROWS))]
    more = [f"  {say('first_rows', shown=MAX_ROWS, total=count)}"] if count > MAX_ROWS else []
    return [f"{say('walk_backward')}:", *numbered, *more] if count else []


def _more(count: int) -> list[Markup]:
    return [paragraph(escape(say("first_rows", shown=MAX_ROWS, total=count)))] if count > MAX_ROWS else []


def _forward_row(step: Step) -> list[Markup]:
    gradient = escape(grad_status.of_step(step)) if step.grad is None else code(text_of(step.grad))
    place = "" if step.line is None else f"{step.file}, {step.line}"
    return [escape(step.id), code(heading(step)), _code(step.value), gradient, code(place)]


def _backward_row(walk: Playback, k: int) -> list[Markup]:
    number = escape(1 + k - walk.start)
    if walk.moments[k].phase == "start":
        outputs, upstream = walk.recording.outputs, walk.recording.upstream
        names = ", ".join([label(walk.steps[i]) for i in outputs])
        start = ", ".join([text_of(given) for given in upstream if given is not None])
        blank = code("")
        return [number, escape(say("term_start")), code(start), blank, code(names), blank, blank, code(start)]
    share = share_at(walk, k)
    source, target = share.names
    total = share.use.total or share.share
    so_far = f" ({share.number} of {share.count})" if share.count > 1 else ""
    return [
        number,
        code(source),
        _code(share.upstream),
        _code(share.use.local),
        code(target),
        code(share.use.rule or ""),
        _code(share.share),
        join([code(text_of(total)), escape(so_far)]),
    ]


def _code(snapshot: Snapshot | None) -> Markup:
    return code("" if snapshot is None else text_of(snapshot))


@collector_waits()
def bundle(recording: Recording) -> Bundle:
    """HTML with the largest picture that fits, and text."""
    return fitting(_ever_smaller(recording), to_text(recording), say("too_large", limit=LIMIT // 1000))


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
