"""Tensors as PyTorch has them: types, gradients, changes in place, and how they print."""

from __future__ import annotations

import copy
import inspect
import pickle

import numpy as np
import pytest
from helpers.each import each

from autolab.compat import torch
from autolab.engine.habits import Habit


def leaf(*values):
    return torch.tensor(values, requires_grad=True)


@each(
    ("made", "dtype"),
    [
        (lambda: torch.tensor([1, 2]), "int64"),
        (lambda: torch.tensor([1.0]), "float32"),
        (lambda: torch.tensor(np.ones(1)), "float64"),
        (lambda: torch.arange(3) / 2, "float32"),
        (lambda: torch.arange(3) * 1.5, "float32"),
        (lambda: torch.arange(3) * torch.ones(3), "float32"),
        (lambda: torch.ones(3) + torch.tensor(1.0, dtype=torch.float64), "float32"),
        (lambda: torch.ones(3) + torch.ones(3, dtype=torch.float64), "float64"),
        (lambda: torch.arange(3) + torch.tensor(1.0, dtype=torch.float64), "float64"),
        (lambda: torch.tensor([True]) + 1, "int64"),
        (lambda: torch.exp(torch.arange(3)), "float32"),
        (lambda: torch.tensor([True, False]).sum(), "int64"),
        (lambda: torch.ones(2) > 0, "bool"),
        (lambda: torch.cat([torch.ones(1), torch.arange(2)]), "float32"),
        (lambda: torch.ones(2).long(), "int64"),
        (lambda: torch.zeros(2, dtype=torch.double).to(torch.half), "float16"),
    ],
)
def test_types_come_together_by_kind(made, dtype):
    assert made().dtype == getattr(torch, dtype) and made()._data.dtype == np.dtype(dtype)


def test_tensors_require_a_gradient_on_request():
    x = torch.ones(2)
    assert not x.requires_grad and (x * 2).is_leaf and x.requires_grad_() is x and x.requires_grad
    assert not (x * 2).is_leaf and (x * 2).grad_fn.name() == "MulBackward0"
    with pytest.raises(RuntimeError, match="only floating-point"):
        torch.arange(2).requires_grad_()


@pytest.mark.source("X1", "X3")
def test_backward_takes_a_gradient():
    x = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match=r"backward: .*gradient="):
        (x * x).backward()
    (x * x).backward(torch.tensor([1.0, 10.0]))
    assert x.grad.tolist() == [2, 40] and type(x.grad) is torch.Tensor
    (x * x).backward(gradient=torch.ones(2), inputs=x)
    assert x.grad.tolist() == [4, 44]


@pytest.mark.source("X8")
def test_a_graph_is_used_up_unless_it_is_retained():
    x = leaf(1.0, 2.0)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.tolist() == [4, 8]
    with pytest.raises(RuntimeError, match=r"second time.*retain_graph=True"):
        y.backward()
    shared = x * x
    first, second = shared.sum(), shared.mean()
    first.backward()
    with pytest.raises(RuntimeError, match="second time"):
        second.backward()
    assert x.grad.tolist() == [6, 12]


def test_gradients_of_what_was_computed_are_kept_on_request():
    x = leaf(1.0, 2.0)
    y, z = x * 2, x * 3
    y.retain_grad()
    (y + z).sum().backward()
    assert y.grad.tolist() == [1, 1] and z.grad is None


def test_grad_stores_nothing_and_refuses_what_is_not_reached():
    x, other = leaf(3.0), leaf(1.0)
    (g,) = torch.autograd.grad(x**3, x, torch.ones(1), create_graph=True)
    assert torch.autograd.grad(g.sum(), [x])[0].tolist() == [18] and x.grad is None
    with pytest.raises(RuntimeError, match="allow_unused=True"):
        torch.autograd.grad((x * 2).sum(), [x, other])
    assert torch.autograd.grad((x * 2).sum(), [x, other], allow_unused=True)[1] is None
    assert torch.autograd.grad((x * 2).sum(), [other], materialize_grads=True)[0].tolist() == [0]


