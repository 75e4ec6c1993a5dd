"""The path of the first NaN: where it was born, and whom it hurt, forward and backward."""

from __future__ import annotations

from typing import Any

from ..recording.model import Recording, Step
from ..recording.nonfinite import Birth, find_nonfinite
from .escape import clean
from .messages import plural, say
from .steps import heading, label


def nan_path(recording: Recording) -> dict[str, Any] | None:
    """The steps on the path, and the story in sentences; None if there is no NaN.

    Returns
    -------
    dict or None
        ``born`` and ``because`` (or None) are ids of steps; ``values`` and ``gradients`` lists of ids of others that it
        reached, nearest first; ``text`` is the story.
    """
    birth = find_nonfinite(recording).first_nan
    if birth is None:
        return None
    steps = {step.id: step for step in recording.steps}
    because = birth.because
    values = [i for i in birth.values if i != birth.step]
    return {
        "born": birth.step,
        "because": None if because is None else because.step,
        "values": values,
        "gradients": list(birth.gradients),
        "text": " ".join([*_story(birth, because, steps), _reached(len(values), len(birth.gradients))]),
    }


def told(birth: Birth) -> str:
    """A birth that stands alone, without its recording, in sentences."""
    source = clean(birth.source or birth.name or birth.function or "", 120)
    words = {"what": "NaN" if birth.what == "nan" else "∞", "phase": birth.phase, "source": source}
    sentence = say(f"birth_{birth.how}", **words, function=clean(birth.function or "", 60), place=_place(birth))
    because = birth.because
    reason = (
        ""
        if because is None
        else " " + say("nan_because", what=clean(because.source or "", 120), place=_place(because))
    )
    return f"{sentence}{reason} {_reached(len([i for i in birth.values if i != birth.step]), len(birth.gradients))}"


def _story(birth: Birth, because: Birth | None, steps: dict[int, Step]) -> list[str]:
    what = label(steps[birth.step]) if birth.how in ("given", "added") else heading(steps[birth.step])
    told = [say(f"nan_{birth.how}", what=what, phase=birth.phase, place=_place(birth))]
    if because is not None:
        told.append(say("nan_because", what=heading(steps[because.step]), place=_place(because)))
    return told


def _reached(values: int, gradients: int) -> str:
    if not values and not gradients:
        return say("nan_nothing")
    return say("nan_reached", values=plural(values, "value"), gradients=plural(gradients, "gradient"))


def _place(birth: Birth) -> str:
    return "" if birth.line is None else f" ({clean(birth.file or '')}, line {birth.line})"
