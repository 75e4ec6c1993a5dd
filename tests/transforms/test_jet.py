"""jet: the Taylor coefficients of every declared function are those of mpmath and of nested gradients."""

from __future__ import annotations

import gc
import math
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.cases import naming
from helpers.exact import BINARY, UNARY, Exact, mp, mpf
from helpers.function_table import ROWS
from helpers.programs import draw

import autolab
from autolab import FunctionNode, Variable, grad, nn, transforms
from autolab import functions as F
from autolab import links as L
from autolab.engine.observe import silence
from autolab.transforms import jet

EXACT = UNARY | BINARY | {row.name: Exact(row.digits(mp)[0], ()) for row in ROWS if row.digits}


@pytest.mark.parametrize(("count", "order", "digits"), [(1, 6, 20), pytest.param(20, 10, 50, marks=pytest.mark.full)])
def test_elementwise_functions_have_the_coefficients_of_mpmath(count: int, order: int, digits: int) -> None:
    """At points across their domains, away from kinks; those of two inputs along a line."""
    rng = np.random.default_rng(0)
    with mp.workdps(digits):
        for name, exact in EXACT.items():
            function = getattr(F, name)
            low, high = function.function.domain or (0.3, 3)
            low, high = max(low, exact.low + 0.1), min(high, exact.high - 0.1)
            x = np.sort(rng.uniform(low, high, count))
            x = x[np.abs(x[:, None] - [*exact.kinks, np.inf]).min(axis=1) > 0.05]
            inputs = (x, np.full(x.size, 0.7 * low + 0.3 * high)) if name in BINARY else (x,)
            found = jet(
                function, inputs, tuple([np.full(x.size, v) for v in (1.0, 0.5)[: len(inputs)]]), order=order
            ).data
            for i, at in enumerate(zip(*inputs, strict=True)):
                with naming(f"{name} at {at}"):
                    np.testing.assert_allclose(*_beside_mpmath(exact.value, at, found[:, i]), rtol=1e-11, atol=1e-14)


