"""check_gradients(): is the gradient of a function right or wrong, or can the check not tell?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from time import perf_counter
from typing import Any

import numpy as np

from ...engine import check_rng, folded, hidden
from ...links.functional import with_learned
from ...shared.binding import Bound, bind
from ...shared.collector import PatientCollector
from ...shared.foreign import bridge
from ...shared.options import settle
from ..judging.contracts import Examination, examine
from ..judging.outside import not_checked
from ..judging.second_way import lower_orders
from ..measuring.executors import check_executor
from ..measuring.subject import Subject, lifted
from ..measuring.sweep import FEW_STEPS, StepSweep, sweep_of
from ..reporting.report import CheckedFunction, GradientReport, InputReport, kept
from ..reporting.reveal import LEVELS, check_level, revealed, written_backward
from .higher import gradient_of
from .judge import judge
from .written import as_written

DEFAULTS: dict[str, Any] = {"rng": None, "order": 1, "executor": None, "reveal": 4}


def check_gradients(
    fn: Callable[..., Any],
    /,
    *args: Any,
    options: Mapping[str, Any] | None = None,
    rng: np.random.Generator | None = None,
    order: int = 1,
    executor: Executor | None = None,
    reveal: int = 4,
    **inputs: Any,
) -> GradientReport:
    """Compare the gradients that ``fn`` computes with numeric gradients, and say what is wrong with them.

    Parameters
    ----------
    fn : callable
        Takes Variables and returns a Variable or a tuple of them. If it is a link or a method of one, or if links are
        among the arguments, their parameters are checked like inputs. Gradients written by hand are compared in two
        forms: ``check_gradients(forward, backward, x, ...)`` of ``forward(x, ...) -> (out, cache)`` and
        ``backward(dout, cache)``; and a function that returns its loss and its gradient, ``return loss, dx``.
    *args, **inputs
        The arguments of ``fn``, bound to its signature as by `autolab.record`. All are copied: the caller's arrays,
        Variables and gradients do not change. Good inputs are random, with axes of different lengths, and away from
        kinks.
    options : dict, optional
        ``rng``, ``order``, ``executor`` or ``reveal``, for a function that has an input of that name.
    rng : numpy.random.Generator, optional
        Draws the upstream gradients. The default is a generator with a fixed seed, so that the check is repeatable and
        does not affect the random numbers of the program.
    order : int
        2 checks the derivatives of the gradients for a random upstream gradient, assuming that the gradients themselves
        (without ``create_graph``) are right; 3 checks the derivatives of second derivatives, and so on.
    executor : concurrent.futures.Executor, optional
        Runs the numeric differences in parts: in threads, processes, or on a cluster (for Dask,
        ``client.get_executor()``). For processes, ``fn`` must be picklable. By default they run in this thread.
    reveal : int, 0 to 4
        How much the report says, for exercises. 0: whether a gradient is wrong; 1: also for which inputs; 2: also at
        which elements, with both numbers; 3: also what is wrong; 4: also where to look.

    Returns
    -------
    GradientReport
        ``report.verdict`` is "right", "wrong" or "cannot tell"; ``report.passed`` is True only for "right";
        ``report.findings`` say why. It displays itself in a notebook.

    Raises
    ------
    TypeError
        If the arguments do not fit the signature, none of them can have a gradient, or the results are not numeric.

    Notes
    -----
    Exceptions that ``fn`` raises at the given inputs propagate, except that a backward with the wrong number or shape
    of gradients is a finding. An input with more than 256 elements is checked along random directions and at a sample
    of its elements. Each element of a smaller input takes about twenty evaluations, so check a model with a few rows.
    If the result is a single number, the upstream gradient is 1; otherwise it is random. Other upstream gradients are
    tried as well, and the gradients are compared with those in the dtype of the inputs and, if backward can be
    differentiated, with those under ``create_graph``.

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
        fn, args, inputs = as_written(fn, args, inputs)
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
    rng = rng or np.random.default_rng(0)
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
    with np.errstate(all="ignore"), PatientCollector():  # every graph is dropped whole, and long ones look like leaks
        subject = lifted(native)
        exam = examine(subject, rng)  # whose first runs show whether the function can be run again
        unchecked = not_checked(base, native.steps())  # exceptions here propagate to the caller
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
    """The order, if it is valid."""
    if isinstance(order, bool) or not isinstance(order, int) or order < 1:
        raise ValueError(f"check_gradients: order is {order!r:.40}; expected 1, 2, ...")
    return order


def _sweep(subject: Subject, inputs: Sequence[InputReport], exam: Examination) -> StepSweep | None:
    """How the error depends on the step at the worst element of the first wrong input."""
    for i, item in enumerate(inputs):
        if item.verdict == "wrong" and item.worst is not None and not item.is_wrong_elsewhere:
            return sweep_of(subject, i, item.worst, exam.upstreams[0], np.random.default_rng(0), FEW_STEPS)[0]
    return None


def check_grads(f: Callable[..., Any], args: Any = None, order: int = 1, modes: Sequence[str] = ("fwd", "rev")) -> Any:
    """Check the derivatives of a function and raise if one is wrong; `check_gradients` returns a report instead.

    Parameters
    ----------
    f : callable
    args : tuple, optional
        The arguments of ``f``; a single argument need not be in a tuple. Without ``args``, the result is a function
        that checks at its arguments, as in autograd: ``check_grads(f, modes=["rev"])(x)``.
    order : int
        The highest order to check.
    modes : sequence of str
        Accepted for compatibility: both modes use the rules of one backward, which is always checked.

    Raises
    ------
    GradientCheckError
        An AssertionError that says which derivative is wrong, and how.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.gradcheck import check_grads
    >>> check_grads(np.tanh, (0.5,), order=2, modes=["rev"])
    """
    if args is None:
        return lambda *given: check_grads(f, given, order, modes)
    check_gradients(f, *(args if isinstance(args, tuple | list) else (args,)), order=order).raise_for_failure()
