"""The source of the recorded function with line numbers, how a run ended early, and what a recording says about itself
as a whole: what it is of, memory, opened fused functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...recording.model import Opening, Recording, Step
from ...recording.observations import PIECEWISE
from ...recording.raised import Raised
from ...recording.step import enclosing
from ..draw import bytes_text, clean, grad_status, number
from ..draw.arrays import text_of
from ..draw.messages import SENTENCES, listed, plural, say
from ..draw.names import label, title

_MESSAGE = 300


def ended(recording: Recording) -> list[str]:
    """The error that ended the run, and the values that led to it; empty if there was none."""
    raised = recording.raised
    if raised is None:
        return []
    words = {"type": clean(raised.type, 60), "message": _message(raised), "place": _place(recording, raised)}
    operands = [recording.by_id[i] for i in raised.operands]
    if raised.phase == "backward":
        rule = say("raised_rule", function=clean(raised.function, 60)) if raised.function else say("raised_rules")
        return [say("raised_backward", **words, rule=rule)]
    given = listed([_given(step) for step in operands])
    led = [say("raised_given", function=clean(raised.function, 60), given=given)] if given else []
    return [say("raised_forward", **words), *led]


def _message(raised: Raised) -> str:
    return f": {clean(raised.message, _MESSAGE)}" if raised.message else ""


def _place(recording: Recording, raised: Raised) -> str:
    """``Line 7``; for another function or file, also the line where the recorded function called it."""
    if raised.line is None:
        return say("raised_nowhere")
    is_here = raised.file == recording.file
    place = f"line {raised.line}" if is_here else f"{clean(raised.file or '')}, line {raised.line}"
    rounds = [clean(label, 40) for label in raised.rounds]
    if raised.outer_line not in (None, raised.line) or (raised.outer_line is not None and not is_here):
        rounds.append(say("raised_called", line=raised.outer_line))
    words = f"{place} ({', '.join(rounds)})" if rounds else place
    return words[0].upper() + words[1:] if is_here else words


def _given(step: Step) -> str:
    value = "" if step.value is None else f" = {text_of(step.value)}"
    return f"{label(step)}{value}"


def replaced(recording: Recording) -> list[str]:
    """A sentence about all values that were replaced."""
    steps = [step for step in recording.steps if step.replaced]
    if not steps:
        return []
    return [say("replaced", given=listed([_given(step) for step in steps]))]


def notes(recording: Recording) -> list[str]:
    """The sentences below a picture of the recording."""
    return [*ended(recording), *replaced(recording)]


# ---------------------------------------------------------------------------------------------- lines of the source
def line_marks(recording: Recording) -> dict[int, str]:
    """Marks at lines of the recorded function: the one that raised, and those that were not reached."""
    marks = dict.fromkeys(recording.unreached, say("line_unreached"))
    raised = recording.raised
    if raised is not None and raised.outer_line is not None and raised.phase == "forward":
        marks[raised.outer_line] = say("line_raised", type=clean(raised.type, 60))
    return marks


def unreached(recording: Recording) -> str:
    """A sentence about the lines that were not reached; empty if none are known.

    Examples
    --------
    >>> import autolab
    >>> from autolab.views.graph.listing import unreached
    >>> unreached(autolab.record(lambda x: x * x, 3.0))
    ''
    """
    if not recording.unreached:
        return ""
    runs = stretches([(line, None) for line in recording.unreached])
    words = [str(first) if first == last else f"{first} to {last}" for first, last, _ in runs]
    return say("unreached_one" if len(recording.unreached) == 1 else "unreached", lines=listed(words))


def stretches(pairs: Sequence[tuple[int, int | None]]) -> list[list[int | None]]:
    """Consecutive numbers with the same partner, as (first, last, partner).

    Examples
    --------
    >>> stretches([(0, None), (1, None), (2, -1), (4, -1)])
    [[0, 1, None], [2, 2, -1], [4, 4, -1]]
    """
    found: list[list[Any]] = []
    for here, partner in pairs:
        if found and found[-1][1] == here - 1 and found[-1][2] == partner:
            found[-1][1] = here
        else:
            found.append([here, here, partner])
    return found


MAX_LINES = 400
MAX_COLUMNS = 200


def listing(recording: Recording, boxes: Mapping[int, int]) -> dict[str, Any]:
    """The lines as plain data.

    Parameters
    ----------
    recording : Recording
    boxes : mapping
        The box of each step in the picture.

    Returns
    -------
    dict
        ``file``, the number of the ``first`` line, the ``lines``, and ``at``: line number -> boxes of the values
        computed there, where the first line has the inputs. If there are any, also ``marks``: line number -> that it
        raised or was not reached, and ``raised``, the number of the line that did. Empty if the source is not known.
    """
    if recording.source is None or recording.first_line is None:
        return {}
    lines = [clean(line, MAX_COLUMNS) if line else "" for line in recording.source.splitlines()[:MAX_LINES]]
    found: dict[int, list[int]] = {}
    for step in recording.steps:
        line = recording.first_line if step.kind == "input" else step.outer_line
        if line is not None and 0 <= line - recording.first_line < len(lines) and step.id in boxes:
            found.setdefault(line, []).append(boxes[step.id])
    at = {str(line): list(dict.fromkeys(nodes)) for line, nodes in found.items()}
    told = {"file": clean(recording.file or ""), "first": recording.first_line, "lines": lines, "at": at}
    marks = {str(line): words for line, words in sorted(line_marks(recording).items())}
    raised = None if recording.raised is None else recording.raised.outer_line
    return {**told, "marks": marks, "raised": raised} if marks else told


def describe_program(recording: Recording) -> str:
    """A sentence about what the graph shows."""
    calls = sum(step.kind == "call" for step in recording.steps)
    chosen = set(recording.outputs[:8])
    outputs = ", ".join(label(step) for step in recording.steps if step.id in chosen)
    ends = f"output {outputs}" if outputs else "no output"
    if recording.raised is not None and not recording.has_returned:
        ends = say("cut_off", type=clean(recording.raised.type, 60))
    counts = {"inputs": plural(len(recording.inputs), "input"), "steps": plural(calls, "step")}
    return say("graph", title=title(recording), outputs=ends, **counts)


def remarks(recording: Recording) -> list[str]:
    """Remarks about the recording as a whole."""
    reduced = [say("reduced", count=plural(recording.reduced, "array"))] if recording.reduced else []
    notes = [_remark(note, recording) for note in recording.notes]
    proofs = [proof(recording, opening) for opening in recording.openings]
    memory = _memory(recording)
    return [*reduced, *memory, *proofs, *notes, *replaced(recording), *grad_status.departures(recording)]


def _memory(recording: Recording) -> list[str]:
    """The numbers of the GPU's memory pool."""
    pool = recording.pool
    if pool is None:
        return []
    return [say("pool", used=bytes_text(pool.used), peak=bytes_text(pool.peak), total=bytes_text(pool.total))]


