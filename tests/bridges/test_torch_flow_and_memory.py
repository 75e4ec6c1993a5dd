"""The flow of the gradient and the kept memory of PyTorch modules, beside what PyTorch itself says."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: make test-bridges")

from torch import nn

import autolab


class Attention(nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.qkv, self.proj, self.ln1 = nn.Linear(size, 3 * size), nn.Linear(size, size), nn.LayerNorm(size)

    def forward(self, x: Any) -> Any:
        q, k, v = self.qkv(self.ln1(x)).chunk(3, dim=-1)
        mask = torch.triu(torch.full((x.shape[1], x.shape[1]), float("-inf")), 1)
        att = torch.softmax(q @ k.transpose(-2, -1) / 8 + mask, dim=-1)
        y = att @ v
        return x + self.proj(y)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([Attention(16) for _ in range(3)])
        self.head = nn.Sequential(nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 1))

    def forward(self, x: Any) -> Any:
        for block in self.blocks:
            x = block(x)
        return self.head(x).sum()


def test_the_peak_is_what_the_hooks_of_autograd_see() -> None:
    torch.manual_seed(0)
    net, x = Net(), torch.randn(8, 32, 16)
    given = {tensor.untyped_storage().data_ptr() for tensor in [x, *net.parameters()]}
    seen: dict[int, Any] = {}

    def pack(tensor: Any) -> Any:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in given:
            seen[storage.data_ptr()] = storage
        return tensor.detach()

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        net(x.requires_grad_())
    memory = autolab.record(net, x.detach()).memory()
    assert memory.peak == pytest.approx(sum(storage.nbytes() for storage in seen.values()), rel=0.05)
    assert set(memory.by_layer) >= {"blocks.0.qkv", "blocks.1"}


def test_what_a_layer_keeps_counts_although_its_result_is_changed_in_place() -> None:
    cases = {
        "batch norm, relu_": (
            nn.Conv2d(3, 8, 3, padding=1),
            nn.BatchNorm2d(8),
            nn.ReLU(inplace=True),
            nn.Conv2d(8, 4, 1),
        ),
        "batch norm, hardswish_": (
            nn.Conv2d(3, 8, 3),
            nn.BatchNorm2d(8),
            nn.Hardswish(inplace=True),
            nn.Conv2d(8, 4, 1),
        ),
        "group norm, elu_": (nn.Conv2d(3, 8, 3), nn.GroupNorm(2, 8), nn.ELU(inplace=True), nn.Conv2d(8, 4, 1)),
        "layer norm, relu_": (nn.Linear(8, 8), nn.LayerNorm(8), nn.ReLU(inplace=True), nn.Linear(8, 4)),
    }
    for name, layers in cases.items():
        net, x = nn.Sequential(*layers), torch.randn(2, 3, 8, 8)
        outside = {t.untyped_storage().data_ptr() for t in [x, *net.parameters(), *net.buffers()]}
        seen: dict[int, int] = {}
        held = []

        def pack(tensor: Any, outside: Any = outside, seen: Any = seen, held: Any = held) -> Any:
            held.append(tensor)
            storage = tensor.untyped_storage()
            if storage.data_ptr() not in outside:
                seen[storage.data_ptr()] = storage.nbytes()
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            result = net(x).sum()
        memory = autolab.record(lambda net, x: net(x).sum(), net, x).memory()
        assert memory.peak == pytest.approx(sum(seen.values()), rel=0.02), (name, result)


def test_modules_without_weights_have_their_own_names() -> None:
    net = nn.Sequential(nn.Linear(3, 4), nn.Sequential(nn.ReLU(), nn.Linear(4, 4)), nn.Tanh())
    memory = autolab.record(lambda x: net(x).sum(), torch.ones(2, 3)).memory()
    assert list(memory.by_layer) == ["net.1.0", "net.2"]


def test_the_gradient_of_a_layer_with_several_results_is_that_of_all() -> None:
    torch.manual_seed(0)
    lstm = nn.LSTM(3, 4)

    def fn(x: Any) -> Any:
        y, (_, c) = lstm(x)
        return (y * y).sum() + c.sum()

    flow = autolab.record(fn, torch.randn(5, 2, 3)).flow()
    (row,) = flow.rows
    results = [step for step in flow.recording.steps if step.kind == "part"]
    assert row.layer == "lstm" and not flow.marked
    assert row.gradient == pytest.approx(sum([step.grad.norm**2 for step in results if step.grad]) ** 0.5)


def test_the_backward_pass_lets_go_of_it_when_pytorch_does() -> None:
    torch.manual_seed(0)
    net, x = Net(), torch.randn(8, 32, 16)
    own = x.clone().requires_grad_()
    given = {tensor.untyped_storage().data_ptr() for tensor in [own, *net.parameters()]}
    alive: dict[int, int] = {}
    seen: list[int] = []

    class Packed:
        def __init__(self, tensor: Any) -> None:
            self.tensor, self.storage = tensor.detach(), tensor.untyped_storage()
            held.setdefault(self.storage.data_ptr(), []).append(1)
            alive[self.storage.data_ptr()] = self.storage.nbytes()

        def __del__(self) -> None:
            held[self.storage.data_ptr()].pop()
            if not held[self.storage.data_ptr()]:
                del alive[self.storage.data_ptr()]

    held: dict[int, list[int]] = {}
    now = lambda: sum([size for begin, size in alive.items() if begin not in given])  # noqa: E731
    arrives = net.blocks[1].register_forward_hook(
        lambda module, args, y: y.register_hook(lambda g: seen.append(now())) and None
    )
    with torch.autograd.graph.saved_tensors_hooks(Packed, lambda packed: packed.tensor):
        y = net(own)
    peak = now()
    y.backward()
    arrives.remove()
    memory = autolab.record(net, x).memory()
    (block,) = [group for group in memory.recording.scopes if group.block == "blocks.1: Attention"]
    turn = next(i for i, done in enumerate(memory.recording.backward) if done.of == block.steps[-1])
    before = [free.total for free in memory.released if free.moment < len(memory.recording.steps) + turn]
    assert memory.peak == pytest.approx(peak, rel=0.05) and before[-1] == pytest.approx(seen[0], rel=0.05)
    assert now() == memory.released[-1].total == 0 < before[-1] < memory.peak
    assert "half of it is free after step" in str(memory)


class Wrong(torch.autograd.Function):
    """Its backward writes to what it was given."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx: Any, *gs: Any) -> Any:
        (x,) = ctx.saved_tensors
        x.detach().fill_(7)
        return gs[0] * 2


