"""What must hold before numbers are compared: same results for same inputs; nothing changed in place; the right shapes.

Everything here is decided without finite differences, by calling the function on fresh copies and comparing bit by bit.

What a function uses besides its inputs: arrays that outlive a call, which its backward may change; and trained
values, which are reported as not checked.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...debug.inplace import watching
from ...engine import ForwardEvent, Parameter, Variable, config, to_cpu
from ...engine.errors import DamagedValueError, GradientCountError, GradientShapeError
from ...engine.reach import CONTAINERS, named
from ...engine.sharing import wrote_to_lent
from ...shared.binding import Bound
from ...shared.numerals import listed
from ...transforms.compiling.walk import generators
from ...transforms.forward_mode import Tape
from ..measuring.point import Arrays, Shape, attempted
from ..measuring.subject import Gradients, Run, Subject, draw_upstreams, first_upstreams, ones_for
from ..messages import Kind, Verdict, number, say, shown
from .finding import Finding

_MOST = 2_000
_MOST_ITEMS = 100
_SELF = "self"
_SAID = 3  # names


def changed_by(run: Callable[[], Any], backward: Callable[[Any], Any]) -> str:
    """The name of an array that a backward changes and that another call can see; empty if none was found.

    Closures of functions, their globals, and attributes of their objects are searched.
    """
    tape = Tape()
    with tape:
        ran = run()
    functions = [step.function for step in tape.steps]
    kept = _all(functions)
    before = [array.copy() for _, array in kept]
    backward(ran)
    now = dict(_all(functions))
    for (name, array), old in zip(kept, before, strict=True):
        if not all(np.array_equal(a, old, equal_nan=a.dtype.kind == "f") for a in (array, now.get(name, array))):
            return f"`{shown(name)}`"
    return ""


def _all(functions: list[Any]) -> list[tuple[str, np.ndarray]]:
    """Names and arrays that functions reach."""
    things = [thing for f in functions for thing in (f, getattr(f, "written_backward", None)) if thing is not None]
    found = _held([("", thing) for thing in things])
    return [(name, value.array if isinstance(value, Variable) else value) for name, value in found]


def _held(roots: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Names of arrays and Variables, nearest first."""
    found = named(roots, lambda value: not _is_array(value) and not _is_long(value), _MOST)
    return [(path.removeprefix("."), value) for path, value in found if _is_array(value)]


def _is_array(value: Any) -> bool:
    return isinstance(value, Variable) or (isinstance(value, np.ndarray) and not value.dtype.hasobject)


def _is_long(value: Any) -> bool:
    return isinstance(value, CONTAINERS) and len(value) > _MOST_ITEMS


def not_checked(bound: Bound, steps: Sequence[ForwardEvent]) -> list[Finding]:
    """A finding that names the inputs that require no gradient, and one that names what a function uses in these steps
    and that has a gradient, but is not among its inputs; if there is anything."""
    still = [name for name, x in bound.variables.items() if x.data.dtype.kind == "f" and not x.requires_grad]
    told = [_named("not_checked.still", still)] if still else []
    around = _held([(_SELF if not inspect.isfunction(bound.fn) else bound.name, bound.fn)])
    own = {id(value): name.removeprefix(f"{_SELF}.") for name, value in around if len(re.split(r"[.[]", name)) <= 2}
    found: dict[int, tuple[str, Variable]] = {}
    for x in [x for step in steps if any([y.requires_grad for y in step.outputs]) for x in step.inputs]:
        if isinstance(x, Variable) and x.creator is None and x.requires_grad:
            name = own.get(id(x)) or (x.name if isinstance(x, Parameter) else None)
            if name is not None and (x.name not in bound.variables or id(x) in own):
                found.setdefault(id(x), (name, x))
    if found:
        link = say("not_checked.link") if any([isinstance(x, Parameter) for _, x in found.values()]) else ""
        names = [name for name, _ in found.values()]
        told.append(_named("not_checked", names, function=shown(bound.name), link=link))
    return told