def test_modes_are_blocks_decorators_and_a_switch():
    x = leaf(1.0)

    @torch.no_grad()
    def doubled(value):
        return value * 2

    with torch.no_grad():
        assert not (x * 2).requires_grad
        with torch.enable_grad():
            assert (x * 2).requires_grad
    assert not doubled(x).requires_grad and (x * 2).requires_grad
    torch.set_grad_enabled(False)
    assert not torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    with torch.set_grad_enabled(False):
        assert not torch.is_grad_enabled()
    assert torch.is_grad_enabled()


# ---------------------------------------------------------------------- in place
def test_changes_in_place_are_seen_by_all_that_share_the_memory():
    x = torch.zeros(2, 2)
    x[0].add_(2).mul_(3)
    x.t()[0] += 1
    assert x.tolist() == [[7, 6], [1, 0]]
    x[x > 5] = -1
    assert x.tolist() == [[-1, -1], [1, 0]] and x.clamp_(min=0).zero_() is x
    w = leaf(1.0, 2.0)
    w.data.sub_(1.0)
    with torch.no_grad():
        w -= 1.0
    assert w.tolist() == [-1, 0] and w.is_leaf and w.requires_grad


def test_a_recorded_change_in_place_is_a_step():
    x = leaf(1.0, 2.0)
    y = x * 2
    y += 1
    y.mul_(3)
    y.sum().backward()
    assert y.tolist() == [9, 15] and x.grad.tolist() == [6, 6]


def test_a_recorded_change_in_place_retains_the_values_it_overwrites():
    x, w = leaf(1.0, 2.0), leaf(3.0, 5.0)
    y = x.clone()
    y.cos_().mul_(w)
    y.sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), np.cos([1, 2]), rtol=1e-6)
    np.testing.assert_allclose(x.grad.numpy(), -np.sin([1, 2]) * [3, 5], rtol=1e-6)
    z = torch.ones(2) * 4
    z *= w  # which has no history of its own
    z.sum().backward()
    assert w.grad.tolist() == (torch.cos(x) + 4).tolist()


def test_a_pass_that_needs_the_old_numbers_is_refused():
    x = leaf(1.0, 2.0)
    y = x * x
    with torch.no_grad():
        x.add_(1)
    with pytest.raises(RuntimeError, match="mul needs has been modified by an inplace operation"):
        y.sum().backward()
    h = torch.exp(x)
    h += 1
    with pytest.raises(RuntimeError, match="exp needs"):
        torch.autograd.grad(h.sum(), x)
    z = x + 1
    z += 1  # nothing needs it
    z.sum().backward()
    assert x.grad.tolist() == [1, 1]


def test_changes_that_would_be_wrong_are_refused():
    x = leaf(1.0, 2.0)
    for change in (lambda: x.add_(1), lambda: x.zero_(), lambda: x.__setitem__(0, 1.0)):
        with pytest.raises(RuntimeError, match="leaf"):
            change()
    with pytest.raises(RuntimeError, match="add_: a view of a leaf"):
        x[0:1].add_(1)
    with pytest.raises(RuntimeError, match="shape"):
        torch.zeros(1).add_(torch.ones(2))
    with pytest.raises(RuntimeError, match="does not fit"):
        torch.arange(2).mul_(1.5)
    with pytest.raises(RuntimeError, match="one place in memory"):
        torch.zeros(1).expand(2).add_(1)


# ---------------------------------------------------------------------- to and from elsewhere
def test_values_leave_as_in_pytorch():
    x = leaf(1.5)
    with pytest.raises(RuntimeError, match=r"detach\(\)\.numpy"):
        x.numpy()
    array = np.zeros(2)
    torch.from_numpy(array).add_(1)
    assert (
        array.tolist() == [1, 1]
        and x.detach().numpy().tolist() == [1.5]
        and x.item() == 1.5
        and f"{x.sum():.2f}" == "1.50"
    )
    for twin in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert type(twin) is torch.Tensor and twin.requires_grad and twin.tolist() == [1.5]


