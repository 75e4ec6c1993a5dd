"""What a recording says of itself where it is not the whole of an ordinary run: an error that ended it, lines that were
not reached, values that were replaced."""

from __future__ import annotations

from ..recording.model import Recording, Step
from ..recording.raised import Raised
from .escape import clean
from .messages import listed, say
from .readings import text_of
from .steps import label

_MESSAGE = 300


def ended(recording: Recording) -> list[str]:
    """The error that ended the run, and the values that led there; nothing where there was none."""
    raised = recording.raised
    if raised is None:
        return []
    by_id = {step.id: step for step in recording.steps}
    words = {"type": clean(raised.type, 60), "message": _message(raised), "place": _place(recording, raised)}
    operands = [by_id[i] for i in raised.operands]
    if raised.phase == "backward":
        rule = say("raised_rule", function=clean(raised.function, 60)) if raised.function else say("raised_rules")
        return [say("raised_backward", **words, rule=rule)]
    given = listed([_given(step) for step in operands])
    led = [say("raised_given", function=clean(raised.function, 60), given=given)] if given else []
    return [say("raised_forward", **words), *led]


def _message(raised: Raised) -> str:
    return f": {clean(raised.message, _MESSAGE)}" if raised.message else ""


def _place(recording: Recording, raised: Raised) -> str:
    """``Line 7``; in another function or file also where the recorded function called it."""
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
    """A sentence for all values that were replaced."""
    steps = [step for step in recording.steps if step.replaced]
    if not steps:
        return []
    return [say("replaced", given=listed([_given(step) for step in steps]))]


def notes(recording: Recording) -> list[str]:
    """What a picture of the recording has to say below it."""
    return [*ended(recording), *replaced(recording)]


# ---------------------------------------------------------------------------------------------- lines of the source
def line_marks(recording: Recording) -> dict[int, str]:
    """What is said at lines of the recorded function: that one raised, and that others were not reached."""
    marks = dict.fromkeys(recording.unreached, say("line_unreached"))
    raised = recording.raised
    if raised is not None and raised.outer_line is not None and raised.phase == "forward":
        marks[raised.outer_line] = say("line_raised", type=clean(raised.type, 60))
    return marks


def unreached(recording: Recording) -> str:
    """Which lines were not reached, in a sentence; empty where none are known.

    Examples
    --------
    >>> import autolab
    >>> from autolab.display.ended import unreached
    >>> unreached(autolab.record(lambda x: x * x, 3.0))
    ''
    """
    runs: list[list[int]] = []
    for line in recording.unreached:
        if runs and line == runs[-1][-1] + 1:
            runs[-1].append(line)
        else:
            runs.append([line])
    if not runs:
        return ""
    words = [str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs]
    return say("unreached_one" if len(recording.unreached) == 1 else "unreached", lines=listed(words))
