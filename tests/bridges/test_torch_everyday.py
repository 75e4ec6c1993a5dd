"""What people write every day in PyTorch is recorded with PyTorch's own gradients, or refused with what to write."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: make test-bridges")

import warnings

import numpy as np
import torch.nn.functional as F
from torch import nn

import autolab
from autolab.bridges.torch import UnsupportedError, record

grad = torch.autograd.grad


def has_pytorchs_gradients(fn: Any, net: nn.Module, *args: Any, what: str = "") -> None:
    """Every parameter of the module has in the recording the gradient that PyTorch computes without it."""
    parameters = dict(net.named_parameters())
    torch.manual_seed(1)
    leaves = [a.clone().requires_grad_() if a.is_floating_point() else a for a in args]
    expected = grad(fn(net, *leaves), list(parameters.values()), allow_unused=True)
    torch.manual_seed(1)
    recording = record(fn, net, *args)
    found = {step.name: step.grad for step in recording.steps if step.kind == "leaf"}
    for name, g in zip(parameters, expected, strict=True):
        own = found.get(name, found.get(f"net.{name}"))
        if g is not None:
            assert own is not None, (what, name, list(found))
            np.testing.assert_allclose(own.values, g, rtol=2e-4, atol=1e-6, err_msg=f"{what}: {name}")


def test_a_view_made_under_no_grad_is_a_constant() -> None:
    x = torch.randn(6, 3)
    parts = {
        "row": lambda h: h[0],
        "rows": lambda h: h[1:3],
        "T": lambda h: h.T,
        "view": lambda h: h.view(-1),
        "expand": lambda h: h[:, :1].expand(6, 3),
        "squeeze": lambda h: h.unsqueeze(0).squeeze(0),
        "unbind": lambda h: h.unbind(0)[2],
        "split": lambda h: h.split(2)[1],
        "diagonal": lambda h: h.diagonal(),
        "narrow": lambda h: h.narrow(0, 1, 2),
        "item of a row": lambda h: h[0][1],
        "new number": lambda h: h[0] + 1,
        "sample": lambda h: torch.distributions.Normal(h[:, 0], 1.0).sample(),
    }
    for what, part in parts.items():

        def loss(net: Any, x: Any, part: Any = part) -> Any:
            h = net(x)
            with torch.no_grad():
                k = part(h)
            return (h * h).sum() + (k * k).sum() + k.sum() * h[0, 0]

        has_pytorchs_gradients(loss, nn.Linear(3, 3), x, what=what)
    outside = nn.Linear(3, 3)(x)
    with torch.no_grad():
        row = outside[0]
    has_pytorchs_gradients(lambda net, x: (net(x) * row).sum(), nn.Linear(3, 3), x, what="made before")


def test_a_running_mean_by_hand_is_no_hindrance() -> None:
    class Norm(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lin = nn.Linear(3, 3)
            self.register_buffer("mean", torch.zeros(3))

        def forward(self, x: Any) -> Any:
            h = self.lin(x)
            m = h.mean(0, keepdim=True)
            with torch.no_grad():
                self.mean.mul_(0.9).add_(m[0], alpha=0.1)
            return ((h - m) ** 3).sum()

    has_pytorchs_gradients(lambda net, x: net(x), Norm(), torch.randn(6, 3))


def test_requiring_a_gradient_again_is_no_step() -> None:
    def cloned(net: Any, x: Any) -> Any:
        x = x.clone().requires_grad_()
        (g,) = grad(net(x).tanh().sum(), x, create_graph=True)
        return (g**2).sum()

    def penalty(net: Any, x: Any) -> Any:
        x = (0.5 * x + 0.1).requires_grad_(True)
        (g,) = grad(net(x).tanh().sum(), x, create_graph=True)
        return ((g.norm(dim=1) - 1) ** 2).mean()

    def detached(net: Any, x: Any) -> Any:
        x = x.detach().requires_grad_(requires_grad=True)
        (g,) = grad(net(x).tanh().sum(), x, create_graph=True)
        return (g**2).sum()

    for fn in (cloned, penalty, detached):
        has_pytorchs_gradients(fn, nn.Linear(3, 3), torch.randn(6, 3), what=fn.__name__)


class _Conv(nn.Sequential):
    def forward(self, x: Any) -> Any:
        return super().forward(x.reshape(-1, 1, 4, 3))


def test_second_derivatives_go_through_every_module() -> None:
    x, t = torch.randn(8, 3), torch.arange(8) % 3

    def slope(net: Any, x: Any) -> Any:
        (du,) = grad(net(x).sum(), x, create_graph=True)
        return (du**2).mean()

    def curvature(net: Any, x: Any) -> Any:
        u = net(x)
        (du,) = grad(u.sum(), x, create_graph=True)
        (ddu,) = grad(du.pow(2).sum(), x, create_graph=True)
        return (ddu**2).mean() + (du * x).mean()

    def maml(net: Any, x: Any) -> Any:
        p = dict(net.named_parameters())
        y = torch.func.functional_call(net, p, (x,))
        g = grad(F.cross_entropy(y.reshape(8, -1)[:, :3], t), list(p.values()), create_graph=True)
        new = {k: v - 0.1 * d for (k, v), d in zip(p.items(), g, strict=True)}
        return F.cross_entropy(torch.func.functional_call(net, new, (x,)).reshape(8, -1)[:, :3], t)

    nets = {
        "linear": lambda: nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 3)),
        "layer norm": lambda: nn.Sequential(nn.Linear(3, 5), nn.LayerNorm(5), nn.Softplus(), nn.Linear(5, 3)),
        "conv": lambda: _Conv(nn.Conv2d(1, 2, 2), nn.Tanh(), nn.Conv2d(2, 3, 2)),
        "bilinear": lambda: nn.Sequential(nn.Linear(3, 4), nn.Softmax(-1), nn.Linear(4, 3, bias=False), nn.GELU()),
    }
    for what, make in nets.items():
        for fn in (slope, curvature, maml) if what != "conv" else (slope,):
            torch.manual_seed(0)
            given = x if what != "conv" else torch.randn(8, 12)
            has_pytorchs_gradients(fn, make(), given, what=f"{fn.__name__} of {what}")


def test_shares_of_a_second_derivative_are_told_apart() -> None:
    """The weight is used by `linear` and, transposed inside it, by the derivative: each has its own share."""
    x, w = torch.randn(4, 3), torch.randn(3, 3)

    def loss(x: Any, w: Any) -> Any:
        u = F.linear(x, w, torch.zeros(3)) ** 3
        (du,) = grad(u.sum(), x, create_graph=True)
        return (du**2).sum()

    recording = record(loss, x, w)
    a, b = w.clone().requires_grad_(), w.clone().requires_grad_()
    expected = grad((((3 * F.linear(x, a) ** 2) @ b) ** 2).sum(), (a, b))
    uses = {s.function: u for s in recording.steps for u in s.operands if u.step == recording["w"].id}
    for function, g in zip(("linear", "grad"), expected, strict=True):
        np.testing.assert_allclose(uses[function].contribution.values, g, rtol=1e-4, atol=1e-4)


def test_normed_weights_are_recorded_and_diagnosed() -> None:
    x = torch.randn(6, 3)
    t = x.argmax(1)
    utils = nn.utils
    for make in (utils.parametrizations.spectral_norm, utils.spectral_norm, utils.weight_norm):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # deprecated, and people have it
            net = nn.Sequential(make(nn.Linear(3, 3)))

        def loss(net: Any, x: Any, t: Any) -> Any:
            return F.cross_entropy(net(x), t)

        loss(net, x, t).backward()
        recording = record(loss, net, x, t)
        assert any(s.kind == "leaf" and s.grad is not None and s.grad.shape == (3, 3) for s in recording.steps)
        autolab.diagnose(loss, net, x, t)


def test_sparse_constants_are_recorded_and_subclasses_are_refused() -> None:
    class Own(torch.Tensor):
        pass

    eye, x = torch.eye(3) * 2, torch.randn(3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # sparse tensors are in beta state
        matrices = eye.to_sparse(), eye.to_sparse_csr(), eye.to_sparse_csc()
    for matrix in matrices:
        for recording in (
            record(lambda a, m: (m @ a[:, None]).sum(), x, matrix),
            record(lambda a, m=matrix: (m @ a[:, None]).sum(), x),
        ):
            assert recording["a"].grad is not None
            np.testing.assert_array_equal(recording["a"].grad.values, [2.0, 2.0, 2.0])
            assert recording.memory().peak >= 0
    with pytest.raises(UnsupportedError, match=r"a is a Own.*as_subclass\(torch.Tensor\)"):
        record(lambda a: (a * a).sum(), x.as_subclass(Own))
    weight = eye.to_sparse().requires_grad_()
    with pytest.raises(UnsupportedError, match=r"is sparse and requires a gradient"):
        record(lambda a: torch.sparse.mm(weight, a[:, None]).sum(), x)


class Coder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.enc, self.dec = nn.Linear(3, 4), nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 3)])

    def encode(self, x: Any) -> Any:
        return self.enc(x)

    def decode(self, z: Any) -> Any:
        for layer in self.dec:
            z = layer(z)
        return z


def test_parameters_have_the_names_of_what_owns_them() -> None:
    x, own = torch.randn(5, 3), ["enc.weight", "enc.bias", "dec.0.weight", "dec.0.bias", "dec.1.weight", "dec.1.bias"]
    net, teacher = Coder(), Coder()
    parts = {"g": nn.Linear(3, 3), "d": nn.Sequential(nn.Linear(3, 3))}
    held = nn.ModuleDict({"g": nn.Linear(3, 3), "d": nn.Linear(3, 3)})

    class Trainer:
        def __init__(self) -> None:
            self.student = Coder()

        def loss(self, x: Any) -> Any:
            return self.student.decode(self.student.encode(x)).sum()

    def direct(net: Any, x: Any) -> Any:
        return F.linear(x, net.enc.weight, net.enc.bias).sum()

    def outer(x: Any) -> Any:
        return F.linear(x, net.enc.weight, net.enc.bias).sum()

    def local(x: Any) -> Any:
        first = net.enc
        return first(x).sum()

    linear = ["weight", "bias"]
    cases: list[tuple[Any, tuple[Any, ...], list[str]]] = [
        (lambda net, x: net.decode(net.encode(x)).sum(), (net, x), [f"net.{name}" for name in own]),
        (lambda x: net.decode(net.encode(x)).sum(), (x,), [f"net.{name}" for name in own]),
        (net.encode, (x,), own[:2]),
        (Trainer().loss, (x,), [f"student.{name}" for name in own]),
        (
            lambda nets, x: nets["d"](nets["g"](x)).sum(),
            (parts, x),
            [f"nets[{p}].{w}" for p in ("g", "d.0") for w in linear],
        ),
        (lambda x: parts["d"](parts["g"](x)).sum(), (x,), [f"parts[{p}].{w}" for p in ("g", "d.0") for w in linear]),
        (lambda m, x: m["d"](m["g"](x)).sum(), (held, x), [f"m.{p}.{w}" for p in ("g", "d") for w in linear]),
        (
            lambda a, b, x: (a.encode(x) - b.encode(x)).sum(),
            (net, teacher, x),
            ["a.enc.weight", "a.enc.bias", "b.enc.weight", "b.enc.bias"],
        ),
        (direct, (net, x), ["net.enc.weight", "net.enc.bias"]),
        (outer, (x,), ["net.enc.weight", "net.enc.bias"]),
        (local, (x,), ["first.weight", "first.bias"]),
    ]
    for i, (fn, args, names) in enumerate(cases):
        found = [step.name for step in record(fn, *args).steps if step.kind == "leaf"]
        assert found == [name.replace("[d.0]", "[d].0") for name in names], i