def test_sizes():
    x = torch.zeros(2, 3)
    assert x.size() == x.shape == (2, 3) and x.size(1) == 3 and x.numel() == 6 and x.dim() == 2 and len(x) == 2
    assert repr(x.shape) == "torch.Size([2, 3])" and x.shape.numel() == 6


@each(
    ("tensor", "text"),
    [
        (lambda: torch.tensor([1.0, 2.0]), "tensor([1., 2.])"),
        (lambda: torch.tensor([0.1, 123.456]), "tensor([1.0000e-01, 1.2346e+02])"),
        (lambda: torch.tensor([1e8]), "tensor([100000000.])"),
        (lambda: torch.tensor([1e8 + 64]), "tensor([1.0000e+08])"),
        (lambda: torch.tensor([1, 20]), "tensor([ 1, 20])"),
        (lambda: torch.tensor(3.5), "tensor(3.5000)"),
        (lambda: torch.tensor([True]), "tensor([True])"),
        (lambda: torch.tensor([1.0], dtype=torch.float64), "tensor([1.], dtype=torch.float64)"),
        (lambda: leaf(1.0), "tensor([1.], requires_grad=True)"),
        (lambda: leaf(1.0).sum(), "tensor(1., grad_fn=<SumBackward0>)"),
        (lambda: torch.tensor([[1.5, -2], [0, 1]]), "tensor([[ 1.5000, -2.0000],\n        [ 0.0000,  1.0000]])"),
        (lambda: torch.tensor([float("nan"), 1.0]), "tensor([nan, 1.])"),
        (lambda: torch.tensor([]), "tensor([])"),
        (lambda: torch.nn.Parameter(torch.ones(1)), "Parameter containing:\ntensor([1.], requires_grad=True)"),
    ],
)
def test_tensors_print_as_in_pytorch(tensor, text):
    assert repr(tensor()) == text


def test_what_is_missing_fails_by_name():
    with pytest.raises(AttributeError, match=r"^torch\.Tensor\.refine_names is not part of AutoLab's torch facade$"):
        torch.ones(1).refine_names("a")
    with pytest.raises(AttributeError, match=r"^torch\.compile is not part of AutoLab's torch facade"):
        torch.compile(print)
    with pytest.raises(NotImplementedError, match="antialias"):
        torch.nn.functional.interpolate(torch.ones(1, 1, 2, 2), 4, mode="bilinear", antialias=True)
    for wrong in (lambda: torch.exp(2.0), lambda: torch.mm([1], [2]), lambda: torch.add("a", 1)):
        with pytest.raises(TypeError, match="expected a tensor"):
            wrong()


@each(
    "function",
    [
        lambda x: x.max(1)[0],
        lambda x: x.sort(1, descending=True).values ** 2,
        lambda x: x.topk(2).values * 3,
        lambda x: x.median(1).values,
        lambda x: x.var(1) + x.std(dim=0).sum() + x.norm(),
        lambda x: x.gather(1, torch.tensor([[0], [2], [1]])),
        lambda x: torch.where(x > 0, x, x * 2).masked_fill(x > 1, 0.0),
        lambda x: torch.cat([x, x**2]).expand(2, 6, 4).prod(0),
        lambda x: torch.einsum("ij,kj->ik", x, x).det(),
        lambda x: torch.diag(x[0], 1) @ torch.diag(x[0], -1) + torch.stack(x.split(1), 2).flatten().sum(),
        lambda x: x.unsqueeze(0).transpose(1, 2).permute(2, 0, 1).reshape(3, -1).flip(1)[:, :2],
        lambda x: torch.clamp(x, -0.5, 0.5) + torch.lerp(x, x**2, 0.3) + torch.addcmul(x, x, x, value=2),
    ],
)
def test_gradients_of_tensor_functions(function):
    x = torch.from_numpy(np.random.default_rng(0).normal(size=(3, 4))).requires_grad_()
    assert torch.autograd.gradcheck(function, x)


