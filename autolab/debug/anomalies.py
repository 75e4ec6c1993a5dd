"""detect_anomaly(): stops a backward pass at the first function whose gradient is NaN, with an error that says which
function produced the NaN, from which numbers and at which line."""

from __future__ import annotations

from types import CodeType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ..engine import Node, nodes_below, to_cpu, unwrap
from ..engine.configuration import FromNowOn
from ..engine.modes import modes
from ..engine.observe import BackwardEvent, ForwardEvent, observe
from ..engine.source import caller, file_label, in_code, position, segment
from .inplace import node_of
from .provenance import state_of


class detect_anomaly(observe):
    """A ``with`` block in which a backward pass stops with an error at the first function whose gradient is NaN, or
    whose value is NaN and affects the result.

    Raises
    ------
    RuntimeError
        Names the function that produced the first NaN, forward or backward, and its line if it was called inside the
        block.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import Variable, autograd
    >>> with np.errstate(all="ignore"), autograd.detect_anomaly():
    ...     (2 * np.sqrt(Variable(-1.0))).backward()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    RuntimeError: sqrt: produced NaN from -1 (..., line 2: np.sqrt(Variable(-1.0)))
    """

    def __init__(self, check_nan: bool = True) -> None:
        super().__init__(_refuse_nan if check_nan else lambda event: None)


class set_detect_anomaly(FromNowOn):
    """Turn `detect_anomaly` on or off; in a ``with`` block, until its end.

    Examples
    --------
    >>> from autolab import autograd
    >>> _ = autograd.set_detect_anomaly(True), autograd.set_detect_anomaly(False)
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        others = tuple([hook for hook in modes().hooks if hook is not _refuse_nan])
        super().__init__("hooks", (*others, _refuse_nan) if mode and check_nan else others)


_steps: WeakKeyDictionary[Node, tuple[str, Any, CodeType, int]] = WeakKeyDictionary()
"""For each step of the forward pass: a message and the elements at which it produced a NaN that was not in its inputs,
or none; and its place in the source."""


def _refuse_nan(event: ForwardEvent | BackwardEvent) -> None:
    if isinstance(event, BackwardEvent):
        if _has_nan(event.upstream):
            name = event.node.function.name
            raise RuntimeError(
                f"{name}: its upstream gradient is NaN: backward began with it, or infinities were added"
            )
        if any(map(_has_nan, event.gradients)) or _counts(event):
            raise RuntimeError(_message(event.node))
    elif (node := node_of(event)) is not None and (frame := caller()) is not None:
        _steps[node] = *_nan_produced(event), frame.f_code, frame.f_lasti


def _counts(event: BackwardEvent) -> bool:
    """Whether the result depends on a NaN that this step produced; one that `where` discards has the gradient 0."""
    at, g = _steps.get(event.node, ("", None))[1], unwrap(event.upstream)
    return at is not None and getattr(g, "shape", None) == at.shape and bool(np.asarray(to_cpu(g))[at].any())


def _has_nan(value: Any) -> bool:
    return hasattr(array := unwrap(value), "dtype") and state_of(array).nan


def _nan_produced(event: ForwardEvent) -> tuple[str, Any]:
    if any(map(_has_nan, event.inputs)) or not any(map(_has_nan, event.outputs)):
        return "", None
    y, *inputs = [to_cpu(unwrap(x)) for x in (event.outputs[0], *event.inputs) if x is not None]
    at = np.isnan(y)
    if not getattr(event.function, "elementwise", False):
        return "produced NaN", at
    first = tuple(np.argwhere(at)[0])
    return f"produced NaN from {' and '.join([f'{np.broadcast_to(x, y.shape)[first]:.6g}' for x in inputs])}", at


def _message(node: Node) -> str:
    """The message for a node: names the first step that produced a NaN, among those that its gradient depends on."""
    for below in nodes_below(node):
        if below in _steps and (made := _steps[below][0]):
            return f"{below.function.name}: {made}{_place(*_steps[below][2:])}"
    place = _place(*_steps[node][2:]) if node in _steps else ""
    return f"{node.function.name}: its backward produced NaN{place}; autolab.find_nonfinite(f, x) finds the cause"


def _place(code: CodeType, instruction: int) -> str:
    """File, line and expression, for a message."""
    found, file = in_code(code, instruction), file_label(code.co_filename)
    written = "" if found is None else f": {' '.join(segment(found.lines, found.node).split()):.80}"
    return f" ({file}, line {position(code, instruction)[0]}{written})"
