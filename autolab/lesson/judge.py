"""Judging an answer: with newly drawn inputs at two points, a random upstream gradient, and hints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import singledispatch, wraps
from typing import Any

import numpy as np

from ..authoring.function_node import FunctionNode
from ..engine import Variable, a_kind, as_variable, grad
from ..gradcheck import GradientReport, InputReport, check_bound
from ..shared.binding import bind
from ..shared.numerals import signed
from .exercise import Arrays, Exercise, OwnGradient, Prediction, Values, Witness
from .judgement import NOT_YET, RIGHT, Hint, Judgement, Known, NotWritten, apart, compared, errors, has_gap, is_empty
from .messages import say

_POINTS = 2
_FORWARD = 1e-9  # tolerance for the results of a forward
_SAME = 1e-9  # relative tolerance for the gradients of an input
_CLOSE = 1e-3  # tolerance for a predicted number: three digits are enough


@singledispatch
def judge(exercise: Exercise, answer: Any, rng: np.random.Generator) -> Judgement:
    """The judgement of an answer to ``exercise``."""
    raise TypeError(f"lesson.check: cannot judge {a_kind(exercise)}")


@judge.register
def _prediction(exercise: Prediction, answer: Any, rng: np.random.Generator) -> Judgement:
    if exercise.choices:
        return _choice(exercise, answer)
    try:
        given = float(answer.data if isinstance(answer, Variable) else answer)
    except (TypeError, ValueError):
        given = np.nan
    if not np.isfinite(given):
        return Judgement("wrong", "no_number", (Hint(say("no_number", answer=f"{answer!r:.40}")),))
    truth = float(exercise.truth())
    if _near(given, truth):
        return RIGHT
    kind = next((kind for kind, wrong in exercise.mistakes.items() if _near(given, float(wrong()))), "different")
    return Judgement("wrong", kind, (*_own_hint(exercise, kind), Hint(_direction(given, truth))))


def _near(a: float, b: float) -> bool:
    return abs(a - b) <= _CLOSE * max(1.0, abs(b))


def _direction(given: float, truth: float) -> str:
    key = "number.sign" if given * truth < 0 else "number.small" if given < truth else "number.large"
    return say(key, answer=signed(f"{given:g}"))


def _choice(exercise: Prediction, answer: Any) -> Judgement:
    word = str(answer).strip().lower()
    if word not in exercise.choices:
        told = say("no_choice", answer=f"{answer!r:.40}", choices=", ".join(map(repr, exercise.choices)))
        return Judgement("wrong", "no_choice", (Hint(told),))
    if word == exercise.truth():
        return RIGHT
    return Judgement("wrong", word, _own_hint(exercise, word))


def _own_hint(exercise: Exercise, kind: str) -> tuple[Hint, ...]:
    """The exercise's sentence for this mistake; if it has none, the one for all mistakes."""
    return tuple([Hint(exercise.says[key]) for key in (kind, "hint") if key in exercise.says][:1])


@judge.register
def _values(exercise: Values, answer: Any, rng: np.random.Generator) -> Judgement:
    if not callable(answer):
        return Judgement("wrong", "no_function", (Hint(say("no_function", answer=f"{answer!r:.40}")),))
    wrong: list[tuple[Arrays, np.ndarray]] = []
    told: tuple[Hint, ...] = ()
    for _ in range(exercise.points):
        inputs = exercise.inputs(rng)
        try:
            ours = _measured(exercise, answer, inputs)
        except Exception:
            if not wrong:
                raise
            break  # it is known to be wrong already
        theirs = np.asarray(exercise.reference(**inputs), np.float64)
        what = exercise.what and say(exercise.what)
        if hints := compared(what, ours, theirs, exercise.tolerance, _where(inputs)):
            wrong.append((inputs, ours))
            told = told or (hints if what else ())
    if not wrong:
        return RIGHT
    kind = _known_mistake(exercise, wrong)
    return Judgement("wrong", kind, (*told, *_own_hint(exercise, kind)))


