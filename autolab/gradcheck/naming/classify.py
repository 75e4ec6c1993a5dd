"""Whether a gradient is wrong, and why: a cause is named only if the numbers leave no other simple one.

Whether the missing part of a wrong gradient is due to a value that left the graph, and where it left.

For the gradient, a number or an array that left the graph is a constant. So it is held constant: an input is moved
while the function continues with the value that left at the original point. If that changes the slope, the place
matters; and if the slope then equals the gradient, nothing else is wrong.

Gradients that do not follow the upstream gradient, or not linearly.

Gradients that are off by a factor that all elements share, or all of a row: a sum, a norm or a deviation that is
forgotten, counts twice, or is not the one of the forward; or by one that the share of each result has, or the diagonal
of a matrix beside a factor of it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from ...engine import Node, Variable, file_label, nodes_below
from ...engine.leaving import Exit, ExitEvent, untracked, watch_leaving
from ...engine.observe import BackwardEvent, ForwardEvent, observe
from ...shared.numerals import listed
from ..formulas.formulas_with_parts import rule_of
from ..formulas.forward_parts import parts_at
from ..formulas.row_formulas import MEASURED, forgotten_in_row, wrong_order
from ..judging.case import CheckedInput
from ..judging.contracts import Combination
from ..judging.finding import Explanation, Finding, because
from ..judging.survey import is_more_than_zero
from ..measuring.differences import default_step
from ..measuring.gauge import MARGIN, Gauge
from ..measuring.numeric_slopes import KINK
from ..measuring.point import FAINT, Arrays, Direction, Shape, attempted, index_of, largest
from ..measuring.subject import Subject
from ..messages import number, say, shown, told_apart, where
from .forgotten_way import forgotten_way
from .multiples import SIGNAL, factor, lengths_of, named, swapped
from .rearranged import (
    is_left_out,
    is_measurable,
    jacobian_of,
    one_place_of_several,
    partial_sums,
    rearranged,
    region_of,
    untransposed_jacobian,
)

_TELLING = 0.02
"""Slopes are equal if they are closer than this fraction of what is wrong with the gradient."""

_MOST_PLACES = 8


def left(checked: CheckedInput) -> Explanation | None:
    """The values that left the graph and are missing in the gradient of the worst element."""
    subject, (c, survey) = checked.case.subject, checked.wrong_point
    element = c.elements.worst(c.elements.wrong)
    analytic, numeric = c.elements.numbers(element, "analytic", "numeric").values()
    gap = _TELLING * abs(analytic - numeric)
    if not c.elements.wrong.any() or not np.isfinite([analytic, numeric]).all():
        return None
    gauge = survey.gauge
    values = attempted(_exits, subject, checked.place, gauge.point.arrays)
    if values is None:  # a function that runs normally may fail when traced
        return None
    direction = gauge.point.moving(checked.place, element)
    slopes = {place: _slope(gauge, direction, {place: left}) for place, left in values.items()}
    places = [place for place, slope in slopes.items() if abs(slope - numeric) > gap]
    held = _slope(gauge, direction, {place: values[place] for place in places}) if places else np.nan
    if not np.isfinite([*slopes.values(), held]).all():  # or it fails with the replaced value
        return None
    is_all = abs(held - analytic) <= gap
    words = {"what": _in_words(subject, places), **({} if c.given else {"analytic": "None"})}
    evidence = {"cause": places[0].how, "places": [place._asdict() for place in places], "whole": is_all}
    return Explanation("left_graph", words, evidence, after="" if is_all else say("left_graph.more"))


def _in_words(subject: Subject, places: list[Exit]) -> str:
    code = getattr(inspect.unwrap(subject.bound.fn), "__code__", None)
    file, texts = "" if code is None else file_label(code.co_filename), []
    for exit in places:
        key = "left_graph.place" if exit.file == file else "left_graph.elsewhere"
        place = say(key, line=exit.line, file=shown(exit.file))
        texts.append(say(f"left_graph.{exit.how}", place=place, source=shown(exit.source, 80)))
    return "; ".join(texts)


def _exits(subject: Subject, i: int, arrays: Arrays) -> dict[Exit, list[Any]]:
    """The places where values that depend on input ``i`` leave the graph, with these values."""
    values: dict[Exit, list[Any]] = {}
    sources: dict[Exit, list[Node]] = {}

    def keep(exit: Exit, value: Any, variables: Collection[Variable]) -> Any:
        values.setdefault(exit, []).append(value.copy() if hasattr(value, "copy") else value)
        sources.setdefault(exit, []).extend([v.node for v in variables if v.node is not None])
        return value

    with _listening(keep):
        run = subject.run(arrays)
    own = run.inputs[i].node
    places = [exit for exit in values if own in nodes_below(*sources[exit])]
    return {exit: values[exit] for exit in places[:_MOST_PLACES]}


def _slope(gauge: Gauge, direction: Direction, held: Mapping[Exit, list[Any]]) -> float:
    """The central difference of the weighted results, with constant values at the places in ``held``."""
    t = default_step(gauge.point.arrays[direction.input].dtype)

    def results(t: float) -> np.ndarray:
        left = {exit: iter(values) for exit, values in held.items()}
        with _listening(lambda exit, value, _: next(left[exit]) if exit in left else value):
            return gauge.point.along(direction, t)

    return float(gauge.weights @ (results(t) - results(-t))) / (2 * t * direction.step)


@contextmanager
def _listening(hear: Callable[[Exit, Any, Collection[Variable]], Any]) -> Iterator[None]:
    """Inside a ``with`` block, ``hear`` gets place, value and source of what leaves; it returns the value to use."""

    def on_exit(event: ExitEvent) -> None:
        event.value = hear(event.exit, event.value, [event.variable])

    def on_step(event: ForwardEvent | BackwardEvent) -> None:
        exit = untracked(event) if isinstance(event, ForwardEvent) else None
        if exit is not None:
            (y,) = event.outputs[:1]  # type: ignore[union-attr]
            y._data = hear(exit, y._data, [x for x in event.inputs if isinstance(x, Variable)])  # type: ignore[union-attr]

    with watch_leaving(on_exit), observe(on_step):
        yield


_LEFT = 1e-12
_SATURATED = 1e-13


def ignored(checked: CheckedInput) -> Explanation | None:
    """Whether an upstream gradient of zeros gives nonzero gradients, or two different ones give the same."""
    exam, i = checked.case.exam, checked.place
    first, second, none = exam.gradients[i], exam.second[i], exam.none[i]
    if none is not None and is_more_than_zero(none):
        value = number(float(none[np.isfinite(none) & (none != 0)][0]))
        return Explanation("upstream_ignored", {"why": say("upstream_ignored.zero", value=value)})
    if first is None or second is None or not first.any() or not np.array_equal(first, second):
        return None
    return Explanation("upstream_ignored", {"why": say("upstream_ignored.same")})


def nonlinear(checked: CheckedInput) -> Explanation | None:
    """Where the gradient is least linear in the upstream gradient, if that is not a rounding error.

    A backward that takes the size of it, or its square, shows only where the signs differ: one of the sums is negative.
    """
    combinations = checked.case.exam.combinations
    return next((found for c in combinations if (found := _unlike(checked, c)) is not None), None)


def _unlike(checked: CheckedInput, combination: Combination) -> Explanation | None:
    """A gradient of 0 may be made of terms that cancel; what rounding leaves of them is linear in nothing."""
    survey, i = checked.case.survey, checked.place
    if (compared := combination.compared(i)) is None:
        return None
    given, made, known = compared
    gap = np.abs(given - made)
    known = max(known, MARGIN * survey.noise.gradients[i].max())
    least = np.maximum(known, survey.gauge.grain / survey.gauge.point.scales[i])
    k = int(np.argmax(np.where(gap > least, gap, 0)))
    if not gap[k] > least[k] or not gap[k] > _leftover(checked):
        return None
    texts = told_apart(given=float(given[k]), made=float(made[k]))
    how = say(f"wrong_function.nonlinear.{combination.key}", **texts, where=where(checked.index(k)))
    return Explanation("wrong_function", {"how": how}, cause="nonlinear")


def _leftover(checked: CheckedInput) -> float:
    """What rounding may leave of a gradient whose terms cancel at the given point.

    Nearby they need not, and are then as large as the gradient. Inside a saturated function they always do, and have
    the size of the upstream gradient.
    """
    subject, upstreams = checked.case.subject, checked.case.upstreams
    terms = largest(*upstreams) * (1 + float(np.abs(checked.value).max(initial=0.0)))
    found = subject.nearby_gradients(subject.nearby(np.random.default_rng(0)), upstreams)
    g = None if found is None else found[checked.place]
    size = 0.0 if g is None else largest(g)
    return max(_LEFT * size, _SATURATED * terms)


_LEAST_SHARED = 4
_ONE_EPSILON = 1e-5
_MOST_RESULTS = 64
_FEW_RESULTS = 6
"""How many results' shares are looked at, one by one: with fewer, some factor fits by chance."""


