"""The listings and statements of "extending PyTorch", written anew, under the original names."""

from __future__ import annotations

import ctypes
import ctypes.util

import numpy as np
import pytest

from autolab import compat
from autolab.compat import torch

nn = torch.nn


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t().mm(input)
        if bias is not None and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias


linear = LinearFunction.apply


class Linear(nn.Module):
    def __init__(self, input_features, output_features, bias=True):
        super().__init__()
        self.input_features, self.output_features = input_features, output_features
        self.weight = nn.Parameter(torch.empty(output_features, input_features))
        if bias:
            self.bias = nn.Parameter(torch.empty(output_features))
        else:
            self.register_parameter("bias", None)
        self.weight.data.uniform_(-0.1, 0.1)
        if self.bias is not None:
            self.bias.data.uniform_(-0.1, 0.1)

    def forward(self, input):
        return linear(input, self.weight, self.bias)

    def extra_repr(self):
        return f"input_features={self.input_features}, output_features={self.output_features}"


def normal(*shape, seed=0):
    return torch.from_numpy(np.random.default_rng(seed).normal(size=shape)).requires_grad_()


def with_backward(backward, forward=lambda ctx, x, *others: x * 2):
    body = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("F", (torch.autograd.Function,), body).apply


@pytest.mark.source("PT-01", "PT-14")
def test_the_linear_function_and_its_gradients():
    x, w, b, g = normal(4, 3), normal(2, 3, seed=1), normal(2, seed=2), normal(4, 2, seed=3).detach()
    y = linear(x, w, b)
    np.testing.assert_allclose(y.detach(), x.detach().numpy() @ w.detach().numpy().T + b.detach().numpy())
    y.backward(g)
    np.testing.assert_allclose(x.grad, g.numpy() @ w.detach().numpy())
    np.testing.assert_allclose(w.grad, g.numpy().T @ x.detach().numpy())
    np.testing.assert_allclose(b.grad, g.numpy().sum(0))
    assert "LinearFunctionBackward" in repr(y)


@pytest.mark.source("PT-15")
def test_the_gradient_check_of_the_document_prints_true():
    assert torch.autograd.gradcheck(linear, (normal(20, 20), normal(30, 20, seed=1)), eps=1e-6, atol=1e-4) is True
    assert torch.autograd.gradgradcheck(linear, (normal(2, 3), normal(2, 3, seed=1), normal(2, seed=2)))


@pytest.mark.source("PT-15", "T-003-1")
def test_the_documents_mistake_is_found():
    wrong = with_backward(lambda ctx, g: g * 3)
    with pytest.raises(torch.autograd.GradcheckError, match=r"(?s)gradcheck\(F\): wrong.*by x at \[0\] is 3"):
        torch.autograd.gradcheck(wrong, normal(3))
    assert torch.autograd.gradcheck(wrong, normal(3), raise_exception=False) is False


@pytest.mark.source("PT-02")
def test_arguments_may_be_anything_and_only_direct_tensors_are_tracked():
    seen = {}

    def forward(ctx, x, more, text="t"):
        seen.update(more=more, text=text)
        return x * more[0]

    f, inner = with_backward(lambda ctx, g: (g, None), forward), normal(2, seed=1)
    x = normal(2)
    f(x, [inner]).sum().backward()
    assert inner.grad is None and seen["text"] == "t" and seen["more"][0] is inner


@pytest.mark.source("PT-03")
def test_nothing_is_recorded_inside_forward():
    flags = []

    def forward(ctx, x):
        y = x * 2
        flags.extend([x.requires_grad, y.requires_grad, isinstance(x, torch.Tensor), type(x) is torch.Tensor])
        return y

    assert with_backward(lambda ctx, g: g * 2, forward)(normal(2)).requires_grad
    assert flags == [False, False, True, True]


@pytest.mark.source("PT-04")
def test_one_result_is_a_tensor_and_several_are_a_tuple():
    f = with_backward(lambda ctx, g, h: g + h, lambda ctx, x: (x * 1, x * 1))
    assert type(linear(normal(1, 1), normal(1, 1))) is torch.Tensor
    assert [type(y) for y in f(normal(2))] == [torch.Tensor] * 2 and type(f(normal(2))) is tuple


@pytest.mark.source("PT-05", "X12")
def test_what_backward_may_return():
    x = normal(2)
    with pytest.raises(ValueError, match=r"F\.backward returned 1 .*expected 2"):
        with_backward(lambda ctx, g: g)(x, 3).sum().backward()
    with pytest.raises(TypeError, match=r"F\.backward returned a gradient for argument 1"):
        with_backward(lambda ctx, g: (g, g))(x, 3).sum().backward()
    with pytest.raises(ValueError, match="shape"):
        with_backward(lambda ctx, g: g.sum())(x).sum().backward()
    with_backward(lambda ctx, g: (g * 2, None))(x, 3).sum().backward()
    assert x.grad.tolist() == [2, 2]


@pytest.mark.source("PT-06", "PT-12")
def test_nones_behind_are_ignored_and_attributes_stay():
    def forward(ctx, x, factor=3):
        ctx.factor = factor
        return x * factor

    x = normal(2)
    with_backward(lambda ctx, g: (g * ctx.factor, None, None), forward)(x).sum().backward()
    assert x.grad.tolist() == [3, 3]


