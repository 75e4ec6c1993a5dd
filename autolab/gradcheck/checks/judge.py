"""The judgement: from what a function computes to a verdict on each gradient, with reasons.

First come the contracts, without which numbers mean nothing; then the comparison of numbers; then the mistakes, and
what excuses the function.

A function whose results are the gradients of another one; checking it checks second derivatives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...engine import Array, Variable, grad, to_cpu, using_config
from ...shared.binding import Bound
from ..judging.case import Case, CheckedInput, Table
from ..judging.compare import compare, compare_nearby
from ..judging.contracts import Breach, Examination, drawn_at_random, examine
from ..judging.finding import Finding
from ..judging.limitations import is_half, limitations, lowered, precision, triangle_excuse
from ..judging.second_way import beside_dtype, beside_graph
from ..measuring.point import attempted
from ..measuring.subject import Subject, beside, draw_upstreams, flat, lifted, results
from ..messages import Verdict, number, shown
from ..naming.classify import diagnose, fails
from ..report import InputReport


@dataclass(frozen=True)
class FirstOrder:
    """Takes the inputs of ``bound`` and then upstream gradients, and returns the gradients of the inputs ``wrt`` and of
    ``params``.

    Attributes
    ----------
    caller : str
        The name of the tool, for errors.
    constants : tuple of arrays
        The upstream gradients, if they are not arguments.
    """

    caller: str
    bound: Bound
    wrt: tuple[str, ...]
    params: tuple[Variable, ...] = ()
    constants: tuple[np.ndarray, ...] = ()

    def __call__(self, *args: Variable) -> tuple[Variable, ...]:
        names = list(self.bound.variables)
        inputs = dict(zip(names, args, strict=False))
        upstream = self.constants or args[len(names) :]
        with using_config("enable_backprop", True):
            ys = results(self.caller, self.bound.name, self.bound.call(inputs))
            xs = [*[inputs[name] for name in self.wrt], *self.params]
            found = grad(ys, xs, beside(ys, upstream) if self.constants else upstream, create_graph=True)
        pairs = zip(found, xs, strict=True)
        return tuple([Variable(np.zeros_like(x.array), requires_grad=False) if g is None else g for g, x in pairs])


def gradient_of(caller: str, bound: Bound, rng: np.random.Generator) -> Bound:
    """A bound function whose results are the gradients of ``bound`` for a random upstream gradient."""
    checked = tuple([name for name, x in bound.variables.items() if x.requires_grad])
    drawn = draw_upstreams(results(caller, bound.name, bound.call()), rng)
    numbers = flat(drawn)
    which = f"the upstream gradient {number(float(numbers[0]))}" if numbers.size == 1 else "a random upstream gradient"
    name = f"{_name(bound)} with {which}"
    return Bound.of_variables(FirstOrder(caller, bound, checked, (), drawn), name, bound.variables)


def second_order(first: Subject, upstream: Sequence[Any]) -> Subject:
    """A subject that computes the gradients of ``first``, with its upstream gradients as additional inputs."""
    names = [f"upstream_{k}" if len(upstream) > 1 else "upstream" for k in range(len(upstream))]
    starts = {name: Variable(g) for name, g in zip(names, arrays_of(upstream), strict=True)}
    gradient = FirstOrder(first.caller, first.bound, first.inputs, first.params)
    bound = Bound.of_variables(gradient, _name(first.bound), {**first.bound.variables, **starts})
    inputs = (*first.inputs, *[name for name, start in starts.items() if start.requires_grad])
    return Subject(bound, caller=first.caller, params=first.params, inputs=inputs)


def _name(bound: Bound) -> str:
    return f"gradient of {shown(bound.name)}"


def as_tuple(value: Any) -> tuple[Any, ...]:
    """A tuple or list as a tuple, anything else as a tuple of one."""
    return tuple(value) if isinstance(value, tuple | list) else (value,)


def arrays_of(values: Sequence[Any]) -> tuple[Any, ...]:
    """The arrays of Variables; anything else is returned unchanged."""
    return tuple([value.array if isinstance(value, Variable) else value for value in values])


Judgement = tuple[Verdict, tuple[InputReport, ...], tuple[Finding, ...]]


def judge(
    native: Subject, subject: Subject, exam: Examination, rng: np.random.Generator, known: Sequence[Finding] = ()
) -> Judgement:
    """The overall verdict, that on each input, and the reasons; ``subject`` is ``native`` in the precision of the
    check.

    ``known`` are mistakes found before.
    """
    if exam.breach is not None:
        return _stopped(native, exam, exam.breach)
    case = Case(subject, exam, _tables(subject, exam, rng))
    failing = [checked for checked in case.inputs if fails(checked) and not triangle_excuse(checked)]
    if failing and (breach := drawn_at_random(subject, subject.run().values())):
        return _stopped(native, exam, breach)
    coarse = lowered(case)
    mistakes = _mistakes(native, case, failing, coarse, known)
    accused = {finding.input for finding in mistakes}
    innocent = [finding for checked in case.inputs for finding in limitations(checked, checked in failing)]
    innocent += [*coarse, *precision(native, subject, exam)]
    innocent = [f for f in innocent if f.innocent and (f.kind == "kink" or f.input is None or f.input not in accused)]
    unsure = {finding.input for finding in innocent if finding.kind == "cannot_verify" or is_half(finding)}
    inputs, point = [], case.survey.gauge.point
    has_result = point.is_finite or point.values.size  # where none is finite, every upstream gradient is 0
    is_measured = has_result and any([checked.here.measured.any() for checked in case.inputs])
    for checked, array in zip(case.inputs, native.arrays, strict=True):
        is_wrong = checked in failing or checked.name in accused
        is_right = is_measured and checked.name not in unsure
        verdict: Verdict = "wrong" if is_wrong else "right" if is_right else "cannot tell"
        inputs.append(_input_report(checked, str(array.dtype), verdict))
    if not (is_measured or unsure):
        innocent.append(Finding.said("cannot_verify.empty"))
    overall = min([item.verdict for item in inputs], key=("wrong", "cannot tell", "right").index)
    return overall, tuple(inputs), (*mistakes, *innocent)


def _tables(subject: Subject, exam: Examination, rng: np.random.Generator) -> tuple[Table, ...]:
    """The comparison at the given point, and nearby, where a mistake may show that the point hides."""
    here = compare(subject, subject.arrays, exam.upstreams[0], rng)
    nearby = attempted(compare_nearby, subject, subject.nearby(rng), exam.upstreams[0], rng, here)
    return (here,) if nearby is None else (here, nearby)


def _mistakes(
    native: Subject, case: Case, failing: Sequence[CheckedInput], coarse: Sequence[Finding], known: Sequence[Finding]
) -> list[Finding]:
    """The mistakes, at most one per input: wrong numbers first, then a second way to the same gradient."""
    found = [finding for finding in coarse if not finding.innocent]
    for checked in failing:
        if checked.name not in _told(found):
            found.append(diagnose(checked))
    for finding in (*known, *beside_graph(case.subject, case.exam), *beside_dtype(native, case.subject, case.exam)):
        if finding.input not in _told(found):
            found.append(finding)
    return found


def _told(findings: Sequence[Finding]) -> set[str | None]:
    """The inputs that findings are about, without duplicates; both inputs of a swapped pair count."""
    return {name for f in findings for name in (f.input, f.evidence.get("other"), *f.evidence.get("others", ()))}


def _input_report(checked: CheckedInput, dtype: str, verdict: Verdict) -> InputReport:
    c, e, shape = checked.here, checked.here.elements, checked.shape
    worst = checked.index(e.worst(e.wrong if e.wrong.any() else c.measured)) if c.measured.any() else None
    allowed = e.tolerance if verdict == "wrong" else np.fmax(e.tolerance, e.deviation)  # excused deviations are allowed
    analytic, numeric, error, tolerance = [a.reshape(shape) for a in (e.analytic, e.numeric, e.deviation, allowed)]
    count, halves = int(c.measured.sum()), tuple([(part.start, part.stop) for part in c.probes.halves])
    numbers = analytic if c.given else None, numeric, error, tolerance
    return InputReport(checked.name, shape, dtype, verdict, *numbers, worst, count, halves)


def _stopped(subject: Subject, exam: Examination, breach: Breach) -> Judgement:
    """The verdict if a comparison would mean nothing; an input whose gradient has the wrong shape is wrong."""
    misshapen = breach.finding.input if breach.finding.kind in ("wrong_shape", "unreduced_broadcast") else None
    gradients = exam.gradients or [None] * len(subject.names)
    reports = []
    for name, array, g in zip(subject.names, subject.arrays, gradients, strict=True):
        nothing = np.full(array.shape, np.nan)
        verdict: Verdict = "wrong" if name == misshapen else "cannot tell"
        reports.append(InputReport(name, array.shape, str(array.dtype), verdict, g, nothing, nothing, nothing, None, 0))
    return breach.verdict, tuple(reports), (breach.finding,)


def is_wrong(given: Subject, upstreams: Sequence[Sequence[Array]]) -> bool:
    """A second opinion on gradients that differences with one given step call wrong: whether they are wrong beyond
    doubt.

    A step chosen by the caller may be too coarse for a curved function, too fine for its rounding errors, or reach
    across a kink. It is a failure only if the differences of `check_gradients`, which know their own errors, agree.

    Parameters
    ----------
    given : Subject
    upstreams : sequence of sequences of arrays
        Upstream gradients, one per result, for which the gradients seemed wrong; random ones are tried as well.
    """
    rng = np.random.default_rng(0)
    native = Subject(given.bound, caller=given.caller, params=given.params)
    checked = [i for i, name in enumerate(native.names) if name in given.inputs]
    checked += range(len(native.names) - len(given.params), len(native.names))
    with np.errstate(all="ignore"):
        subject = lifted(native)
        for upstream in upstreams:
            inputs = compare(subject, subject.arrays, [to_cpu(g) for g in upstream], rng).inputs
            if any(inputs[i].elements.wrong.any() or inputs[i].untraced for i in checked):
                return True
        _, reports, _ = judge(native, subject, examine(subject, rng), rng)
    return any(reports[i].verdict == "wrong" for i in checked)
