"""What is traced once and kept serves the very same values only: 1, 1.0 and True differ, and so do 0.0 and -0.0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers import strict_module
from helpers.each import each

import autolab
from autolab import FusionError, Variable, elementwise, to_cpu, to_gpu
from autolab import functions as F

ALIKE = [
    *((1, 1.0, True, np.float32(1), np.int64(1)), (0.0, -0.0, 0, False), (2.0, np.float64(2), np.float32(2), 2)),
    *(((1, 2), (1.0, 2)), ((0.0,), (-0.0,)), (((1,),), ((1.0,),), ((True,),))),
]


def _last(value: Any) -> Any:
    while isinstance(value, tuple):
        value = value[0]
    return value


def _bits(y: Any) -> tuple[str, bytes]:
    y = to_cpu(y.data if isinstance(y, Variable) else y)
    return y.dtype.str, y.tobytes()


def _each_once_and_again(call: Callable[[Any], Any], plain: Callable[[Any], Any], values: Any) -> None:
    for value in (*values, *values[::-1]):
        assert _bits(call(value)) == _bits(plain(value)), value


@each("values", ALIKE, ids=repr)
@each("data", [np.array([1, 2]), np.array([1.0, -2.0], np.float32)], ids=["int", "float"])
def test_attributes_that_are_equal_as_keys_are_told_apart(values: Any, data: np.ndarray) -> None:
    fused = autolab.fuse(lambda x, *, a=1: x * _last(a))
    _each_once_and_again(lambda a: fused(data, a=a), lambda a: data * _last(a), values)


outer: Any = 1


@each("values", ALIKE, ids=repr)
@each("place", ["global", "inside", "closure"])
def test_names_from_outside_are_told_apart(values: Any, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    around: Any = 1
    functions = {
        "global": lambda x: x * _last(outer),
        "inside": lambda x: next(x * _last(outer) for _ in range(1)),  # in code of its own
        "closure": lambda x: x * _last(around),
    }
    fused, data = autolab.fuse(functions[place]), np.array([1.0, -2.0], np.float32)

    def call(value: Any) -> Any:
        nonlocal around
        around = value
        monkeypatch.setitem(globals(), "outer", value)
        return fused(data)

    _each_once_and_again(call, lambda value: data * _last(value), values)


def test_strings_and_functions_from_outside_are_followed() -> None:
    def thrice(x):
        return x * 3

    def thirty(x):
        return x * 30

    mode, helper = "twice", thrice

    @autolab.fuse
    def f(x):
        return helper(x) if mode == "thrice" else x * 2

    assert f(1.0) == 2
    mode = "thrice"
    assert f(1.0) == 3

    helper = thirty
    assert f(1.0) == 30


def test_a_trace_with_nan_is_found_again() -> None:
    f = autolab.fuse(lambda x, *, a=0.0: x + a)

    for _ in range(3):
        assert np.isnan(f(Variable(1.0), a=float("nan")).data) and np.isnan(f(1.0, a=np.float64("nan")))
    assert [len(traces) for traces in f.function._traces.values()] == [1, 1]


def test_objects_that_call_themselves_equal_are_told_apart() -> None:
    class Rate:
        def __init__(self, value: float) -> None:
            self.value = value

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Rate) and self.value == other.value

        def __hash__(self) -> int:
            return hash(self.value)

    f, x = autolab.fuse(lambda x, *, rate: x * rate.value), np.array([1, 2])
    assert [f(x, rate=Rate(value)).dtype.kind for value in (1, 1.0, 1)] == ["i", "f", "i"]
    with pytest.raises(FusionError, match="expected numbers and strings"):
        f(x, rate=np.ones(2))


def test_kernels_of_declared_functions_are_told_apart() -> None:
    @elementwise(x=lambda g, k: g * k)
    def times(xp, x, *, k=1):
        return -(x * k)

    @elementwise(a=lambda g, b: g * b + g, b=lambda g, a: g * a)
    def madd(xp, a, b):
        return a * b + a

    with strict_module.installed():
        whole, broken = np.array([1, 2]), np.array([1.0, 2.0])
        for values in ALIKE[:3]:
            for data in (whole, broken):
                on_device = to_gpu(data)
                _each_once_and_again(lambda k, x=on_device: times(x, k=k), lambda k, x=data: -(x * k), values)
        for number in (3, 4):
            assert to_cpu(madd(Variable(to_gpu(whole)), number).data).tolist() == [number + 1, 2 * number + 2]
        for k in (2.0, -0.0, 2):
            x = Variable(to_gpu(broken))
            (g,) = autolab.grad(F.sum(times(x, k=k)), (x,))
            assert _bits(g) == _bits(np.full(2, k, np.float64))
