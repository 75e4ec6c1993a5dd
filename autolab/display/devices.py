"""Where values live, for the pictures of a recording: nothing is said while all is in main memory."""

from __future__ import annotations

from collections.abc import Mapping

from ..recording.model import Recording


def devices(recording: Recording) -> dict[int, str]:
    """The device of every step's value; empty where all are in main memory."""
    found = {step.id: step.value.device for step in recording.steps if step.value is not None}
    return found if any([device != "cpu" for device in found.values()]) else {}


def transfers(recording: Recording, holders: Mapping[int, int]) -> dict[tuple[int, int], str]:
    """The lines along which a value is copied to another device, by the boxes at their ends: ``cpu → cuda:0``."""
    places = devices(recording)
    found: dict[tuple[int, int], str] = {}
    for step in recording.steps if places else ():
        for operand in step.operands:
            a, b = places.get(operand.step, ""), places.get(step.id, "")  # type: ignore[arg-type]
            if operand.step is not None and a and b and a != b and holders[operand.step] != holders[step.id]:
                found[holders[operand.step], holders[step.id]] = f"{a} → {b}"
    return found
