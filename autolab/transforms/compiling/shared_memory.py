"""Which arrays share memory: a program that writes to one is correct only if that is the same as when it was traced."""

from __future__ import annotations

from typing import Any

import numpy as np

from .generated import GeneratedFunction
from .lowering import Lowered
from .reached_state import Given, StatePlace


class Sharing:
    """The places that a program writes to, each paired with all other inputs."""

    def __init__(self, low: Lowered, sources: dict[int, StatePlace | None], values: list[np.ndarray]) -> None:
        self._pairs = [
            (where, other, np.may_share_memory(values[slot], values[also]))
            for slot, where in sources.items()
            if where is not None and low.memory[slot] in low.written
            for also, other in sources.items()
            if other is not None and also != slot
        ]
        were_apart = not any([is_so for _, _, is_so in self._pairs])
        owning = {where for slot, where in sources.items() if values[slot].base is None}
        self._are_apart = self._question(owning) if self._pairs and were_apart else None

    def is_alike(self, leaves: list[Any]) -> bool:
        """Whether the same arrays share memory as when the function was traced."""
        if not self._pairs or (self._are_apart is not None and self._are_apart(leaves)):
            return True
        return all([np.may_share_memory(a.now(leaves), b.now(leaves)) is so for a, b, so in self._pairs])

    def _question(self, owning: set[StatePlace | None]) -> Any:
        """A generated test that each array owns its memory: faster than checking each pair."""
        generated = GeneratedFunction(ndarray=np.ndarray)

        def held(holder: Any) -> str:
            return f"L[{holder.index}]" if type(holder) is Given else generated.bound(holder)

        places = list(dict.fromkeys([place for a, b, _ in self._pairs for place in (a, b)]))
        questions = [
            f"(o{i} := {place.text(held)}).base is None"
            if place in owning
            else f"type(o{i} := {place.text(held)}.base) is ndarray and o{i}.base is None"
            for i, place in enumerate(places)
        ]
        ids = ", ".join([f"id(o{i})" for i in range(len(places))])
        text = f"def are_apart(L):\n    return {' and '.join(questions)} and len({{{ids}}}) == {len(places)}"
        return generated.made("sharing", text)
