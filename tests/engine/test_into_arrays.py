"""No way into an array drops a gradient silently, and what gives a bare number on purpose still does."""

from __future__ import annotations

import array
import cmath
import ctypes
import math
import operator
import statistics
import struct
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
import pytest
from helpers.each import each

import autolab
from autolab import DetachError, Variable

KINDS = ("f8", "f4", "f2", ">f8", "g", "c16", "c8", "i8", "u1")
Do = Callable[[Any, Any], Any]


def element(a: Any, s: Any) -> None:
    a[0] = s


def added(a: Any, s: Any) -> None:
    a.real[0] += s


def through_a_row(a: Any, s: Any) -> None:
    a.reshape(1, 3)[0][1] = s


def of_a_loop(a: Any, s: Any) -> None:
    for i in range(3):
        a[i] = s * i


def several_targets(a: Any, s: Any) -> None:
    a[1] = b = s
    assert b is s


def masked(a: Any, s: Any) -> None:
    np.ma.array(a)[0] = s


def masked_slice(a: Any, s: Any) -> None:
    np.ma.array(a)[:2] = s


def _store(a: Any, index: Any, s: Any) -> None:
    a[index] = s


ELEMENTS: tuple[Do, ...] = (
    element,
    added,
    through_a_row,
    of_a_loop,
    several_targets,
    masked,
    masked_slice,
    lambda a, s: _store(a, (), s) if not a.ndim else _store(a, 2, s),
    lambda a, s: _store(a, slice(0, 1), s),
    lambda a, s: _store(a, ..., s),
    lambda a, s: _store(a, [0, 1], s),
    lambda a, s: _store(a, [True, False, False], s),
    lambda a, s: _store(a, slice(0, 2), [s, s]),
    lambda a, s: a.fill(s),
    lambda a, s: a.put(0, s),
    lambda a, s: a.__setitem__(0, s),
    lambda a, s: operator.setitem(a, 0, s),
    lambda a, s: np.ndarray.__setitem__(a, 0, s),
    lambda a, s: np.put(a, 0, s),
    lambda a, s: np.copyto(a, s),
    lambda a, s: np.place(a, [True, False, False], s),
    lambda a, s: np.putmask(a, [True, False, False], s),
    lambda a, s: np.put_along_axis(a, np.array([0]), s, 0),
    lambda a, s: np.fill_diagonal(a.reshape(1, 3), s),
    lambda a, s: np.add.at(a, [0], s),
    lambda a, s: setattr(a, "flat", s),
)
MADE: tuple[Callable[[Any], Any], ...] = (
    lambda s: np.array(s),
    lambda s: np.array([s, s]),
    lambda s: np.array([1.0, s]),
    lambda s: np.asarray([[s]], dtype=float),
    lambda s: np.fromiter(iter([s, s]), float),
    lambda s: np.fromiter((s for _ in range(2)), dtype=np.float32, count=2),
    lambda s: np.full(3, s),
    lambda s: np.full_like(np.zeros(3), s),
    lambda s: np.full_like(autolab.Variable(np.zeros(3)), s),
    lambda s: np.full_like(autolab.Variable(np.zeros(3)), fill_value=s),
    lambda s: np.bincount([1, 0], weights=np.stack([s, s])),
    lambda s: np.histogram([1.0, 0.0], weights=np.stack([s, s])),
    lambda s: np.float64(s),
    lambda s: np.float32(s),
    lambda s: np.dtype(float).type(s),
    lambda s: np.zeros(3).sum(initial=s),
    lambda s: np.sum(np.zeros(3), initial=s),
    lambda s: np.interp(-1.0, [0, 1], [0, 1], left=s),
    lambda s: np.nan_to_num(np.zeros(3), nan=s),
    lambda s: np.arange(s),
    lambda s: np.ma.array([s]),
    lambda s: array.array("d", [s]),
    lambda s: array.array("d").append(s),
    lambda s: array.array("d").extend([s]),
    lambda s: element(array.array("d", [1.0]), s),
    lambda s: element((ctypes.c_double * 3)(), s),
)
NUMBERS: tuple[tuple[Callable[[Any], Any], Any], ...] = (
    (lambda s: float(s), 2.5),
    (lambda s: int(s), 2),
    (lambda s: complex(s), 2.5 + 0j),
    (lambda s: s.item(), 2.5),
    (lambda s: float(s.data), 2.5),
    (lambda s: math.sqrt(s), math.sqrt(2.5)),
    (lambda s: math.floor(s), 2),
    (lambda s: math.fsum([s, s]), 5.0),
    (lambda s: cmath.exp(s), cmath.exp(2.5)),
    (lambda s: statistics.fmean([s, s]), 2.5),
    (lambda s: list(map(float, [s, s])), [2.5, 2.5]),
    (lambda s: f"{float(s):.1f}", "2.5"),
    (lambda s: "%.1f %d" % (s, s), "2.5 2"),  # noqa: UP031
    (lambda s: f"{s}", "variable(2.5)"),
    (lambda s: struct.unpack("d", struct.pack("d", s)), (2.5,)),
    (lambda s: ctypes.c_double(s).value, 2.5),
    (lambda s: {s: 1}[s], 1),
    (lambda s: element([0], s), None),
    (lambda s: element({}, s), None),
    (lambda s: element(np.zeros(1, object), s), None),
    (lambda s: element(np.zeros(1), float(s)), None),
    (lambda s: element(np.zeros(1), s.item()), None),
    (lambda s: element({0: 0.0}, math.sin(s)), None),
    (lambda s: np.format_float_positional(s), "2.5"),
    (lambda s: np.testing.assert_approx_equal(s, 2.5), None),
)


