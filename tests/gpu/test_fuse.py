"""fuse: a Python function as one function of the graph. Right to the last bit on the CPU, one kernel on a GPU."""

from __future__ import annotations

import threading
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from helpers import strict_module
from helpers.devices import Device
from helpers.each import each
from helpers.strict_array import Traffic, launches, ndarray

import autolab
from autolab import FusionError, Variable, grad, to_cpu, to_gpu
from autolab import functions as F


@autolab.fuse
def muladd(x, y, z):
    return x * y + z


@autolab.fuse
def gate(x, w, b, *, slope=0.2):
    h = F.tanh(x * w + b)
    return F.leaky_relu(h, slope=slope) * F.sigmoid(x) / (1 + np.exp(-b)) - h


@autolab.fuse
def corners(x, y):
    return F.where(x > y, x * x * x, F.maximum(-y, 0.25)) + F.clip(x, -0.5, 0.5) ** 2 - abs(y) * 3


@autolab.fuse
def scaled(x, y, factor=2.0):
    return x * factor + y**3 / factor


FUNCTIONS = [(muladd, 3), (gate, 3), (corners, 2), (scaled, 2), (scaled, 3)]
IDS = ["muladd", "gate", "corners", "scaled", "scaled-3"]
SAME = ((3, 4),) * 3
SHAPES = {"same": SAME, "bias": ((3, 4), (4,), (3, 1)), "number": ((), (2, 3), (3,)), "empty": ((0, 4), (4,), ())}


@pytest.fixture
def traffic() -> Iterator[Traffic]:
    with strict_module.installed() as seen:
        yield seen


def _arrays(shapes: Any, count: int, dtypes: Any = ("f8",) * 3) -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    return [np.asarray(rng.uniform(0.3, 1.8, shape)).astype(d) for shape, d in zip(shapes, dtypes, strict=True)][:count]


def _orders(function: Callable[..., Any], arrays: list[Any]) -> list[Any]:
    """The result, the gradients and the gradients of their squares; the first both ways."""
    xs = [Variable(a) for a in arrays]
    y = function(*xs)
    plain = grad(F.sum(y * y), xs)
    first = grad(F.sum(y * y), xs, create_graph=True)
    second = grad(F.sum(F.stack([F.sum(g * g) for g in first])), xs)
    return [to_cpu(value.data) for value in (y, *plain, *first, *second)]


@each(("function", "count"), FUNCTIONS, ids=IDS)
@each("dtype", ["f8", "f4", "f2"])
def test_on_the_cpu_it_is_the_unfused_function_to_the_last_bit(function: Any, count: int, dtype: str) -> None:
    arrays = _arrays(SAME, count, (dtype,) * 3)
    fused = [Variable(a) for a in arrays]
    plain = [Variable(a) for a in arrays]
    g = np.linspace(-1, 2, 12).reshape(3, 4).astype(dtype)
    y, z = function(*fused), function.__wrapped__(*plain)
    assert y.data.tobytes() == z.data.tobytes() and y.dtype == dtype
    for a, b in zip(grad(y, fused, g), grad(z, plain, g), strict=True):
        assert a.dtype == b.dtype == dtype and a.data.tobytes() == b.data.tobytes()


@each("shapes", list(SHAPES.values()), ids=list(SHAPES))
@each("dtypes", [("f8",) * 3, ("f4", "f8", "f4")], ids=["one dtype", "two"])
@each(("function", "count"), FUNCTIONS, ids=IDS)
def test_all_orders_agree_for_all_shapes(function: Any, count: int, dtypes: Any, shapes: Any) -> None:
    arrays = _arrays(shapes, count, dtypes)
    for a, b in zip(_orders(function, arrays), _orders(function.__wrapped__, arrays), strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a, b, rtol=1e-5 if "f4" in dtypes else 1e-12, atol=1e-12)


@pytest.mark.parametrize(("function", "count"), FUNCTIONS, ids=IDS)
def test_all_orders_agree_on_a_device(function: Any, count: int, device: Device) -> None:
    arrays = _arrays(SHAPES["bias"], count)
    found = _orders(function, [to_gpu(a) for a in arrays])
    for a, b in zip(found, _orders(function.__wrapped__, arrays), strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a, b, rtol=1e-12 * device.loose, atol=1e-12)


