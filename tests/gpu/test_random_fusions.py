"""Random functions that work element by element, fused and not: the same bits on the CPU, one kernel each way there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.devices import Device
from helpers.each import each
from helpers.strict_array import launches

import autolab
from autolab import Variable, grad, to_cpu, to_gpu
from autolab import functions as F
from autolab.gpu import kernel_program

ONE: tuple[Callable[[Any], Any], ...] = (
    *(F.tanh, F.sin, F.sigmoid, F.relu, F.softplus, F.square, F.abs, F.gelu, F.elu, F.floor),
    *(lambda x: -x, lambda x: x * 0.5, lambda x: 1.5 - x, lambda x: x**3, lambda x: x**2, lambda x: 2 / (x * x + 1)),
    *(lambda x: F.leaky_relu(x, slope=0.3), lambda x: F.clip(x, -0.5, 0.5), lambda x: np.exp(-abs(x)), F.arctan),
)
TWO: tuple[Callable[[Any, Any], Any], ...] = (
    *(lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y, lambda x, y: x / (y * y + 1)),
    *(F.maximum, F.minimum, F.hypot, F.logaddexp, F.arctan2),
    *(lambda x, y: F.where(x > y, x, y * 2), lambda x, y: F.where((x > 0) & (y <= 0.2), y, x)),
)
SEEDS = range(60)


def program(seed: int) -> Callable[[Any, Any, Any], Any]:
    """A function of three inputs in about ten steps, each of earlier values."""
    rng = np.random.default_rng(seed)
    plan = [
        (rng.integers(len(ONE)), (-1 - rng.integers(3),))
        if rng.random() < 0.5
        else (rng.integers(len(TWO)), tuple(-1 - rng.integers(4, size=2)))
        for _ in range(10)
    ]

    def function(x: Any, y: Any, z: Any) -> Any:
        values = [z, y, x, x * y + z]
        for which, places in plan:
            inputs = [values[place] for place in places]
            values.append(ONE[which](*inputs) if len(inputs) == 1 else TWO[which](*inputs))
        return values[-1] + values[3]

    return function


def _inputs(seed: int, shapes: Any, dtype: str) -> list[np.ndarray]:
    rng = np.random.default_rng([seed, 1])
    return [rng.normal(size=shape).astype(dtype) for shape in shapes]


def _first_order(function: Any, arrays: list[Any], g: Any) -> list[Any]:
    xs = [Variable(a) for a in arrays]
    y = function(*xs)
    return [value.data for value in (y, *grad(y, xs, g))]


def _bits(array: np.ndarray) -> bytes:
    """All NaN are one: its sign is that of a register, or not, as an element happens to lie."""
    return np.where(np.isnan(array), np.nan, array).tobytes()


@each("seed", SEEDS)
def test_the_same_bits_on_the_cpu(seed: int) -> None:
    function = program(seed)
    for dtype in ("f8", "f4"):
        arrays, g = _inputs(seed, [(2, 5)] * 3, dtype), np.ones((2, 5), dtype)
        fused = _first_order(autolab.fuse(function), arrays, g)
        for a, b in zip(fused, _first_order(function, arrays, g), strict=True):
            assert a.dtype == b.dtype == dtype and a.tobytes() == b.tobytes()


@each("seed", SEEDS[::6])
@each("shapes", [[(71, 37)] * 3, [(71, 37), (37,), ()], [(), (1, 37), (71, 37)]], ids=str)
def test_the_same_bits_in_many_blocks(seed: int, shapes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last block is shorter; awkward values lie anywhere."""
    function, found = program(seed), list[Any]()
    for dtype in ("f8", "f4"):
        arrays, g = _inputs(seed, shapes, dtype), np.ones((71, 37), dtype)
        for array in arrays:
            array.ravel()[seed::97] = [np.inf, 1e30, np.nan, 0.0][seed % 4]
        for block in (1 << 30, 1 << 14):
            monkeypatch.setattr(kernel_program, "_BLOCK_BYTES", block)
            with np.errstate(all="ignore"):
                found.append(_first_order(autolab.fuse(function), arrays, g))
        one, many = found[-2:]
        with np.errstate(all="ignore"):
            assert _bits(one[0]) == _bits(function(*[Variable(a) for a in arrays]).data)
        for a, b in zip(one, many, strict=True):
            assert a.dtype == b.dtype == dtype and _bits(a) == _bits(b)


def test_large_arrays_are_computed_in_blocks_where_steps_share_them(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    monkeypatch.setattr(kernel_program, "_BLOCK_BYTES", 1 << 14)
    monkeypatch.setattr(kernel_program, "_writing", lambda step: lambda *places: sizes.append(places[-1].size))
    x = np.ones((100, 100))
    autolab.fuse(lambda x: F.exp(x * x + 1) * x - x)(x)
    assert max(sizes) <= (1 << 14) // 16 and sum(sizes) == 5 * x.size
    sizes.clear()
    autolab.fuse(lambda x, y: x * y)(x, x)
    assert sizes == []


@pytest.mark.parametrize(
    "shapes", [[(40, 30), (40, 1)], [(40, 1), (30,)], [(0, 30), (30,)], [(30, 40), (40,)]], ids=str
)
def test_other_shapes_and_strides_are_computed_as_well(shapes: Any) -> None:
    """Not by blocks, but for the last."""
    function = lambda x, y: F.exp(-x * y) * x + y * y - x  # noqa: E731
    for turn in (np.asarray, np.asfortranarray):
        x, y = [turn(a) for a in _inputs(1, shapes, "f8")]
        fused = autolab.fuse(function)(Variable(x), Variable(y))
        assert fused.data.tobytes() == function(Variable(x), Variable(y)).data.tobytes()


@each("seed", SEEDS)
def test_broadcast_and_differentiated_twice(seed: int) -> None:
    function, found = program(seed), []
    for f in (autolab.fuse(function), function):
        xs = [Variable(a) for a in _inputs(seed, [(2, 5), (5,), ()], "f8")]
        first = grad(F.sum(F.sin(f(*xs))), xs, create_graph=True)
        second = grad(F.sum(F.stack([F.sum(F.sin(g)) for g in first])), xs)
        found.append([value.data for value in (*first, *second)])
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11)


@each("seed", SEEDS)
def test_one_kernel_each_way_on_a_device(seed: int, device: Device) -> None:
    function, arrays = program(seed), _inputs(seed, [(2, 5), (5,), (2, 1)], "f4")
    g = np.ones((2, 5), np.float32)
    there = [to_gpu(a) for a in arrays]
    upstream = to_gpu(g)
    with launches() as launched:
        found = _first_order(autolab.fuse(function), there, upstream)
    own = [name for name in launched if name.startswith("autolab_")]
    assert own == (["autolab_function", "autolab_function_backward"] if device.counts else [])
    assert set(launched) - set(own) <= {"sum", "copy"}
    for a, b in zip(found, _first_order(function, arrays, g), strict=True):
        scale = 1e-5 * max(1, float(np.abs(b).max()))
        np.testing.assert_allclose(to_cpu(a), b, rtol=1e-5 * device.loose, atol=scale * device.loose)