def _named(key: str, names: list[str], **words: str) -> Finding:
    key = f"{key}.several" if len(names) > 1 else key
    return Finding.said(key, None, {"names": names}, names=listed(dict.fromkeys(map(shown, names)), _SAID), **words)


Upstreams = tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]

_RUNS, _RUNS_OF_DRAWS = 3, 30
"""A function that draws one bit may give the same in a few runs: one that moves a generator is run more often."""


FORWARD = "forward"
"""The cause of a finding for which no backward is to blame."""


class Breach(Exception):
    """A broken contract and the resulting verdict; a comparison of numbers would mean nothing."""

    def __init__(self, finding: Finding, verdict: Verdict) -> None:
        self.finding, self.verdict = finding, verdict


@dataclass(frozen=True)
class Combination:
    """The gradients for an upstream gradient, and ``others`` that must add up to them when multiplied by their factors,
    since backward is linear.

    ``key`` is the sentence that says how the upstream gradients are related.
    """

    key: str
    gradients: Gradients
    others: tuple[tuple[float, Gradients], ...]

    def compared(self, i: int) -> tuple[np.ndarray, np.ndarray, float] | None:
        """The gradient of an input and what the others add up to, flat, and the least distance that counts between
        them; None if they cannot be compared, or nowhere are so far apart."""
        rows = [(factor, row[i]) for factor, row in ((1.0, self.gradients), *self.others)]
        if not all([g is not None and g.size and np.isfinite(g).all() for _, g in rows]):
            return None
        given, *others = [g.ravel() * g.dtype.type(factor) for factor, g in rows if g is not None]
        made = np.asarray(sum(others))
        least = _NONLINEAR * max([float(np.abs(g).max()) for g in others])
        return (given, made, least) if (np.abs(given - made) > least).any() else None


@dataclass(frozen=True)
class Examination:
    """What the checks of the contracts hand to the comparison.

    ``upstreams`` are two upstream gradients, `first_upstreams` and random ones; ``gradients`` belong to the first,
    ``second`` to the other, ``none`` to zeros, and ``combinations`` to more of them. ``graph`` are those for the first
    under ``create_graph``; None if backward cannot be differentiated. With a ``breach`` there are no gradients.
    """

    upstreams: Upstreams
    breach: Breach | None = None
    gradients: Gradients = ()
    second: Gradients = ()
    none: Gradients = ()
    combinations: tuple[Combination, ...] = ()
    graph: Gradients | None = None


def examine(subject: Subject, rng: np.random.Generator) -> Examination:
    """Check the contracts of the forward, then those of the backward, and that nothing changes between calls."""
    with watching(lambda value: value.name, blame=False):
        first = subject.run()
        upstreams = first_upstreams(first.outputs, rng), draw_upstreams(first.outputs, rng)
        try:
            return _examined(subject, first, upstreams, rng)
        except Breach as breach:
            breach.__context__ = None  # its cause and traceback would keep the function and its arrays alive
            return Examination(upstreams, breach.with_traceback(None))


def _examined(subject: Subject, first: Run, upstreams: Upstreams, rng: np.random.Generator) -> Examination:
    values = first.values()
    _check_inputs(subject, first, "inplace.input", FORWARD)
    second = subject.run()
    _check_equal(subject, values, second)
    if attempted(subject.run, subject.nearby(rng)) is not None:
        _check_same(subject, first.values(), values, "inplace.later_call", cause=FORWARD)
    try:
        return _examine_backward(subject, first, second, upstreams)
    except Breach as breach:
        raise drawn_at_random(subject, values) or breach from None
    except GradientCountError as error:
        raise _breach(subject, "wrong_shape", cause="count", error=error) from None
    except GradientShapeError as error:
        raise _wrong_shape(subject, error) from None
    except DamagedValueError as error:
        raise _breach(subject, "inplace.kept", cause=FORWARD, error=error) from None
    except ValueError as error:
        if not wrote_to_lent(error):
            raise
        raise _breach(subject, "inplace.upstream") from None


