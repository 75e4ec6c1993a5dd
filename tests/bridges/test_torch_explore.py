"""explore() of PyTorch: at every point the function is run again, and nothing of the user's changes."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: make test-bridges")

import numpy as np
from torch import nn

import autolab
from autolab.bridges.torch import UnsupportedError
from autolab.bridges.torch.inputs import TorchInputs
from autolab.bridges.torch.live import TorchSession
from autolab.views.graph.parameters import movable_steps
from autolab.views.graph.questions import Reader


def session(fn, *args, **options):
    return TorchSession(TorchInputs.bind("explore", fn, args, {}), options)


def product(x, y):
    h = x * y
    return (h + x).sum()


x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])


def test_every_number_follows_a_move():
    view = session(product, x, y)
    first = view.record()
    assert first["x"].grad.values.tolist() == [4.0, 5.0]
    assert view.move("y", 0, 10.0)
    moved = view.record()
    assert (moved["y"].value.values.tolist(), moved["x"].grad.values.tolist()) == ([10.0, 4.0], [11.0, 5.0])
    view.undo()
    assert view.record()["x"].grad.values.tolist() == [4.0, 5.0]
    assert y.tolist() == [3.0, 4.0]


def test_upstream_gradients_can_be_given_and_moved():
    view = session(lambda x: x * x, x, upstream=torch.tensor([1.0, 10.0]))
    assert view.record()["x"].grad.values.tolist() == [2.0, 40.0]
    view.move(0, 0, -1.0)
    assert view.record()["x"].grad.values.tolist() == [-2.0, 40.0]


def test_a_step_can_have_another_value():
    view = session(product, x, y)
    view.record()
    view.intervene(2, 10.0)
    recording = view.record()
    assert recording.steps[2].replaced
    assert recording.steps[-1].value.values == 23.0
    assert (recording["x"].grad.values.tolist(), recording["y"].grad) == ([1.0, 1.0], None)
    view.intervene(2, None)
    assert view.record().steps[-1].value.values == 14.0


def test_what_is_left_out_does_not_move_the_numbers_of_steps():
    def fn(x):
        assert (x > -100).all()
        h = x * 2
        return h.sum()

    view = session(fn, x)
    view.record()
    view.intervene(1, 5.0)
    assert view.record().steps[-1].value.values == 10.0


def test_a_module_keeps_its_buffers_its_mode_and_the_programs_random_numbers():
    net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Dropout(0.5))
    view = session(net, torch.randn(4, 2))
    state = torch.get_rng_state()
    first = view.record()
    view.move("input", 0, 5.0)
    view.record()
    view.undo()
    assert view.record().id == first.id  # the same dropout, the same running means
    assert torch.equal(state, torch.get_rng_state())
    assert net[1].running_mean.tolist() == [0.0, 0.0, 0.0]
    view.choose("mode", "test")
    assert "dropout" in [step.function for step in view.record().steps]
    assert net.training and net[2].training


def test_the_view_opens_by_the_public_name(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    view = autolab.explore(product, x, y)
    assert "open" in capsys.readouterr().out
    page = next(tmp_path.glob("autolab_pages/*.html")).read_text()
    assert "h = x * y" in page
    assert "Moving the inputs needs Python: PyTorch computes it" in page
    assert view.point["x"].tolist() == [1.0, 2.0]
    view.close()


def test_its_code_opens_it_again():
    view = session(product, x, y)
    view.move("x", 1, 7.0)
    assert view.code() == (
        "autolab.explore(product, x=torch.tensor([1.0, 7.0], dtype=torch.float32), "
        "y=torch.tensor([3.0, 4.0], dtype=torch.float32))"
    )


def test_what_a_point_raises_is_told():
    view = session(lambda x: x.log() if x[0] > 0 else x.reshape(7), x)
    view.record()
    view.move("x", 0, -1.0)
    assert "reshape" in str(view.compute().recording.raised.statement)


def test_what_it_does_not_do_is_said():
    view = session(product, x, y)
    with pytest.raises(ValueError, match="written in the function itself"):
        view.choose("order", 2)
    with pytest.raises(TypeError, match="unknown options 'order'"):
        session(product, x, y, order=2)
    with pytest.raises(UnsupportedError, match="inside vmap"):
        autolab.explore(lambda x: torch.vmap(torch.sin)(x), x)


def test_the_public_names_recognise_tensors_and_modules():
    assert autolab.record(product, x, y)["h"].value.dtype == "float32"
    assert autolab.record(nn.Linear(2, 1), np.ones((1, 2), np.float32)).function == "Linear"
    assert autolab.check_gradients(product, x=x, y=y).verdict == "right"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 3)
        self.last = nn.Linear(3, 1)

    def forward(self, x):
        h = torch.tanh(self.first(x))
        if h.sum() > 100:
            raise ValueError("too large")
        return self.last(h)


X = torch.tensor([[1.0, -2.0]])


def test_a_parameter_is_moved_and_the_module_stays_as_it_is():
    torch.manual_seed(0)
    net = Net()
    kept = {name: (p.data_ptr(), p.detach().clone()) for name, p in net.named_parameters()}
    view = session(net, X)
    before = view.record().steps[-1].value.values
    assert view.move("first.weight", 3, 2.5)
    recording = view.record()
    other = Net()
    other.load_state_dict(net.state_dict())
    with torch.no_grad():
        other.first.weight[1, 1] = 2.5
    expected = other(X)
    expected.sum().backward()
    np.testing.assert_allclose(recording.steps[-1].value.values, expected.detach().numpy(), rtol=1e-6)
    np.testing.assert_allclose(recording["last.weight"].grad.values, other.last.weight.grad.numpy(), rtol=1e-6)
    for name, p in net.named_parameters():
        assert (p.data_ptr(), p.grad) == (kept[name][0], None) and torch.equal(p, kept[name][1])
    view.undo()
    np.testing.assert_array_equal(view.record().steps[-1].value.values, before)


@pytest.mark.parametrize("given", [False, True], ids=["closed over", "argument"])
def test_modules_that_a_function_uses_keep_their_buffers(given):
    norm = nn.BatchNorm1d(2)
    rows = torch.tensor([[1.0, 2.0], [3.0, 5.0]])
    kept = {name: buffer.clone() for name, buffer in norm.named_buffers()}
    view = session(lambda m, x: m(x).sum(), norm, rows) if given else session(lambda x: norm(x).sum(), rows)
    view.record()
    view.record()
    assert all(torch.equal(buffer, kept[name]) for name, buffer in norm.named_buffers())
    assert norm.running_mean.tolist() == [0.0, 0.0]


def test_a_buffer_that_is_expanded_stays():
    class Shifted(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("shift", torch.tensor([1.0, 2.0]).expand(3, 2))

        def forward(self, x):
            return x + self.shift

    net = Shifted()
    recording = session(lambda x: net(x).sum(), torch.zeros(3, 2)).record()
    assert recording.steps[-1].value.values == 9.0


def test_what_raises_leaves_the_module_as_it_is():
    class Raising(Net):
        def forward(self, x):
            if self.last.bias > 5:
                raise ValueError("too large")
            return super().forward(x)

    net = Raising()
    bias = net.last.bias.item()
    view = session(net, X)
    view.record()
    view.move("last.bias", 0, 6.0)
    with pytest.raises(ValueError, match="too large"):
        view.record()
    assert net.last.bias.item() == bias


def test_parameters_have_controls_at_their_boxes_and_are_code():
    net = Net()
    view = autolab.explore(net, X)
    view._session.move("last.weight", 1, -1.5)
    places = movable_steps(view._session.bound, view.recording)
    names = ["x", "first.weight", "first.bias", "last.weight", "last.bias"]
    assert sorted(places) == sorted(names)
    assert all(view.recording.steps[step].name == name for name, step in places.items())
    numbers = net.last.weight.detach().numpy().copy()
    numbers[0, 1] = -1.5
    assert view._session.code().endswith(f"options={{\"parameters\": {{'last.weight': {numbers.tolist()!r}}}}})")
    again = session(net, X, parameters={"last.weight": numbers.tolist()})
    np.testing.assert_array_equal(again.record()["last.weight"].value.values, numbers)
    view.close()
    with pytest.raises(ValueError, match=r"the parameters are first\.weight"):
        session(net, X, parameters={"weight": [1.0]})


def test_parameters_that_are_not_there_yet_or_frozen_stand():
    net = nn.Sequential(nn.LazyLinear(3), nn.Linear(3, 1))
    net[1].weight.requires_grad_(False)
    assert list(session(net, X).bound.learned) == ["1.bias"]
    assert list(session(nn.Sequential(*[nn.Linear(2, 2) for _ in range(33)]), X).bound.learned) == []


def test_a_cell_of_a_torch_run_says_what_it_was_made_of():
    def layer(x, w):
        h = torch.mm(x, w)
        return torch.softmax(h, dim=1).T

    recording = autolab.record(layer, torch.tensor([[1.0, 2.0], [0.0, 1.0]]), torch.tensor([[3.0, 0.5], [0.25, -1.0]]))
    ask = Reader(recording).ask
    assert [cell["says"] for cell in ask(["sources", recording["h"].id, "value"])[:2]] == [
        "h[0, 0] = 3.5 = 1 × 3 + 2 × 0.25: row 0 of x times column 0 of w.",
        "h[0, 1] = −1.5 = 1 × 0.5 + 2 × (−1): row 0 of x times column 1 of w.",
    ]
    upstream = ask(["sources", 1, "gradient"])[2]
    assert upstream["lit"] == [[recording["h"].id, "gradient", [0, 2]], [0, "value", [1, 3]]]
    softmax, turned = [step.id for step in recording.steps[-2:]]
    assert ask(["sources", softmax, "value"])[0]["says"].count("exp(") == 3
    assert ask(["sources", turned, "value"])[1]["lit"] == [[softmax, "value", [2]]]
