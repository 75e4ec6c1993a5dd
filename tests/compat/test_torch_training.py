"""Modules, losses, optimizers and data in PyTorch's names, and what AutoLab shows of such code."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from helpers.checkout import ROOT

import autolab
from autolab.compat import torch

nn, F, optim, data = torch.nn, torch.nn.functional, torch.optim, torch.utils.data


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, padding=1)
        self.bn = nn.BatchNorm2d(2)
        self.drop = nn.Dropout(0.5)
        self.out = nn.Linear(8, 3)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn(self.conv(x))), 2)
        return self.out(self.drop(torch.flatten(x, 1)))


def images():
    return torch.from_numpy(np.random.default_rng(0).normal(size=(6, 1, 4, 4)).astype(np.float32))


def test_a_network_learns_and_its_modes_count():
    torch.manual_seed(0)
    net, loss_of, t = Net(), nn.CrossEntropyLoss(), torch.tensor([0, 1, 2, 0, 1, 2])
    optimizer = optim.Adam(net.parameters(), lr=0.05)
    loader = data.DataLoader(data.TensorDataset(images(), t), batch_size=3, shuffle=True)
    for _ in range(30):
        for x, right in loader:
            optimizer.zero_grad()
            loss = loss_of(net(x), right)
            loss.backward()
            optimizer.step()
    net.eval()
    assert torch.equal(net(images()), net(images())) and not net.drop.training
    assert (net(images()).argmax(1) == t).float().mean().item() > 0.8
    assert net.bn.num_batches_tracked.item() == 60
    assert not torch.equal(net.train()(images()), net(images()))


def test_state_goes_from_one_network_to_another():
    torch.manual_seed(0)
    net, other = Net(), Net()
    net(images())
    assert str(other.load_state_dict(net.state_dict())) == "<All keys matched successfully>"
    assert torch.equal(net.eval()(images()), other.eval()(images()))
    assert list(net.state_dict())[:3] == ["conv.weight", "conv.bias", "bn.weight"]
    with pytest.raises(RuntimeError, match=r"load_state_dict of Net: missing: .*not known: foo.*nothing was loaded"):
        other.load_state_dict({"foo": torch.ones(1)})
    with pytest.raises(RuntimeError, match=r"out\.bias has shape \(1,\), expected \(3,\)"):
        other.load_state_dict({**net.state_dict(), "out.bias": torch.ones(1)})


def _steps(make, count=3):
    """Where an optimizer goes from (1, -2) on the squares."""
    x = torch.tensor([1.0, -2.0], dtype=torch.float64, requires_grad=True)
    optimizer = make([x])
    for _ in range(count):
        optimizer.zero_grad()
        (x * x).sum().backward()
        optimizer.step()
    return x.detach().numpy()


def _momentum(w, lr=0.1, momentum=0.9, decay=0.0, nesterov=False):
    v = None
    for _ in range(3):
        g = 2 * w + decay * w
        v = g if v is None else momentum * v + g
        w = w - lr * (g + momentum * v if nesterov else v)
    return w


def _adam(w, lr=0.1, decay=0.0, decoupled=0.0):
    m = v = 0
    for t in range(1, 4):
        g = 2 * w + decay * w
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        step = m / (1 - 0.9**t) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
        w = w - lr * decoupled * w - lr * step
    return w


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda p: optim.SGD(p, lr=0.1), lambda w: _momentum(w, momentum=0)),
        (lambda p: optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.5), lambda w: _momentum(w, decay=0.5)),
        (lambda p: optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True), lambda w: _momentum(w, nesterov=True)),
        (lambda p: optim.Adam(p, lr=0.1, weight_decay=0.5), lambda w: _adam(w, decay=0.5)),
        (lambda p: optim.AdamW(p, lr=0.1, weight_decay=0.5), lambda w: _adam(w, decoupled=0.5)),
    ],
)
def test_optimizers_step_as_their_formulas(make, expected):
    np.testing.assert_allclose(_steps(make), expected(np.array([1.0, -2.0])), rtol=1e-12)


@pytest.mark.parametrize("kind", [optim.RMSprop, optim.Adagrad, optim.Adadelta])
def test_other_optimizers_come_nearer(kind):
    assert np.all(np.abs(_steps(kind, 20)) < [1, 2])


def test_groups_schedules_and_state_of_optimizers():
    a, b = (torch.ones(1, requires_grad=True) for _ in range(2))
    optimizer = optim.SGD([{"params": [a]}, {"params": [b], "lr": 0.5}], lr=1.0, momentum=0.5)
    schedule = optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.1)
    (a * b).sum().backward()
    optimizer.step()
    schedule.step()
    assert [a.item(), b.item()] == [0, 0.5] and schedule.get_last_lr() == pytest.approx([0.1, 0.05])
    twin = optim.SGD([{"params": [a]}, {"params": [b]}], lr=9.0)
    twin.load_state_dict(optimizer.state_dict())
    assert twin.param_groups[1]["lr"] == pytest.approx(0.05) and twin.state[a]["momentum_buffer"].tolist() == [1]
    for wrong in (lambda: optim.SGD(a, lr=1), lambda: optim.SGD([1.0], lr=1), lambda: optim.Adam([a], foo=1)):
        with pytest.raises(TypeError, match=r"^(SGD|Adam): "):
            wrong()
    with pytest.raises(ValueError, match="empty parameter list"):
        optim.SGD([], lr=1)
    for twice in (lambda: optim.SGD([a, a], lr=1), lambda: twin.add_param_group({"params": b})):
        with pytest.raises(ValueError, match="SGD: a parameter was given twice"):
            twice()
    assert len(twin.param_groups) == 2
    adam = optim.Adam([b], betas=(0.5, 0.75))
    optim.lr_scheduler.OneCycleLR(adam, 1.0, 10, base_momentum=0.25, max_momentum=0.625)
    assert adam.param_groups[0]["betas"] == (0.625, 0.75)


def test_losses_are_those_of_their_formulas():
    x, t = torch.tensor([[1.0, 2.0], [0.0, 0.0]]), torch.tensor([1, 0])
    each = [math.log1p(math.exp(-1)), math.log(2)]
    np.testing.assert_allclose(F.cross_entropy(x, t, reduction="none"), each, rtol=1e-6)
    np.testing.assert_allclose(F.nll_loss(F.log_softmax(x, 1), t), np.mean(each), rtol=1e-6)
    assert F.mse_loss(x, torch.zeros(2, 2)).item() == 1.25 and nn.L1Loss(reduction="sum")(x, -x).item() == 6
    normal = F.gaussian_nll_loss(x, x, torch.ones(2, 2), full=True).item()
    assert normal == pytest.approx(math.log(2 * math.pi) / 2)


def test_layers_without_parameters_take_the_settings_of_their_functions():
    assert nn.LeakyReLU(0.5)(torch.tensor([-2.0])).tolist() == [-1]
    assert nn.MaxPool2d(kernel_size=2, stride=1)(torch.arange(9.0).view(1, 1, 3, 3)).flatten().tolist() == [4, 5, 7, 8]
    with pytest.raises(TypeError, match=r"^MaxPool2d: kernel_size is missing; expected MaxPool2d\(kernel"):
        nn.MaxPool2d()
    with pytest.raises(TypeError, match="expected modules"):
        nn.Sequential(F.relu)


@pytest.mark.parametrize("name", ["xavier_uniform_", "kaiming_normal_", "orthogonal_"])
def test_initializers_write_in_place(name):
    weight = nn.Linear(50, 40).weight
    node = weight.node
    assert getattr(nn.init, name)(weight) is weight and weight.node is node
    expected = {"xavier_uniform_": 2 / 90, "kaiming_normal_": 2 / 50, "orthogonal_": 1 / 50}[name]
    assert weight.detach().numpy().var() == pytest.approx(expected, rel=0.15)


# ---------------------------------------------------------------------- views, checks, scripts
def score(x, w):
    h = torch.tanh(x.mm(w))
    return F.mse_loss(h, torch.zeros(2, 2, dtype=torch.float64))


def _inputs():
    rng = np.random.default_rng(0)
    return [torch.from_numpy(rng.normal(size=(2, 2))).requires_grad_() for _ in range(2)]


def test_recordings_and_checks_have_the_names_of_the_code():
    recording = autolab.record(score, *_inputs())
    told = [step.source or step.name for step in recording.steps if step.kind in ("input", "call")]
    assert told[:4] == ["x", "w", "x.mm(w)", "torch.tanh(x.mm(w))"]
    assert [s.label for s in autolab.record(Net().eval(), images()).scopes][:2] == ["Net", "conv(x)  # Conv2d"]
    assert autolab.check_gradients(score, *_inputs()).verdict == "right"

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.pow(2)

        @staticmethod
        def backward(ctx, g):
            return -g

    report = str(autolab.check_gradients(Wrong.apply, _inputs()[0]))
    assert "wrong" in report and "Wrong.backward" in report


def test_explore_saves_a_page_and_values_show_themselves(tmp_path, monkeypatch, capsys):
    pytest.importorskip("anywidget")
    monkeypatch.chdir(tmp_path)
    autolab.explore(score, *_inputs())
    assert "; open " in capsys.readouterr().out
    assert "tanh" in (tmp_path / "autolab_pages" / "explore_score.html").read_text("utf-8")
    net = Net()
    net(images()).sum().backward()
    for shown in (net, net.out.weight, net(images()), torch.tensor([1, 2])):
        bundle = shown._repr_mimebundle_()
        assert bundle["text/html"] and bundle["text/plain"]


def test_a_script_runs_unedited(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import torch\nfrom torch import nn, optim\nimport torch.nn.functional as F\n"
        "from torch.utils.data import DataLoader\nfrom torch.autograd import Function, gradcheck\n"
        "model = nn.Linear(2, 1)\nF.relu(model(torch.ones(3, 2))).sum().backward()\n"
        "optim.SGD(model.parameters(), lr=0.1).step()\nprint(model)\n"
    )
    run = [sys.executable, "-m", "autolab.compat", "torch", str(script)]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("Linear(in_features=2, out_features=1, bias=True)\n", "")


def test_a_checkpoint_is_saved_and_loaded(tmp_path):
    one, other = [torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3)) for _ in range(2)]
    one(torch.randn(4, 2))
    torch.save({"model": one.state_dict(), "epoch": 3}, tmp_path / "model.pt")
    found = torch.load(tmp_path / "model.pt", map_location="cpu", weights_only=False)
    other.load_state_dict(found["model"])
    assert int(found["epoch"]) == 3 and torch.equal(one[1].running_mean, other[1].running_mean)


def test_batches_have_at_least_one_example():
    data = torch.utils.data.TensorDataset(torch.arange(3))
    assert [x.tolist() for (x,) in torch.utils.data.DataLoader(data, batch_size=None)] == [0, 1, 2]
    with pytest.raises(ValueError, match="DataLoader: batch_size is 0"):
        torch.utils.data.DataLoader(data, batch_size=0)


def test_what_a_script_asks_of_a_gpu_that_is_not_there():
    """As PyTorch's own without a GPU: there are none, and what seeds and empties them has no effect."""
    if torch.cuda.is_available():
        pytest.skip("there is one")
    torch.manual_seed(1)
    first = torch.rand(2)
    torch.manual_seed(1)
    assert (
        torch.cuda.device_count() == 0 and torch.cuda.manual_seed_all(7) is None and torch.cuda.manual_seed(7) is None
    )
    assert torch.cuda.empty_cache() is None and not torch.backends.mps.is_available()
    assert not torch.backends.cudnn.is_available() and not torch.backends.mps.is_built()
    assert torch.equal(torch.rand(2), first)
    with pytest.raises(AttributeError, match=r"torch\.backends\.mkl is not part of"):
        _ = torch.backends.mkl


def test_a_stream_of_examples_comes_in_batches():
    data = torch.utils.data

    class Stream(data.IterableDataset):
        def __iter__(self):
            return iter(range(5))

    assert [x.tolist() for x in data.DataLoader(Stream(), batch_size=2)] == [[0, 1], [2, 3], [4]]
    assert [x.tolist() for x in data.DataLoader(Stream(), batch_size=2, drop_last=True)] == [[0, 1], [2, 3]]
    assert list(data.DataLoader(Stream(), batch_size=None)) == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError, match="DataLoader: shuffle is True"):
        data.DataLoader(Stream(), shuffle=True)
    with pytest.raises(TypeError, match="no length"):
        len(data.DataLoader(Stream()))
