"""What is wrong with the numbers of a graph, as signs at its boxes and as sentences, and the path of the first NaN."""

from __future__ import annotations

from typing import Any

from ...recording import Nonfinite, NonfiniteOrigin, Recording, Step, find_nonfinite
from ...recording.observations import Observation, Sign, reference_step
from ..draw import clean, grad_status, number, plural, say
from ..draw.names import heading, label, where
from .listing import ended, replaced
from .readings import SIGNS


def sentences(recording: Recording, found: list[Observation]) -> list[tuple[Sign, str]]:
    """What is wrong, in words: one sentence per sign (per place, for what left the graph), in the order of `SIGNS`."""
    reference = reference_step(recording)
    told: list[tuple[Sign, str]] = []
    for sign in SIGNS:
        mine = [finding for finding in found if finding.sign == sign]
        if sign in ("raised", "replaced"):  # an error need not come from a step
            told += [(sign, sentence) for sentence in (ended if sign == "raised" else replaced)(recording)]
            continue
        if not mine:
            continue
        if sign == "left":
            told += [(sign, sentence) for sentence in grad_status.departures(recording)]
            continue
        worst = (min if sign == "vanishing" else max)(mine, key=lambda finding: finding.size)
        size = str(int(worst.size)) if worst.total else number(worst.size)
        place = recording.by_id[worst.step]
        name = heading if reference and label(place) == label(reference) else label  # x may be the input and the output
        near = name(reference) if reference else ""
        words = {"count": plural(len(mine), "step"), "reference": near, "size": size, "total": worst.total}
        told.append((sign, say(f"health_{sign}", worst=name(place), **words)))
    return told


def nan_path(recording: Recording) -> dict[str, Any] | None:
    """The steps on the path of the first NaN, and the story in sentences; None if there is no NaN.

    Returns
    -------
    dict or None
        ``born`` and ``because`` (or None) are ids of steps; ``values`` and ``gradients`` are lists of ids of the other
        steps that it reached, nearest first; ``text`` is the story.
    """
    origin = find_nonfinite(recording).first_nan
    if origin is None:
        return None
    values = [i for i in origin.values if i != origin.step]
    return {
        "born": origin.step,
        "because": origin.because and origin.because.step,
        "values": values,
        "gradients": list(origin.gradients),
        "text": " ".join([*_story(origin, recording.by_id), _reached(origin)]),
    }


def all_told(found: Nonfinite) -> str:
    """A sentence for each origin, in the order in which they occurred."""
    return "\n".join(map(told, found.origins)) or say("origin_none")


def told(origin: NonfiniteOrigin) -> str:
    """The sentences about a single origin, without its recording."""
    source = clean(origin.source or origin.name or origin.function or "", 120)
    words = {"what": "NaN" if origin.what == "nan" else "∞", "phase": origin.phase, "source": source}
    sentence = say(f"origin_{origin.how}", **words, function=clean(origin.function or "", 60), place=where(origin))
    because = origin.because
    why = [] if because is None else [say("nan_because", what=clean(because.source or "", 120), place=where(because))]
    return " ".join([sentence, *why, _reached(origin)])


def _story(origin: NonfiniteOrigin, steps: dict[int, Step]) -> list[str]:
    what = label(steps[origin.step]) if origin.how in ("given", "added") else heading(steps[origin.step])
    told = [say(f"nan_{origin.how}", what=what, phase=origin.phase, place=where(origin))]
    if origin.because is not None:
        told.append(say("nan_because", what=heading(steps[origin.because.step]), place=where(origin.because)))
    return told


def _reached(origin: NonfiniteOrigin) -> str:
    values, gradients = len([i for i in origin.values if i != origin.step]), len(origin.gradients)
    if not values and not gradients:
        return say("nan_nothing")
    return say("nan_reached", values=plural(values, "value"), gradients=plural(gradients, "gradient"))
