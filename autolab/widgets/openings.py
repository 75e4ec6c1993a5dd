"""The part of the live view that shows fused functions opened into their steps, and tells whether both agree."""

from __future__ import annotations

from typing import Any

import traitlets

from ..display.escape import clean
from ..display.messages import say
from ..display.text import proof
from ..recording.model import Recording
from .part import Part


class Openings(Part):
    """Which functions of the run are fused and which of them stand open, each with its proof."""

    openings = traitlets.Dict().tag(sync=True)

    def _shown(self, recording: Recording) -> dict[str, Any]:
        opened = {opening.function for opening in recording.openings}
        functions = [_choice(name, name in opened) for name in recording.openable]
        proofs = [{"text": clean(proof(recording, o), limit=1000), "agrees": o.agrees} for o in recording.openings]
        return {**super()._shown(recording), "openings": {"functions": functions, "proofs": proofs}}


def _choice(name: str, is_open: bool) -> dict[str, Any]:
    key = "close_fused" if is_open else "open_fused"
    return {"name": name, "open": is_open, "text": say(key, function=clean(name, 40))}