@each("shapes", list(SHAPES.values()), ids=list(SHAPES))
@each("dtype", ["f8", "f4", "f2"])
@each(("function", "count"), FUNCTIONS, ids=IDS)
def test_on_a_gpu_it_is_one_kernel_for_each_direction(
    function: Any, count: int, dtype: str, shapes: Any, traffic: Traffic
) -> None:
    arrays = _arrays(shapes, count, (dtype,) * 3)
    there = [Variable(to_gpu(a)) for a in arrays]
    g = np.ones(np.broadcast_shapes(*shapes[:count]), dtype)
    upstream = to_gpu(g)
    traffic.clear()
    with launches() as launched:
        y = function(*there)
        assert launched == [f"autolab_{function.__name__}"]
        found = grad(y, there, upstream)
    rounding = {"autolab_cast"} if dtype == "f2" else set()  # halves that are added are rounded after their sum
    kernels = [name for name in launched if name.startswith("autolab_") and name not in rounding]
    assert kernels == [f"autolab_{function.__name__}", f"autolab_{function.__name__}_backward"]
    others = set(launched) - set(kernels) - rounding
    assert others <= {"sum", "copy"}, "a broadcast input is summed after the kernel; nobody gets the caller's own array"
    assert not traffic.down and not traffic.up
    here = [Variable(a) for a in arrays]
    expected = function.__wrapped__(*here)
    for a, b in zip((y, *found), (expected, *grad(expected, here, g)), strict=True):
        assert type(a.data) is ndarray and (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a.data.get(), b.data, rtol={"f8": 1e-12, "f4": 1e-5, "f2": 2e-2}[dtype], atol=1e-2)


def test_only_needed_gradients_are_computed_and_only_their_inputs_kept(traffic: Traffic) -> None:
    x, y, z = [Variable(to_gpu(a), requires_grad=i == 1) for i, a in enumerate(_arrays(SAME, 3))]
    w = muladd(x, y, z)
    grad(w, y, to_gpu(np.ones((3, 4))))
    source = strict_module.Kernel.made[-1]
    assert source[:2] == ("float64 in0, float64 in1", "float64 out0") and "in0" in source[2]
    kept = [edge.saved for edge in w.node.edges]
    assert [[type(value).__name__ for value in saved] for saved in kept] == [
        ["ndarray", "Absent", "Absent", "FusedTrace"]
    ]


def test_a_gradient_that_only_passes_is_no_copy(traffic: Traffic) -> None:
    x, y, ones = [to_gpu(np.ones(3)) for _ in range(3)]
    z = Variable(x)
    with launches() as launched:
        w = muladd(x, y, z)
        ((_, g),) = w.node.function.pull(w.node, ones, False)
    assert launched == ["autolab_muladd"] and g is ones


def test_numbers_and_plain_arrays() -> None:
    x = np.arange(3.0)
    assert type(muladd(x, 2.0, 1)) is np.ndarray and muladd(x, 2.0, 1).tolist() == [1, 3, 5]
    assert muladd(2.0, 3.0, 4.0) == 10
    y = muladd(Variable(np.float32([1, 2])), 2.0, 1)
    assert y.dtype == np.float32 and y.data.tolist() == [3, 5]
    whole = muladd(np.arange(3), 2, Variable(np.ones(3)))
    assert whole.dtype == np.float64 and muladd(np.arange(3), 2, 1).dtype == np.int64
    assert not muladd(Variable(np.arange(3)), 2, 1).requires_grad


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2"])
def test_numbers_go_into_the_kernel_as_they_are(dtype: str, traffic: Traffic) -> None:
    x = Variable(to_gpu(np.ones(3, dtype)))
    traffic.clear()
    y = muladd(x, 2.0, 1)
    assert y.dtype == dtype and grad(F.sum(y), x).data.get().tolist() == [2, 2, 2]
    assert not traffic.up