def _examine_backward(subject: Subject, first: Run, second: Run, upstreams: Upstreams) -> Examination:
    values, given = first.values(), tuple([g.copy() for g in upstreams[0]])
    gradients = subject.gradients(first, given)
    _check_inputs(subject, first, "inplace.input_backward")
    _check_same(subject, given, upstreams[0], "inplace.upstream")
    _check_same(subject, first.values(), values, "inplace.output")
    fresh = subject.gradients(second, upstreams[0])
    _check_later_gradient(subject, gradients, fresh, upstreams[0])
    _check_again(subject, first, gradients, fresh, upstreams[0])
    other = subject.gradients(second, upstreams[1])
    none = subject.gradients(second, tuple([np.zeros_like(g) for g in upstreams[0]]))
    none = tuple([g if g is None or g.any() else np.broadcast_to(g.dtype.type(0), g.shape) for g in none])
    combinations = _combinations(subject, second, upstreams, gradients, other)
    of_graph = attempted(subject.gradients, second, upstreams[0], create_graph=True)
    graph = None if of_graph is None else _once(of_graph, gradients)
    return Examination(upstreams, None, gradients, other, none, combinations, graph)


def _once(gradients: Gradients, known: Gradients) -> Gradients:
    """The gradients; one that is equal to the known one, bit by bit, is that one: both are kept to the end."""
    return tuple([b if _same(a, b) else a for a, b in zip(gradients, known, strict=True)])


_NONLINEAR = 1e-3
"""A gradient is off from a sum of others if it is by more than this fraction of the largest of them."""

_LARGE = 1024.0
"""A power of two: so many times an upstream gradient gives so many times the gradient, to the last bit."""


def _combinations(
    subject: Subject, run: Run, upstreams: tuple[Arrays, ...], first: Gradients, second: Gradients
) -> tuple[Combination, ...]:
    """What shows a rule that is right only for some upstream gradients: of one sign, not all alike, of usual size. What
    does add up is not kept."""
    ones = ones_for(upstreams[0])

    def found(starts: Arrays) -> Gradients:
        return _once(subject.gradients(run, tuple(starts)), first)

    def rest(others: Arrays) -> Gradients:
        return found([-(a + b) for a, b in zip(upstreams[0], others, strict=True)])

    large = [None if g is None else g * g.dtype.type(1 / _LARGE) for g in found([g * _LARGE for g in upstreams[0]])]
    all_three = (
        Combination("sum", rest(upstreams[1]), ((-1.0, first), (-1.0, second))),
        Combination("ones", found(ones), ((-1.0, rest(ones)), (-1.0, first))),
        Combination("large", _once(large, first), ((1.0, first),)),
    )
    return tuple([one for one in all_three if any([one.compared(i) is not None for i in range(len(first))])])


def _breach(
    subject: Subject, key: str, input: str | None = None, cause: str = "", verdict: Verdict = "wrong", **values: object
) -> Breach:
    evidence = {"cause": cause} if cause else {}
    return Breach(Finding.said(key, input, evidence, function=shown(subject.bound.name), **values), verdict)


def _wrong_shape(subject: Subject, error: GradientShapeError) -> Breach:
    """A gradient of a shape that the input broadcasts to was not summed; names the input if only one fits."""
    got, expected = error.got or (), error.expected or ()
    names = [name for name, a in zip(subject.names, subject.arrays, strict=True) if a.shape == expected]
    kind: Kind = "unreduced_broadcast" if is_broadcast(expected, got) else "wrong_shape"
    name = names[0] if len(names) == 1 else None
    said = re.sub(r"inputs\[\d+\]", lambda found: name or found[0], str(error))  # a FunctionNode does not know names
    finding = Finding(kind, name, said, {"got": list(got), "expected": list(expected)})
    return Breach(finding, "wrong")


