"""Analytic against numeric gradients at one point, element by element: right, wrong, or undecided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..measuring.fine_slopes import is_zero
from ..measuring.gauge import KNOWN, MARGIN, Claim, Gauge, Search, search
from ..measuring.numeric_slopes import KINK, NOISY, SMOOTH, UNKNOWN
from ..measuring.point import FAINT, Arrays, Direction, largest
from ..measuring.stairs import Stair, find_stair
from ..measuring.subject import Subject
from ..measuring.ties import Tie, slope_together, slopes_at_tie, tied
from .case import AllElements, Comparison, Elements, Table
from .survey import Survey, survey_of

ELEMENTS = 256
"""Up to this size every element of an input is measured; of a larger one a sample, and random directions through all
of it."""

_SAMPLE = 6
_AGAIN = (10, 4)
"""How many wrong elements, and how many right ones, are measured again nearby."""

_CLOSE = KNOWN / 2
"""How near fine differences must come to confirm a gradient, as a share of its deviation or of its size."""

_LIFT = 2.0**500
"""Tiny results are scaled up by this factor before they are measured."""

_LEFTOVER = 1e-10
"""A gradient beyond this fraction of the upstream gradient is not what rounding leaves of one that is 0."""

_FAR_BELOW = 2.0**-10
"""An element whose own magnitude is below this fraction of the step that it would take is moved by its own as well."""

_NEGLIGIBLE = 1e-5
"""An element is also measured if its tolerance is below this fraction of the largest move of the function."""


def compare(subject: Subject, arrays: Arrays, upstreams: Arrays, rng: np.random.Generator) -> Table:
    """Measure the gradients of the subject at ``arrays`` for one upstream gradient."""
    survey = survey_of(subject, arrays, upstreams)
    return _table(survey, [_plan(survey.gauge, claim, rng) for claim in survey.claims])


def compare_nearby(
    subject: Subject, arrays: Arrays, upstreams: Arrays, rng: np.random.Generator, here: Table
) -> Table | None:
    """The same at a point near that of ``here``, if that can say something new; otherwise None.

    Some elements of an input that disagrees in ``here`` are measured again. The other inputs are tested along a random
    direction, and measured if that disagrees.
    """
    survey = survey_of(subject, arrays, upstreams, here.survey.noise)
    plans: list[_Plan] = []
    for claim, c in zip(survey.claims, here.inputs, strict=True):
        doubtful = c.measured & (c.elements.wrong | ~np.isfinite(c.elements.analytic))
        as_there = Search(conclusive=c.probes.conclusive)
        if doubtful.any():
            plans.append((_some(doubtful, c.measured & ~doubtful, rng), as_there))
        elif claim.analytic.size and search(survey.gauge, claim, rng, probes=1).halves:
            plans.append(_plan(survey.gauge, claim, rng))
        else:
            plans.append((np.array([], int), as_there))
    return _table(survey, plans) if any(index.size for index, _ in plans) else None


_Plan = tuple[np.ndarray, Search]
"""Which elements of an input to measure one by one, and what probes said of the others."""


def _some(doubtful: np.ndarray, right: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Elements to be measured again: some of the doubtful ones, and a few of the others."""
    parts = [np.flatnonzero(mask) for mask in (doubtful, right)]
    sizes = [min(part.size, most) for part, most in zip(parts, _AGAIN, strict=True)]
    return np.sort(np.concatenate([rng.choice(part, n, replace=False) for part, n in zip(parts, sizes, strict=True)]))


def _table(survey: Survey, plans: Sequence[_Plan]) -> Table:
    gauge, claims = survey.gauge, survey.claims
    elements = _measured(gauge, claims, [index for index, _ in plans])
    inputs, first = [], 0
    for claim, (index, probes) in zip(claims, plans, strict=True):
        part = elements[first : first + index.size].view(Elements)
        first += index.size
        measured = np.zeros(claim.analytic.size, bool)
        measured[index] = True
        directions = _moved_alone(survey, claim, index, part)
        stairs = _doubted(survey, directions, part)
        zeros = _zeros(gauge, claim.input, index, part)
        every, is_given = AllElements(part, index, claim.analytic), survey.gradients[claim.input] is not None
        inputs.append(Comparison(every, measured, is_given, probes, stairs, zeros))
    return Table(tuple(inputs), gauge.point.tally.failure, survey, _torn(survey, inputs))


