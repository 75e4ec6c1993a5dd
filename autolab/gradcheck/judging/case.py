"""The outcome of comparing gradients, as plain data: for each element, for an input at one point, for all inputs there;
and the case of a function, which is all of that together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..measuring.gauge import KNOWN, Search
from ..measuring.numeric_slopes import SMOOTH, Records
from ..measuring.point import Arrays, Shape, index_of
from ..measuring.stairs import Stair
from ..measuring.subject import Subject
from ..measuring.ties import Tie
from ..messages import shown
from .contracts import Examination
from .survey import Survey


class Elements(Records):
    """What is known of some elements.

    ``analytic`` is 0 where the function gave no gradient. ``numeric`` is NaN where nothing was or can be measured;
    ``uncertainty`` is its error bound. ``low`` and ``high`` bound the acceptable slopes; they differ where the
    ``kind`` is a kink. ``deviation`` is the distance to them, and ``tolerance`` what it may be. Some are ``wrong``;
    ``unsure`` are the measured ones about which nothing can be said.
    """

    @property
    def known(self) -> np.ndarray:
        """Where the function is smooth and its slope was measured well, regardless of the analytic gradient."""
        return (self.kind == SMOOTH) & (self.uncertainty <= KNOWN * np.abs(self.numeric))


@dataclass(frozen=True, eq=False)
class AllElements:
    """The elements of an input, of which those at ``index`` are ``measured``: the columns of these, for all elements.

    A column is made when it is asked for: of a large input only a few elements are measured, and ten columns would be
    ten times as large as the input.
    """

    measured: Elements
    index: np.ndarray
    analytic: np.ndarray

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("__"):
            raise AttributeError(name)
        some = getattr(self.measured, name)
        column = np.full(self.analytic.size, np.nan if some.dtype.kind == "f" else 0, some.dtype)
        column[self.index] = some
        return column

    def __getitem__(self, k: Any) -> Any:
        """One or several elements."""
        return Elements.of(**{name: getattr(self, name)[k] for name in self.measured.dtype.names or ()})

    @property
    def size(self) -> int:
        return self.analytic.size

    def numbers(self, k: int, *names: str) -> dict[str, float]:
        """The named fields of one element."""
        return {name: float(getattr(self, name)[k]) for name in names}

    def worst(self, among: np.ndarray) -> int:
        """The element with the largest deviation among those marked in ``among``; non-finite ones come first."""
        deviation = self.deviation
        deviation = np.where(np.isfinite(deviation), deviation, np.inf)
        return int(np.argmax(np.where(among, deviation, -1.0)))


@dataclass(frozen=True, eq=False)
class Comparison:
    """The elements of one input.

    ``given``: there is a gradient; ``probes``: what random directions say of elements that were not measured;
    ``stairs``: what hides the slope of some elements; ``zeros``: those whose gradient is 0 up to rounding.
    """

    elements: AllElements
    measured: np.ndarray
    given: bool
    probes: Search
    stairs: Mapping[int, Stair] = field(default_factory=dict)
    zeros: frozenset[int] = frozenset()

    @property
    def sure(self) -> np.ndarray:
        """The elements that were measured and are either right or wrong."""
        return self.measured & ~self.elements.unsure

    @property
    def undefined(self) -> np.ndarray:
        """The elements without a finite gradient at which the function has one."""
        return self.measured & ~np.isfinite(self.elements.analytic) & self.elements.known

    @property
    def untraced(self) -> bool:
        """Whether probes found an error that none of the measured elements shows."""
        return bool(self.probes.halves) and not (self.elements.wrong | self.elements.unsure).any()


@dataclass(frozen=True, eq=False)
class Table:
    """The comparisons of all inputs at one point.

    ``failure`` names what the function raised in the neighbourhood, if anything; ``ties`` are those that are wrong.
    """

    inputs: tuple[Comparison, ...]
    failure: str | None
    survey: Survey
    ties: tuple[Tie, ...] = ()


@dataclass(frozen=True, eq=False)
class Case:
    """All that is known of a function whose gradients are judged: the tables at the given point and, if it could be
    measured, nearby."""

    subject: Subject
    exam: Examination
    tables: tuple[Table, ...]

    @property
    def inputs(self) -> tuple[CheckedInput, ...]:
        """What is checked, one by one; each knows the case, and is not known to it, or both would outlive the check."""
        columns = zip(self.subject.names, self.subject.arrays, self.tables[0].inputs, strict=True)
        return tuple([CheckedInput(self, place, *column) for place, column in enumerate(columns)])

    @property
    def function(self) -> str:
        """The function's name as text."""
        return shown(self.subject.bound.name)

    @property
    def upstreams(self) -> Arrays:
        """The upstream gradients that the gradients belong to, one per result."""
        return self.exam.upstreams[0]

    @property
    def survey(self) -> Survey:
        """The survey of the given point."""
        return self.tables[0].survey


@dataclass(frozen=True)
class CheckedInput:
    """One input of a case: its place among all, its name and its value, and the comparison at the given point."""

    case: Case
    place: int
    name: str
    value: np.ndarray = field(compare=False)
    here: Comparison

    @property
    def shape(self) -> Shape:
        return self.value.shape

    def index(self, element: int) -> Shape:
        """The index of a flat element."""
        return index_of(element, self.shape)

    @cached_property
    def points(self) -> list[Comparison]:
        """The comparisons at the given point and, if it was measured there, nearby."""
        nearby = [table.inputs[self.place] for table in self.case.tables[1:]]
        return [self.here, *[c for c in nearby if c.measured.any()]]

    @property
    def is_plain(self) -> bool:
        """Whether every element was measured and is finite, and there are enough to tell formulas apart."""
        e = self.here.elements
        return bool(self.here.measured.all() and np.isfinite([e.analytic, e.numeric]).all() and e.size > 2)

    @property
    def wrong_point(self) -> tuple[Comparison, Survey]:
        """The comparison at the first point where an element is wrong, and the survey of that point."""
        known = zip(self.points, [table.survey for table in self.case.tables], strict=False)
        return next(((c, survey) for c, survey in known if c.elements.wrong.any()), (self.here, self.case.survey))

    @cached_property
    def wrong(self) -> np.ndarray:
        """The elements that are wrong at one of the points."""
        return np.logical_or.reduce([c.elements.wrong for c in self.points])

    @cached_property
    def undefined(self) -> np.ndarray:
        """Elements whose gradient is NaN or infinite at two points although the function is smooth there.

        At one point it may be a limit of the arithmetic: 0 times the infinite slope of a root. At two it is one if the
        arithmetic says so: infinity over infinity, where an exponential was too large.
        """
        nowhere = np.logical_and.reduce([c.undefined for c in self.points])
        are_proof = len(self.points) > 1 and nowhere.any() and not self.case.survey.limits
        return nowhere if are_proof else np.zeros_like(nowhere)
