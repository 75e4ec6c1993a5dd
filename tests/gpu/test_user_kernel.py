"""Kernels in a line of C: what can be said of them without a GPU, and on a GPU what they compute."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from helpers import strict_module
from helpers.devices import Device
from helpers.each import each
from helpers.strict_array import Traffic, ndarray

import autolab
from autolab import FunctionNode, Variable, elementwise_kernel, to_gpu
from autolab import functions as F
from autolab.engine.backend import gpu_status


@pytest.fixture
def traffic() -> Iterator[Traffic]:
    with strict_module.installed() as seen:
        yield seen


@pytest.mark.source("CO-12", "CO-16")
def test_a_kernel_can_be_written_down_anywhere() -> None:
    kernel = elementwise_kernel("float32 x, T y", "T z, bool big", "z = x * y; big = z > 1", "product")
    assert repr(kernel) == "<elementwise kernel product(float32 x, T y) -> (T z, bool big)>"
    assert kernel is elementwise_kernel("float32 x, T y", "T z, bool big", "z = x * y; big = z > 1", "product")
    assert kernel is not elementwise_kernel("float32 x, T y", "T z, bool big", "z = x * y; big = z > 1", "other")


@pytest.mark.skipif(gpu_status().state == "ok", reason="there is a GPU")
def test_calling_it_without_cuda_says_so() -> None:
    kernel = elementwise_kernel("T x", "T y", "y = x + x", "double_it")
    for args in ((np.ones(3),), (2.0,)):
        with pytest.raises(RuntimeError, match="double_it: this kernel runs on a GPU only"):
            kernel(*args)


@pytest.mark.source("CO-15", "CO-17")
@each(
    ("given", "message"),
    [
        (("", "T y", "y = 1"), "add: in_params is ''; expected types and names"),
        (("T x,", "T y", "y = x"), "add: in_params: got ''; expected a type and a name"),
        (("x", "T y", "y = x"), "add: in_params: got 'x'; expected a type and a name"),
        (("T x y", "T z", "z = x"), "add: in_params: got 'T x y'; expected a type and a name"),
        (("float x", "float y", "y = x"), "add: in_params: 'x' has type 'float'; expected a dtype, such as float32"),
        (("T 2x", "T y", "y = x"), "add: in_params: got the name '2x'"),
        (("T i", "T y", "y = i"), "add: in_params: got the name 'i'.*CuPy's own"),
        (("T x, T x", "T y", "y = x"), "add: the name 'x' comes twice"),
        (("T x", "T x", "x = x"), "add: the name 'x' comes twice"),
        (("T x", "S y", "y = x"), "add: output 'y' is of type S, which no input has; expected one of T, or a dtype"),
        (("T x", "T y", " "), "add: operation is ' '; expected C code"),
        ((3, "T y", "y = 1"), "add: in_params is 3; expected types and names"),
    ],
)
def test_what_is_no_kernel_is_refused(given: tuple[str, str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        elementwise_kernel(*given, "add")
    assert len(str(caught.value)) <= 300


def test_a_name_is_one_word() -> None:
    with pytest.raises(ValueError, match="name is 'mul add'; expected letters"):
        elementwise_kernel("T x", "T y", "y = x", "mul add")


@pytest.mark.source("CO-14", "CO-16", "CO-17")
def test_it_is_compiled_once_and_gives_one_array_or_a_tuple(traffic: Traffic) -> None:
    add = elementwise_kernel("T x, T y", "T z", "z = x + y", "add_them")
    both = elementwise_kernel("T x, T y", "T z, T w", "z = x + y; w = x - y", "both")
    for dtype in (np.float32, np.float64):
        x = to_gpu(np.ones(3, dtype))
        assert type(add(x, x)) is ndarray and add(x, 1.0).dtype == dtype
        z, w = both(x, x)
        assert z.get().tolist() == [2, 2, 2] and w.get().tolist() == [0, 0, 0]
    assert [made[3] for made in strict_module.Kernel.made] == ["add_them", "both"]
    operation = "const auto x = from_x;\nconst auto y = from_y;\nz = x + y"  # each is loaded once
    assert strict_module.Kernel.made[0] == ("T from_x, T from_y", "T z", operation, "add_them")


def test_wrong_arguments_are_named(traffic: Traffic) -> None:
    single = elementwise_kernel("float32 x, T y, T z", "T w", "w = x + y + z", "single")
    x, y = to_gpu(np.ones(2, np.float32)), to_gpu(np.ones(2))
    for args, message in (
        ((x, y), "single: got 2 arguments; expected 3: x, y, z"),
        ((y, y, y), "single: x is of dtype float64; expected float32, as declared"),
        ((x, x, y), "single: z is of dtype float64; expected float32, as y is: both are of type T"),
        ((x, y, np.ones(2)), "single: z is an array on cpu; expected an array on a GPU"),
        ((x, y, Variable(y)), "single: z is a Variable; expected an array on a GPU"),
        ((1.0, 2.0, 3.0), "single: got numbers only"),
    ):
        with pytest.raises(TypeError, match=message):
            single(*args)


FORWARD = ("T x, T y, T z", "T w", "w = x * y + z", "muladd_fwd")
BACKWARD = ("T x, T y, T gw", "T gx, T gy", "gx = y * gw; gy = x * gw", "muladd_bwd")
TWICE = ("T x, T y, T gw, T ggx, T ggy", "T gx, T gy, T ggw", "gx = gw * ggy; gy = gw * ggx; ggw = y * ggx + x * ggy")


class MulAdd(FunctionNode):
    def forward_gpu(self, inputs):
        self.retain_inputs((0, 1))
        return (elementwise_kernel(*FORWARD)(*inputs),)

    def backward(self, target_input_indexes, grad_outputs):
        x, y = self.get_retained_inputs()
        (gw,) = grad_outputs
        gx, gy = MulAddGrad().apply((x, y, gw))
        return gx, gy, gw


class MulAddGrad(FunctionNode):
    def forward_gpu(self, inputs):
        self.retain_inputs((0, 1, 2))
        return elementwise_kernel(*BACKWARD)(*inputs)

    def backward(self, target_input_indexes, grad_outputs):
        arrays = [*self.get_retained_inputs(), *grad_outputs]
        return tuple([Variable(g) for g in elementwise_kernel(*TWICE, "muladd_twice")(*[a.data for a in arrays])])


@pytest.mark.source("CO-06", "CO-14")
def test_muladd_with_its_own_kernels_differentiates_twice(device: Device) -> None:
    values = np.random.default_rng(0).normal(size=(3, 4, 5)).astype(np.float32)
    xs = [Variable(to_gpu(v)) for v in values]
    (w,) = MulAdd().apply(tuple(xs))
    gx, gy, gz = autolab.grad(F.sum(w * w), xs, create_graph=True)
    second = autolab.grad(F.sum(gx) + F.sum(gy), xs[0])
    x, y, z = [v.astype(np.float64) for v in values]
    w_ = x * y + z
    for got, expected in ((gx, 2 * w_ * y), (gy, 2 * w_ * x), (gz, 2 * w_), (second, 2 * (y * y + 2 * x * y + z))):
        np.testing.assert_allclose(got.data.get(), expected, rtol=1e-4, atol=1e-4)

    if device.counts:
        names = {made[3] for made in strict_module.Kernel.made}
        assert {n for n in names if not n.startswith("autolab_")} == {"muladd_fwd", "muladd_bwd", "muladd_twice"}