def test_derivatives_of_functions():
    x, ones = torch.tensor([1.0, 2.0]), torch.ones(2)
    F = torch.autograd.functional
    assert F.jacobian(lambda v: v.pow(2), x).tolist() == [[2, 0], [0, 4]]
    assert F.hessian(lambda v: v.prod(), x).tolist() == [[0, 1], [1, 0]]
    for found in (F.vjp, F.jvp):
        assert [t.tolist() for t in found(lambda v: v.pow(2), x, ones)] == [[1, 4], [2, 4]]
    assert F.hvp(lambda v: v.pow(3).sum(), x, ones)[1].tolist() == [6, 12]


def test_qr_and_lstsq_give_what_pytorch_gives():
    """The numbers are those of PyTorch 2.13."""
    A = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]], dtype=torch.float64, requires_grad=True)
    q, r = torch.linalg.qr(A)
    (q**3).sum().backward()
    assert np.allclose(r.abs().detach().numpy(), [[5.916079783099615, 8.282511696339462], [0.0, 0.632455532033676]])
    found = [[0.617942366029971, 0.4065785563073636], [1.6154944049589561, 1.2197356689220913]]
    assert np.allclose(np.abs(A.grad.numpy())[:2], found)
    A.grad = None
    B = torch.tensor([[1.0], [0.0], [2.0]], dtype=torch.float64, requires_grad=True)
    least = torch.linalg.lstsq(A, B, driver="gelsd")
    least.solution.sum().backward()
    assert np.allclose(least.solution.detach().numpy(), [[-1.7857142857142858], [1.5]]) and int(least.rank) == 2
    assert np.allclose(B.grad.numpy(), [[-0.5714285714285721], [0.28571428571428625], [0.1428571428571428]])
    assert np.allclose(A.grad.numpy()[0], [-1.3265306122449028, 1.0714285714285685])
    with pytest.raises(NotImplementedError, match="qr: mode='complete' is not part of AutoLab's torch facade"):
        torch.linalg.qr(A, mode="complete")


def test_gradient_takes_distances_or_places_and_gives_a_tuple():
    x = torch.tensor([0.0, 1.0, 4.0, 9.0], dtype=torch.float64, requires_grad=True)
    (slopes,) = torch.gradient(x, spacing=0.5)
    assert slopes.tolist() == [2.0, 4.0, 8.0, 10.0]
    slopes.sum().backward()
    assert x.grad.tolist() == [-3.0, 1.0, -1.0, 3.0]
    (slopes,) = torch.gradient(x, spacing=(torch.tensor([0.0, 1.0, 2.0, 3.0], dtype=torch.float64),), edge_order=2)
    assert np.allclose(slopes.detach().numpy(), [0, 2, 4, 6])
    rows, columns = torch.gradient(torch.tensor([[1, 2, 4], [3, 6, 9]]))
    assert rows.dtype == torch.float32 and rows.tolist() == [[2, 4, 5], [2, 4, 5]]
    assert columns.tolist() == [[1, 1.5, 2], [3, 3, 3]]
    assert torch.gradient(torch.ones(2, 3), dim=1)[0].tolist() == [[0, 0, 0], [0, 0, 0]]


def test_sinc_and_interpolate_give_what_pytorch_gives():
    x = torch.tensor([[[0.5, 0.0, -1.5]]], dtype=torch.float64, requires_grad=True)
    torch.sinc(x).sum().backward()
    assert np.allclose(x.grad.numpy(), [[[-1.2732395447351628, 0.0, -0.14147106052612918]]])
    y = torch.nn.functional.interpolate(x, size=5, mode="linear")
    assert np.allclose(y.detach().numpy(), [[[0.5, 0.3, 0.0, -0.9, -1.5]]])
    x.grad = None
    (y * y).sum().backward()
    assert np.allclose(x.grad.numpy(), [[[1.36, -0.48, -4.08]]])
    with pytest.raises(NotImplementedError, match="antialias"):
        torch.nn.functional.interpolate(x, size=5, antialias=True)


