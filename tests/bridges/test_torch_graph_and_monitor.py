"""graph() of what already ran, as far as PyTorch still knows it; LiveMonitor of a training loop."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: make test-bridges")

import torch.nn.functional as F
from torch import nn

import autolab
from autolab.bridges.torch import LiveMonitor, graph


def test_values_that_gradients_need_are_known_until_a_backward_pass_frees_them():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    loss = (x.exp() * 3).sum()
    before = autolab.graph(loss)
    assert [step.source or step.name for step in before.steps] == ["x", "exp(x)", "exp(x) * ?", "sum(exp(x) * ?)"]
    assert before.steps[1].value.values.tolist() == x.exp().tolist()
    assert (before.steps[2].value, before["x"].status, before.notes) == (None, "not_computed", ("values_missing",))
    loss.backward()
    after = graph(loss, start=x)
    assert after.steps[1].value is None
    assert after["start"].grad.values.tolist() == x.grad.tolist()
    assert after.steps[2].status == "not_retained"


def test_variables_modules_and_retained_gradients_are_known_by_name():
    net = nn.Sequential(nn.Linear(3, 2), nn.ReLU())
    h = net(torch.ones(1, 3))
    h.retain_grad()
    a, b = h.chunk(2, dim=1)
    loss = (a * b).sum()
    loss.backward()
    recording = graph(loss)
    assert {step.name for step in recording.steps} >= {"net.0.weight", "net.0.bias", "h", "a", "b", "loss"}
    assert recording["h"].grad.values.tolist() == h.grad.tolist()
    assert recording["net.0.weight"].grad.values.tolist() == net[0].weight.grad.tolist()
    assert [step.kind for step in recording.steps if step.name in ("a", "b")] == ["part", "part"]
    assert "net.0.weight" in recording._repr_mimebundle_()["text/html"]


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        return 2 * g * ctx.saved_tensors[0]


def test_a_function_of_the_users_has_its_name():
    w = torch.ones(2, requires_grad=True)
    assert [step.function for step in graph(Square.apply(w * 2)).steps] == [None, "mul", "Square"]
    assert graph(Square.apply(w * 2)).steps[1].value.values.tolist() == [2.0, 2.0]


def test_a_long_chain_needs_no_recursion():
    y = x = torch.ones(1, requires_grad=True)
    for _ in range(5000):
        y = y + 1
    assert len(graph(y, x=x).steps) == 5001


def test_what_has_no_graph_is_said():
    with pytest.raises(ValueError, match="y has no graph"):
        graph(torch.ones(2))
    with pytest.raises(TypeError, match="y is a float; expected a tensor"):
        graph(3.0)


# ---------------------------------------------------------------------------------------------- LiveMonitor
def trained(steps, **options):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 3))
    optimizer = torch.optim.SGD(net.parameters(), 0.5)
    monitor = LiveMonitor(net, share=1.0, **options)
    x, t = torch.eye(3), torch.arange(3)
    moves = {}
    for step in range(1, steps + 1):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), t)
        loss.backward()
        before = torch.cat([p.detach().clone().ravel() for p in net[0].parameters()])
        optimizer.step()
        after = torch.cat([p.detach().ravel() for p in net[0].parameters()])
        moves[step] = ((after - before).norm() / before.norm()).item()
        monitor.update(loss=loss)
    return net, monitor, moves


def test_curves_norms_and_states_are_those_of_the_module():
    net, monitor, moves = trained(30)
    measured = monitor.measured["moved"]["0 Linear"].points
    assert measured
    assert [size for _, size in measured] == pytest.approx([moves[int(step)] for step, _ in measured], rel=1e-3)
    monitor.keep()
    assert (monitor.iteration, sorted(monitor.curves)) == (30, ["loss"])
    assert set(monitor.measured["gradient"]) == {"0 Linear", "2 Linear"}
    norm = torch.cat([net[0].weight.grad.ravel(), net[0].bias.grad]).norm().item()
    assert monitor.measured["gradient"]["0 Linear"].points[-1][1] == pytest.approx(norm, rel=1e-5)
    state = monitor.states[-1]
    assert state.values["/2/weight"].values.tolist() == net[2].weight.tolist()
    assert state.gradients["/2/bias"].values.tolist() == net[2].bias.grad.tolist()


def test_silent_units_are_counted():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))
    with torch.no_grad():
        net[0].bias[:] = torch.tensor([5.0, -50.0, 5.0, -50.0])
    monitor = LiveMonitor(net)
    net(torch.ones(3, 2)).sum().backward()
    monitor.update()
    monitor.keep()
    assert monitor.states[-1].silent["0 Linear"] == (2, 4)


def test_it_shows_itself_stops_and_refuses_what_is_no_module(tmp_path):
    net, monitor, _ = trained(5)
    assert "update 5" in str(monitor)
    monitor.save(tmp_path / "monitor.html")
    assert "2 Linear" in (tmp_path / "monitor.html").read_text()
    monitor.stop()
    assert monitor.update(loss=1.0) is False
    with pytest.raises(TypeError, match=r"module is a list; expected a torch\.nn\.Module"):
        LiveMonitor([net])
    with pytest.raises(TypeError, match="loss is a str; expected a number"):
        monitor.update(loss="low")


def test_short_floats_are_watched_too():
    net = nn.Linear(2, 2).to(torch.bfloat16)
    net(torch.ones(1, 2, dtype=torch.bfloat16)).sum().backward()
    monitor = LiveMonitor(net)
    monitor.update()
    monitor.keep()
    assert monitor.states[-1].gradients["/weight"].values.tolist() == [[1.0, 1.0], [1.0, 1.0]]