def _plan(gauge: Gauge, claim: Claim, rng: np.random.Generator) -> _Plan:
    """All elements of a small input; for a large one, a sample and the elements that random directions lead to."""
    size = claim.analytic.size
    if size <= ELEMENTS:
        return np.arange(size), Search()
    found = search(gauge, claim, rng)
    return np.union1d(rng.choice(size, _SAMPLE, replace=False), found.suspects), found


def _measured(gauge: Gauge, claims: Sequence[Claim], indexes: Arrays) -> Elements:
    """The chosen elements of all inputs, one input after the other."""
    analytic = np.concatenate([c.analytic[i] for c, i in zip(claims, indexes, strict=True)])
    noise = np.concatenate([c.noise[i] for c, i in zip(claims, indexes, strict=True)])
    directions = [gauge.point.moving(c.input, k) for c, index in zip(claims, indexes, strict=True) for k in index]
    elements = _judged(directions, analytic, noise, claims[0].root_eps, gauge)
    if not gauge.point.is_finite:
        elements.numeric[~np.isfinite(analytic)] = np.nan  # the remaining results say nothing about it
    return elements


def _judged(
    directions: Sequence[Direction], analytic: np.ndarray, noise: np.ndarray, root_eps: float, gauge: Gauge
) -> Elements:
    """Judge elements, each moved along its own direction."""
    is_tiny = largest(gauge.point.values) < 1 / _LIFT and largest(*gauge.point.scales) < _LIFT
    lift = _LIFT if is_tiny else 1.0  # or the errors of the slopes would underflow
    lifted = replace(gauge, weights=gauge.weights * lift)
    found = lifted.slopes(directions, moving=analytic != 0)
    scale = np.array([d.step for d in directions], float) * lift
    numeric, error, low, high = (a / scale for a in (found.value, found.error, found.low, found.high))
    kink, unknown = found.kind == KINK, (found.kind == UNKNOWN) | (found.kind == NOISY)
    size = np.fmax(np.abs(analytic), np.fmax(np.abs(low), np.abs(high)))
    tolerance = MARGIN * (error + np.where(kink, 0.0, noise)) + root_eps * size + FAINT
    deviation = np.maximum(np.maximum(low - analytic, analytic - high), 0.0)
    lost = (numeric == 0) & (error == 0) & (deviation <= lifted.grain / scale)  # nothing moves
    wrong = ~unknown & (deviation > tolerance) & ~lost & np.isfinite(analytic)
    enough = np.maximum(KNOWN * size, _NEGLIGIBLE * found.reach.max(initial=0.0) / scale) + FAINT
    unsure = ~wrong & (unknown | ~np.isfinite(deviation) | (tolerance > enough))
    leftover = _LEFTOVER * largest(gauge.weights)
    unsure |= lost & (deviation > np.fmax(tolerance, leftover))
    unsure |= ~wrong & ~lost & (deviation > error + noise) & (error > KNOWN * size)  # for example at a jump
    tolerance = np.where(lost, np.fmax(tolerance, deviation), tolerance)
    slopes = {"analytic": analytic, "numeric": numeric, "uncertainty": error, "low": low, "high": high}
    verdicts = {"deviation": deviation, "tolerance": tolerance, "wrong": wrong, "unsure": unsure}
    return Elements.of(**slopes, kind=found.kind, **verdicts)


def _moved_alone(survey: Survey, claim: Claim, index: np.ndarray, part: Elements) -> list[Direction]:
    """The directions of the elements. Where one is far below the others of its array and seems right, but is wrong by
    moves of its own magnitude, its direction is that of these, and what they show stands in ``part``."""
    i, point = claim.input, survey.gauge.point
    directions = [point.moving(i, k) for k in index]
    steps, own = point.scales[i][index], point.own(i)[index]
    which = np.flatnonzero(~part.wrong & (own > FAINT) & (own <= _FAR_BELOW * steps))
    if not which.size:
        return directions
    alone = [Direction(i, index[k], own[k]) for k in which]
    gauge, noise = replace(survey.gauge, noise=survey.own.results), survey.own.gradients[i][index[which]]
    again = _judged(alone, part.analytic[which], noise, claim.root_eps, gauge)
    for k in np.flatnonzero(again.wrong & again.known):
        part[which[k]] = again[k]
        directions[which[k]] = alone[k]
    return directions


