"""Repeated blocks among the items of an outline: those of one class, with the same structure inside."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .model import Step

if TYPE_CHECKING:
    from .outline import Group, Item

FEWEST = 3
"""The minimum number of repetitions in a stack."""

_LONGEST = 4  # the longest repeated unit: such as a layer, its normalization and an activation
_NUMBER = re.compile(r"\d+")


class Repeats:
    """Finds repeated units. Each structure is compared only once, however often it occurs."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._known: dict[int, int] = {}

    def stretches(self, items: list[Item]) -> Iterator[tuple[int, int]]:
        """Divide the items: pairs of a period and its number of repetitions; ``(1, 1)`` for a single item."""
        looks = [(self._structure(item), _shape(item)) for item in items]
        at = 0
        while at < len(items):
            found = [(period, _times(looks, at, period)) for period in range(1, _LONGEST + 1)]
            period, times = max(found, key=lambda pair: pair[0] * pair[1] if pair[1] >= FEWEST else 0)
            if times < FEWEST:
                period, times = 1, 1
            if any([_is_block(item) for item in items[at : at + period]]):
                yield period, times
            else:
                yield from [(1, 1)] * (period * times)
            at += period * times

    def _structure(self, item: Item) -> int:
        """A number that is the same for equal structures."""
        if item.id in self._known:
            return self._known[item.id]
        key: object
        if isinstance(item, Step):
            key = (item.kind, item.function)
        else:
            key = (item.kind, _class(item), *[self._structure(inner) for inner in item.items])
        return self._known.setdefault(item.id, self._numbers.setdefault(key, len(self._numbers)))


def _is_block(item: Item) -> bool:
    """Whether it is a call of a link, a module or a user's function."""
    return not isinstance(item, Step) and item.scope is not None and item.kind in ("link", "function")


def _class(group: Group) -> str | None:
    """The class of a block, ignoring the numbers in its name: ``blocks.0`` and ``blocks.1`` are alike, ``q`` and ``k``
    are not."""
    scope = group.scope
    return None if scope is None else _NUMBER.sub("", scope.block or scope.label.partition("(")[0])


def _shape(item: Item) -> tuple[int, ...] | None:
    """The shape of its value."""
    step = item if isinstance(item, Step) else item.steps[-1]
    return None if step.value is None else step.value.shape


def _times(looks: Sequence[object], at: int, period: int) -> int:
    """How often the unit that begins there repeats."""
    times = 1
    first = looks[at : at + period]
    while looks[at + times * period : at + (times + 1) * period] == first:
        times += 1
    return times if len(first) == period else 1
