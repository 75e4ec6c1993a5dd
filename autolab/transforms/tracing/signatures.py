"""How NumPy functions are declared for traced arrays, and which arguments of a call a handler receives."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Annotated, Any, get_type_hints

import numpy as np

from .array import TracedArray
from .trace import ArrayTrace

Handler = Callable[..., Any]
Traced = Annotated[Any, "may depend on an input"]
"""The type of a handler's parameters that accept traced arrays; in any other parameter they would become constants."""

handlers: dict[str, Handler] = {}
"""Name of a NumPy function -> its handler for traced arrays."""


def handles(*names: str) -> Callable[[Handler], Handler]:
    """Declare a handler of NumPy functions for traced arrays.

    A handler has those of NumPy's parameters, under NumPy's names, that it supports; `understood` refuses the rest. Its
    ``**options`` are passed on to NumPy unchanged.
    """

    def declare(handler: Handler) -> Handler:
        handlers.update(dict.fromkeys(names, handler))
        return handler

    return declare


def handles_each(*names: str) -> Callable[[Handler], Handler]:
    """Declare one handler for several NumPy functions: its first argument is the function that is called."""

    def declare(handler: Handler) -> Handler:
        handlers.update({name: partial(handler, numpys(name)) for name in names})
        return handler

    return declare


def arrays_in(value: Any) -> Iterator[TracedArray]:
    """The traced arrays among arguments, at any depth of nesting."""
    if isinstance(value, TracedArray):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from arrays_in(item)
    elif isinstance(value, dict):
        yield from arrays_in(list(value.values()))
    elif isinstance(value, slice):
        yield from arrays_in([value.start, value.stop, value.step])


def trace_of(*values: Any) -> ArrayTrace | None:
    """The trace that one of the values depends on; None if all are constant."""
    return next((array._buffer.trace for array in arrays_in(values) if array._buffer.trace is not None), None)


def known_trace(*values: Any) -> ArrayTrace:
    """The trace that one of the values belongs to: handlers are called only if there is one."""
    trace = trace_of(*values)
    assert trace is not None
    return trace


def plain(value: Any) -> Any:
    """Arguments with NumPy arrays instead of traced ones."""
    if isinstance(value, TracedArray):
        return value._value
    if type(value) in (list, tuple):
        return type(value)([plain(item) for item in value])
    if type(value) is dict:
        return {key: plain(item) for key, item in value.items()}
    return value


def numpys(name: str) -> Any:
    found: Any = np
    for part in name.split("."):
        found = getattr(found, part)
    return found


@cache
def _signature(name: str) -> inspect.Signature:
    """NumPy's signature, or the handler's, which has the same names: older versions lack those of some functions."""
    try:
        return inspect.signature(numpys(name))
    except ValueError:
        return inspect.signature(handlers[name])


@cache
def _takes(handler: Handler) -> dict[str, tuple[Any, bool]]:
    """The parameters of a handler: their kind, and whether they accept traced arrays."""
    hints = get_type_hints(handler.func if isinstance(handler, partial) else handler, include_extras=True)
    return {p.name: (p.kind, hints.get(p.name) is Traced) for p in inspect.signature(handler).parameters.values()}


def understood(
    name: str, handler: Handler, args: Sequence[Any], options: dict[str, Any], trace: ArrayTrace
) -> dict[str, Any]:
    """The arguments of a call for its handler, positional ones under "".

    They are bound by NumPy's own signature. Arguments equal to NumPy's defaults are left out. Those that the handler
    does not support, or would treat as constants although they depend on an input, are refused.
    """
    named, optional = _bound(name, args, options)
    own = _takes(handler)
    by_place = [(key, is_traced) for key, (kind, is_traced) in own.items() if kind < inspect.Parameter.KEYWORD_ONLY]
    takes_rest = any([kind is inspect.Parameter.VAR_KEYWORD for kind, _ in own.values()])

    def take(key: str, value: Any, is_traced: bool) -> Any:
        if not is_traced and trace_of(value) is not None:
            raise trace.refuse(f"numpy.{name} with a computed {key}")
        return value if is_traced else plain(value)

    first = [take(key, value, i) for value, (key, i) in zip(named, _as_many(by_place, len(named)), strict=False)]
    found: dict[str, Any] = {"": first}
    for key, value in optional.items():
        if key != "out" and key not in own and not takes_rest:
            raise trace.refuse(f"numpy.{name} with {key}=")
        found[key] = value if key == "out" else take(key, value, own.get(key, (None, False))[1])
    return found


def _as_many(places: list[Any], count: int) -> list[Any]:
    """One parameter per argument; the last one takes all that follow."""
    return [places[min(i, len(places) - 1)] for i in range(count)]


def _bound(name: str, args: Sequence[Any], options: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The required arguments, in NumPy's order, and the options that differ from their defaults."""
    signature = _signature(name)
    first: list[Any] = []
    given: dict[str, Any] = {}
    for key, value in signature.bind(*args, **options).arguments.items():
        parameter = signature.parameters[key]
        if parameter.kind is parameter.VAR_POSITIONAL:
            first.extend(value)
        elif parameter.kind is parameter.VAR_KEYWORD:
            given.update(value)
        elif parameter.default is parameter.empty or parameter.kind is parameter.POSITIONAL_ONLY:
            first.append(value)
        elif not _is_default(key, value, parameter.default):
            given[key] = value
    return first, given


def _is_default(option: str, value: Any, default: Any) -> bool:
    """Whether an option could be left out."""
    if value is default or value is np._NoValue or (option in ("where", "subok") and value is True):
        return True
    return isinstance(value, bool | int | float | str) and type(value) is type(default) and value == default