def _measured(exercise: Values, answer: Any, inputs: Arrays) -> np.ndarray:
    result = exercise.measure(answer, {key: x.copy() for key, x in inputs.items()})
    if is_empty(result):
        raise NotWritten(answer)
    return _as_array(result)


def _where(inputs: Arrays) -> str:
    """Inputs that are numbers, in words; empty for arrays, which do not fit into a sentence."""
    if any([np.ndim(x) for x in inputs.values()]):
        return ""
    return say("point", point=", ".join([f"{name} = {signed(f'{x:.4g}')}" for name, x in inputs.items()]))


def _as_array(result: Any) -> np.ndarray:
    array = result.data if isinstance(result, Variable) else result
    try:
        return np.asarray(array).astype(np.float64, casting="same_kind")
    except (TypeError, ValueError) as error:
        kind = f"an array of {array.dtype}" if hasattr(array, "dtype") else a_kind(result)
        raise Known("no_array", Hint(say("no_array", kind=kind))) from error


def _known_mistake(exercise: Values, wrong: Sequence[tuple[Arrays, np.ndarray]]) -> str:
    """The known mistake that gives these results, or ``different``.

    A mistake may make all results tiny, so the relative difference is compared; and that of all points together, as at
    a single one the result may happen to be near 0.
    """
    for kind, mistake in exercise.mistakes.items():
        made = [np.asarray(mistake(**inputs), np.float64) for inputs, _ in wrong]
        if any(ours.shape != other.shape for (_, ours), other in zip(wrong, made, strict=True)):
            continue
        size = _norm(made)
        if _norm([ours - other for (_, ours), other in zip(wrong, made, strict=True)]) <= exercise.tolerance * size:
            return kind
    return "different"


def _norm(arrays: Sequence[np.ndarray]) -> float:
    """The largest magnitude; NaN if there is a NaN."""
    return float(np.max(np.abs(np.concatenate([a.ravel() for a in arrays])), initial=0.0))


@judge.register
def _own_gradient(exercise: OwnGradient, answer: Any, rng: np.random.Generator) -> Judgement:
    if not (isinstance(answer, type) and issubclass(answer, FunctionNode)):
        return Judgement("wrong", "no_class", (Hint(say("no_class", answer=f"{answer!r:.40}")),))
    for _ in range(_POINTS):
        inputs = exercise.inputs(rng)
        off: list[tuple[Hint, ...]] = []
        fn = _caller(answer, exercise, tuple(inputs), off)
        fn(**{key: Variable(x.copy()) for key, x in inputs.items()})
        report = None if off else check_bound(bind("lesson.check", fn, (), inputs), rng=rng)
        if off:
            return Judgement("wrong", "forward", (*off[0], *_own_hint(exercise, "forward")))
        if report is not None and not report.passed:
            return _wrong_gradient(exercise, report)
        second = exercise.order < 2 or check_bound(bind("lesson.check", fn, (), inputs), rng=rng, order=2).passed
        if off or not second:
            raise Known("forward" if off else "second_order")
    return RIGHT


def _caller(
    written: type[FunctionNode], exercise: OwnGradient, names: tuple[str, ...], off: list[tuple[Hint, ...]]
) -> Callable[..., Any]:
    """A function that applies the class and raises `NotWritten` where it is still empty.

    Every call of its forward is compared, including those that measure its gradient; differences are added to ``off``.
    So no class can be one function when it is compared and another when it is differentiated.
    """
    empty = {method: noticing(getattr(written, method)) for method in ("forward", "backward")}

    def forward(self: FunctionNode, inputs: tuple[Any, ...]) -> Any:
        theirs = as_variable(exercise.reference(**dict(zip(names, map(np.copy, inputs), strict=True)))).data
        ours = empty["forward"](self, inputs)
        found = ours[0] if isinstance(ours, tuple) and len(ours) == 1 else ours
        hints = compared(say("forward"), as_variable(found).data, theirs, _FORWARD)
        off.extend([hints] if hints and np.isfinite(theirs).all() else [])
        return ours

    watching = type(written.__name__, (written,), empty | {"forward": forward})

    def fn(**inputs: Any) -> Any:
        results = watching().apply(tuple(inputs.values()))
        return results[0] if len(results) == 1 else results

    fn.__name__ = written.__name__
    return fn


