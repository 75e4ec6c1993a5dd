"""One number of the result of a function, as one number of its input moves: what a page of the gallery draws.

A function of one number is drawn over its declared domain. For any other the example of its docstring says what it is
called with.
"""

from __future__ import annotations

import doctest
import inspect
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from typing import Any

import numpy as np

from ... import functions as F
from ...engine.float_errors import quietly
from ...engine.grad import grad
from ...engine.primitive import Primitive
from ...engine.variable import Variable

_MOST = 64
"""Elements of a result that are looked at."""

_SPELLED: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "getitem": (([1.0, 2.0, 4.0], 1), {}),
    "pow": ((1.5, 3.0), {}),
}
"""Calls of functions whose examples write an operator."""


@dataclass(frozen=True)
class Moving:
    """A function of one number, where it begins, and in words what moves and what is drawn."""

    fn: Callable[[Variable], Any]
    x: float
    domain: tuple[float, float] | None
    told: str


class NothingMoves(Exception):
    """A function has no example with a number that moves its result."""


def moving(name: str) -> Moving:
    """What is drawn for a function of `autolab.functions`; `NothingMoves` says why there is nothing."""
    function = getattr(F, name)
    declared = getattr(function, "function", None)
    if isinstance(declared, Primitive) and declared.elementwise and len(declared.inputs) == 1 and declared.domain:
        low, high = declared.domain
        return Moving(function, low + 0.7 * (high - low), declared.domain, f"F.{name}(x)")
    args, options = called(name)
    path = _path(args)
    if path is None:
        raise NothingMoves("its example has no array of floating-point numbers")
    try:
        return _number_that_moves(function, args, options, path)
    except (TypeError, ValueError):
        raise NothingMoves("its result does not follow a number that moves") from None


def called(name: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments with which the docstring's example calls the function first; `NothingMoves` if it does not."""
    if name in _SPELLED:
        return _SPELLED[name]
    function = getattr(F, name)
    found: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    def observed(*args: Any, **options: Any) -> Any:
        found.append((args, options))
        return function(*args, **options)

    source = "\n".join([one.source for one in doctest.DocTestParser().get_examples(function.__doc__ or "")])
    setattr(F, name, observed)
    try:
        with redirect_stdout(StringIO()):
            exec(source, {})  # a docstring of AutoLab's own
    except Exception:  # an example that ends with an error on purpose
        pass
    finally:
        setattr(F, name, function)
    if not found:
        raise NothingMoves("its example does not call it by name")
    return found[0]


def _array(value: Any) -> np.ndarray | None:
    """The numbers of an argument that can move; None for what is no array, or one of indices."""
    if isinstance(value, bool | str) or value is None:
        return None
    try:
        array = np.asarray(value.data if isinstance(value, Variable) else value)
    except (TypeError, ValueError):
        return None
    is_number = array.dtype.kind == "f" or (array.dtype.kind == "i" and not isinstance(value, np.ndarray))
    return array.astype(np.float64) if is_number and array.size else None


def _path(value: Any) -> tuple[int, ...] | None:
    """The way to the first array of numbers in arguments, also inside lists of arrays."""
    for i, part in enumerate(value):
        if _array(part) is not None:
            return (i,)
        if isinstance(part, tuple | list) and (rest := _path(part)) is not None:
            return (i, *rest)
    return None


def _with(value: Any, path: tuple[int, ...], new: Any) -> Any:
    """``value`` with another array at the end of the way."""
    if not path:
        return new
    return [_with(part, path[1:], new) if i == path[0] else part for i, part in enumerate(value)]


def _number_that_moves(function: Any, args: tuple[Any, ...], options: dict[str, Any], path: tuple[int, ...]) -> Moving:
    held: Any = args
    for i in path:
        held = held[i]
    base = _array(held)
    assert base is not None
    place = tuple([int(k) for k in np.unravel_index(int(np.argmax(base.ravel() != 0)), base.shape)])
    one = np.zeros_like(base)
    one[place] = 1.0

    def results(t: Variable) -> list[Variable]:
        made = function(*_with(args, path, base * (1 - one) + t * one), **_fresh(options))
        flat = [part.reshape(-1) for part in (made if isinstance(made, tuple | list) else (made,)) if _moves(part)]
        return [part[k] for part in flat for k in range(min(part.shape[0], _MOST))]

    start = float(base[place])
    number, count = _most_moved(results, start)
    argument = [*inspect.signature(function).parameters][path[0]]
    where = f"{argument}{''.join([f'[{i}]' for i in path[1:]])}" + (f"{[*place]}" if base.size > 1 else "")
    what = f"number {number} of the result" if count > 1 else "the result"
    told = f"{what} as {where} moves; everything else is as in the example"
    return Moving(lambda t: results(t)[number], start, (start - 2.0, start + 2.0), told)


def _fresh(options: dict[str, Any]) -> dict[str, Any]:
    """The same random numbers at each call."""
    return {
        key: np.random.default_rng(0) if isinstance(value, np.random.Generator) else value
        for key, value in options.items()
    }


def _moves(part: Any) -> bool:
    return isinstance(part, Variable) and part.dtype.kind == "f" and part.node is not None


def _most_moved(results: Callable[[Variable], list[Variable]], start: float) -> tuple[int, int]:
    """Which result depends on the number most strongly, and how many there are."""
    t = Variable(start)
    with quietly():
        gradients = [grad(y, t) for y in results(t)]
    if not gradients:
        raise NothingMoves("its result is a constant to every derivative")
    sizes = [0.0 if g is None else abs(float(g.data)) for g in gradients]
    return int(np.argmax(np.nan_to_num(sizes))), len(sizes)