def refused(call: Callable[[], Any]) -> str:
    """The message of the DetachError that a call raises, itself or as the cause of NumPy's own error."""
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    error: BaseException | None = caught.value
    while error is not None and not isinstance(error, DetachError | autolab.NoGradientError):
        error = error.__cause__
    assert error is not None
    assert len(str(error)) <= 300
    return str(error)


@each("kind", KINDS)
@each("do", ELEMENTS)
def test_no_assignment_into_an_array_drops_a_gradient(do: Do, kind: str) -> None:
    target, s = np.arange(3).astype(kind), Variable([1.5, 2.5])[1] * 1.0
    before = target.copy()
    refused(lambda: do(target, s))
    np.testing.assert_array_equal(target, before)


@pytest.mark.parametrize("target", [np.zeros(3).flat, memoryview(np.zeros(3))])
def test_who_swallows_the_message_raises_all_the_same(target: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        _store(target, 0, Variable(2.5))
    assert target[0] == 0.0


@pytest.mark.parametrize("do", [element, added, lambda a, s: a.fill(s), lambda a, s: np.copyto(a, s), masked])
def test_the_error_says_what_to_write(do: Do) -> None:
    message = refused(lambda: do(np.zeros(3), Variable(2.5)))
    assert "array would drop the gradient" in message and "np.stack" in message and "np.where" in message


@each("make", MADE)
def test_no_array_is_made_of_values_with_a_gradient(make: Callable[[Any], Any]) -> None:
    refused(lambda: make(Variable([2.0, 4.0])[0]))


@each(("take", "number"), NUMBERS)
def test_bare_numbers_are_given_to_those_who_ask(take: Callable[[Any], Any], number: Any) -> None:
    assert take(Variable([1.5, 2.5])[1]) == number


@each("do", [do for do in ELEMENTS if do is not masked_slice])
def test_constants_go_into_arrays_where_numpy_takes_them(do: Do) -> None:
    constant = Variable(2.5, requires_grad=False)
    try:
        do(np.zeros(3), constant)
    except TypeError as error:
        assert isinstance(error, autolab.NoGradientError)


def test_a_program_that_was_traced_or_has_no_source_is_refused_as_well() -> None:
    space: dict[str, Any] = {}
    exec("def put(a, s):\n for i in range(len(a)):\n  a[i] = s\ndef fill(a, s):\n a.fill(\n  s\n )", space)
    before = sys.gettrace()
    for trace in (None, lambda frame, event, arg: None, _each_line):
        sys.settrace(trace)
        try:
            for name in ("put", "fill"):
                with pytest.raises(ValueError, match="element") as caught:
                    space[name](np.zeros(3), Variable(1.0))
                assert isinstance(caught.value.__cause__, DetachError)
            assert float(Variable(1.5)) == 1.5
        finally:
            sys.settrace(before)


def _each_line(frame: Any, event: str, arg: Any) -> Any:
    frame.f_trace_opcodes = True
    return _each_line


@pytest.mark.skipif(sys.version_info < (3, 12), reason="sys.monitoring came with Python 3.12")
def test_a_program_that_is_monitored_is_refused_as_well() -> None:
    monitoring, seen = sys.monitoring, []
    monitoring.use_tool_id(4, "test")
    try:
        monitoring.register_callback(4, monitoring.events.INSTRUCTION, lambda code, offset: seen.append(offset))
        monitoring.set_local_events(4, element.__code__, monitoring.events.INSTRUCTION | monitoring.events.LINE)
        refused(lambda: element(np.zeros(3), Variable(1.0)))
        assert element({}, Variable(1.0)) is None
    finally:
        monitoring.set_local_events(4, element.__code__, 0)
        monitoring.free_tool_id(4)
    assert seen


def test_an_assignment_that_python_has_specialised_is_refused() -> None:
    a, numbers = np.zeros(3), [1.0, 2.0]
    for _ in range(100):
        element(a, 1.0), element(numbers, 1.0)
    refused(lambda: element(a, Variable(1.0)))


def test_where_positions_are_not_kept_a_call_counts_as_asked_for() -> None:
    bare = (lambda a, s: a.fill(s)).__code__.replace(co_linetable=b"")
    a = np.zeros(3)
    FunctionType(bare, {})(a, Variable(2.0))
    assert a.tolist() == [2.0, 2.0, 2.0]