def test_every_method_that_gives_a_tensor_is_one_of_the_facade():
    own = {name for kind in torch.Tensor.__mro__ if "compat" in kind.__module__ for name in vars(kind)}
    views = {"block_until_ready", "explore", "grad_status", "graph", "show", "why"}
    arrays = {"array", "item", "itemsize", "name", "nbytes", "ndim", "strides", "to_numpy", "tolist"}
    graph = {"creator", "is_initialized", "node", "register_hook", "requires_grad", "to_cpu", "to_gpu"}
    none = {"cleargrad", "unchain", "unchain_backward", "zero_grad", "zerograd"}
    public = {name for name in dir(torch.Tensor) if not name.startswith("_")}
    public -= {name for name in public if isinstance(inspect.getattr_static(torch.Tensor, name), Habit)}  # a sentence
    assert public - own == views | arrays | graph | none
    x = torch.tensor([[1, -2], [3, 0]])
    for y in (
        x.ravel(),
        x.clip(0, 1.5),
        x.clamp_min(0.5),
        x.take(torch.tensor([0])),
        x.diff(),
        x.nanmean(),
        x.inner(x),
    ):
        assert type(y) is torch.Tensor and (y * 1.5).dtype is torch.float32
    assert x.sign().dtype is x.nansum().dtype is torch.int64
    with pytest.raises(RuntimeError, match="unique: input requires a gradient"):
        torch.ones(2, requires_grad=True).unique()


@pytest.mark.parametrize("copied", ["flip(0)", "fliplr()", "rot90()", "rot90(0)", "diag()"])
def test_what_pytorch_copies_has_a_memory_of_its_own(copied):
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    y = eval(f"x.{copied}", {"x": x})
    before = y.tolist()
    x.add_(1)
    assert y.tolist() == before


OF_FLOATS = {
    name: getattr(torch.nn.functional, name)
    for name in [
        *("leaky_relu", "elu", "celu", "selu", "gelu", "silu", "mish", "softplus", "hardswish", "hardsigmoid"),
        *("logsigmoid", "hardtanh"),
    ]
}
OF_FLOATS |= {
    "softmax": lambda i: i.softmax(1),
    "log_softmax": lambda i: torch.log_softmax(i, 1),
    "l1_loss": lambda i: torch.nn.functional.l1_loss(i, i + 1),
    "mse_loss": lambda i: torch.nn.functional.mse_loss(i, i + 1),
    "binary_cross_entropy": lambda i: torch.nn.functional.binary_cross_entropy(i, i),
    "cross_entropy": lambda i: torch.nn.functional.cross_entropy(i, torch.tensor([0, 1])),
    "nll_loss": lambda i: torch.nn.functional.nll_loss(i, torch.tensor([0, 1])),
    "linear": lambda i: torch.nn.functional.linear(i, i),
    "layer_norm": lambda i: torch.nn.functional.layer_norm(i, (3,)),
    "normalize": torch.nn.functional.normalize,
    "cosine_similarity": lambda i: torch.cosine_similarity(i, i),
    **{name: lambda i, name=name: getattr(i, name)() for name in ("mean", "std", "var", "norm")},
    "rand": torch.rand_like,
    "randn": lambda i: torch.randn(2, dtype=i.dtype),
}


@each("name", OF_FLOATS)
def test_of_integers_pytorch_computes_no_such_thing(name):
    integers = torch.arange(6).reshape(2, 3)
    with pytest.raises(RuntimeError, match=f"^{name}: (input|x1|dtype) is .*torch.int64.*; expected .*floats"):
        OF_FLOATS[name](integers)


def test_a_weight_meets_only_inputs_of_its_type():
    x = torch.ones(2, 3, dtype=torch.float64)
    with pytest.raises(RuntimeError, match=r"^linear: input is of .*float64, and weight of .*float32; exp"):
        torch.nn.functional.linear(x, torch.ones(4, 3))
    assert torch.nn.functional.linear(x, torch.ones(4, 3).to(x.dtype)).dtype is torch.float64


