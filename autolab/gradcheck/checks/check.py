"""check_gradients(): is the gradient of a function right, wrong, or can it not be told?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from time import perf_counter
from typing import Any

import numpy as np

from ...engine.backend import Array
from ...engine.configuration import check_rng
from ...engine.devices import to_cpu
from ...engine.tracebacks import folded, hidden
from ...links.functional import with_learned
from ...shared.binding import Bound, bind
from ...shared.foreign import bridge
from ...shared.options import settle
from ..judging.case import Case, Table, fails
from ..judging.compare import compare, compare_nearby
from ..judging.contracts import Breach, Examination, drawn_at_random, examine
from ..judging.finding import Finding
from ..judging.limitations import limitations, precision
from ..judging.lower_precision import is_half, lowered
from ..judging.outside import not_checked
from ..judging.second_way import beside_dtype, beside_graph, lower_orders
from ..measuring.executors import check_executor
from ..measuring.point import attempted
from ..measuring.subject import Subject, lifted
from ..measuring.sweep import FEW_STEPS, StepSweep, sweep_of
from ..messages import Verdict, shown
from ..naming.classify import diagnose
from ..reporting.report import CheckedFunction, GradientReport, InputReport, kept
from ..reporting.reveal import LEVELS, check_level, revealed, written_backward
from .higher import gradient_of

_SEED = 0
DEFAULTS: dict[str, Any] = {"rng": None, "order": 1, "executor": None, "reveal": 4}


def check_gradients(
    fn: Callable[..., Any],
    *args: Any,
    options: Mapping[str, Any] | None = None,
    rng: np.random.Generator | None = None,
    order: int = 1,
    executor: Executor | None = None,
    reveal: int = 4,
    **inputs: Any,
) -> GradientReport:
    """Compare the gradients that ``fn`` computes with numeric ones, and say what is wrong with them.

    Parameters
    ----------
    fn : callable
        Takes Variables, returns a Variable or a tuple of them. The parameters of a link, of a link whose method it is,
        and of links among the arguments are checked as inputs are.
    *args, **inputs
        Its arguments, bound by its signature as `autolab.record` does it. All are copied: neither arrays nor
        Variables nor gradients of the caller change. Good inputs are random, of unequal lengths, and away from kinks.
    options : dict, optional
        ``rng``, ``order``, ``executor`` or ``reveal``, for a function that has an input of this name.
    rng : numpy.random.Generator, optional
        Draws the upstream gradients. By default a generator with a fixed seed, so that a check can be repeated and
        does not move the random numbers of the program.
    order : int
        2 checks the derivatives of the gradients, which are taken as right without ``create_graph``, for a random
        upstream gradient; 3 those of second derivatives, and so on.
    executor : concurrent.futures.Executor, optional
        Where the differences are measured, in parts: threads, processes, or a cluster (for Dask
        ``client.get_executor()``). For processes ``fn`` must be picklable. By default they are measured here.
    reveal : 0 to 4
        How much the report says, for exercises. 0: whether a gradient is wrong; 1: and of which inputs; 2: and at
        which elements, with both numbers; 3: and what is wrong; 4: and where to look.

    Returns
    -------
    GradientReport
        ``report.verdict`` is "right", "wrong" or "cannot tell", ``report.passed`` is True only for "right", and
        ``report.findings`` say why. It displays itself in a notebook.

    Raises
    ------
    TypeError
        If the arguments do not fit the signature, none of them can have a gradient, or the results are no numbers.

    Notes
    -----
    What ``fn`` raises at the given inputs is passed on as it is, except a backward with the wrong number or shape of
    gradients: that is a finding. An input with more than 256 elements is checked along random directions and at a
    sample of its elements; each element of another takes some twenty evaluations, so check a model with a few rows.
    Beside a random upstream gradient others are tried, ones among them, and the gradients are compared with those in
    the dtype of the inputs and, if backward can be differentiated, with those under ``create_graph``.

    Examples
    --------
    >>> import autolab
    >>> report = autolab.check_gradients(lambda x, y: x * y + x, x=2.0, y=[1.0, -3.0])
    >>> report.verdict
    'right'
    >>> report["y"].analytic.shape
    (2,)
    """
    given = {"rng": rng, "order": order, "executor": executor, "reveal": reveal}
    __tracebackhide__ = hidden()
    with folded():
        if (elsewhere := bridge(fn, args, inputs)) is not None:
            return elsewhere.check_gradients(fn, *args, options=options, **given, **inputs)
        chosen = settle("check_gradients", DEFAULTS, given, options, inputs)
        return check_bound(with_learned(bind("check_gradients", fn, args, inputs)), **chosen)


def check_bound(
    bound: Bound,
    rng: np.random.Generator | None = None,
    order: int = 1,
    executor: Executor | None = None,
    reveal: int = 4,
) -> GradientReport:
    """`check_gradients` for bound inputs.

    Examples
    --------
    >>> from autolab.shared.binding import bind
    >>> from autolab.gradcheck import check_bound
    >>> check_bound(bind("check_gradients", lambda x: x * x, (3.0,), {})).verdict
    'right'
    """
    check_executor("check_gradients", executor)
    check_level("check_gradients", reveal)
    check_rng("check_gradients", rng)
    started = perf_counter()
    rng = rng or np.random.default_rng(_SEED)
    checked = base = kept(bound)
    below = []
    for _ in range(checked_order(order) - 1):
        below.append(Subject(checked))
        checked = gradient_of("check_gradients", checked, rng)
    native = Subject(checked, executor=executor)
    if not native.names:
        raise TypeError(
            f"check_gradients: {checked.name} got no floating-point input that requires a gradient; expected a "
            "number, a list, an array or a Variable of floats. A Variable without a gradient goes in as x.data"
        )
    with np.errstate(all="ignore"):
        unchecked = not_checked(base, native.steps())  # what it raises here is the caller's
        subject = lifted(native)
        exam = examine(subject, rng)
        below = [lifted(level) for level in below]
        verdict, inputs, findings = judge(native, subject, exam, rng, lower_orders(below))
        backward = written_backward(native) if verdict == "wrong" and reveal == LEVELS[-1] else ""
        sweep = _sweep(subject, inputs, exam)
    evaluations = sum([s.evaluations for s in {native, subject, *below}])
    origin = CheckedFunction(base, checked, order, reveal)
    findings = (*findings, *unchecked)
    report = GradientReport(
        checked.name, verdict, inputs, findings, exam.upstreams[0], evaluations, perf_counter() - started, sweep, origin
    )
    return revealed(report, reveal, backward)


def checked_order(order: Any) -> int:
    """The order, if it is one."""
    if isinstance(order, bool) or not isinstance(order, int) or order < 1:
        raise ValueError(f"check_gradients: order is {order!r:.40}; expected 1, 2, ...")
    return order


def _sweep(subject: Subject, inputs: Sequence[InputReport], exam: Examination) -> StepSweep | None:
    """How the error depends on the step at the worst element of the first input that is wrong."""
    for i, item in enumerate(inputs):
        if item.verdict == "wrong" and item.worst is not None and not item.is_wrong_elsewhere:
            return sweep_of(subject, i, item.worst, exam.upstreams[0], np.random.default_rng(_SEED), FEW_STEPS)[0]
    return None


Judgement = tuple[Verdict, tuple[InputReport, ...], tuple[Finding, ...]]


def judge(
    native: Subject, subject: Subject, exam: Examination, rng: np.random.Generator, known: Sequence[Finding] = ()
) -> Judgement:
    """The verdict about all, about each input, and why; ``subject`` is ``native`` in the precision of the check.

    ``known`` are mistakes that were found before.
    """
    if exam.breach is not None:
        return _stopped(native, exam, exam.breach)
    shapes = tuple([a.shape for a in subject.arrays])
    case = Case(shown(subject.bound.name), subject.names, shapes, exam, _tables(subject, exam, rng), subject)
    everyone = range(len(shapes))
    failing = [fails(case, i) for i in everyone]
    if any(failing) and (breach := drawn_at_random(subject, subject.run().values())):
        return _stopped(native, exam, breach)
    coarse = lowered(case)
    diagnoses = [finding for finding in coarse if not finding.innocent]
    for i in everyone:
        if failing[i] and case.names[i] not in _told(diagnoses):
            diagnoses.append(diagnose(case, i))
    for finding in (*known, *beside_graph(subject, exam), *beside_dtype(native, subject, exam)):
        if finding.input not in _told(diagnoses):
            diagnoses.append(finding)
    accused = {finding.input for finding in diagnoses}
    innocent = [finding for i in everyone for finding in limitations(case, i, failing[i])]
    innocent += [*coarse, *precision(native, subject, exam)]
    innocent = [f for f in innocent if f.innocent and (f.kind == "kink" or f.input is None or f.input not in accused)]
    failing = [is_failing or name in accused for is_failing, name in zip(failing, case.names, strict=True)]
    unsure = {finding.input for finding in innocent if finding.kind == "cannot_verify" or is_half(finding)}
    inputs = []
    for i, name in enumerate(case.names):
        verdict: Verdict = "wrong" if failing[i] else "cannot tell" if name in unsure else "right"
        inputs.append(_input_report(case, i, str(native.arrays[i].dtype), verdict))
    if not any(item.measured for item in inputs):
        innocent.append(Finding.said("cannot_verify.empty"))
    return _overall(inputs), tuple(inputs), (*diagnoses, *innocent)


def _tables(subject: Subject, exam: Examination, rng: np.random.Generator) -> tuple[Table, ...]:
    """The comparison at the given point; and nearby, where a mistake may show that the point hides."""
    here = compare(subject, subject.arrays, exam.upstreams[0], rng)
    nearby = attempted(compare_nearby, subject, subject.nearby(rng), exam.upstreams[0], rng, here)
    return (here,) if nearby is None else (here, nearby)


def _told(findings: Sequence[Finding]) -> set[str | None]:
    """The inputs about which something is said: once, also of both halves of a swapped pair."""
    return {name for f in findings for name in (f.input, f.evidence.get("other"), *f.evidence.get("others", ()))}


def _overall(inputs: list[InputReport]) -> Verdict:
    verdicts = [item.verdict for item in inputs]
    if "wrong" in verdicts:
        return "wrong"
    return "right" if any(item.measured for item in inputs) and set(verdicts) == {"right"} else "cannot tell"


def _input_report(case: Case, i: int, dtype: str, verdict: Verdict) -> InputReport:
    c = case.tables[0].inputs[i]
    e, shape = c.elements, case.shapes[i]
    worst = case.index(i, e.worst(e.wrong if e.wrong.any() else c.measured)) if c.measured.any() else None
    allowed = e.tolerance if verdict == "wrong" else np.fmax(e.tolerance, e.deviation)  # what is excused is allowed
    return InputReport(
        case.names[i],
        shape,
        dtype,
        verdict,
        e.analytic.reshape(shape) if c.given else None,
        e.numeric.reshape(shape),
        e.deviation.reshape(shape),
        allowed.reshape(shape),
        worst,
        int(c.measured.sum()),
        tuple([(part.start, part.stop) for part in c.probes.halves]),
    )


def _stopped(subject: Subject, exam: Examination, breach: Breach) -> Judgement:
    """What is said where a comparison would mean nothing; an input whose gradient has the wrong shape is wrong."""
    misshapen = breach.finding.input if breach.finding.kind in ("wrong_shape", "unreduced_broadcast") else None
    gradients = exam.gradients or [None] * len(subject.names)
    reports = []
    for name, array, g in zip(subject.names, subject.arrays, gradients, strict=True):
        nothing = np.full(array.shape, np.nan)
        verdict: Verdict = "wrong" if name == misshapen else "cannot tell"
        reports.append(InputReport(name, array.shape, str(array.dtype), verdict, g, nothing, nothing, nothing, None, 0))
    return breach.verdict, tuple(reports), (breach.finding,)


def is_wrong(given: Subject, upstreams: Sequence[Sequence[Array]]) -> bool:
    """A second opinion on what differences of one given step call wrong: whether gradients are wrong beyond doubt.

    A step that the caller has chosen may be too coarse for a curved function, too fine for its rounding, or reach over
    a kink. Only what the differences of `check_gradients`, which know their own errors, call wrong too is a failure.

    Parameters
    ----------
    given : Subject
    upstreams : sequence of sequences of arrays
        Upstream gradients, one per result, for which they seemed wrong; random ones are tried as well.
    """
    rng = np.random.default_rng(_SEED)
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
