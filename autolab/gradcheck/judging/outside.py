"""What a function uses besides its inputs: arrays that outlive a call, which its backward may change; and trained
values, which are reported as not checked."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...engine import ForwardEvent, Parameter, Variable
from ...engine.code_names import outer_names
from ...shared.binding import Bound
from ...shared.words import listed
from ...transforms.forward_mode import Tape
from ..messages import say, shown
from .finding import Finding

_DEPTH = 4
_MOST_ITEMS = 100
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
    seen: set[int] = set()
    things = [thing for f in functions for thing in (f, getattr(f, "written_backward", None)) if thing is not None]
    return [pair for thing in things for pair in _arrays(thing, _DEPTH, seen)]


def _arrays(thing: Any, depth: int, seen: set[int]) -> Iterator[tuple[str, np.ndarray]]:
    """Names and arrays that a function or an object reaches."""
    if depth == 0 or id(thing) in seen:
        return
    seen.add(id(thing))
    for name, value in [pair for found in reached(thing) for pair in inside(*found)]:
        array = value.array if isinstance(value, Variable) else value
        if isinstance(array, np.ndarray):
            yield name, array
        elif inspect.isfunction(value) or inspect.ismethod(value):
            yield from _arrays(value, depth - 1, seen)


def inside(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """A value, followed by its elements if it is a list, a tuple or a dict."""
    yield name, value
    if isinstance(value, list | tuple | dict) and len(value) <= _MOST_ITEMS:
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield f"{name}[{key}]", item


def reached(thing: Any) -> Iterator[tuple[str, Any]]:
    """The values that a function finds in its closure and its module, by name; for any other object, its attributes."""
    function = inspect.unwrap(getattr(thing, "__func__", thing)) if callable(thing) else thing
    if inspect.isfunction(function):
        yield from outer_names(function)
        return
    yield from getattr(thing, "__dict__", {}).items()
    for kind in type(thing).__mro__:
        if not kind.__module__.startswith("autolab."):
            yield from [pair for pair in vars(kind).items() if not pair[0].startswith("__")]


def not_checked(bound: Bound, steps: Sequence[ForwardEvent]) -> list[Finding]:
    """A finding that names the inputs that require no gradient, and one that names what a function uses in these steps
    and that has a gradient, but is not among its inputs; if there is anything."""
    still = [name for name, x in bound.variables.items() if x.data.dtype.kind == "f" and not x.requires_grad]
    told = [_named("not_checked.still", still)] if still else []
    own = {id(value): name for held in reached(bound.fn) for name, value in inside(*held)}
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
