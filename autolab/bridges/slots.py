"""Slots: what stands in the arguments of a bound function in the places of its inputs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class InputSlot:
    """The place of the input of that name."""

    name: str
