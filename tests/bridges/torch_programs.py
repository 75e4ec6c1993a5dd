"""Programs as people write them in PyTorch; each entry makes a function or module, and its inputs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

Made = tuple[Callable[..., Any], tuple[Any, ...]]
PROGRAMS: dict[str, Callable[[], Made]] = {}
IN_PLACE: set[str] = set()
"""Programs in which autograd retains no gradient of what was changed: totals are compared there, shares are not."""


def program(make: Callable[[], Made]) -> Callable[[], Made]:
    PROGRAMS[make.__name__] = make
    return make


def in_place(make: Callable[[], Made]) -> Callable[[], Made]:
    IN_PLACE.add(make.__name__)
    return program(make)


def simple(name: str, fn: Callable[..., Any], *shapes: tuple[int, ...], **options: Any) -> None:
    PROGRAMS[name] = lambda: (fn, tuple([torch.randn(shape, **options) for shape in shapes]))


def module(name: str, make: Callable[[], nn.Module], *shapes: tuple[int, ...]) -> None:
    PROGRAMS[name] = lambda: (make(), tuple([torch.randn(shape) for shape in shapes]))


# ---------------------------------------------------------------------------------------------- arithmetic
simple("muladd", lambda x, y, z: x * y + z, (3,), (3,), (3,))
simple("broadcast", lambda x, y: (x + y) * x, (4, 3), (3,))
simple("used_three_times", lambda x: (x * x * x).sum(), (5,))
simple("reversed_operands", lambda x: (2.0 - x) / (1.0 + x * x) + 3.0 ** (x * 0.1), (4,))
simple("powers", lambda x: (x.abs() + 1.0) ** 1.5 - x**3, (6,))
simple("matrices", lambda a, b, c: (a @ b @ c).trace(), (3, 4), (4, 5), (5, 3))
simple("einsum", lambda a, b: torch.einsum("bij,bjk->bik", a, b).sum(), (2, 3, 4), (2, 4, 2))
simple("where", lambda x, y: torch.where(x > 0, x * y, -x).sum(), (3, 4), (3, 4))
simple("clamp_and_max", lambda x, y: torch.maximum(x, y).clamp(-0.5, 0.5).sum(), (10,), (10,))
simple("norms", lambda x: x.norm(dim=1).sum() + x.std(dim=0).prod(), (4, 3))
simple("logsumexp", lambda x: torch.logsumexp(x * 3, dim=1), (4, 3))
simple("double", lambda x: torch.exp(x).sin().sum(), (7,), dtype=torch.float64)
simple("bfloat16", lambda x, w: (x @ w).relu().sum(), (4, 3), (3, 2), dtype=torch.bfloat16)
simple("half", lambda x: (x * x + x).sum(), (8,), dtype=torch.float16)
simple("linear_algebra", lambda a: torch.linalg.solve(a + 5 * torch.eye(3), a).sum() + torch.linalg.det(a), (3, 3))
simple("cholesky", lambda a: torch.linalg.cholesky(a @ a.T + torch.eye(3)).sum(), (3, 3))
simple("numbers", lambda x, y: torch.atan2(x, y) + torch.hypot(x, y), (), ())

# ---------------------------------------------------------------------------------------------- shapes
simple("reshape_and_permute", lambda x: (x.reshape(2, 3, 4).permute(2, 0, 1) * 2).flatten(1).sum(0), (4, 6))
simple("slices", lambda x: x[1:, ::2].sum() + (x[0] * x[-1]).sum() + x[:, 1].prod(), (4, 5))
simple("chunks", lambda x: sum((part * i).sum() for i, part in enumerate(x.chunk(3, dim=1))), (2, 6))
simple("split", lambda x: (x.split([2, 3], dim=0)[0] * x.split([2, 3], dim=0)[1][:2]).sum(), (5, 2))
simple("iterated", lambda x: sum((row * row).sum() for row in x), (3, 4))
simple("stack_and_cat", lambda x, y: torch.cat([torch.stack([x, y]), x[None]], dim=0).prod(0), (4,), (4,))
simple("top_values", lambda x: x.topk(2, dim=1).values.sum() + x.sort(dim=0)[0][0].sum(), (3, 5))
simple("maximum_with_place", lambda x: x.max(dim=1)[0].sum() + x.gather(1, x.argmax(1, keepdim=True)).sum(), (4, 3))
simple("cumulated", lambda x: torch.cumsum(x, 0).tanh().sum() + torch.cumprod(x, 1).sum(), (3, 4))
simple("padded", lambda x: F.pad(x, (1, 2), value=1.0).roll(1, 0).flip(1).sum(1), (3, 4))
simple("expanded", lambda x: (x.expand(4, 3) * torch.arange(12.0).reshape(4, 3)).sum(), (1, 3))
simple("unfolded", lambda x: x.unfold(0, 3, 1).mean(1).square().sum(), (9,))
simple("scattered", lambda x: torch.zeros(5).scatter_add(0, torch.tensor([0, 1, 1, 4]), x).square().sum(), (4,))


# ---------------------------------------------------------------------------------------------- losses and layers
@program
def cross_entropy() -> Made:
    return lambda x, t: F.cross_entropy(x, t, label_smoothing=0.1), (torch.randn(5, 4), torch.tensor([0, 3, 1, 1, 2]))


@program
def several_losses() -> Made:
    def losses(x: Any, w: Any, t: Any) -> Any:
        y = torch.tanh(x @ w)
        mse = F.mse_loss(y, t)
        penalty = 0.1 * w.abs().sum()
        return {"mse": mse, "penalty": penalty, "total": mse + penalty}

    return losses, (torch.randn(6, 3), torch.randn(3, 2), torch.randn(6, 2))


module("linear_layers", lambda: nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2)), (5, 3))
module("dropout", lambda: nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.5), nn.Linear(8, 2)), (5, 3))
module("batch_norm_training", lambda: nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4)), (6, 3))
module("batch_norm_evaluating", lambda: nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4)).eval(), (6, 3))
module("layer_norm", lambda: nn.Sequential(nn.LayerNorm(4), nn.GELU()), (3, 4))
module("group_norm", lambda: nn.Sequential(nn.Conv2d(2, 4, 1), nn.GroupNorm(2, 4), nn.SiLU()), (2, 2, 3, 3))
module("recurrent", lambda: nn.RNN(3, 4), (5, 2, 3))
module("lstm", lambda: nn.LSTM(3, 4, num_layers=2), (5, 2, 3))
module("gru_both_ways", lambda: nn.GRU(3, 4, bidirectional=True, batch_first=True), (2, 5, 3))
module("attention", lambda: _SelfAttention(), (2, 3, 4))
module("transformer_block", lambda: nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True), (2, 3, 4))
module("transformer_by_hand", lambda: _Block(), (2, 3, 4))
module("weight_norm", lambda: nn.utils.parametrizations.weight_norm(nn.Linear(3, 2)), (4, 3))
module(
    "upsampled", lambda: nn.Sequential(nn.ConvTranspose2d(1, 2, 2, stride=2), nn.Upsample(scale_factor=2)), (1, 1, 3, 3)
)


class _SelfAttention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(4, 2, batch_first=True)

    def forward(self, x: Any) -> Any:
        y, _weights = self.attention(x, x, x)
        return y + x


class _Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(4, 12), nn.Linear(4, 4)
        self.norm = nn.LayerNorm(4)

    def forward(self, x: Any) -> Any:
        q, k, v = self.qkv(self.norm(x)).chunk(3, dim=-1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(4)
        mask = torch.tril(torch.ones(3, 3)) == 0
        weights = scores.masked_fill(mask, -torch.inf).softmax(-1)
        return x + self.out(weights @ v)


class _Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(7, 4)
        self.out = nn.Linear(4, 7, bias=False)
        self.out.weight = self.embedding.weight

    def forward(self, words: Any, target: Any) -> Any:
        h = self.embedding(words).mean(1)
        return F.cross_entropy(self.out(h), target)


@program
def weight_sharing() -> Made:
    return _Tied(), (torch.tensor([[1, 2], [3, 3]]), torch.tensor([0, 5]))


@program
def convolutional_net() -> Made:
    net = nn.Sequential(
        nn.Conv2d(1, 3, 3), nn.BatchNorm2d(3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(12, 4)
    )

    def loss(x: Any, t: Any) -> Any:
        return F.cross_entropy(net(x), t)

    return loss, (torch.randn(2, 1, 6, 6), torch.tensor([1, 3]))


@program
def sparse_embedding() -> Made:
    table = nn.Embedding(6, 3, sparse=True)
    return lambda words: table(words).square().sum(), (torch.tensor([1, 2, 1]),)


@program
def recurrent_by_hand() -> Made:
    cell = nn.Linear(5, 3)

    def run(xs: Any) -> Any:
        h = torch.zeros(2, 3)
        for x in xs:
            h = torch.tanh(cell(torch.cat([x, h], dim=1)))
        return h.square().mean()

    return run, (torch.randn(4, 2, 2),)


@program
def closed_over() -> Made:
    w = torch.randn(3, requires_grad=True)
    earlier = (w * 2).exp()  # computed before the recording begins
    return lambda x: (x * earlier).sum(), (torch.randn(3),)


# ---------------------------------------------------------------------------------------------- what torch has besides
@program
def detached() -> Made:
    def loss(x: Any, y: Any) -> Any:
        target = (x * 2).detach()
        with torch.no_grad():
            scale = x.std()
        return ((y - target) / scale).square().mean() * x.max().item()

    return loss, (torch.randn(4), torch.randn(4))


@program
def checkpointed() -> Made:
    layer = nn.Linear(3, 3)

    def run(x: Any) -> Any:
        h = checkpoint(lambda a: torch.tanh(layer(a)) * a, x, use_reentrant=False)
        return h.sum()

    return run, (torch.randn(2, 3),)


@program
def double_backward() -> Made:
    def penalty(x: Any, w: Any) -> Any:
        y = torch.tanh(x @ w).sum()
        (g,) = torch.autograd.grad(y, x, create_graph=True)
        return y + (g.norm(dim=1) - 1).square().sum()

    return penalty, (torch.randn(3, 4), torch.randn(4))


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any, scale: float) -> Any:
        ctx.save_for_backward(x)
        ctx.scale = scale
        return x * x * scale

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return 2 * ctx.scale * x * g, None


square = Square.apply


@program
def own_function() -> Made:
    return lambda x: (Square.apply(x, 0.5) * square(x + 1, 2.0)).sum(), (torch.randn(3),)


class SinCos(torch.autograd.Function):
    @staticmethod
    def forward(x: Any, y: Any) -> Any:
        return torch.sin(x) * y, torch.cos(y)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, g: Any, h: Any) -> Any:
        x, y = ctx.saved_tensors
        return g * torch.cos(x) * y, g * torch.sin(x) - h * torch.sin(y)


@program
def own_function_of_two() -> Made:
    def run(x: Any, y: Any) -> Any:
        a, b = SinCos.apply(x * 2, y)
        return (a * b).sum() + x.sum()

    return run, (torch.randn(3), torch.randn(3))


@in_place
def changed_in_place() -> Made:
    def run(x: Any) -> Any:
        y = x * 2
        z = y.sum()
        y.add_(1)
        y += x
        F.relu_(y)
        return y.sum() * z

    return run, (torch.randn(4),)


@in_place
def filled_row_by_row() -> Made:
    def run(x: Any) -> Any:
        out = torch.zeros(3, 2)
        for i in range(3):
            out[i] = x[i] * (i + 1)
        out[0] = 0.0
        return out.square().sum()

    return run, (torch.randn(3, 2),)


@in_place
def relu_in_place() -> Made:
    return nn.Sequential(nn.Linear(3, 4), nn.ReLU(inplace=True), nn.Linear(4, 2)), (torch.randn(2, 3),)


@program
def autocast() -> Made:
    def run(x: Any, w: Any) -> Any:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            h = x @ w
        return h.float().square().mean()

    return run, (torch.randn(4, 3), torch.randn(3, 2))