def test_a_number_is_differentiated_around_twice(traffic: Traffic) -> None:
    """The number that no gradient needs is on the device where the others are."""
    x = Variable(to_gpu(np.ones(3, np.float32)))
    first = grad(F.sum(muladd(x, 2.0, 1) ** 3), x, create_graph=True)
    assert grad(F.sum(first), x).data.get().tolist() == [72, 72, 72]


def test_a_result_of_numbers_alone_is_no_kernel(traffic: Traffic) -> None:
    second = autolab.fuse(lambda x, y: y * 2)
    assert float(second(Variable(to_gpu(np.ones(3))), 4.0).data) == 8.0


@pytest.mark.parametrize("move", [np.asarray, to_gpu], ids=["cpu", "device"])
def test_attributes_defaults_modes_and_outer_numbers_are_followed(move: Any, traffic: Traffic) -> None:
    x = Variable(move(np.float64([-1.0, 2.0])))
    factor = 3.0

    @autolab.fuse
    def act(x, *, slope=0.1):
        """Something."""
        return F.where(x > 0, x, x * slope) * factor if autolab.config.train else x * 1.0

    def values(y: Variable) -> list[float]:
        return to_cpu(y.data).tolist()

    assert values(act(x)) == [-0.1 * 3, 6.0] and values(act(x, slope=0.5)) == [-1.5, 6]
    assert values(grad(F.sum(act(x)), x)) == [0.1 * 3, 3.0]
    factor = 1.0
    assert values(act(x, slope=0.5)) == [-0.5, 2] and act.__doc__ == "Something."
    assert values(grad(F.sum(act(x)), x)) == [0.1, 1.0]
    with autolab.test_mode():
        assert values(act(x, slope=0.5)) == [-1, 2]
    assert values(scaled(x, 0.0)) == values(scaled(x, 0.0, 2.0))
    with pytest.raises(FusionError, match="expected numbers and strings"):
        act(x, slope=[1])
    with pytest.raises(TypeError, match="muladd: got 2 positional arguments; expected 3 arrays"):
        muladd(x, x)


@each(
    ("function", "reason"),
    [
        (lambda x: x if x > 0 else -x, "branches on the value of an array"),
        (lambda x: max(x, 0.0), "branches on the value of an array"),
        (lambda x: x if x.data.max() > 0 else -x, r"uses \.max"),
        (lambda x: x * float(x), "the truth of an array"),
        (lambda x: F.sum(x), r"uses \.sum"),
        (lambda x: F.softmax(x), r"uses \.max|asks for a size"),
        (lambda x: x @ x, "uses matmul"),
        (lambda x: x[0], "takes an array apart"),
        (lambda x: x / x.shape[0], "asks for a shape"),
        (lambda x: x / len(x), "asks for a size"),
        (lambda x: F.dropout(x), "draws its own values"),
        (lambda x: x * np.ones(3), "an array or a Variable that is none of its inputs"),
        (lambda x: x * Variable(np.ones(3)), "an array or a Variable that is none of its inputs"),
        (lambda x: (x, x), "returned a tuple; expected one value"),
        (lambda x: 3.0, "returned a float; expected one value"),
    ],
)
def test_what_is_not_elementwise_is_refused_by_name(function: Any, reason: str) -> None:
    function.__name__ = "odd"
    with pytest.raises(FusionError, match=f"odd cannot be fused: .*{reason}") as error:
        autolab.fuse(function)(Variable(np.ones(3)))
    assert len(str(error.value)) <= 300


@pytest.mark.parametrize("wrong", [np.exp, 3, lambda *xs: xs[0], lambda x, **more: x, lambda: 1.0])
def test_what_has_no_named_inputs_is_refused(wrong: Any) -> None:
    with pytest.raises(autolab.DeclarationError, match=r"expected (a Python function|named inputs)"):
        autolab.fuse(wrong)


def test_a_fused_function_inside_another_is_part_of_its_kernel(traffic: Traffic) -> None:
    outer = autolab.fuse(lambda x, y: muladd(F.tanh(x), y, y) * 2)
    x, y = [Variable(to_gpu(np.linspace(0, 1, 4))) for _ in range(2)]
    with launches() as launched:
        z = outer(x, y)
    assert [name for name in launched if "lambda" in name or "fused" in name] == launched and len(launched) == 1
    found = [g.data.get() for g in grad(F.sum(z), (x, y))]
    np.testing.assert_allclose(found[1], 2 * np.tanh(x.data.get()) + 2)
    np.testing.assert_allclose(found[0], 2 * y.data.get() * (1 - np.tanh(x.data.get()) ** 2))