def shared_factor(checked: CheckedInput) -> Explanation | None:
    """Whether the gradient is off by a factor that all elements share, or all of a row: a statistic of it is
    forgotten, counts twice, or is another one."""
    e, size = checked.here.elements, checked.value.size
    if not checked.is_plain or size < _LEAST_SHARED or (np.abs(e.numeric) <= SIGNAL * e.tolerance).all():
        return None
    analytic, numeric, slack = [v.reshape(checked.shape) for v in (e.analytic, e.numeric, e.tolerance)]
    every = tuple(range(numeric.ndim))
    for axes in dict.fromkeys((every, *[(k,) for k in reversed(every)])):
        ratio = (analytic * numeric).sum(axes, keepdims=True) / (numeric**2).sum(axes, keepdims=True)
        near = slack * (1 + np.abs(ratio)) + MEASURED * np.abs(analytic)
        if size - ratio.size >= _LEAST_SHARED - 1 and (np.abs(analytic - ratio * numeric) <= near).all():
            return _shared(checked, axes, ratio) if np.isfinite(ratio).all() and ratio.all() else None
    return None


def _shared(checked: CheckedInput, axes: Shape, ratio: np.ndarray) -> Explanation:
    """What is said of a ratio of gradients, one number per row: which part of the forward it is, if it is any."""
    x, count = checked.name if checked.name.isidentifier() else "x", checked.value.size // ratio.size
    names = {name: v.astype(float) for name, v in {x: checked.value, **parts_at(checked)}.items()}
    full = {name: v for name, v in names.items() if v.shape == checked.shape}
    along = "" if len(axes) == checked.value.ndim else f", axis={axes[0]}"
    known = {name: v.reshape(ratio.shape) for name, v in names.items() if v.size == ratio.size}
    for name, v in full.items():
        known[f"sum({name}{along})"] = v.sum(axes, keepdims=True)
        known[f"sum(exp({name}){along})"] = np.exp(v).sum(axes, keepdims=True)
        known[f"sqrt(sum({name} * {name}{along}))"] = np.sqrt((v * v).sum(axes, keepdims=True))
    which: str = "row" if along else "all"
    words: dict[str, Any] = {"axis": axes[0], "count": count, "less": count - 1}
    for square, power in (("", 1), ("**2", 2)):
        for above, sign in (("", 1), ("1 / ", -1)):
            for text, v in known.items():
                if (np.abs(v ** (sign * power) - ratio) <= MEASURED * np.abs(ratio)).all():
                    return because("wrong_factor", which, "shared", {"shared": f"{above}{text}{square}"}, **words)
    mixed = any([_mixes_counts(v.var(axes, keepdims=True), ratio, count) for v in full.values()])
    return because("wrong_factor", "counts" if mixed else which, "shared", **words)


