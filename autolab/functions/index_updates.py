"""``x.at[i].set(v)`` and ``x.at[i].add(v)``: JAX's copies with some elements changed."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from ..engine import unwrap
from ..engine.habits import answer_habits
from ..engine.parts import is_thrown_away
from .arrays.indexing import put, scatter
from .arrays.shape import broadcast_to


class IndexUpdates:
    """The result of ``x.at`` and of ``x.at[index]``.

    Examples
    --------
    >>> from autolab import Variable
    >>> x = Variable([1.0, 2.0, 3.0])
    >>> x.at[1].set(5.0), x.at[[0, 0]].add(1.0)
    (variable([1. 5. 3.]), variable([3. 2. 3.]))
    """

    def __init__(self, x: Any, index: Any = ...) -> None:
        self._x, self._index = x, index

    def __getitem__(self, index: Any) -> IndexUpdates:
        return IndexUpdates(self._x, unwrap(index))

    def set(self, value: Any) -> Any:
        """A copy with the elements replaced by ``value``, which broadcasts."""
        _check_used("set", sys._getframe(1))
        return put(self._x, value, index=self._index)

    def add(self, value: Any) -> Any:
        """A copy with ``value`` added, as many times as an element occurs in the index."""
        _check_used("add", sys._getframe(1))
        added = broadcast_to(value, self._x[self._index].shape)
        return self._x + scatter(added, index=self._index, shape=self._x.shape)


def _check_used(name: str, frame: FrameType) -> None:
    if is_thrown_away(frame):
        raise TypeError(f"Variable.at: it gives a copy, and x stays as it is; write x = x.at[i].{name}(v)")


answer_habits(IndexUpdates, "IndexUpdates")
at = property(IndexUpdates)
