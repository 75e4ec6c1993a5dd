"""DerivativeSession: the state of a derivative explorer without its picture: the function, the point and the curves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...analysis import Derivatives, Study
from ...engine import Variable
from ..live.computation import RerunContext, UserError, told, user_error

SECONDS = 60.0


@dataclass(frozen=True)
class CurvePoint:
    """The point at which a function is examined, and the highest derivative."""

    x: float
    order: int


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What is shown at a point, the curves through it, and the error that the function raised there."""

    study: Study
    data: Derivatives
    error: UserError | None = None


class DerivativeSession(RerunContext):
    """A function with its curves, and the point at which it is examined.

    The constructor calls the function once, at the point; all other calls are made by `compute`, which begins with the
    curves.

    Parameters
    ----------
    fn, x, order, domain
        As for `autolab.derivatives`.

    Attributes
    ----------
    seen : Evaluation
        The last result.
    wants_curves : bool
        Whether missing curves are to be computed.
    """

    def __init__(
        self, fn: Callable[[Variable], Any], x: Any, order: int = 2, domain: tuple[float, float] | None = None
    ) -> None:
        super().__init__(fn)
        with self.running(lambda: None) as self.origins:
            study = Study(fn, x, order, domain, curves=False)
        self.seen = Evaluation(study, study.data)
        self.wants_curves = True
        self.state = CurvePoint(study.data.x, study.data.order)

    @property
    def seconds(self) -> float | None:
        """How long the next computation may take; None for the first curves, which may take any time."""
        return None if self.samples_next else SECONDS

    @property
    def samples_next(self) -> bool:
        """Whether the next computation is that of the curves, which may take a long time."""
        return self.wants_curves and not self.seen.study.has_curves

    def compute(self, place: CurvePoint, check: Callable[[], None] = lambda: None) -> Evaluation | UserError:
        """What is shown at a point; an error that the user's function raises is returned as data.

        If a value that the function depends on has changed, the curves are drawn again, so a point always lies on them.
        The first curves are those of a function that was defined at the point where it was opened.
        ``check`` is called at every step of the engine; an exception that it raises ends the computation.
        """
        return told(lambda: self._seen_at(place, check))

    def _seen_at(self, place: CurvePoint, check: Callable[[], None]) -> Evaluation:
        study, known = self.seen.study, self.seen.data
        with self.running(check) as origins:
            if self.samples_next:
                study = Study(study.fn, known.x, known.order, known.domain)
            elif study.has_curves and (self.origins.changed() or not study.holds(place.x)):
                study = Study(study.fn, place.x, known.order, known.domain)
            data = study.look(place.x, place.order)
            raised = study.error_at(data.x) if data.recording is None else None
        self.origins = origins
        return Evaluation(study, data, None if raised is None else user_error(raised))