def _mixes_counts(variance: np.ndarray, ratio: np.ndarray, count: int) -> bool:
    """Whether a standard deviation of ``variance`` and some epsilon, divided by that of the variance with one element
    more or less, is the ratio."""
    with np.errstate(all="ignore"):
        for square in (ratio**2, ratio**-2):
            epsilon = variance * (1 - square * count / max(count - 1, 1)) / (square - 1)
            is_one = np.ptp(epsilon) <= _ONE_EPSILON * variance.min() and (np.abs(epsilon) < 0.1 * variance).all()
            if count > 1 and is_one:
                return True
    return False


def factor_of_results(checked: CheckedInput) -> Explanation | None:
    """Whether the share of every result is off by a factor of its own, and the factors are a value of the forward."""
    case, point = checked.case, checked.case.survey.gauge.point
    are_some = len(case.upstreams) == 1 and _FEW_RESULTS <= case.upstreams[0].size <= _MOST_RESULTS
    if not are_some or not is_measurable(checked):
        return None
    right = jacobian_of(point, checked)
    if not (np.count_nonzero(right, axis=0) > 1).any():  # elementwise: a formula says more
        return None
    shape, count, arrays = case.upstreams[0].shape, case.upstreams[0].size, case.subject.arrays
    units = np.eye(count).reshape(count, *shape)
    found = [case.subject.nearby_gradients(arrays, (unit,)) for unit in units]
    given = [g[checked.place] for g in found if g is not None]
    shares = [g.ravel() for g in given if g is not None]
    if len(shares) < count or not np.isfinite(shares).all():
        return None
    written = np.stack(shares)
    ratio = (written * right).sum(axis=1) / np.maximum((right * right).sum(axis=1), FAINT)
    size = np.abs(right).max(axis=1)
    if (np.abs(written - ratio[:, None] * right).max(axis=1) > MEASURED * size).any() or not size.all():
        return None
    for name, v in ({shown(x.name): x.value for x in case.inputs} | parts_at(checked)).items():
        spread = attempted(np.broadcast_to, v, shape)
        if spread is None:
            continue
        spread = spread.ravel().astype(float)
        for text, factors in ((name, spread), (f"1 / {name}", 1 / np.where(spread, spread, np.inf))):
            if np.ptp(factors) > MEASURED and np.allclose(factors, ratio, rtol=MEASURED, atol=0):
                return because("wrong_factor", "results", "shared", {"shared": text})
    return None


