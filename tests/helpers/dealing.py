"""In which order the processes of the tests take them: first what waits for pages, at the end what is short."""

from __future__ import annotations

from itertools import groupby

import pytest


def dealt(items: list[pytest.Item], hands: int) -> list[pytest.Item]:
    """``items`` so that each of ``hands`` equal parts, with which pytest-xdist begins, has its share of what waits.

    A file stays in one part, where it fits. Examples of docstrings, which are short, are last, as they were.
    """
    files = [list(group) for _, group in groupby(items, lambda item: item.path)]
    waiting = [file for file in files if any([waits(item) for item in file])]
    others = [file for file in files if not any([waits(item) for item in file])]
    sizes = [len(items) * (i + 1) // hands - len(items) * i // hands for i in range(hands)]
    parts: list[list[pytest.Item]] = [[] for _ in range(hands)]
    for file in [*sorted(waiting, key=len, reverse=True), *others]:
        while file:
            room = [size - len(part) for size, part in zip(sizes, parts, strict=True)]
            i = room.index(max(room))
            parts[i] += file[: room[i]]
            file = file[room[i] :]
    return [item for part in parts for item in part]


def waits(item: pytest.Item) -> bool:
    return any(item.get_closest_marker(mark) is not None for mark in ("browser", "lab"))
