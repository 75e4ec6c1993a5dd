"""The whole table of functions on arrays that refuse to become NumPy's: nothing leaves the device by accident."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.cases import Case, naming
from helpers.devices import Device
from helpers.each import each
from helpers.function_table import ROWS
from helpers.rows import Row

import autolab
from autolab import Variable
from autolab import functions as F
from autolab.engine.arrays import to_cpu, to_gpu

LOOKS = {
    **dict.fromkeys(
        ("softmax_cross_entropy", "nll_loss", "accuracy", "embedding", "sigmoid_cross_entropy", "one_hot"),
        "are there such classes",
    ),
    **dict.fromkeys(("precision", "recall", "f1_score"), "are there such classes"),
    "binary_cross_entropy": "are they probabilities",
    **dict.fromkeys(
        (
            "svd",
            "eigh",
            "inv",
            "solve",
            "det",
            "slogdet",
            "cholesky",
            "pinv",
            "qr",
            "lstsq",
            "matrix_power",
            "matrix_norm",
        ),
        "do the derivatives exist",
    ),
    "getitem": "how many elements a mask takes",
}
"""Functions that ask one thing of the device before they go on: a few bytes, whatever the size of their inputs."""

EITHER_SIGN = ("svd", "eigh", "qr")
"""Functions whose vectors every library gives the sign it likes."""


def _calls(row: Row, case: Case) -> list[tuple[list[Any], dict[str, Any]]]:
    """What a case hands to its function: arguments (Variables are of host arrays) and attributes."""
    found: list[tuple[list[Any], dict[str, Any]]] = []

    def function(*args: Any, **attributes: Any) -> Any:
        found.append((list(args), attributes))
        return row.function(*args, **attributes)

    seed = zlib.crc32(f"{row.name} {case.label}".encode())
    case.call(function, *[Variable(a) for a in case.make(np.random.default_rng(seed), np.float32)])
    return found


def _leaves(args: list[Any], move: Callable[[Any], Any]) -> list[Any]:
    """The arguments with ``move`` applied to every array; the same Variable twice is one afterwards."""
    made: dict[int, Variable] = {}

    def leaf(value: Any) -> Any:
        if isinstance(value, list):
            return [leaf(part) for part in value]
        if isinstance(value, Variable):
            return made.setdefault(id(value), Variable(move(value.data), requires_grad=value.requires_grad))
        return move(value)

    return [leaf(value) for value in args]


def _orders(row: Row, args: list[Any], attributes: dict[str, Any]) -> list[Any]:
    """The results, the gradients of their weighted squares, and the gradients of the squares of those, all as arrays.

    Without weights the squares of what a function normalizes add up to a constant, whose gradient is mere rounding.
    """
    results = row.function(*args, **attributes)
    ys = [y for y in (results if isinstance(results, list | tuple) else [results]) if isinstance(y, Variable)]
    xs = list({id(x): x for x in _flat(args) if isinstance(x, Variable) and x.requires_grad}.values())
    values = [y.data for y in ys]
    ys = [y for y in ys if y.requires_grad]
    if not ys:
        return values
    first = autolab.grad([F.sum(y * y * _weights(y)) for y in ys], xs, create_graph=True)
    ready = [F.sum(g * g) for g in first if g is not None and g.requires_grad]
    second = autolab.grad(ready, xs) if ready else ()
    return values + [g.data for g in (*first, *second) if g is not None]


def _flat(args: list[Any]) -> list[Any]:
    return [one for arg in args for one in (_flat(arg) if isinstance(arg, list) else [arg])]


def _weights(y: Variable) -> Any:
    """Another number for each element, where ``y`` is."""
    weights = np.linspace(0.5, 1.5, y.size, dtype=y.dtype).reshape(y.shape)
    return to_gpu(weights) if y.device != "cpu" else weights


def _moved(value: Any) -> Any:
    if isinstance(value, list):
        return [_moved(part.data if isinstance(part, Variable) else part) for part in value]
    return to_gpu(value) if isinstance(value, np.ndarray) else value


def _options(row: Row, attributes: dict[str, Any]) -> dict[str, Any]:
    """The attributes, with arrays moved where they stand beside the elements; counts and lengths stay."""
    return attributes if row.name == "repeat" else {k: _moved(v) for k, v in attributes.items()}


@each("row", ROWS, ids=lambda row: row.name, parts=2)
def test_nothing_crosses(row: Row, device: Device) -> None:
    for case in row.cases:
        with naming(case.label):
            _check_that_nothing_crosses(row, case, device)


def _check_that_nothing_crosses(row: Row, case: Case, device: Device) -> None:
    for args, attributes in _calls(row, case):
        expected = _orders(row, _leaves(args, lambda a: a), attributes)
        there = _leaves(args, _moved)
        options = _options(row, attributes)
        device.traffic.clear()
        found = _orders(row, there, options)
        assert all(type(a) is device.array for a in found)
        assert not device.traffic.down or (row.name in LOOKS and device.traffic.bytes_down <= 40), device.traffic.down
        for a, b in zip(found, expected, strict=True):
            host = to_cpu(a)
            assert (host.shape, host.dtype) == (b.shape, b.dtype)
            if row.name == "dropout" and attributes.get("ratio", 0.5):
                continue  # the device draws its own numbers
            if row.name in EITHER_SIGN:
                host, b = np.abs(host), np.abs(b)
            near = 2e-6 * device.loose
            np.testing.assert_allclose(host, b, rtol=near, atol=near * max(1, float(np.abs(b).max(initial=0))))


@each("row", ROWS, ids=lambda row: row.name)
def test_arrays_alone_stay_too(row: Row, device: Device) -> None:
    args, attributes = _calls(row, row.cases[0])[0]
    arrays = [_moved(a.data if isinstance(a, Variable) else a) for a in args]
    y = row.function(*arrays, **_options(row, attributes))
    parts = [part for part in (y if isinstance(y, list | tuple) else [y]) if not isinstance(part, np.int32)]  # a rank
    assert parts and all(type(part) is device.array for part in parts)


def test_dropout_draws_on_the_device_what_the_seed_says(device: Device) -> None:
    x = Variable(to_gpu(np.ones((50, 40), np.float32)))
    device.traffic.clear()
    a, b, c = [F.dropout(x, ratio=0.25, rng=np.random.default_rng(seed)).data for seed in (1, 1, 2)]
    assert not device.traffic.down and not device.traffic.up
    assert np.array_equal(a.get(), b.get()) and not np.array_equal(a.get(), c.get())
    assert set(np.unique(a.get())) == {0, np.float32(1 / 0.75)} and 0.7 < np.count_nonzero(a.get()) / a.size < 0.8


def test_arrays_on_two_devices_are_refused_by_name(device: Device) -> None:
    here, there = np.ones((2, 2)), to_gpu(np.ones((2, 2)))
    for call, names in (
        (lambda: F.muladd(Variable(here), Variable(there), 1.0), "muladd: x is on cpu, y is on cuda:0"),
        (lambda: F.concatenate(Variable(here), there), "concatenate: .* is on cpu, .* is on cuda:0"),
        (lambda: Variable(there) @ here, "matmul: a is on cuda:0, b is on cpu"),
        (lambda: F.linear(there, Variable(here)), "linear: x is on cuda:0, w is on cpu"),
        (lambda: F.where(here > 0, there, there), "where: condition is on cpu, a is on cuda:0"),
    ):
        with pytest.raises(TypeError, match=names + ".*: expected all on one device; move them with to_gpu or to_cpu"):
            call()
    assert not device.traffic.down


def test_a_number_beside_an_array_is_no_copy(device: Device) -> None:
    x = Variable(to_gpu(np.ones(3, np.float32)))
    device.traffic.clear()
    for y in (x * 2.0, 2.0 - x, x**2, F.maximum(x, 0.5), F.clip(x, 0.0, 1.0), F.expadd(1.5, x), F.muladd(x, 2.0, 3)):
        assert y.dtype == np.float32 and autolab.grad(F.sum(y), x).dtype == np.float32
    assert not device.traffic.down and not device.traffic.up


def test_an_index_out_of_bounds_is_refused(device: Device) -> None:
    """CuPy by itself would count round."""
    x = Variable(to_gpu(np.arange(3.0)))
    for index in ([0, 3], [-4], np.array([3]), 3, (..., [3])):
        with pytest.raises(IndexError, match=r"getitem: x has shape .*expected an index from -3 to 2"):
            F.getitem(x, index=index)
    assert x[[0, -3]].data.get().tolist() == [0, 0]


@pytest.mark.parametrize("stack", [(), (3,)], ids=["one", "a stack"])
def test_what_has_no_inverse_or_factor_is_refused(stack: tuple[int, ...], device: Device) -> None:
    """CuPy by itself would go on with numbers that mean nothing."""
    singular, negative = [
        Variable(to_gpu(np.broadcast_to(m, (*stack, 2, 2)).copy())) for m in (np.ones((2, 2)), -np.eye(2))
    ]
    ones = to_gpu(np.ones((*stack, 2, 1)))
    for call, message in (
        (lambda: F.inv(singular), "inv: .*expected matrices that have an inverse"),
        (lambda: F.solve(singular, ones), "solve: .*expected matrices that have an inverse"),
        (lambda: F.cholesky(negative), "cholesky: .*expected symmetric, positive definite matrices"),
        (
            lambda: F.sum(F.slogdet(singular)[1]).backward(),
            "slogdet: a matrix is singular; the gradient needs its inverse",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            call()
