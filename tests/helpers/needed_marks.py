"""A test that uses Chromium or starts Jupyter carries the mark that says so; without it, the test fails by name.

So `-m "not browser and not lab"` can be relied upon where neither is installed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

FIXTURES = {"browser": "browser", "lab": "lab"}  # made once, for the first test that asks: so all who ask are looked at
COMMANDS = {
    "browser": re.compile(r"chrom(e|ium)\b|\bplaywright\b"),
    "lab": re.compile(
        r"\bjupyter(_server|lab|-\w+)?\b|\bipykernel(_launcher)?\b|\bautolab(\.app\.cli)? (lab|page)\b|\bmake lab\b"
    ),
}
_running: list[pytest.Item] = []


def missing_mark(item: pytest.Item) -> str | None:
    """What to say of a test that asks for a fixture without the mark that belongs to it."""
    for fixture in getattr(item, "fixturenames", ()):
        mark = FIXTURES.get(fixture)
        if mark and item.get_closest_marker(mark) is None:
            return _sentence(item, f"uses the fixture {fixture}", mark)
    return None


def _sentence(item: pytest.Item, what: str, mark: str) -> str:
    return f"{item.nodeid} {what}: mark it with @pytest.mark.{mark}"


@contextmanager
def watched(item: pytest.Item) -> Iterator[None]:
    """While a test runs, from its fixtures on: refuse the processes for which it has no mark."""
    _running.append(item)
    try:
        yield
    finally:
        _running.remove(item)


def _hear(event: str, details: tuple[Any, ...]) -> None:
    if event != "subprocess.Popen" or not _running:
        return
    item, arguments = _running[-1], details[1]
    command = arguments if isinstance(arguments, str | bytes) else " ".join(map(str, arguments))
    for mark, pattern in COMMANDS.items():
        if item.get_closest_marker(mark) is None and pattern.search(str(command)):
            pytest.fail(_sentence(item, f"starts {str(command)[:80]!r}", mark))


sys.addaudithook(_hear)
