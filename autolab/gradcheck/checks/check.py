"""check_gradients(): is the gradient of a function right or wrong, or can the check not tell?

Gradients written by hand beside a function, in the forms of courses: a pair ``forward(x, ...) -> (out, cache)`` and
``backward(dout, cache) -> gradients``, or one function that returns its loss and the gradient of it.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial, wraps
from time import perf_counter
from typing import Any

import numpy as np

from ...authoring.function_node import FunctionNode
from ...engine import Variable, array_of, check_rng, folded, hidden, is_array
from ...engine.errors import GradientCountError, a_kind
from ...engine.undisturbed import undisturbed
from ...links.functional import with_learned
from ...shared.binding import Bound, bind, settle
from ...shared.collector import PatientCollector
from ...shared.foreign import bridge
from ..judging.contracts import Examination, examine, not_checked
from ..judging.second_way import lower_orders
from ..measuring.executors import check_executor
from ..measuring.subject import Subject, lifted
from ..measuring.sweep import FEW_STEPS, StepSweep, sweep_of
from ..report import LEVELS, CheckedFunction, GradientReport, InputReport, check_level, kept, revealed, written_backward
from .judge import gradient_of, judge

Call = tuple[Any, tuple[Any, ...], dict[str, Any]]
"""A function and its arguments."""


def as_written(fn: Any, args: tuple[Any, ...], inputs: Mapping[str, Any]) -> Call:
    """``fn`` as a function of Variables whose backward is what its author wrote, and the arguments; otherwise the same.

    Examples
    --------
    >>> import autolab
    >>> def forward(x, w):
    ...     return x * w, (x, w)
    >>> def backward(dout, cache):
    ...     x, w = cache
    ...     return dout * w, dout * w
    >>> autolab.check_gradients(forward, backward, 2.0, 3.0).verdict
    'wrong'
    """
    if args and _is_pair(fn, args, inputs):
        return _function(fn, fn, args[0]), args[1:], dict(inputs)
    called = _called_gradients(fn)
    names = _gradients_of(fn, args, inputs, called) if called else []
    if not names:
        return fn, args, dict(inputs)
    function = _function(fn, partial(_loss_first, fn), partial(_scaled, names))
    bound = inspect.signature(fn).bind(*args, **inputs)
    for name, x in bound.arguments.items():
        if name not in names and _is_floats(x):  # data, of which it returns no gradient
            bound.arguments[name] = Variable(_plain(x), requires_grad=False)
    return function, bound.args, bound.kwargs


def _gradients_of(fn: Any, args: tuple[Any, ...], inputs: Mapping[str, Any], called: list[str]) -> list[str]:
    """The arguments whose gradients a function returns beside its loss, in this order; none if that is not clear.

    ``called`` are the names of those whose name in the code says whose gradients they are; others are told by shape.
    """
    try:
        bound = inspect.signature(fn).bind(*args, **inputs)
        with undisturbed():
            loss, found = _loss_first(fn, *[np.array(x) if _is_floats(x) else x for x in map(_plain, bound.args)])
    except Exception:  # the check itself will say what is wrong
        return []
    given, shapes = bound.arguments, {name: np.shape(_plain(x)) for name, x in bound.arguments.items() if _is_floats(x)}
    if np.size(loss) != 1 or bound.kwargs:
        return []
    if isinstance(found, dict):
        names = [_of(str(name), {*given}) for name in found]
        return names if all([name in shapes for name in names]) else []
    gradients, names = found if isinstance(found, tuple) else (found,), []
    for gradient, own in zip(gradients, called, strict=False):
        free = [name for name in shapes if name not in (*called, *names)]
        fitting = [name for name in ([own] if own else free) if shapes.get(name) == np.shape(gradient)]
        names += fitting[:1]
    return names if len(names) == len(gradients) else []


def _plain(x: Any) -> Any:
    return x.data if isinstance(x, Variable) else x


def _is_floats(x: Any) -> bool:
    """Whether an argument is an array of floats, a Variable, a float or a list of such."""
    if isinstance(x, bool | int | str | dict) or callable(x):
        return False
    try:
        return bool(np.asarray(_plain(x)).dtype.kind == "f")
    except (TypeError, ValueError):
        return False


def _is_pair(forward: Any, args: tuple[Any, ...], inputs: Mapping[str, Any]) -> bool:
    """Whether the first argument is a backward: the forward takes the others only, and it takes two."""
    backward = args[0]
    if not (inspect.isroutine(backward) and inspect.isroutine(forward)):
        return False
    return _takes(forward, args[1:], inputs) and not _takes(forward, args, inputs) and _takes(backward, (0, 0), {})


def _takes(function: Any, args: Sequence[Any], inputs: Mapping[str, Any]) -> bool:
    try:
        inspect.signature(function).bind(*args, **inputs)
    except (TypeError, ValueError):
        return False
    return True


def _called_gradients(fn: Any) -> list[str]:
    """For each gradient that a function returns beside a value, in any order, the argument that its name says, or "".

    Empty if one of its returns is anything else.
    """
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(fn)))
    except (OSError, TypeError, SyntaxError):
        return []
    if not inspect.isfunction(fn) or not isinstance(tree.body[0], ast.FunctionDef):
        return []
    given = set(inspect.signature(fn).parameters)
    returned = [node.value for node in _statements(tree.body[0]) if isinstance(node, ast.Return)]
    found = [_gradients_in(value, given) for value in returned]
    return found[0] if found and all([names == found[0] for names in found]) else []


def _statements(function: ast.FunctionDef) -> list[ast.AST]:
    """The nodes of a function, without those of functions inside it."""
    found: list[ast.AST] = []
    waiting: list[ast.AST] = [*function.body]
    while waiting:
        node = waiting.pop()
        found.append(node)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            waiting += ast.iter_child_nodes(node)
    return found


def _gradients_in(value: Any, given: set[str]) -> list[str]:
    parts = value.elts if isinstance(value, ast.Tuple) else []
    marked = [part for part in parts if _is_gradient(part, given)]
    if len(parts) < 2 or len(marked) != len(parts) - 1:
        return []
    return [_of(part.id, given) if isinstance(part, ast.Name) else "" for part in marked]


def _is_gradient(part: Any, given: set[str]) -> bool:
    """Whether an expression is called the gradient of an argument, or is a dictionary of such."""
    if isinstance(part, ast.Dict):
        keys = [key.value for key in part.keys if isinstance(key, ast.Constant)]
        return bool(keys) and all([_of(str(key), given) in given for key in keys])
    name = part.id if isinstance(part, ast.Name) else ""
    return _of(name, given) in given - {name} or re.fullmatch(r"(d|the_)?grad(ient)?s?(_\w+)?", name) is not None


def _of(name: str, given: set[str]) -> str:
    """The argument that a gradient called ``name`` is of: ``dx``, ``d_x``, ``grad_x``, ``x_grad``, ``gx`` or ``x``."""
    if name in given:
        return name
    found = re.fullmatch(r"(?:d_?|g_?|grad_?)?(\w+?)(?:_grad)?", name)
    return found[1] if found is not None and found[1] in given else ""


def _loss_first(fn: Callable[..., Any], *args: Any) -> tuple[Any, Any]:
    """The loss and its gradients, whatever their order."""
    returned = fn(*args)
    place = next((i for i, part in enumerate(returned) if not isinstance(part, dict) and np.size(part) == 1), 0)
    rest = [part for i, part in enumerate(returned) if i != place]
    return returned[place], rest[0] if len(rest) == 1 else tuple(rest)


def _scaled(names: Sequence[str], dout: Any, gradients: Any) -> dict[str, Any]:
    """The gradients by the names of the arguments, times that of the loss."""
    found: Any = gradients.values() if isinstance(gradients, dict) else gradients
    each = [found] if is_array(found) or (np.ndim(found) == 0 and not isinstance(gradients, dict)) else [*found]
    return {name: dout * array_of(g) for name, g in zip(names, each, strict=True)}


def _function(own: Callable[..., Any], forward: Callable[..., Any], backward: Callable[..., Any]) -> Any:
    """A function of Variables with the name and the parameters of ``own``."""
    names = [*inspect.signature(own).parameters]

    @wraps(own)
    def function(*args: Any, **keywords: Any) -> Any:
        bound = inspect.signature(own).bind(*args, **keywords)
        bound.apply_defaults()
        given = dict(zip(names, bound.args, strict=False))
        node = _ByHand(own.__name__, forward, backward, given)
        outputs = node.apply(tuple([x for x in given.values() if isinstance(x, Variable)]))
        return outputs[0] if len(outputs) == 1 else outputs

    return function


class _ByHand(FunctionNode):
    """One call of a function and of the backward that its author wrote, on arrays."""

    def __init__(self, own: str, forward: Callable[..., Any], backward: Callable[..., Any], given: dict[str, Any]):
        self._own, self._forward_of, self._backward_of, self._given = own, forward, backward, given
        self._inputs = [name for name, x in given.items() if isinstance(x, Variable)]

    @property
    def name(self) -> str:
        return self._own

    @property
    def written_backward(self) -> Callable[..., Any]:
        return self._backward_of

    def input_label(self, i: int) -> str:
        return self._inputs[i]

    def forward(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        own = [x if isinstance(x, Variable) else np.array(x) for x in inputs]  # Variables trace a forward
        arrays = dict(zip(self._inputs, own, strict=True))
        returned = self._forward_of(*[arrays.get(name, x) for name, x in self._given.items()])
        if not isinstance(returned, tuple) or len(returned) != 2:
            raise TypeError(
                f"{self.name} returned {a_kind(returned)}; expected two: the result and what backward needs"
            )
        out, self._cache = returned
        return (out if isinstance(out, Variable) else array_of(out),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Any, ...]) -> tuple[Any, ...]:
        found = self._by_name(self._backward_of(np.array(grad_outputs[0].data), self._cache))
        gradients = [found.get(name) for name in self._inputs]
        return tuple([None if g is None else Variable(array_of(g), requires_grad=False) for g in gradients])

    def _by_name(self, returned: Any) -> dict[str, Any]:
        """The gradients by the names of the arguments."""
        given = [*self._given]
        if isinstance(returned, dict):
            return {_of(str(name), {*given}): g for name, g in returned.items()}
        gradients = returned if isinstance(returned, tuple | list) else (returned,)
        floats = [name for name, x in self._given.items() if isinstance(x, Variable) and x.dtype.kind == "f"]
        names = given if len(gradients) == len(given) else floats
        if len(gradients) > len(names):
            raise GradientCountError(
                f"{self.name}: backward returned {len(gradients)} gradients; expected {len(floats)}, one for each of "
                f"{', '.join(floats):.100}"
            )
        return dict(zip(names, gradients, strict=False))


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