def proof(recording: Recording, opening: Opening) -> str:
    """The result of the comparison of a fused function with its steps, and which use of the function it was."""
    inputs = ", ".join([f"{number(apart)} ({clean(name)})" for name, apart, _ in opening.gradients])
    key = "opened" if opening.agrees else "opened_apart"
    gradients = say("opened_gradients", inputs=inputs) if inputs else ""
    words = {"use": _use(recording, opening), "function": clean(opening.function), "value": number(opening.value)}
    return say(key, **words, gradients=gradients)


def _use(recording: Recording, opening: Opening) -> str:
    """One use of a function: the call as written, its line in the recorded function, and the calls and passes around
    it.
    """
    step, own = recording.by_id[opening.step], recording.scopes[opening.scope]
    words = [] if step.outer_line is None else [f"line {step.outer_line}"]
    around = [recording.scopes[i] for i in enclosing(recording.scopes, own.parent)]
    words += [clean(scope.label, 40) for scope in around if scope.kind != "loop"]
    written = f"{own.name} = {own.label}" if own.name else own.label
    return ", ".join([clean(written, 60), *words])


def _remark(note: str, recording: Recording) -> str:
    if note == "values_missing":
        kept = sum(step.value is not None for step in recording.steps)
        return say("values_missing", kept=kept, count=len(recording.steps))
    if note != "orders_end":
        return say(note) if note in SENTENCES else note
    last = recording.higher[-1] if recording.higher else recording
    names = {"name": label(last.by_id[last.outputs[0]]), "wrt": clean(recording.wrt)}
    pieces = [step.function for step in recording.steps if step.function in PIECEWISE]
    return say("orders_end_in_pieces", function=clean(pieces[0]), **names) if pieces else say("orders_end", **names)
