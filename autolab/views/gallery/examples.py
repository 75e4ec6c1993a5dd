"""One number in a function's result as a function of one number in its input, for a page of the gallery.

A function of one number is drawn over its declared domain. For any other, the example in its docstring provides the
arguments.
"""

from __future__ import annotations

import doctest
import inspect
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from typing import Any

import numpy as np

from ... import functions as F
from ...engine import Primitive, Variable, grad
from ...engine.float_errors import quietly

_MOST = 64
"""The maximum number of elements of a result that are examined."""

_SPELLED: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "getitem": (([1.0, 2.0, 4.0], 1), {}),
    "pow": ((1.5, 3.0), {}),
}
"""Calls of functions whose examples use an operator."""


@dataclass(frozen=True)
class Moving:
    """A function of one number, its starting point, a sentence about what moves and what is drawn, and whether it is
    part of a function with other arguments."""

    fn: Callable[[Variable], Any]
    x: float
    domain: tuple[float, float] | None
    told: str
    is_part: bool = False


class NothingMoves(Exception):
    """Raised if a function has no example with a number on which its result depends."""


def moving(name: str) -> Moving:
    """What is drawn for a function of `autolab.functions`; raises `NothingMoves` if there is nothing to draw."""
    function = getattr(F, name)
    declared = getattr(function, "function", None)
    if isinstance(declared, Primitive) and declared.elementwise and len(declared.inputs) == 1 and declared.domain:
        low, high = declared.domain
        return Moving(function, low + 0.7 * (high - low), declared.domain, f"F.{name}(x)")
    args, options = called(name)
    still: list[Moving] = []
    for path, base, place in _numbers(args):
        try:
            shown, slope = _moved(function, args, options, path, base, place)
        except (TypeError, ValueError):  # the number may be a size
            continue
        if slope:
            return shown
        still.append(shown)
    if not still:
        raise NothingMoves("no number of its example can be moved alone")
    return still[0]


def called(name: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of the first call in the docstring's example; raises `NothingMoves` if there is no call."""
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
            exec(source, {})  # a docstring of AutoLab
    except Exception:  # an example that raises on purpose
        pass
    finally:
        setattr(F, name, function)
    if not found:
        raise NothingMoves("its example does not call it by name")
    return found[0]


def _array(value: Any) -> np.ndarray | None:
    """The movable numbers of an argument; None if it is not an array, or an array of indices."""
    if isinstance(value, bool | str) or value is None:
        return None
    try:
        array = np.asarray(value.data if isinstance(value, Variable) else value)
    except (TypeError, ValueError):
        return None
    is_number = array.dtype.kind == "f" or (array.dtype.kind == "i" and not isinstance(value, np.ndarray))
    return array.astype(np.float64) if is_number and array.size else None


def _numbers(args: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], np.ndarray, tuple[int, ...]]]:
    """The arrays of numbers in arguments, including those inside lists: the path, the array and indices into it, those
    of zeros last."""
    for i, part in enumerate(args):
        if (base := _array(part)) is not None:
            for k in np.argsort(base.ravel() == 0, kind="stable")[:_MOST]:
                yield (*path, i), base, tuple([int(j) for j in np.unravel_index(k, base.shape)])
        elif isinstance(part, tuple | list):
            yield from _numbers(part, (*path, i))


def _with(value: Any, path: tuple[int, ...], new: Any) -> Any:
    """``value`` with another array at the end of the path."""
    if not path:
        return new
    return [_with(part, path[1:], new) if i == path[0] else part for i, part in enumerate(value)]


def _moved(
    function: Any, args: Any, options: dict[str, Any], path: tuple[int, ...], base: np.ndarray, place: tuple[int, ...]
) -> tuple[Moving, float]:
    """What depends on one number of the argument at ``path``, and how strongly."""
    one = np.zeros_like(base)
    one[place] = 1.0

    def results(t: Variable) -> list[Variable]:
        made = function(*_with(args, path, base * (1 - one) + t * one), **_fresh(options))
        flat = [part.reshape(-1) for part in (made if isinstance(made, tuple | list) else (made,)) if _moves(part)]
        return [part[k] for part in flat for k in range(min(part.shape[0], _MOST))]

    start = float(base[place])
    number, count, slope = _most_moved(results, start)
    argument = [*inspect.signature(function).parameters][path[0]]
    where = f"{argument}{''.join([f'[{i}]' for i in path[1:]])}" + (f"{[*place]}" if base.size > 1 else "")
    what = f"element {number} of the result" if count > 1 else "the result"
    told = f"{what} as {where} moves; everything else is as in the example"
    return Moving(lambda t: results(t)[number], start, (start - 2.0, start + 2.0), told, True), slope


def _fresh(options: dict[str, Any]) -> dict[str, Any]:
    """The options with a new generator that gives the same random numbers at each call."""
    return {
        key: np.random.default_rng(0) if isinstance(value, np.random.Generator) else value
        for key, value in options.items()
    }


def _moves(part: Any) -> bool:
    return isinstance(part, Variable) and part.dtype.kind == "f" and part.node is not None


def _most_moved(results: Callable[[Variable], list[Variable]], start: float) -> tuple[int, int, float]:
    """The index of the result that depends most strongly on the number, the number of results, and the slope's size."""
    t = Variable(start)
    with quietly():
        gradients = [grad(y, t) for y in results(t)]
    if not gradients:
        raise NothingMoves("its result is a constant to every derivative")
    sizes = [0.0 if g is None else abs(float(g.data)) for g in gradients]
    slopes = np.nan_to_num(sizes, posinf=0.0)
    return int(slopes.argmax()), len(sizes), float(slopes.max())
