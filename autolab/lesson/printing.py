"""Limits what an answer prints: a check runs it hundreds of times, and would repeat each `print` as often."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from typing import TextIO

from .messages import say

MOST = 20
"""The number of lines that are shown."""


class _First(io.TextIOBase):
    """Passes the first lines on to ``out`` and counts the others."""

    def __init__(self, out: TextIO) -> None:
        self.out = out
        self.lines = 0

    def write(self, text: str) -> int:
        for line in text.splitlines(keepends=True):
            if self.lines < MOST:
                self.out.write(line)
            self.lines += line.endswith("\n")
        return len(text)

    def flush(self) -> None:
        self.out.flush()


@contextlib.contextmanager
def first_lines() -> Iterator[None]:
    """In the block, only the first lines that are printed appear; the end says how many more there were.

    Examples
    --------
    >>> with first_lines():
    ...     print("\\n".join(["forward"] * 22))
    forward
    ...
    forward
    (Your code printed more: 2 lines. A check runs it many times.)
    """
    first = _First(sys.stdout)
    try:
        with contextlib.redirect_stdout(first):
            yield
    finally:
        if first.lines > MOST:
            print(say("printed", count=first.lines - MOST))
