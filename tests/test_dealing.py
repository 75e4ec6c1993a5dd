"""The order in which several processes take the tests."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

from helpers.dealing import dealt


class Item:
    def __init__(self, file: str, mark: str = "") -> None:
        self.path, self.mark = Path(file), mark

    def get_closest_marker(self, name: str) -> Any:
        return name if name == self.mark else None


def test_every_part_begins_with_what_waits_and_files_stay_together() -> None:
    sizes = {"a": 10, "b page": 4, "c": 3, "d lab": 3, "e": 6, "f page": 2, "g": 11, "h": 3}
    marks = {"page": "browser", "lab": "lab"}
    items: Any = [Item(name, marks.get(name[2:], "")) for name, count in sizes.items() for _ in range(count)]
    found: Any = dealt(items, 3)
    assert sorted(map(id, found)) == sorted(map(id, items))
    parts = [found[len(found) * i // 3 : len(found) * (i + 1) // 3] for i in range(3)]
    assert [[item.path.name for item in part if item.mark] for part in parts] == [
        ["b page"] * 4,
        ["d lab"] * 3,
        ["f page"] * 2,
    ]
    for part in parts:
        assert [bool(item.mark) for item in part] == sorted([bool(item.mark) for item in part], reverse=True)
    assert sum(a.path != b.path for a, b in pairwise(found)) <= len(sizes) + 2