def _beside_mpmath(value: Callable[..., Any], at: Any, found: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The coefficients found and those of mpmath, both as shares of the greatest."""

    def along(t: Any) -> Any:
        return value(*[mpf(float(x)) + t * v for x, v in zip(at, (mpf(1), mpf("0.5")), strict=False)])

    exact = np.array([float(mp.re(c)) for c in mp.taylor(along, 0, len(found) - 1)])
    scale = np.abs(exact).max() or 1.0
    return found / scale, exact / scale


def _nested(fn: Callable[..., Any], xs: Any, vs: Any, weights: np.ndarray, order: int) -> list[float]:
    """The coefficients of the weighted sum of the results along a line, by gradients of gradients."""
    t = Variable(0.0)
    with autolab.using_config("enable_backprop", True):
        y = F.sum(fn(*[x + t * v for x, v in zip(xs, vs, strict=True)]) * weights)
        found = [y.item()]
        for k in range(1, order + 1):
            slope = grad(y, t, create_graph=True) if y.requires_grad else None
            y = Variable(0.0, requires_grad=False) if slope is None else slope
            found.append(y.item() / math.factorial(k))
    return found


def _check(fn: Callable[..., Any], xs: Any, rng: np.random.Generator, order: int, rtol: float = 1e-9) -> None:
    vs = [rng.normal(size=x.shape) for x in xs]
    c = jet(fn, tuple(xs), tuple(vs), order=order)
    assert not c.requires_grad
    weights = rng.normal(size=c.shape[1:])
    expected = _nested(fn, xs, vs, weights, order)
    found = (c.data * weights).reshape(order + 1, -1).sum(axis=1)
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * max(1, np.abs(expected).max()))


@pytest.mark.parametrize("share", [30, pytest.param(1, marks=pytest.mark.full)])
def test_every_function_has_the_coefficients_of_nested_gradients(share: int) -> None:
    for row in ROWS:
        for case in row.cases if row.order else ():
            seed = zlib.crc32(f"{row.name} {case.label}".encode())
            if seed % share == 0:
                rng = np.random.default_rng(seed)
                with naming(f"{row.name}, {case.label}"):
                    rtol = 1e-6 if row.name == "cast" else 1e-9  # to float32
                    _check(lambda *xs, c=case, f=row.function: c.call(f, *xs), case.make(rng, float), rng, 3, rtol)


@pytest.mark.parametrize("seeds", [range(15), pytest.param(range(15, 1000), marks=pytest.mark.full)])
def test_random_programs_have_the_coefficients_of_nested_gradients(seeds: range) -> None:
    for seed in seeds:
        with naming(f"program {seed}"):
            program = draw(seed)
            _check(program.ours, program.inputs, np.random.default_rng(seed), 3)


def test_networks_have_the_coefficients_of_nested_gradients() -> None:
    attention = nn.MultiheadAttention(8, 2, batch_first=True)
    nets: dict[str, tuple[Any, tuple[int, ...]]] = {
        "convolution": (L.Sequential(L.Convolution2D(2, 3, 3), F.gelu, lambda x: F.avg_pool2d(x, 2)), (2, 2, 6, 6)),
        "attention": (lambda x: attention(x, x, x)[0], (2, 5, 8)),
        "normalized": (L.Sequential(L.Linear(4, 5), L.BatchNormalization(5), F.softmax), (6, 4)),
        "dropout": (lambda x: F.dropout(F.tanh(x), rng=np.random.default_rng(3)), (3, 4)),
        "equations": (lambda x: F.solve(x @ x.T + 3 * np.eye(4), F.rfft(x)[0]), (4, 4)),
        "fused": (autolab.fuse(lambda x: F.tanh(x) * x + F.exp(x)), (5,)),
    }
    rng = np.random.default_rng(0)
    with autolab.no_grad():  # so that the coefficients are constants, although parameters are used
        for name, (net, shape) in nets.items():
            with naming(name):
                _check(net, (rng.normal(size=shape),), rng, 2, 1e-4)


class _Cube(FunctionNode):
    def forward(self, inputs: Any) -> Any:
        self.retain_inputs((0,))
        return (inputs[0] ** 3,)

    def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        (x,) = self.get_retained_inputs()
        return (3 * x * x * grad_outputs[0],)


@autolab.elementwise(x=lambda g, y: g - g * (y * y))
def _own_tanh(xp: Any, x: Any) -> Any:
    return xp.tanh(x)


@autolab.elementwise(a=lambda g, b: _own_mul(g, b), b=lambda g, a: _own_mul(a, g))
def _own_mul(xp: Any, a: Any, b: Any) -> Any:
    return a * b


@autolab.primitive(x=lambda g, x_shape: F.broadcast_to(g, shape=x_shape))
def _own_sum(xp: Any, x: Any) -> Any:
    return x.sum()


def _usual(x: Any) -> Any:
    return F.sum(F.tanh(x) ** 3 * x)


def _assigned(x: Any) -> Any:
    y = x * 1
    y[1] = y[0] * 3
    return F.sum(F.tanh(y) ** 3 * x)


def test_functions_of_users_and_of_transforms_are_followed() -> None:
    x, v = np.array([0.4, -0.3]), np.array([1.0, 2.0])
    expected = jet(_usual, x, v, order=6).data
    for fn in (
        lambda x: F.sum(_Cube().apply((_own_tanh(x),))[0] * x),
        lambda x: _own_sum(_own_mul(_own_mul(_own_mul(_own_tanh(x), _own_tanh(x)), _own_tanh(x)), x)),
        autolab.compile(_usual),
        transforms.checkpoint(_usual),
        lambda x: F.sum(transforms.vmap(_usual)(x)),
        lambda x: F.sum(transforms.grad(lambda x: F.sum(F.log(F.cosh(x))))(x) ** 3 * x),
        lambda x: F.sum(F.einsum("i,i,i,i->i", F.tanh(x), F.tanh(x), F.tanh(x), x)),
    ):
        np.testing.assert_allclose(jet(fn, x, v, order=6).data, expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(
        jet(_assigned, x, v, order=3).data, [c / math.factorial(k) for k, c in enumerate(_slopes(_assigned, x, v))]
    )


def _slopes(fn: Callable[..., Any], x: np.ndarray, v: np.ndarray) -> list[float]:
    along = [lambda t: fn(x + t * v)]
    for _ in range(3):
        along.append(transforms.grad(along[-1]))
    return [f(0.0).item() for f in along]


def test_coefficients_are_differentiable() -> None:
    x, w = Variable(np.array([0.3, 0.7])), Variable(2.0)
    h = w * 1.5  # a value from outside that does not move

    def fn(x: Any, h: Any) -> Any:
        return F.sum(F.tanh(x * h) * F.exp(x)) / (1 + F.sum(x * x)) + F.softmax(x)[0]

    third = jet(lambda x: fn(x, h), x, np.ones(2), order=3)[3]
    step = 1e-5
    moved = [jet(fn, (x.data, 3.0 + s), (np.ones(2), 0.0), order=3).data[3] for s in (-step, step)]
    np.testing.assert_allclose(grad(third, w).data, 1.5 * np.diff(moved)[0] / (2 * step), rtol=1e-8)
    moved = [jet(fn, (x.data + np.array([0, s]), 3.0), (np.ones(2), 0.0), order=3).data[3] for s in (-step, step)]
    np.testing.assert_allclose(grad(third, x).data[1], np.diff(moved)[0] / (2 * step), rtol=1e-8)
    v = Variable(np.ones(2))
    assert grad(jet(lambda x: F.sum(x**3), x.data, v, order=3)[3], v).data.tolist() == [3, 3]
    with autolab.no_grad():
        assert not jet(lambda x: x * h, x, v, order=2).requires_grad


def test_structures_dtypes_and_points_where_a_slope_is_zero() -> None:
    found = jet(lambda d: {"a": d["x"] * d["y"], "b": (F.sum(d["x"]),)}, *[{"x": np.ones(2), "y": 2.0}] * 2, order=2)
    assert found["a"].data.tolist() == [[2, 2], [4, 4], [2, 2]] and found["b"][0].data.tolist() == [2, 2, 0]
    assert jet(lambda x, y: x * y, (2.0, 3.0), 1.0, order=2, wrt=1).data.tolist() == [6, 2, 0]
    assert jet(lambda x, n: x**n, (0.0, 3), 1.0, order=4, wrt=0).data.tolist() == [0, 0, 0, 1, 0]
    for kind in (np.float32, np.float16):
        c = jet(F.gelu, np.ones(3, kind), np.ones(3, kind), order=4)
        assert c.dtype == kind and c.shape == (5, 3)
    both = jet(lambda a, b: F.exp(a) * b, (np.float32(0), np.ones(2)), (np.float32(1), np.zeros(2)), order=2)
    assert both.dtype == np.float64 and both.data.tolist() == [[1, 1], [1, 1], [0.5, 0.5]]
    assert jet(lambda x: F.exp(x * x), 0.0, 1.0, order=6).data.tolist() == [1, 0, 1, 0, 0.5, 0, 1 / 6]
    assert jet(lambda x: F.pad(x, pad_width=1, constant_values=5.0), np.ones(1), np.ones(1), order=1).data[
        1
    ].tolist() == [
        0,
        1,
        0,
    ]
    assert jet(F.abs, np.array([-1.0, 0.0, 2.0]), np.ones(3), order=2).data.tolist() == [[1, 0, 2], [-1, 0, 1], [0] * 3]
    assert jet(np.exp, 0.0, 1.0, order=0).data.tolist() == [1]


def test_long_chains_and_high_orders_need_no_deep_recursion() -> None:
    def chain(x: Any) -> Any:
        for _ in range(300):
            x = F.exp(x) - 1.0
        return x

    np.testing.assert_allclose(jet(chain, -0.1, 1.0, order=1).data[1], transforms.grad(chain)(-0.1).data)
    np.testing.assert_allclose(jet(np.exp, 0.0, 1.0, order=100).data[100] * math.factorial(100), 1, rtol=1e-12)


def test_nothing_is_left_for_the_garbage_collector() -> None:
    def fn(x: Any) -> Any:
        return F.sin(F.tanh(x)) / x + x**2.5

    jet(fn, 0.3, 1.0, order=6)
    gc.collect()
    jet(fn, 0.3, 1.0, order=6)
    assert gc.collect() == 0


def _hidden(x: Any) -> Any:
    with silence:
        h = x * x
    return h * 3.0


def _once(x: Any) -> Any:
    return autolab.authoring.Function()(x)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: jet(_hidden, 2.0, 1.0, order=2), RuntimeError, "_hidden computes a result in a step that is hidden"),
        (lambda: jet(np.exp, 0.0, 1.0, order=-1), ValueError, "order is -1; expected a whole number of at least 0"),
        (lambda: jet(np.exp, 0.0, 1.0, order=1.5), ValueError, "order is 1.5; expected"),
        (lambda: jet(np.exp, np.zeros(2), 1.0, order=1), ValueError, r"direction has shape \(\); expected \(2,\)"),
        (lambda: jet(3, 0.0, 1.0, order=1), TypeError, "fn is an int; expected a function"),
        (lambda: jet(lambda x: 3.0, 0.0, 1.0, order=1), TypeError, "returned a float; expected a Variable"),
        (lambda: jet(np.exp, np.array(0), 1.0, order=1), TypeError, "holds int64; expected floating-point numbers"),
    ],
)
def test_what_has_no_coefficients_is_refused(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^jet: .*{message}"):
        call()
