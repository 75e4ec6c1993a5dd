"""Lines that are called not reached are not: compared with what Python's tracer sees."""

# ruff: noqa: SIM108  # the branches are what is looked at

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from helpers.each import each

from autolab import functions as F
from autolab import record
from autolab.recording import Recording, last_recording
from autolab.views.graph.listing import listing
from autolab.views.graph.listing import unreached as told


def either(x):
    if x.data > 0:
        y = x * 2
    else:
        z = x * 3
        y = z * x
    return y


def early(x):
    if x.data > 0:
        return x * 2
    y = -x
    return y * 3


def ladder(x):
    if x.data > 5:
        y = x * 5
    elif x.data > 0:
        y = x * 1
    elif x.data > -5:
        y = x * -1
    else:
        y = x * -5
    return y


def guard(x):
    y = x * 2
    if x.data < 0:
        raise ValueError("negative")
    return y + 1


def silent_branch(x):
    n = 1
    if x.data > 0:
        n = 3  # makes no step: nobody can tell from the recording
    return x * n


def in_a_loop(x):
    for t in range(3):
        if t == 1:
            x = x * 2
        else:
            x = x + 1
        if x.data > 1e6:
            break
    else:
        x = x * 3
    return x


def attempts(x):
    try:
        y = x * 2
        if x.data > 0:
            y = y.reshape(7)
        else:
            y = y + 1
    except ValueError:
        y = x * 5
    finally:
        n = 2
    return y * n


def escapes(x):
    try:
        y = x * 2
        y = y.reshape(7)
    except KeyError:
        y = x * 5
    else:
        y = y + 1
    finally:
        x = x * 0
    return y


def nested(x):
    with np.errstate(all="ignore"):
        if x.data > 0:
            if x.data > 1:
                return x * 2
            y = x * 3
        else:
            y = x * 4
            if x.data < -1:
                raise ValueError("far")
        y = y + 1
    return y


def inner_functions(x):
    def twice(a):
        if a.data > 0:
            return a * 2
        return a * 4

    def never(a):
        return a

    y = twice(x)
    if x.data > 100:
        y = never(y) * 2
    else:
        y = y * 3
    return y


def several_lines(x):
    if x.data > 0:
        y = F.sum(
            x * 2,
        )
    else:
        y = (
            x
            * 3
        )  # fmt: skip
    return y


def matched(x):
    match int(x.data > 0):
        case 0:
            y = x * 2
        case _:
            y = x * 3
    return y


def factorial(x, n: int = 1):
    if n == 0:
        return x
    return factorial(x, n - 1) * n


def in_the_test(x):
    if F.sum(x * 2).data > 0:
        y = x * 3
    else:
        y = x * 4
    return y


def while_loop(x):
    while x.data < 10:
        x = x * 2 + 11
        if x.data > 1e9:
            return x * 5
    if x.data > 15:
        return x * 7
    return x


def mutual(x, n: int = 1):
    if n:
        return other(x) * 2
    return x * 3


def other(x):
    return mutual_again(x, 0)


mutual_again = mutual

PROGRAMS = [
    either, early, ladder, guard, silent_branch, in_a_loop, attempts, escapes, nested, inner_functions, several_lines,
    matched, factorial, in_the_test, while_loop,
]  # fmt: skip


def run(fn: Callable[..., Any], x: float) -> tuple[Recording, set[int]]:
    """The recording, and the lines of the function itself that Python's tracer saw."""
    seen: set[int] = set()

    def trace(frame: Any, event: str, arg: Any) -> Any:
        if frame.f_code is not fn.__code__:
            return None
        if event == "line":
            seen.add(frame.f_lineno)
        return trace

    before = sys.gettrace()
    recording = None
    sys.settrace(trace)
    try:
        with suppress(ValueError):
            recording = record(fn, x)
    except ValueError:
        pass
    finally:
        sys.settrace(before)
    return recording or failed(fn, x), seen


def failed(fn: Callable[..., Any], x: float) -> Recording:
    with pytest.raises(ValueError) as caught:
        record(fn, x)
    recording = last_recording(caught.value)
    assert recording is not None
    return recording


@each("x", [-9.0, -3.0, -0.5, 0.5, 3.0, 9.0])
@each("fn", PROGRAMS, ids=lambda fn: fn.__name__)
def test_what_is_called_not_reached_was_not(fn: Callable[..., Any], x: float) -> None:
    recording, seen = run(fn, x)
    assert seen.isdisjoint(recording.unreached)


def lines(fn: Callable[..., Any], x: float) -> list[int]:
    """The lines that were not reached, counted from the function's own."""
    return [line - fn.__code__.co_firstlineno for line in run(fn, x)[0].unreached]


@each(
    ("fn", "x", "expected"),
    [
        (either, 1.0, [4, 5]),
        (either, -1.0, [2]),
        (early, 1.0, [3, 4]),
        (early, -1.0, [2]),
        (ladder, 9.0, [3, 4, 5, 6, 7, 8]),
        (ladder, 1.0, [2, 5, 6, 7, 8]),
        (ladder, -9.0, [2, 4, 6]),
        (guard, 1.0, [3]),
        (guard, -1.0, [4]),
        (silent_branch, -1.0, []),
        (in_a_loop, 1.0, []),
        (attempts, -1.0, [4]),
        (escapes, 1.0, [7, 10]),
        (nested, 2.0, [5, 7, 8, 9, 10]),
        (factorial, 1.0, []),
        (in_the_test, 1.0, [4]),
        (while_loop, 1.0, []),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_what_can_be_known(fn: Callable[..., Any], x: float, expected: list[int]) -> None:
    assert lines(fn, x) == expected


def test_nothing_is_said_of_what_may_run_more_than_once() -> None:
    def both(fn):
        @functools.wraps(fn)
        def around(x):
            return fn(x) + fn(-x)

        return around

    def half(x):
        if x.data > 0:
            return x
        return x * 2

    assert record(both(either), 1.0).unreached == ()
    assert record(half, -1.0).unreached != () and record(both(half), 1.0).unreached == ()
    assert record(mutual, 1.0).unreached == ()
    assert record(lambda x: x * 2 if x.data > 0 else x * 3, 1.0).unreached == ()
    assert record(np.tanh, 1.0).unreached == ()


def test_the_branch_that_was_not_taken_is_named_where_the_source_is_shown() -> None:
    recording = record(guard, 1.0)
    line = guard.__code__.co_firstlineno + 3
    assert told(recording) == f"Line {line} was not reached."
    assert listing(recording, {})["marks"] == {str(line): "not reached"}
    assert f"Line {line} was not reached." in recording._repr_mimebundle_()["text/html"]
    first = ladder.__code__.co_firstlineno
    assert told(record(ladder, 9.0)) == f"Lines {first + 3} to {first + 8} were not reached."
    assert "marks" not in listing(record(silent_branch, 1.0), {})
