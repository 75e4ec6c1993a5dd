"""What a function uses besides its inputs: arrays that outlive a call, which its backward may change; and trained
values, which are reported as not checked."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...engine import ForwardEvent, Parameter, Variable
from ...engine.reach import CONTAINERS, named
from ...shared.binding import Bound
from ...shared.words import listed
from ...transforms.forward_mode import Tape
from ..messages import say, shown
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