def _doubted(survey: Survey, directions: Sequence[Direction], part: Elements) -> dict[int, Stair]:
    """Make those elements unsure that seem wrong and may be right; the stairs that hide slopes are returned.

    The first that nothing speaks for ends the search: the input is wrong then.
    """
    stairs: dict[int, Stair] = {}
    wrong, gauge = np.flatnonzero(part.wrong), survey.gauge
    for k in wrong[np.argsort(-part.deviation[wrong] / part.tolerance[wrong])]:
        e, direction = part[k], directions[k]
        slope = survey.fine_slope(direction, e, _CLOSE * e.deviation)
        if slope is not None:
            _settle(e, slope)
            continue
        if survey.is_part_still(direction, e):
            _settle(e, e.analytic)
            continue
        tie = slopes_at_tie(gauge, direction.input, direction.index, e.analytic)
        if tie is not None:
            _settle(e, e.analytic)
            e.kind, (e.low, e.high) = KINK, tie
            continue
        stair = find_stair(gauge, direction, e.numeric, e.analytic)
        if stair is not None:
            stairs[int(direction.index)] = stair
        elif not survey.speak_for(direction, e):
            break
        e.wrong, e.unsure = False, True
        e.tolerance = np.fmax(e.tolerance, e.deviation)
    is_defined = gauge.point.tally.failure is None  # otherwise it is at the edge of its domain
    for k in np.flatnonzero(part.unsure & np.isfinite(part.analytic))[: None if is_defined else 0]:
        slope = survey.fine_slope(directions[k], part[k], _CLOSE * abs(part[k].analytic))
        if slope is not None:
            _settle(part[k], slope)
    for k in np.flatnonzero(part.unsure & (part.numeric == 0) & (part.uncertainty == 0))[: not stairs]:
        stair = find_stair(gauge, directions[k], part[k].numeric, part[k].analytic)
        stairs |= {} if stair is None else {int(directions[k].index): stair}
    return stairs


def _settle(e: np.record, slope: float) -> None:
    """Mark an element as right, with the numeric slope ``slope``; writing to the record writes to its array."""
    e.numeric = e.low = e.high = slope
    e.kind, e.wrong, e.unsure = SMOOTH, False, False
    e.deviation = abs(e.analytic - slope)
    e.tolerance = np.fmax(e.tolerance, e.deviation)


def _zeros(gauge: Gauge, input: int, index: np.ndarray, part: Elements) -> frozenset[int]:
    """Make those elements right that are in doubt, or seem wrong, and whose gradient is 0 up to rounding; their places
    are returned."""
    found = set()
    for k in np.flatnonzero(part.unsure | part.wrong):
        if is_zero(gauge, gauge.point.moving(input, index[k]), part[k].numeric, part[k].analytic):
            _settle(part[k], 0.0)
            found.add(int(index[k]))
    return frozenset(found)


def _torn(survey: Survey, inputs: Sequence[Comparison]) -> tuple[Tie, ...]:
    """The ties of which each element alone may be right, and all together are not; their elements are marked wrong."""
    bent = [c.sure & (c.elements.kind == KINK) for c in inputs]
    if not any(b.any() for b in bent):
        return ()
    found, known = [], [c.sure & ~c.elements.wrong for c in inputs]
    for moves in tied(survey.arrays, bent, known):
        parts = [d.step * inputs[d.input].elements.analytic for d in moves]
        given, slope = float(np.sum(np.concatenate(parts))), slope_together(survey.gauge, moves)
        if slope is None or not abs(given - slope[0]) > MARGIN * slope[1] + KNOWN * largest(*parts, np.array(slope)):
            continue
        own = [b & (d.step != 0) for d, b in zip(moves, bent, strict=True)]
        rest = given - float(sum([p[mask].sum() for p, mask in zip(parts, own, strict=True)]))
        members = [(i, int(k)) for i, mask in enumerate(own) for k in np.flatnonzero(mask)]
        found.append(Tie(tuple(members), given - rest, slope[0] - rest))
        for c, mask in zip(inputs, own, strict=True):
            c.elements.measured.wrong |= mask[c.elements.index]
    return tuple(found)
