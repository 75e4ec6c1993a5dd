"""record(): run a function and its gradient once, and keep every step as plain data.

Upstream gradients: the given ones, and ones for all other outputs.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from ..engine import Array, Variable, a_kind, folded, get_array_module, hidden, is_array
from ..shared.binding import Bound, apart, bind, chosen_options, token_labels
from ..shared.foreign import bridge
from .arrays import Budget
from .departures import Departures
from .fused_functions import Opener, fused_names
from .locate import Locator
from .model import Recording
from .orders import input_to_differentiate, with_derivatives
from .raised import CarryUnfinished
from .recorder import Recorder
from .replacing import Key, Replacements
from .scopes import ScopeTracker
from .tangents import direction


def one_each(
    caller: str, outputs: Sequence[Any], upstream: Any, start: Callable[[Any, Any, str], Any] | None = None
) -> list[Any]:
    """The upstream gradients, one per output; None means ones.

    ``start(y, given, what)`` creates that of an output, by default of a Variable; ``what`` is for its messages.
    """
    count, what = len(outputs), f"{caller}: option 'upstream'"
    if upstream is None or count == 1:
        upstream = (upstream,) * count
    if not isinstance(upstream, list | tuple) or len(upstream) != count:
        came = f"{len(upstream)} of them" if isinstance(upstream, list | tuple) else a_kind(upstream)
        raise ValueError(f"{what} is {came}; expected a tuple of {count}, one per output")
    starts = [(start or _start)(y, given, what) for y, given in zip(outputs, upstream, strict=True)]
    for y, made in zip(outputs, starts, strict=True):
        if made.shape != y.shape:
            raise ValueError(f"{what} has shape {tuple(made.shape)}; expected {tuple(y.shape)}, that of the output")
    return starts


def _start(y: Variable, given: Any, what: str) -> Array:
    return get_array_module(y._data).ones(y.shape, y.dtype) if given is None else y._like(given, what)


BUDGET = 64 << 20
OPTIONS = ("upstream", "budget", "order", "wrt", "open", "replace", "forward", "tokens")


def record(fn: Callable[..., Any], /, *args: Any, options: Mapping[str, Any] | None = None, **inputs: Any) -> Recording:
    """Run ``fn`` on the inputs, then its gradient, and return every step of both as plain data.

    Parameters
    ----------
    fn : callable
        Takes Variables and returns a Variable or a tuple of them.
    *args, **inputs
        The arguments of ``fn``, bound to its signature. Numbers (as float64), lists of numbers, arrays and Variables
        become new inputs, and so do arrays and floats inside lists, tuples and dicts, with names such as
        ``params[0][w]``; the caller's own Variables and their gradients do not change. An argument annotated ``int``,
        ``bool`` or ``str`` is passed on unchanged.
    options : dict, optional
        ``upstream``: the upstream gradient of the output (default: ones); a tuple for several outputs.
        ``budget``: the maximum number of bytes of arrays that the recording keeps (default: 64 MiB); beyond it, arrays
        are block-reduced.
        ``order``: the highest order, at most 4, to which the sum of the output is differentiated with respect to the
        input ``wrt`` (default: the first that can be differentiated); the graphs of the derivatives are the recordings
        in ``.higher``.
        ``open``: names of fused functions (``"linear"``, ``"muladd"`` ...) to show as their separate steps; the
        recording says how much the two computations differ.
        ``replace``: what if an intermediate value were another one? A dict from steps (their numbers in a recording at
        these inputs, or the user's names) to values, each a number for all elements or an array of the step's shape.
        Later steps are computed from the new value. Gradients arrive at a replaced step and stop there: the gradients
        of what it was computed from count only other paths to the output, and are None if there are none.
        ``forward``: run forward mode as well: the name of the input that moves (each element by 1), or a dict from that
        name to a direction. Each step then has a ``tangent``: how fast its value moves.
        ``tokens``: the labels of the positions of a sequence, a list of strings, shown next to attention weights.

    Returns
    -------
    Recording
        In a notebook it displays itself: the graph with the value and the gradient of every step, and the steps as a
        table.

    Raises
    ------
    TypeError
        If the inputs do not fit the signature, or ``fn`` returns anything but Variables.
    ValueError
        If a step cannot be replaced: it does not exist at these inputs, is an input, has several results or another
        shape, was changed in place, or is inside an opened function.

    Notes
    -----
    An exception that ``fn`` or a gradient rule raises propagates and carries the recording of the steps before it: a
    notebook shows that below the traceback, and `autolab.recording.last_recording` returns it. Its ``raised`` says what
    happened and where. AutoLab's own frames are left out of the traceback unless ``AUTOLAB_TRACEBACK=full`` is set in
    the environment.

    Examples
    --------
    >>> import autolab
    >>> def muladd(x, y, z):
    ...     h = x * y
    ...     return h + z
    >>> recording = autolab.record(muladd, x=2.0, y=3.0, z=4.0)
    >>> [step.function for step in recording.steps]
    [None, None, None, 'mul', 'add']
    >>> float(recording["x"].grad.values)
    3.0
    >>> what_if = autolab.record(muladd, x=2.0, y=3.0, z=4.0, options={"replace": {"h": 0.0}})
    >>> float(what_if.steps[-1].value.values), what_if["x"].grad
    (4.0, None)
    """
    __tracebackhide__ = hidden()
    with folded():
        inputs, options = apart(fn, inputs, options, OPTIONS)
        if (elsewhere := bridge(fn, args, inputs)) is not None:
            return elsewhere.record(fn, *args, options=options, **inputs)
        return record_bound(bind("record", fn, args, inputs), **chosen_options("record", options, OPTIONS))


def record_bound(
    bound: Bound,
    variables: Mapping[str, Variable] | None = None,
    upstream: Any = None,
    budget: int = BUDGET,
    order: int = 0,
    wrt: str | None = None,
    open: Collection[str] = (),
    replace: Mapping[Key, Any] | None = None,
    forward: Any = None,
    tokens: Any = (),
) -> Recording:
    """`record` for bound inputs, with other Variables instead of them if given.

    ``upstream`` may be a function that is called with the outputs, for callers that do not know their shapes in
    advance.
    """
    if not isinstance(budget, int) or isinstance(budget, bool) or budget < 0:
        raise TypeError(f"{bound.caller}: option 'budget' is {budget!r:.60}; expected a number of bytes: 0, 1, 2, ...")
    labels = token_labels(bound.caller, tokens)
    variables = {**bound.variables, **(variables or {})}
    inputs = {name: variables[name] for name in bound.inputs}  # parameters become steps where they are first used
    x = input_to_differentiate("record", inputs, order, wrt)
    locator = Locator(bound.fn)
    tracker, opener = ScopeTracker(sys._getframe(), locator), Opener(fused_names("record", open))
    moved = direction("record", variables, forward)
    if moved is not None and order:
        raise ValueError(f"record: option 'forward' is of order 0, and option 'order' is {order}; give one of them")
    recorder = Recorder(
        bound, Budget(budget), locator, tracker, Replacements(bound, replace or {}), opener, forward=moved
    )
    for name, variable in inputs.items():
        recorder.add_leaf(variable, "input", name)
    with CarryUnfinished(recorder, "forward"):
        outputs = _outputs(bound, recorder.run_forward(variables), recorder.departures)
    recorder.replacements.settle(recorder.drafts)
    given = one_each(bound.caller, outputs, upstream(outputs) if callable(upstream) else upstream)
    with CarryUnfinished(recorder, "backward"):
        recorder.run_backward(outputs, given)
        recording = dataclasses.replace(recorder.finish(), tokens=labels)
        return recording if x is None else with_derivatives(recording, recorder, outputs, x, order)


def _outputs(bound: Bound, returned: Any, departures: Departures) -> tuple[Variable, ...]:
    values = tuple(returned) if isinstance(returned, list | tuple) else (returned,)
    if not values or not all(isinstance(value, Variable) for value in values):
        came = f"{bound.caller}: {bound.name} returned {_kinds(values):.150}"
        is_number = any([isinstance(value, int | float) or is_array(value) for value in values])
        hint = ": is a return missing?" if returned is None else departures.hint if is_number else ""
        if is_number and not bound.variables and bound.has_arguments:
            hint = ": none of its arguments is an input: give numbers or arrays, or lists, tuples and dicts of them"
        raise TypeError(f"{came}; expected a Variable or a tuple of Variables{hint}")
    return values


def _kinds(values: tuple[Any, ...]) -> str:
    return ", ".join(map(a_kind, values)) or "an empty tuple"