def factor_of_diagonal(checked: CheckedInput) -> Explanation | None:
    """Whether, seen from a factor of the matrix, such as that of Cholesky, only the diagonal of a gradient is off.

    The gradient of a symmetric matrix is seen as that of changes that keep it so.
    """
    e, shape = checked.here.elements, checked.shape
    if not checked.is_plain or len(shape) != 2 or shape[0] != shape[1]:
        return None
    results = [y for y in checked.case.subject.run().values() if y.shape == shape]
    for result in results:
        seen = [result.T @ (g + g.T) @ result for g in (e.analytic.reshape(shape), e.numeric.reshape(shape))]
        on = np.eye(shape[0], dtype=bool)
        (given, right), (rest, other) = [[g[where] for g in seen] for where in (on, ~on)]
        ratio = float(given @ right / max(right @ right, FAINT))
        known, slack = named(ratio, lengths_of(checked.case)), MEASURED * np.abs(seen[1]).max()
        if known is None or np.abs(rest - other).max() > slack or np.abs(given - known[1] * right).max() > slack:
            continue
        return because("wrong_factor", "diagonal", "shared", input=shown(checked.name), factor=known[0])
    return None


def fails(checked: CheckedInput) -> bool:
    """Whether the gradient of an input is wrong beyond doubt, for an upstream gradient or at an element."""
    is_odd = is_more_than_zero(checked.case.exam.none[checked.place]) or nonlinear(checked) is not None
    return bool(is_odd or checked.undefined.any() or checked.wrong.any())


def diagnose(checked: CheckedInput) -> Finding:
    """The finding about a failing input."""
    causes = (
        left,
        ignored,
        nonlinear,
        swapped,
        _missing,
        _tied,
        factor,
        _nan,
        _stale,
        wrong_order,
        rearranged,
        one_place_of_several,
        untransposed_jacobian,
        _local,
        forgotten_in_row,
        forgotten_way,
        shared_factor,
        factor_of_diagonal,
        partial_sums,
        factor_of_results,
    )
    found = next((explanation for cause in causes if (explanation := cause(checked)) is not None), None)
    unexplained = Explanation("wrong_function", cause="scalar" if checked.value.size == 1 else "")
    return _with_rule(checked, _finding(checked, found or unexplained))


_BY_RULE = frozenset({"wrong_function", "wrong_factor", "missing_term", "local_error"})
_OTHERWISE = frozenset({"nan", "nonlinear", "stale", "repeated", "tie"})


def _with_rule(checked: CheckedInput, finding: Finding) -> Finding:
    """The finding, with the formulas of backward and of the measured gradient, if both are known."""
    if finding.kind not in _BY_RULE or finding.evidence.get("cause") in _OTHERWISE:
        return finding
    return replace(finding, evidence={**finding.evidence, **rule_of(checked, finding.kind)})