def _changed(y: Any) -> Any:
    y *= 2
    return y


KEPT: list[Any] = []
WRITERS = {
    "after the run, by whoever kept the tensor": lambda y: KEPT.append(y) or y.sin(),
    "after the run, to a view": lambda y: KEPT.append(y[1:]) or y.sin(),
    "in the run": lambda y: (y + 1) + _changed(y),
    "through NumPy": lambda y: y.sin() + float(y.detach().numpy().__imul__(-1).max()),
    "in the backward of a user's": lambda y: Wrong.apply(y),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_a_recorded_value_is_what_it_was_whoever_writes_to_the_tensor(writer: str) -> None:
    KEPT.clear()
    x = torch.linspace(0, 1, 8192)

    def run(x: Any) -> Any:
        h = x + 1
        return WRITERS[writer](h).sum()

    h = autolab.record(run, x)["h"]
    for tensor in KEPT:
        tensor.detach().fill_(7)
    torch.testing.assert_close(torch.tensor(h.value.values), x + 1)


def test_values_that_nobody_can_write_to_are_not_copied() -> None:
    recording = autolab.record(lambda x: (x.exp().reshape(64, 128).t() * 2).sum(), torch.ones(8192))
    bases = [step.value.values for step in recording.steps if step.kind == "call" and step.value.size > 1]
    assert bases[0].flags.writeable is False and bases[1].ctypes.data == bases[0].ctypes.data == bases[2].ctypes.data


def test_layers_have_the_names_of_modules_and_steps_those_of_their_calls() -> None:
    torch.manual_seed(0)
    recording = autolab.record(Net(), torch.randn(2, 4, 16))
    layers = [row.layer for row in recording.flow().rows]
    assert layers[:4] == ["blocks.0.ln1", "blocks.0.qkv", "blocks.0.proj", "blocks.1.ln1"] and layers[-1] == "head.2"
    names = {step.name for step in recording.steps}
    assert {"ln1(x)", "qkv(ln1(x))", "proj(y)", "head(x)"} <= names
    assert not [name for name in names if name and name[0] == "v" and name[1:].isdigit()]


def test_a_causal_mask_is_no_fault() -> None:
    from autolab.recording.observations import observations

    recording = autolab.record(Net(), torch.randn(2, 4, 16))
    assert any(step.value is not None and step.value.inf_count for step in recording.steps)
    assert not [found for found in observations(recording) if found.sign == "infinite"]