def test_one_element_is_a_view_too():
    x, line = torch.zeros(2, 2), torch.zeros(3)
    x[1, 0].fill_(5)
    line[-1] += 2
    line[0].add_(1)
    x.flatten()[1].fill_(3)
    assert x.tolist() == [[0, 3], [5, 0]] and line.tolist() == [1, 0, 2]
    y = leaf(1.0, 2.0)
    (y[1] * 3).backward()
    assert y.grad.tolist() == [0, 3]


@pytest.mark.parametrize("view", [lambda y: y[0], lambda y: y.view(-1)[1:], lambda y: y.T, lambda y: y[0].expand(2, 3)])
def test_a_view_from_before_a_change_has_no_gradient(view):
    x = torch.ones(2, 3, requires_grad=True)
    y = x * 1
    old, copy = view(y), y[[0]]
    y.mul_(2)
    with pytest.raises(RuntimeError, match="a view of a tensor was used after the tensor has been modified"):
        old.sum().backward()
    (copy.sum() + view(y).sum()).backward()
    assert x.grad is not None


def test_a_part_that_joins_the_graph_takes_the_whole_along():
    w, x = leaf(1.0, 2.0), torch.zeros(2, 2)
    x[0].add_(w)
    for i in range(2):
        x[i].mul_(3)
    x.sum().backward()
    assert x.tolist() == [[3, 6], [0, 0]] and w.grad.tolist() == [3, 3]
    whole = torch.zeros(2, 2)
    first, again = whole[0], whole[0]
    with pytest.raises(RuntimeError, match="add_: this tensor is a view of several other tensors"):
        first.add_(w)
    assert again.tolist() == [0, 0]


def test_a_view_shares_its_memory_or_is_refused():
    x = torch.arange(6).reshape(2, 3)
    with pytest.raises(RuntimeError, match=r"^view: \(3, 2\) as \(6,\): its elements do not lie in that order"):
        x.T.view(-1)
    x.T.view(3, 2, 1)[0, 1, 0].fill_(9)
    assert x.tolist() == [[0, 1, 2], [9, 4, 5]] and x.T.reshape(-1).tolist() == [0, 9, 1, 4, 2, 5]


def test_gradients_that_are_retained_add_up_over_passes():
    x = leaf(2.0)
    h = x * 3
    h.retain_grad()
    (h * 2).sum().backward(retain_graph=True)
    first = h.grad.tolist()
    (h * 5).sum().backward(retain_graph=True)
    assert (first, h.grad.tolist(), x.grad.tolist()) == ([2], [7], [21])
    h.grad = None
    (h * 5).sum().backward()
    assert h.grad.tolist() == [5]


def test_a_tensor_is_formatted_and_carries_attributes_as_in_pytorch():
    number, row = torch.tensor(1.5), torch.tensor([1.5])
    assert (f"{number}", f"{number:.3f}", f"{leaf(2.0).sum():>6.1f}") == ("1.5", "1.500", "   2.0")
    assert (f"{torch.tensor(3)}", f"{torch.tensor(3):04d}", f"{torch.tensor(True)}") == ("3", "0003", "True")
    assert f"{row}" == str(row) == "tensor([1.5000])"
    with pytest.raises(TypeError, match="format"):
        f"{row:.2f}"
    row.kind, row.history = "bias", [1]
    row.history.append(2)
    assert (row.kind, row.history, hasattr(row, "other"), hasattr(row + 1, "kind")) == ("bias", [1, 2], False, False)
    del row.kind
    assert not hasattr(row, "kind")
    with pytest.raises(AttributeError):
        row.shape = (1,)
    with pytest.raises(AttributeError):
        del row.kind
    w = torch.nn.Parameter(torch.ones(2))
    w.decays = False
    assert w.decays is False and not hasattr(torch.nn.Parameter(torch.ones(2)), "decays")