@pytest.mark.source("PT-07", "PT-11")
def test_none_may_be_saved_and_needs_are_told():
    seen = []

    def backward(ctx, g):
        seen.append((ctx.saved_tensors[2], ctx.needs_input_grad, type(ctx.saved_tensors[0])))
        return LinearFunction.backward(ctx, g)

    f = with_backward(backward, LinearFunction.forward)
    f(normal(2, 3), normal(4, 3).detach(), None).sum().backward()
    assert seen == [(None, (True, False, False), torch.Tensor)]


@pytest.mark.source("PT-08")
def test_an_argument_changed_in_place_goes_on_as_the_result():
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.mul_(3)
        return x

    leaf = normal(2)
    x = leaf * 1
    y = with_backward(lambda ctx, g: g * 3, forward)(x)
    assert y is x
    y.sum().backward()
    assert leaf.grad.tolist() == [3, 3]


@pytest.mark.source("PT-09")
def test_results_without_a_gradient():
    def forward(ctx, x):
        constant, whole = x * 5, x.long()
        ctx.mark_non_differentiable(constant)
        return x * 2, constant, whole

    f = with_backward(lambda ctx, g, *others: g * 2, forward)
    assert [y.requires_grad for y in f(normal(2))] == [True, False, False]


@pytest.mark.source("PT-10")
@pytest.mark.parametrize("value", [True, False])
def test_gradients_of_unused_results(value):
    seen = []

    def forward(ctx, x):
        ctx.set_materialize_grads(value)
        return x * 1, x * 2

    f = with_backward(lambda ctx, g, h: (seen.append(g), h * 2)[1], forward)
    f(normal(2))[1].sum().backward()
    assert (seen[0].tolist() == [0, 0]) if value else seen == [None]


class Sinh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        up, down = torch.exp(x), torch.exp(-x)
        ctx.save_for_backward(up, down)
        return (up - down) / 2, up, down

    @staticmethod
    def backward(ctx, g, g_up, g_down):
        up, down = ctx.saved_tensors
        return g * (up + down) / 2 + g_up * up - g_down * down


@pytest.mark.source("PT-13", "T-003-4")
def test_what_was_saved_carries_gradients_of_every_order():
    assert torch.autograd.gradgradcheck(lambda x: Sinh.apply(x)[0], normal(3))
    hidden = with_backward(
        lambda ctx, g: g * ctx.saved_tensors[0],
        lambda ctx, x: (ctx.save_for_backward(torch.exp(x)), torch.exp(x))[1],
    )
    x = normal(2)
    (g,) = torch.autograd.grad(hidden(x).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="neither an argument nor a result"):
        torch.autograd.grad(g.sum(), x)


@pytest.mark.source("PT-01")
def test_forward_without_a_context_and_a_backward_for_one_order():
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(x, factor):
            return x * factor

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.factor = inputs[1]
            assert output.shape == inputs[0].shape

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx, g):
            return g * ctx.factor, None

    x = normal(2)
    (g,) = torch.autograd.grad((Scale.apply(x, 4) ** 2).sum(), x, create_graph=True)
    np.testing.assert_allclose(g.detach(), 32 * x.detach().numpy())
    with pytest.raises(RuntimeError, match="twice"):
        torch.autograd.grad(g.sum(), x)


@pytest.mark.source("PT-16", "PT-17", "PT-18", "PT-20", "T-003-2", "T-003-5")
@pytest.mark.parametrize("bias", [True, False])
def test_the_linear_module(bias):
    layer = Linear(3, 2, bias)
    assert [n for n, _ in layer.named_parameters()] == ["weight", "bias"][: 1 + bias]
    for parameter in layer.parameters():
        assert parameter.requires_grad and parameter.is_leaf and isinstance(parameter, torch.Tensor)
        assert 0 < parameter.abs().max() <= 0.1
    assert isinstance(nn.functional.relu, type(normal)) and isinstance(nn.ReLU(), nn.Module)
    layer(torch.ones(5, 3)).sum().backward()
    np.testing.assert_allclose(layer.weight.grad, np.full((2, 3), 5.0))


@pytest.mark.source("PT-18")
def test_buffers_are_saved_and_moved_and_are_no_parameters():
    layer = Linear(1, 1, bias=False)
    layer.register_buffer("seen", torch.zeros(2))
    layer.register_buffer("passing", torch.zeros(1), persistent=False)
    assert list(layer.state_dict()) == ["weight", "seen"] and len(list(layer.parameters())) == 1
    assert layer.bias is None and layer.double().seen.dtype is torch.float64
    layer.seen = torch.ones(2, dtype=torch.float64)
    assert dict(layer.named_buffers())["seen"].tolist() == [1, 1]


@pytest.mark.source("PT-19")
def test_what_a_module_says_of_itself():
    said = "Linear(input_features=3, output_features=2)"
    assert repr(Linear(3, 2)) == said
    assert repr(nn.Sequential(Linear(3, 2), nn.ReLU())) == f"Sequential(\n  (0): {said}\n  (1): ReLU()\n)"


@pytest.mark.source("PT-21")
def test_an_operation_of_a_c_library_gets_a_gradient():
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    library.cbrt.restype, library.cbrt.argtypes = ctypes.c_double, [ctypes.c_double]

    def forward(ctx, x):
        y = torch.tensor(np.array([library.cbrt(number) for number in x.tolist()]))
        ctx.save_for_backward(y)
        return y

    f = with_backward(lambda ctx, g: g / (3 * ctx.saved_tensors[0] ** 2), forward)
    x = torch.tensor([1.0, 8.0], dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(f, x)


def test_the_original_name_imports_the_facade():
    compat.install("torch")
    try:
        import torch as original
        import torch.nn.functional as F

        assert original is torch and F is nn.functional
    finally:
        compat.uninstall("torch")
