"""Parts: values that NumPy would share with the value they were taken from, ``row = w[0]`` or ``w.T``.

A write gives a Variable a new array, so that whatever was computed from the old one stays correct. Written to a part,
it would be lost: the whole does not know of it. Therefore such a write is refused. The usual value is recognised by one
truth test, as its array is no view; only a view of an array that others hold too is looked at more closely.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from dis import opmap
from sys import _getframe, getrefcount
from typing import Any

import numpy as np

from .errors import INTO_ARRAY, DetachError, part, thrown_away
from .modes import backprop_enabled
from .node import Leaf, Node

ELEMENT, DETACHED = "element", "detached"
"""What ``_taken`` says of a constant that shares its numbers, though its array is no view: it was taken by an index, as
NumPy's scalars are, or by ``detach``."""


def is_part(x: Any, read_only: bool = True) -> bool:
    """Whether a write to ``x`` would have to change another Variable, too.

    A value whose whole no longer exists is no part: NumPy's write would reach nobody else. Read-only views are parts
    only where ``read_only`` is True and elements share their places in memory, as after `broadcast_to`.
    """
    node, data, taken = x.node, x._data, getattr(x, "_taken", None)
    if type(node) is Leaf or type(data) is not np.ndarray:
        return False
    if taken == ELEMENT:
        return True
    if not data.ndim and node is not None and data.base is None:
        return getattr(node.function, "name", None) == "getitem"
    if taken == DETACHED:
        return getrefcount(data) > _ALONE and _is_shared(x)
    base = data.base
    if type(base) is not np.ndarray or not (data.flags.writeable or (read_only and 0 in data.strides)):
        return False
    return getrefcount(base) - _kept_by(node, base) > _ALONE and _is_shared(x)


def check_replaced(x: Any, array: Any) -> bool:
    """Raise a ValueError if ``array`` would replace that of a part; else False, as `x` is no leaf."""
    if array is not x._data and is_part(x):
        raise ValueError(part("Variable"))
    return False


def is_view(x: Any) -> bool:
    """Whether the array of ``x`` is a view of another array."""
    return type(x._data) is np.ndarray and x._data.base is not None


def _count_of_base(view: Any) -> int:
    base = view.base
    return getrefcount(base)


_ALONE = _count_of_base(np.empty(2)[:1])  # held once, and by a name of the function that counts


def _kept_by(node: Node | None, base: Any) -> int:
    """How many times the step that made the whole retains its array, for its own gradient."""
    count, seen = 0, set()
    while node is not None and node.order:
        for edge in node.edges:
            saved = edge.saved
            if saved is base:
                count += 1
            elif type(saved) is tuple and id(saved) not in seen:
                seen.add(id(saved))
                count += sum([item is base for item in saved])
        if count or node.more is not None:
            return count
        node = node.parent
    return count


def _is_shared(x: Any) -> bool:
    """Whether another Variable holds the same numbers, and perhaps more of them."""
    return bool(sharing(x))


def sharing(x: Any) -> list[Any]:
    """The other Variables that hold the same numbers in the same memory, and perhaps more of them.

    A list, as a generator would be among the objects that it holds, and keep them all alive if it were not finished.
    """
    from .variable import Variable

    data = x._data
    others = [one for one in gc.get_objects() if isinstance(one, Variable) and one is not x]
    arrays = [(one, array) for one in others if type(array := getattr(one, "_data", None)) is np.ndarray]
    near = [(one, a) for one, a in arrays if a.size >= data.size and np.may_share_memory(a, data)]
    return [one for one, a in near if _overlap(a, data)]


def _overlap(a: np.ndarray, b: np.ndarray) -> bool:
    try:
        return np.shares_memory(a, b, max_work=10_000)  # type: ignore[arg-type]  # any number, says its documentation
    except np.exceptions.TooHardError:
        return True


def check_whole_value(x: Any, who: str) -> None:
    """Raise a ValueError for a write to a part; where the write would be a step of the graph, to any view."""
    if is_part(x) or (x.node is not None and type(x.node) is not Leaf and is_view(x) and backprop_enabled()):
        raise ValueError(part(who))


def is_stored(x: Any) -> bool:
    """Whether nothing but the running statement holds ``x``: the one of ``w[0] += 1``, which is stored afterwards.

    To be called in a special method, by name.
    """
    return getrefcount(x) <= _IN_STATEMENT + 1


def check_kept(x: Any, who: str) -> None:
    """Raise a ValueError if nobody would see a write to ``x``: ``w[mask].fill_(0)``, where ``w[mask]`` is a copy.

    To be called in a method, whose caller throws its result away.
    """
    if getrefcount(x) <= _IN_METHOD + 1 and is_thrown_away(_getframe(2)):
        raise ValueError(thrown_away(who))


def check_named(x: Any, who: str) -> None:
    """The same for an assignment, ``w[mask][0] = 0``. To be called in ``__setitem__``."""
    frame = _getframe(2)
    if getrefcount(x) <= _IN_ASSIGNMENT + 1 and frame.f_code.co_code[frame.f_lasti] == opmap["STORE_SUBSCR"]:
        raise ValueError(thrown_away(who))


def is_thrown_away(frame: Any) -> bool:
    """Whether what ``frame`` is calling gives a result that the statement does not use."""
    return next_instruction(frame) == opmap["POP_TOP"]


def next_instruction(frame: Any) -> int | None:
    """What ``frame`` does with the result of the call that it is making."""
    code = frame.f_code.co_code
    place = frame.f_lasti + 2
    while place < len(code) and code[place] == _CACHE:
        place += 2
    return code[place] if place < len(code) else None


_CACHE = opmap.get("CACHE", -1)


class _CountedOperand:
    """Counts references as a value of a statement has them."""

    def count(self) -> int:
        return getrefcount(self)

    def __iadd__(self, other: Any) -> Any:
        return getrefcount(self)

    def __setitem__(self, index: Any, counts: list[int]) -> None:
        counts.append(getrefcount(self))


class _CountedItems:
    """What ``w[0] += 1`` does to ``w``."""

    def __init__(self) -> None:
        self.counts: list[int] = []

    def __getitem__(self, index: Any) -> Any:
        return _CountedOperand()

    def __setitem__(self, index: Any, count: int) -> None:
        self.counts.append(count)


_IN_METHOD = _CountedOperand().count()
_counted = _CountedItems()
_counted[0] += 1
_CountedOperand()[0] = _counted.counts
_IN_STATEMENT, _IN_ASSIGNMENT = _counted.counts


def rewrite(x: Any, who: str, write: Callable[[Any], Any]) -> None:
    """Let ``write`` change a copy of the array of ``x``, which becomes its array."""
    if x.node is not None and backprop_enabled():
        raise DetachError(f"{who}: {INTO_ARRAY}")
    check_whole_value(x, who)
    new = x._data.copy()
    write(new)
    x.data = new
