"""Where values leave autograd's graph: as numbers, by ``detach``, or under ``no_grad``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from ...engine.leaving import Exit
from ...recording.departures import Departure, departure
from ...recording.drafts import Draft
from ...recording.model import Step
from . import calls
from .locate import Site
from .tensors import tensors_in

_TAKEN = {"item", "tolist", "numpy", "float", "int", "array", "detach", "data"}


class Departed:
    """Collects places, each once, with the steps that left there."""

    def __init__(self) -> None:
        self._found: dict[Exit, set[int]] = {}

    def look(self, func: Any, draft: Draft, site: Site, result: Any) -> None:
        """After every call: whether it took a value out of the graph."""
        place = site.place
        if place is None or (calls.name_of(func) not in _TAKEN and torch.is_grad_enabled()):
            return
        is_taken = calls.name_of(func) in _TAKEN
        if not is_taken and any(t.requires_grad for t in tensors_in([result])):
            return
        exit = Exit(place.file, place.line, place.source or place.statement or "", "left" if is_taken else "no_grad")
        steps = [use.step for use in draft.uses if use.step is not None]
        self._found.setdefault(exit, set()).update(steps)

    def settled(self, steps: Sequence[Step], new_ids: Mapping[int, int]) -> tuple[Departure, ...]:
        """Those of values that need a gradient; ``new_ids`` has the number of each step in the recording."""
        found = []
        for exit, left in self._found.items():
            kept = [new_ids[i] for i in left if i in new_ids]
            needing = [i for i in kept if steps[i].status not in ("constant", "integer")]
            if needing:
                found.append(departure(exit, tuple(sorted(needing)), steps))
        return tuple(found)
