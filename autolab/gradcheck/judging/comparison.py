"""What came of comparing gradients: plain data for every element, for every input, and for all inputs at one point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

import numpy as np

from ..measuring.numeric_slopes import SMOOTH
from ..measuring.probes import KNOWN, Search
from ..measuring.stairs import Stair
from .survey import Survey


@dataclass(frozen=True, eq=False)
class Elements:
    """Arrays with one entry per element.

    ``analytic`` is 0 where the function gave no gradient. ``numeric`` is NaN where nothing was measured or can be.
    ``low`` and ``high`` bound the acceptable slopes; they differ at kinks. ``deviation`` is the distance to them.
    ``unsure`` are the measured elements about which nothing can be said.
    """

    analytic: np.ndarray
    numeric: np.ndarray
    uncertainty: np.ndarray
    low: np.ndarray
    high: np.ndarray
    kind: np.ndarray
    deviation: np.ndarray
    tolerance: np.ndarray
    wrong: np.ndarray
    unsure: np.ndarray

    def take(self, index: np.ndarray | slice) -> Elements:
        """Some of the elements."""
        return Elements(*[getattr(self, field.name)[index] for field in fields(self)])

    @property
    def known(self) -> np.ndarray:
        """Where the function is smooth and its slope was measured well, whatever the analytic gradient is."""
        return (self.kind == SMOOTH) & (self.uncertainty <= KNOWN * np.abs(self.numeric))

    def worst(self, among: np.ndarray) -> int:
        """Of the elements marked in ``among``, the one that deviates most; what is not finite comes first."""
        deviation = np.where(np.isfinite(self.deviation), self.deviation, np.inf)
        return int(np.argmax(np.where(among, deviation, -1.0)))


@dataclass(frozen=True, eq=False)
class Comparison:
    """The elements of one input.

    ``given``: there is a gradient; ``probes``: what random directions say of elements that were not measured;
    ``stairs``: what hides the slope of some elements; ``zeros``: those whose gradient is 0 up to rounding.
    """

    elements: Elements
    measured: np.ndarray
    given: bool
    probes: Search
    stairs: Mapping[int, Stair] = field(default_factory=dict)
    zeros: frozenset[int] = frozenset()

    @property
    def untraced(self) -> bool:
        """Whether probes found an error that shows at none of the elements that were measured."""
        return bool(self.probes.halves) and not (self.elements.wrong | self.elements.unsure).any()


@dataclass(frozen=True, eq=False)
class Table:
    """The comparisons of all inputs at one point.

    ``failure`` names what the function raised in the neighbourhood, if anything.
    """

    inputs: tuple[Comparison, ...]
    failure: str | None
    survey: Survey

    @property
    def fails(self) -> bool:
        """Whether some element is wrong."""
        return any(c.elements.wrong.any() for c in self.inputs)
