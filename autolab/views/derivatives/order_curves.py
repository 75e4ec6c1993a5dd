"""The curves of y, y' ... over the range of one input, for the view of the orders: sampled once for a moving point."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...analysis.curves import Curves, quickly
from ...analysis.derivatives import CALLER, Derivatives
from ...analysis.expressions import is_smooth
from ...analysis.ladder import Ladder
from ...analysis.recorded_expressions import Derivation
from ...engine import Variable
from ...engine.undisturbed import quietly
from ...recording.model import LEAVES, Recording
from ...recording.orders import output_name
from ..graph.scene import structure
from ..graph.session import Session
from ..live.computation import Stopped
from ..live.saved_page import deadline
from .scene import moving, panels

SECONDS = 0.6
"""If the curves of a function take longer, it is shown without them."""

_SLOW = 0.02  # seconds for one run


class OrderCurves:
    """Keeps the curves of one view as long as only the input along which they are drawn changes: no other input, and
    nothing else that the function depends on, as far as that can be detected or shows near the point."""

    def __init__(self) -> None:
        self._key: Any = None
        self._program: Any = None
        self._ladder: Ladder | None = None  # valid as long as only floating-point inputs change
        self._curves: Curves | None = None

    def shown(
        self, session: Session, recording: Recording, found: Derivation, controls: list[dict[str, Any]]
    ) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """The drawn curves, and everything that follows the point; empty for functions of arrays and slow ones."""
        name = found.wrt.text
        control = next((c for c in controls if c["key"] == name and c["kind"] == "slider"), None)
        values = [np.asarray(found.value(order)) for order in found.orders]
        is_quick = sum([step.seconds for step in recording.steps]) < _SLOW
        if control is None or not is_quick or any(value.size != 1 for value in values):
            return [], {}
        domain = control["min"], control["max"]
        x = float(found.value(found.wrt))  # the shown point; the user may have dragged further
        curves = self._sampled(session, recording, found, domain, x)
        if curves is None:
            return [], {}
        known = tuple([float(value.reshape(-1)[0]) for value in values])
        data = Derivatives(output_name(recording), x, len(known) - 1, domain, known, curves, None, ())
        now = moving(data)
        return panels(data), {**now, "legend": [entry for entry in now["legend"] if entry["kind"] == "tangent"]}

    def _sampled(
        self, session: Session, recording: Recording, found: Derivation, domain: tuple[float, float], x: float
    ) -> Curves | None:
        name = found.wrt.text
        inputs = {one.text: np.asarray(found.value(one)) for one in found.inputs}
        leaves = [step for step in recording.steps if step.kind in LEAVES and step.name != name and step.value]
        others = [step.value.values.tobytes() for step in leaves if step.value is not None]
        key = structure(recording)[0], len(found.orders), name, domain, others, session.train, session.changes
        is_known, self._key = key == self._key, key
        if is_known and self._curves is None:
            return None
        given = {other: session.bound.variables[other] for other in inputs}
        moving = {k: array for k, array in inputs.items() if k != name and array.dtype.kind == "f"}
        still = {k: array for k, array in inputs.items() if k != name and k not in moving}

        def of_one(x: Variable, *arrays: Any) -> Any:
            others = {**still, **dict(zip(moving, arrays, strict=True))}
            fresh = {k: type(given[k])(array, name=k, requires_grad=False) for k, array in others.items()}
            return session.bound.call({**fresh, name: x})

        fixed = [step.value.values.tobytes() for step in leaves if step.name not in moving and step.value is not None]
        program = key[:3], [(k, a.shape, a.dtype) for k, a in moving.items()], fixed, *key[-2:]
        before, self._curves = self._curves, None
        try:
            with session.running(deadline(SECONDS)), quietly():
                if is_known and before and self._ladder and before.hold(self._ladder, x):
                    self._curves = before
                    return before
                if self._ladder is None or is_known or program != self._program:
                    self._program, self._ladder = program, Ladder(CALLER, of_one, len(found.orders) - 1)
                self._ladder.others = [*moving.values()]
                self._curves = quickly(self._ladder, domain, is_smooth(found.orders[0]))
        except (Stopped, Exception):  # the function may raise elsewhere, although it did not at the point
            return None
        finally:
            session.origins.settle()  # what the function itself changes does not count
        return self._curves