def test_a_failure_inside_is_its_own() -> None:
    def broken(x):
        return x * missing  # noqa: F821

    with pytest.raises(NameError, match="missing"):
        autolab.fuse(broken)(Variable(1.0))


def test_it_needs_no_more_memory_than_its_results() -> None:
    """Unfused, the four values in between would be kept for backward, and two buffers serve the fused steps."""
    x = Variable(np.linspace(0.1, 1, 1 << 18))

    @autolab.fuse
    def chain(x):
        return F.exp(-(F.sin(x * 2) ** 2)) * 0.5

    def peak(function: Any) -> tuple[int, int]:
        tracemalloc.start()
        y = function(x)
        kept, highest = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        del y
        return kept // x.data.nbytes, highest // x.data.nbytes

    chain(x)
    assert peak(chain) == (1, 2) or peak(chain) == (1, 1)
    assert peak(chain.__wrapped__)[0] >= 4


def test_a_repeated_input_and_a_deeper_graph() -> None:
    x = Variable(np.linspace(0.5, 1, 4))
    for order in range(1, 4):
        got = want = None
        for function in (muladd, muladd.__wrapped__):
            y = F.sum(function(F.exp(x), x * x, x))
            for _ in range(order):
                y = F.sum(grad(y, x, create_graph=True))
            want, got = got, y.item()
        assert got == pytest.approx(want, rel=1e-12)
    (g,) = grad([F.sum(muladd(x, x, x))], [x])
    np.testing.assert_allclose(g.data, 2 * x.data + 1)


def test_gradient_checks_and_the_damage_watch_know_it() -> None:
    assert autolab.check_gradients(gate, *_arrays(SAME, 3)).verdict == "right"
    x, y = Variable(np.ones(3), name="x"), Variable(np.ones(3))
    with autolab.check_inplace():
        w = F.sum(muladd(x, y, y))
    x.data += 1
    with pytest.raises(autolab.DamagedValueError, match="input 'x' of muladd"):
        w.backward()


def test_in_a_recording_it_shows_its_rules_and_opens() -> None:
    def loss(x, y, z):
        return muladd(x, y, z) * 2

    shown = autolab.record(loss, x=2.0, y=3.0, z=4.0)
    step = shown.steps[3]
    assert step.function == "muladd" and shown.openable == ("muladd",)
    assert [(o.rule, o.numbers) for o in step.operands] == [
        ("g * y", "2 * 3 = 6"),
        ("g * x", "2 * 2 = 4"),
        ("g", "2"),
    ]
    opened = autolab.record(loss, x=2.0, y=3.0, z=4.0, options={"open": "muladd"})
    assert [s.function for s in opened.steps[3:]] == ["mul", "add", "mul"]
    (opening,) = opened.openings
    assert opening.agrees and opening.value == 0 and [name for name, *_ in opening.gradients] == ["x", "y", "z"]


def test_a_rule_with_outer_numbers_shows_no_formula() -> None:
    factor = 3.0

    @autolab.fuse
    def times(x):
        return x * factor

    step = autolab.record(lambda x: times(x), x=2.0).steps[-1]
    assert step.operands[0].rule is None


def test_threads_may_trace_at_once() -> None:
    results: list[float] = []

    def work() -> None:
        f = autolab.fuse(lambda x: x * x + 1)
        results.append(grad(F.sum(f(x := Variable(np.ones(3)))), x).data.sum())

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [6.0] * 8


def test_no_grad_records_nothing() -> None:
    with autolab.no_grad():
        y = muladd(Variable(np.ones(2)), 2.0, 3.0)
    assert not y.requires_grad and y.data.tolist() == [5, 5]
    x = Variable(np.ones(2))
    assert autolab.fuse(lambda x: x * 3)(x).requires_grad
