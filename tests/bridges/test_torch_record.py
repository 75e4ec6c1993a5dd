"""Recordings of PyTorch: names, lines, scopes, departures, options; the views take them as they are."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: make test-bridges")

import gc
import warnings
import weakref
from contextlib import nullcontext

import numpy as np
import torch.nn.functional as F
from torch import nn

import autolab
from autolab.bridges.torch import UnsupportedError, record
from autolab.recording import last_recording


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(3, 4)
        self.out = nn.Sequential(nn.ReLU(), nn.Linear(4, 2))

    def forward(self, x):
        h = self.hidden(x)
        return self.out(h).sum()


def test_steps_have_the_users_names_and_lines():
    def loss(x, w):
        h = x @ w
        y = F.relu(h)
        return (y * 2).sum()

    recording = record(loss, x=torch.ones(2), w=torch.ones(2, 3))
    assert [step.name or step.source for step in recording.steps] == ["x", "w", "h", "y", "y * 2", "(y * 2).sum()"]
    first = recording.first_line
    assert [step.line - first for step in recording.steps if step.line] == [1, 2, 3, 3]
    assert recording["h"].statement == "h = x @ w"
    assert [use.parameter for use in recording["h"].operands] == ["input", "other"]
    assert recording.steps[4].operands[1].constant == "2"


def test_parameters_and_modules_have_their_names():
    recording = record(Net(), torch.ones(1, 3))
    names = [step.name for step in recording.steps if step.kind == "leaf"]
    assert names == ["hidden.weight", "hidden.bias", "out.1.weight", "out.1.bias"]
    labels = [(scope.label, scope.parent) for scope in recording.scopes]
    assert labels == [
        ("hidden(x)  # Linear", None),
        ("out(h)  # Sequential", None),
        ("out.0: ReLU", 1),
        ("out.1: Linear", 1),
    ]
    assert (recording.function, recording["h"].function) == ("Net", "linear")


def test_a_module_that_a_function_uses_is_called_as_there():
    net = Net()
    recording = record(lambda x: net(x) * 2, torch.ones(1, 3))
    assert "net.hidden.weight" in [step.name for step in recording.steps]


def test_functions_loops_and_blocks_are_scopes():
    def power(x):
        for _t in range(2):
            x = x * x
        return x

    def fn(x):
        y = power(x)
        with autolab.named_scope("end"):
            return y + 1

    labels = [scope.label for scope in record(fn, torch.ones(2)).scopes]
    assert labels == ["power(x)", "for _t in range(2)", "_t = 0", "_t = 1", "end"]


def test_attributes_are_what_differs_from_the_defaults():
    recording = record(lambda x: x.reshape(2, 3).sum(1).softmax(dim=0), torch.ones(6))
    assert [step.attributes for step in recording.steps[1:]] == [
        (("shape", "(2, 3)"),),
        (("dim", "1"),),
        (("dim", "0"),),
    ]
    names = ["has_biases", "num_layers", "dropout", "train", "bidirectional", "batch_first"]
    for make in (torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN):  # PyTorch gives the names of one of their two forms
        net = make(2, 3)
        (step,) = [s for s in record(lambda x, net: net(x)[0], torch.ones(4, 1, 2), net).steps if s.attributes]
        assert [*zip(names, ("True", "1", "0.0", "True", "False", "False"), strict=True)] == [*step.attributes]


def test_operands_stand_in_the_order_of_the_expression():
    recording = record(lambda x, y: 2.0 - x * (x - y), torch.ones(2), torch.ones(2))
    named = [
        (s.function, [u.constant or recording.steps[u.step].name for u in s.operands]) for s in recording.steps[2:]
    ]
    assert named == [("sub", ["x", "y"]), ("mul", ["x", None]), ("sub", ["2", None])]


def test_what_leaves_the_graph_is_noted_with_what_it_depends_on():
    def fn(x):
        scale = x.max().item()
        with torch.no_grad():
            mean = x.mean()
        return ((x - mean) * scale + x.detach()).sum()

    recording = record(fn, torch.tensor([1.0, 2.0]))
    assert [(d.source, d.how, d.inputs) for d in recording.departures] == [
        ("x.max().item()", "left", (0,)),
        ("x.mean()", "no_grad", (0,)),
        ("x.detach()", "left", (0,)),
    ]
    assert recording["mean"].status == "constant"


def test_what_is_only_looked_at_is_no_step():
    def fn(x):
        assert torch.isfinite(x).all() and x.shape[0] == 2
        mask = x > 0
        return x * mask

    assert [step.function for step in record(fn, torch.ones(2)).steps] == [None, "gt", "mul"]


def test_nobodys_gradients_change():
    net, x = Net(), torch.ones(1, 3, requires_grad=True)
    x.grad = torch.full((1, 3), 7.0)
    record(net, x)
    assert x.grad.tolist() == [[7.0] * 3]
    assert all(p.grad is None for p in net.parameters())


def test_upstream_gradients_and_budget():
    def fn(x):
        return x * 2, x.sum()

    recording = record(fn, torch.ones(3), options={"upstream": (torch.tensor([1.0, 2.0, 3.0]), 10.0)})
    assert recording["x"].grad.values.tolist() == [12.0, 14.0, 16.0]
    assert [kept.values.tolist() for kept in recording.upstream] == [[1.0, 2.0, 3.0], 10.0]
    with pytest.raises(ValueError, match=r"record: option 'upstream' has shape \(2,\); expected \(3,\)"):
        record(fn, torch.ones(3), options={"upstream": (torch.ones(2), 1.0)})
    large = record(lambda x: x * 2, torch.ones(400, 400), options={"budget": 1000})
    assert not large.steps[1].value.is_whole


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.float8_e5m2])
def test_every_float_keeps_its_name(dtype):
    recording = record(lambda x: x.to(torch.float32) * 2, torch.ones(3).to(dtype))
    assert recording["x"].value.dtype == str(dtype).removeprefix("torch.")
    assert recording["x"].value.nbytes == 3 * torch.ones(1).to(dtype).element_size()
    assert recording["x"].grad.values.tolist() == [2.0, 2.0, 2.0]


def test_structures_of_tensors_are_inputs_and_outputs():
    recording = record(
        lambda batch: {"a": batch["x"] * 2, "b": batch["pair"][1]}, {"x": torch.ones(2), "pair": [1, torch.ones(2)]}
    )
    assert [recording.steps[i].name for i in recording.inputs] == ["batch[x]", "batch[pair][1]"]
    assert len(recording.outputs) == 2


def test_numpy_arrays_become_tensors():
    assert record(lambda x: torch.exp(x), np.zeros(2)).steps[0].value.dtype == "float64"


def test_an_exception_carries_the_recording_up_to_it():
    def fn(x):
        h = x * 2
        return h.reshape(7)

    with pytest.raises(RuntimeError, match="shape") as caught:
        record(fn, torch.ones(2))
    shown = last_recording(caught.value)
    assert [step.name for step in shown.steps] == ["x", "h"]
    assert shown.raised.statement == "return h.reshape(7)"


def test_the_views_show_it_as_any_other(tmp_path):
    recording = record(Net(), torch.ones(1, 3))
    assert "hidden.weight" in str(recording)
    assert "linear" in recording._repr_mimebundle_()["text/html"]
    recording.save(tmp_path / "net.svg")
    assert "hidden.weight" in (tmp_path / "net.svg").read_text()
    assert "hidden" in recording.to_graphviz().source
    assert recording.to_json()["function"] == "Net"


def test_the_same_program_has_the_same_recording():
    net = Net()
    assert record(net, torch.ones(1, 3)).id == record(net, torch.ones(1, 3)).id


@pytest.mark.parametrize(
    ("fn", "sentence"),
    [
        (3, "fn is an int; expected a function of tensors, or a module"),
        (lambda x: None, "returned None; expected a tensor, or a tuple, list or dict of tensors: is a return missing"),
        (lambda a, b: a, "does not take these inputs"),
    ],
)
def test_bad_input_is_named(fn, sentence):
    with pytest.raises(TypeError, match=sentence):
        record(fn, torch.ones(2))


# ---------------------------------------------------------------------------------------------- refused by name
def needed_value(x):
    y = x.exp()
    y.add_(1)
    return y.sum()


def written_view(x):
    y = x * 2
    y[0].add_(1)
    return y.sum()


def view_of_what_changed(x):
    y = x * 2
    first = y[0]
    y.add_(1)
    return first.sum()


def behind_autograd(x):
    y = x * 2
    y.data = torch.zeros(2)
    return y.sum()


def under_no_grad(x):
    y = x * 2
    with torch.no_grad():
        y.mul_(2)
    return y.sum()


def hooked(x):
    y = x * 2
    y.register_hook(lambda g: g * 2)
    return y.sum()


def through_numpy(x):
    y = x.detach() * 1
    z = (x * y).sum()
    y.numpy()[0] = 5.0
    return z + y.sum()


with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # torch.jit is deprecated, and people have it
    compiled, traced = torch.compile(torch.sin, backend="eager"), torch.jit.trace(lambda x: x.tanh() * 2, torch.ones(2))


def reentrant(x):
    from torch.utils.checkpoint import checkpoint

    return checkpoint(torch.tanh, x, use_reentrant=True).sum()


w = nn.Parameter(torch.ones(2))
earlier = w * 2


@pytest.mark.parametrize(
    ("fn", "sentence"),
    [
        (needed_value, "a value that a gradient needs was changed in place"),
        (written_view, "add writes to a view of another tensor"),
        (view_of_what_changed, "a view of shape .* one of them was changed in place"),
        (behind_autograd, r"\.data = \.\.\. changes a tensor behind autograd's back"),
        (under_no_grad, "mul changes a tensor in place under no_grad"),
        (hooked, "register_hook: a hook may change gradients"),
        (lambda x: torch.vmap(torch.sin)(x).sum(), "inside vmap"),
        (lambda x: torch.func.grad(lambda a: (a * a).sum())(x).sum(), "inside vmap and the other transforms"),
        (compiled, "is compiled"),
        (traced, "a function of torch.jit shows none of its steps"),
        (lambda x: traced(x * 1).sum(), "was made by code whose calls cannot be seen"),
        (reentrant, "use_reentrant=False"),
        (lambda x: (x * x).sum().backward(), r"the function calls backward\(\)"),
        (lambda x: torch.mul(x, x, out=torch.empty(2)), "writes into another tensor"),
        (lambda x: torch.fft.rfft(x).abs().sum(), "complex64, and AutoLab shows real numbers"),
        (lambda x: (x * earlier * w).sum(), "'w' is not the sum of the shares of its uses"),
    ],
)
def test_what_could_be_shown_wrong_is_refused_by_name(fn, sentence):
    with pytest.raises(UnsupportedError, match=sentence) as caught:
        record(fn, torch.tensor([1.0, 2.0]))
    assert len(str(caught.value)) <= 300


def test_backward_hooks_of_modules_are_refused():
    net = Net()
    net.hidden.register_full_backward_hook(lambda module, inputs, outputs: None)
    with pytest.raises(UnsupportedError, match="module 'hidden' has a backward hook"):
        record(net, torch.ones(1, 3))


def test_hooks_of_tensors_are_refused():
    net = Net()
    net.hidden.weight.register_hook(lambda g: g * 2)
    with pytest.raises(UnsupportedError, match=r"hidden\.weight has a hook"):
        record(net, torch.ones(1, 3))


def test_inference_mode_is_refused():
    with torch.inference_mode(), pytest.raises(UnsupportedError, match=r"no gradients under torch\.inference_mode"):
        record(lambda x: x * 2, torch.ones(2))


@pytest.mark.parametrize("fails", [False, True])
def test_no_tensor_of_a_run_lives_on(fails):
    seen = []

    def loss(x, w):
        h = torch.tanh(x @ w)
        seen.append(weakref.ref(h))
        if fails:
            raise ZeroDivisionError
        return (h * h).sum()

    with pytest.raises(ZeroDivisionError) if fails else nullcontext():
        record(loss, torch.ones(2), torch.ones(2, 3))
    gc.collect()
    assert [ref() for ref in seen] == [None]


def test_the_share_of_an_only_use_is_kept_once():
    recording = record(lambda x, w: torch.tanh(x @ w).sum(), torch.ones(2), torch.ones(2, 3))
    assert recording["x"].grad is recording.steps[2].operands[0].contribution


def test_a_result_that_its_own_call_uses_gets_what_its_other_uses_send() -> None:
    """The ``h`` of an LSTM's cell is made of its ``c``: in autograd ``c`` has the gradient of that use, too."""
    torch.manual_seed(0)
    cell, zeros = nn.LSTMCell(3, 4), torch.zeros(2, 4)

    def steps(x):
        h, c = cell(x, (zeros, zeros))
        a = c * 1
        return cell(x, (h, a))[0].sum()

    x = torch.randn(2, 3)
    recording = record(steps, x)
    own = x.clone().requires_grad_()
    names = ["x", *[f"cell.{name}" for name, _ in cell.named_parameters()]]
    for name, g in zip(names, torch.autograd.grad(steps(own), [own, *cell.parameters()]), strict=True):
        torch.testing.assert_close(torch.tensor(recording[name].grad.values), g)
    (_, c, _, unused) = [step for step in recording.steps if step.kind == "part"]
    np.testing.assert_array_equal(c.grad.values, recording["a"].grad.values)
    assert unused.grad is None
