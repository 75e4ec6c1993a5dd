"""What a recording says of itself as a whole: what it is of, memory, fused functions that were opened."""

from __future__ import annotations

from ...recording.model import Opening, Recording
from ..draw import grad_status
from ..draw.escape import clean
from ..draw.messages import plural, say
from ..draw.names import label, title
from ..draw.numbers import bytes_text, number
from ..graph.listing import replaced


def describe_program(recording: Recording) -> str:
    """What the graph is of, in one sentence."""
    calls = sum(step.kind == "call" for step in recording.steps)
    chosen = set(recording.outputs[:8])
    outputs = ", ".join(label(step) for step in recording.steps if step.id in chosen)
    ends = f"output {outputs}" if outputs else "no output"
    if recording.raised is not None and not recording.has_returned:
        ends = say("cut_off", type=clean(recording.raised.type, 60))
    return say(
        "graph",
        title=title(recording),
        inputs=plural(len(recording.inputs), "input"),
        steps=plural(calls, "step"),
        outputs=ends,
    )


def remarks(recording: Recording) -> list[str]:
    """What has to be said about the recording as a whole."""
    reduced = [say("reduced", count=plural(recording.reduced, "array"))] if recording.reduced else []
    notes = [_remark(note, recording) for note in recording.notes]
    proofs = [proof(recording, opening) for opening in recording.openings]
    memory = _memory(recording)
    return [*reduced, *memory, *proofs, *notes, *replaced(recording), *grad_status.departures(recording)]


def _memory(recording: Recording) -> list[str]:
    """The figures of the GPU's memory pool."""
    pool = recording.pool
    if pool is None:
        return []
    return [say("pool", used=bytes_text(pool.used), peak=bytes_text(pool.peak), total=bytes_text(pool.total))]


def proof(recording: Recording, opening: Opening) -> str:
    """What came out when a fused function was compared with its steps, and which use of the function it was."""
    inputs = ", ".join([f"{number(apart)} ({clean(name)})" for name, apart, _ in opening.gradients])
    key = "opened" if opening.agrees else "opened_apart"
    gradients = say("opened_gradients", inputs=inputs) if inputs else ""
    words = {"use": _use(recording, opening), "function": clean(opening.function), "value": number(opening.value)}
    return say(key, **words, gradients=gradients)


def _use(recording: Recording, opening: Opening) -> str:
    """One use of a function: as written, its line in the recorded function, the calls and rounds that it is in."""
    (step,) = [step for step in recording.steps if step.id == opening.step]
    own = recording.scopes[opening.scope]
    words = [] if step.outer_line is None else [f"line {step.outer_line}"]
    parent = own.parent
    while parent is not None:
        scope = recording.scopes[parent]
        words += [] if scope.kind == "loop" else [clean(scope.label, 40)]
        parent = scope.parent
    written = f"{own.name} = {own.label}" if own.name else own.label
    return ", ".join([clean(written, 60), *words])


def _remark(note: str, recording: Recording) -> str:
    if note == "values_missing":
        kept = sum(step.value is not None for step in recording.steps)
        return say("values_missing", kept=kept, count=len(recording.steps))
    if note != "orders_end":
        return note
    last = recording.higher[-1] if recording.higher else recording
    (result,) = [step for step in last.steps if step.id == last.outputs[0]]
    return say("orders_end", name=label(result), wrt=clean(recording.wrt))