def is_broadcast(shape: Shape, larger: Shape) -> bool:
    """Whether NumPy broadcasts ``shape`` to ``larger``, a different shape."""
    try:
        return shape != larger and np.broadcast_shapes(shape, larger) == larger
    except ValueError:
        return False


# ---------------------------------------------------------------------- each raises a breach if it finds one
def _check_same(subject: Subject, first: Arrays, second: Arrays, key: str, *about: Any, **more: Any) -> None:
    if len(first) != len(second) or not all(map(_same, first, second)):
        raise _breach(subject, key, *about, **more)


def _check_inputs(subject: Subject, run: Run, key: str, cause: str = "") -> None:
    for name, x, array in zip(subject.names, run.inputs, subject.arrays, strict=True):
        _check_same(subject, [to_cpu(x.array)], [array], key, name, cause)


def _check_equal(subject: Subject, values: Arrays, second: Run) -> None:
    _check_same(subject, values, second.values(), "nondeterministic.forward", verdict="cannot tell")


def drawn_at_random(subject: Subject, values: Arrays) -> Breach | None:
    """Whether the results are random, and were equal in the first two runs only by chance.

    This is checked before backward is blamed for gradients that differ from run to run. Where an input is 0, a random
    factor does not show in the results; nearby it does.
    """
    nearby, before = subject.nearby(np.random.default_rng(0)), _generators()
    try:
        _check_equal(subject, values, subject.run())
        runs = _RUNS if _generators() == before else _RUNS_OF_DRAWS
        for _ in range(runs - 1):
            _check_equal(subject, values, subject.run())
        elsewhere = subject.run(nearby).values()
        for _ in range(runs):
            _check_equal(subject, elsewhere, subject.run(nearby))
    except Breach as breach:
        return breach
    except Exception:  # nearby may lie outside the function's domain
        return None
    return None


def _generators() -> object:
    return repr(config.rng.bit_generator.state), generators()


def _check_later_gradient(subject: Subject, gradients: Gradients, again: Gradients, upstream: Arrays) -> None:
    """The gradients of two runs, after which the function was called elsewhere, against those of a run of now."""
    if not all(map(_same, gradients, again)):
        return  # one that does not even repeat itself is a different case
    alone = subject.gradients(subject.run(), upstream)
    for name, values in _apart(subject, alone, gradients):
        raise _breach(subject, "inplace.later_gradient", name, "shared", **values)


def _check_again(subject: Subject, first: Run, gradients: Gradients, fresh: Gradients, upstream: Arrays) -> None:
    """A second backward on the same graph, and one on a fresh graph, must give the same bits."""
    try:
        again = subject.gradients(first, upstream)
        for name, values in _apart(subject, gradients, fresh):
            if kept := changed_by(subject.run, partial(subject.gradients, upstreams=upstream)):
                raise _breach(subject, "inplace.lasting", name, "shared", kept=kept, **values)
            raise _breach(subject, "nondeterministic.backward", name, **values)
        for name, values in _apart(subject, gradients, again):
            raise _breach(subject, "inplace.again", name, **values)
    except DamagedValueError as error:
        raise _breach(subject, "inplace.by_backward", error=error) from None


def _same(a: np.ndarray | None, b: np.ndarray | None) -> bool:
    if a is None or b is None:
        return a is b
    return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=True)


def _apart(subject: Subject, first: Gradients, second: Gradients) -> Iterator[tuple[str, dict[str, Any]]]:
    """The inputs whose gradients differ, with the two values at the first differing element, as text."""
    for name, a, b in zip(subject.names, first, second, strict=True):
        if _same(a, b):
            continue
        if a is None or b is None:
            texts = ["None" if g is None else "an array" for g in (a, b)]
        else:
            index = np.flatnonzero((a != b) & ~(np.isnan(a) & np.isnan(b)))[0]
            texts = [number(g.flat[index]) for g in (a, b)]
        yield name, dict(zip(("first", "second"), texts, strict=True))