def noticing(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method of an answer that raises `NotWritten` if it returns nothing."""

    @wraps(method)
    def watched(*args: Any) -> Any:
        result = method(*args)
        if is_empty(result):
            raise NotWritten(method)
        return result

    return watched


def _wrong_gradient(exercise: OwnGradient, report: GradientReport) -> Judgement:
    """Hints about a wrong gradient: the input, its shape and errors, the symptom, where to look, and the exercise's own
    sentence."""
    finding = next(iter(report.findings), None)
    kind = "different" if finding is None else finding.kind
    item = _failing(report)
    hints = [] if item is None else _about(item)
    hints += [] if finding is None else [Hint(finding.message), Hint(finding.hint)]
    hints += _own_hint(exercise, kind)
    return Judgement("wrong", kind, tuple([hint for hint in hints if hint.text]))


def _failing(report: GradientReport) -> InputReport | None:
    return next((item for item in report.inputs if item.verdict == "wrong"), None)


def _about(item: InputReport) -> list[Hint]:
    what = say("gradient", name=item.name)
    hints = [Hint(say("differs.gradient", what=what, name=item.name))]
    if item.analytic is None:
        return hints
    hints.append(Hint(say("shape.right", what=what, given=item.analytic.shape)))
    return [*hints, errors(what, item.analytic - item.numeric)]


@judge.register
def _witness(exercise: Witness, answer: Any, rng: np.random.Generator) -> Judgement:
    parts = answer if exercise.count > 1 and isinstance(answer, tuple | list) else (answer,)
    inputs = [np.asarray(as_variable(x).data, np.float64) for x in parts]
    if not all([x.size and np.isfinite(x).all() for x in inputs]):
        return Judgement("wrong", "no_numbers", (Hint(say("witness.numbers")),))
    upstream = rng.normal(size=np.shape(exercise.reference(*map(Variable, inputs)).data))
    theirs, ours = (_gradients(fn, inputs, upstream) for fn in (exercise.reference, exercise.broken))
    if any([(apart(a, b, _SAME) & ~exercise.corner(x)).any() for a, b, x in zip(ours, theirs, inputs, strict=True)]):
        return RIGHT
    return Judgement("wrong", "agrees", (Hint(say("witness.agrees")), *_own_hint(exercise, "agrees")))


def _gradients(fn: Callable[..., Any], inputs: Sequence[np.ndarray], upstream: np.ndarray) -> list[np.ndarray]:
    variables = [Variable(x.copy()) for x in inputs]
    found = grad(fn(*variables), variables, upstream)
    return [np.zeros(x.shape) if g is None else g.data for x, g in zip(inputs, found, strict=True)]


def judged(exercise: Exercise, answer: Any, rng: np.random.Generator) -> Judgement:
    """`judge`; an empty answer counts as "not yet", and an exception that it raises is reported in a hint."""
    if is_empty(answer):
        return NOT_YET
    try:
        return judge(exercise, answer, rng)
    except NotWritten as empty:
        return NOT_YET if has_gap(empty.by) else _nothing(exercise)
    except NotImplementedError:
        return NOT_YET
    except Known as mistake:
        return Judgement("wrong", mistake.kind, (*mistake.hints, *_own_hint(exercise, mistake.kind)))
    except Exception as error:  # the learner's code may raise anything
        return Judgement("wrong", "stopped", _about_stopping(exercise, error))


def _nothing(exercise: Exercise) -> Judgement:
    """The judgement of an answer that has been written, but returns nothing."""
    return Judgement("wrong", "none", (Hint(say("none")), *_own_hint(exercise, "none")))


def _about_stopping(exercise: Exercise, error: Exception) -> tuple[Hint, ...]:
    """The exception, and a general hint: such code has not got as far as the known mistakes."""
    told = Hint(say("stopped", error=f"{type(error).__name__}: {error!s:.300}".removesuffix(": ")))
    is_class = isinstance(exercise, OwnGradient)
    return (told, Hint(say("stopped.class"))) if is_class else (told, *_own_hint(exercise, "stopped"))