# ---------------------------------------------------------------------- the causes, in this order
def _missing(checked: CheckedInput) -> Explanation | None:
    if any(c.elements.analytic.any() for c in checked.points):
        return None
    return Explanation("missing_dependency", {"given": "0" if checked.here.given else "None"})


def _tied(checked: CheckedInput) -> Explanation | None:
    """Right for each of some equal elements alone, and wrong for all together."""
    ties = [tie for tie in checked.case.tables[0].ties if checked.place in dict(tie.members)]
    mine = [k for tie in ties for i, k in tie.members if i == checked.place]
    if not ties or checked.wrong.sum() > len(mine):
        return None
    tie, names, shapes = ties[0], checked.case.subject.names, [a.shape for a in checked.case.subject.arrays]
    members = listed([f"{shown(names[i])}{list(index_of(k, shapes[i])) or ''}" for i, k in tie.members], most=4)
    numbers = {"given": tie.given, "measured": tie.measured}
    evidence = {**numbers, "others": [names[i] for i in dict(tie.members)]}
    return Explanation("wrong_function", {"members": members, **told_apart(**numbers)}, evidence, "tie", mine[0])


def _nan(checked: CheckedInput) -> Explanation | None:
    nowhere = np.flatnonzero(checked.undefined)
    return Explanation("wrong_function", cause="nan", element=int(nowhere[0])) if nowhere.size else None


def _stale(checked: CheckedInput) -> Explanation | None:
    """Right at the given point; nearby, every measured element still has the gradient of that point."""
    if len(checked.points) < 2:
        return None
    (here, nearby), known = checked.points, checked.points[1].measured
    same = np.array_equal(here.elements.analytic[known], nearby.elements.analytic[known])
    moved = nearby.elements.wrong[known]
    if not same or here.elements.wrong.any() or moved.sum() < max(2, known.sum() / 2):
        return None
    return Explanation("wrong_function", cause="stale")


def _local(checked: CheckedInput) -> Explanation | None:
    """Wrong at a minority of the elements, or at those of one sign; right at others whose gradient is not
    negligible."""
    wrong = checked.wrong
    right = ~wrong
    for c in checked.points:
        clear = ~c.elements.unsure & (np.abs(c.elements.numeric) > SIGNAL * c.elements.tolerance)
        right &= np.where(c.measured, clear, c is not checked.here)  # nearby, only some elements were measured
    smooth, unsure = checked.here.elements.kind != KINK, checked.here.elements.unsure.astype(bool)
    if not (wrong & smooth).any():
        smooth |= True  # only kinks are wrong
    region = region_of(checked, wrong & smooth, (wrong | right) & smooth | unsure) if right.any() else ""
    if not region and right.sum() < (1 if is_left_out(checked, wrong & smooth) else max(wrong.sum(), 1)):
        return None
    return Explanation("local_error", {"region": region})


# ---------------------------------------------------------------------- the sentence
def _finding(checked: CheckedInput, why: Explanation) -> Finding:
    """A finding with the numbers of one element: at the point, or nearby if all is right there."""
    c, survey = checked.wrong_point
    e, x = c.elements, survey.arrays[checked.place]
    element = e.worst(e.wrong) if why.element is None else why.element
    index = checked.index(element)
    numbers = e.numbers(element, "analytic", "numeric")
    count, total = int(e.wrong.sum()), int(c.measured.sum())
    every = "both" if total == 2 else "all"
    which = f"places.{every if count == total else 'some'}{'' if c.measured.all() else '.measured'}"
    places = say(which, count=count, total=total)
    others = say("local_error.others.unsure" if (e.unsure & c.measured).any() else "local_error.others")
    facts = {"function": checked.case.function, "where": where(index), "others": others, "places": places}
    evidence = {**numbers, "index": list(index), "count": count, "total": total}
    evidence |= {**({"cause": why.cause} if why.cause else {}), **why.evidence}
    key = f"{why.kind}.{why.cause}" if why.cause else why.kind
    found = Finding.said(key, checked.name, evidence, **{**facts, **told_apart(**numbers), **why.words})
    place = f"{shown(checked.name)}{list(index) or ''} = {number(float(x.flat[element]))}"
    nearby = "" if c is checked.here else say("nearby", point=place)
    return replace(found, message=found.message + nearby + why.after)
