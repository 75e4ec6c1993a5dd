"""A transformer's block and a GRU, forward and backward, with the layers that each library has; the same weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from speed.library import Library

HEADS = 4
BATCH = 32
"""Sequences that the GRU runs along at once."""

Work = Callable[[], list[Any]]


class Sequences:
    """One library at one model: forward, backward from an upstream gradient, and dropping both."""

    parts: tuple[str, ...] = ()
    rtol = 1e-4

    def __init__(self, title: str, run: Work) -> None:
        self.title, self.run = title, run

    @property
    def phases(self) -> dict[str, Callable[[], Any]]:
        return {"whole": self.run}

    def results(self) -> list[np.ndarray]:
        """The value, and the gradients of the input and of a weight."""
        return [np.array(getattr(a, "data", a)) for a in self.run()]

    def counts(self) -> dict[str, int]:
        return {}


def works(library: Library, tiny: bool) -> list[Sequences]:
    """For the libraries that have such layers."""
    if library.name not in MAKERS:
        return []
    rng, size = np.random.default_rng(0), 8 if tiny else 128
    x, g = (rng.standard_normal((1, 5 if tiny else 64, size), dtype="f4") for _ in range(2))
    xs, gs = (rng.standard_normal((2 if tiny else BATCH, 5 if tiny else 50, size // 2), dtype="f4") for _ in range(2))
    block, gru = MAKERS[library.name]
    return [Sequences("attention block", block(x, g)), Sequences("GRU", gru(xs, gs))]


def weights(*shapes: tuple[int, ...]) -> list[np.ndarray]:
    """Small numbers, and zeros for biases."""
    rng = np.random.default_rng(1)
    return [
        rng.standard_normal(s, dtype="f4") / np.float32(s[-1] ** 0.5) if s[1:] else np.zeros(s, "f4") for s in shapes
    ]


def block_weights(size: int) -> list[np.ndarray]:
    """Of queries, keys, values and what is seen; of the two layers behind, each with its bias."""
    square, up, down = ((size, size), (size,)), ((4 * size, size), (4 * size,)), ((size, 4 * size), (size,))
    return weights(*square, *square, *square, *square, *up, *down)


# --------------------------------------------------------------------------------------------------- AutoLab
def autolab_block(x: np.ndarray, g: np.ndarray) -> Work:
    from autolab import functions as F
    from autolab import links

    size = x.shape[-1]
    first, second = links.LayerNormalization(size), links.LayerNormalization(size)
    attention = links.MultiHeadAttention(size, HEADS)
    up, down = links.Linear(size, 4 * size), links.Linear(4 * size, size)
    linears = [attention.query, attention.key, attention.value, attention.out, up, down]
    given = block_weights(size)
    for linear, w, b in zip(linears, given[::2], given[1::2], strict=True):
        linear.load_state({"W": w, "b": b})
    parts = [first, second, *linears]

    def forward(x: Any) -> Any:
        x = x + attention(first(x))
        return x + down(F.relu(up(second(x))))

    return _autolab(forward, parts, x, g, lambda: up.W.grad)


def autolab_gru(x: np.ndarray, g: np.ndarray) -> Work:
    from autolab import links

    size = x.shape[-1]
    layer = links.GRU(size, size, reset_after=True)
    cell = layer.cell
    given = weights(*[(size, size)] * 6)
    for linear, w in zip([cell.W_r, cell.W_z, cell.W_h, cell.U_r, cell.U_z, cell.U_h], given, strict=True):
        linear.load_state({"W": w, **({} if linear.b is None else {"b": np.zeros(size, "f4")})})
    return _autolab(lambda x: layer(x)[0], [layer], x, g, lambda: cell.U_h.W.grad)


def _autolab(forward: Any, parts: list[Any], x: np.ndarray, g: np.ndarray, weight_gradient: Callable[[], Any]) -> Work:
    from autolab import Variable

    def run() -> list[Any]:
        for link in parts:
            link.cleargrads()
        v = Variable(x)
        y = forward(v)
        y.grad = g
        y.backward()
        return [y, v.grad, weight_gradient()]

    return run


# --------------------------------------------------------------------------------------------------- PyTorch
def torch_block(x: np.ndarray, g: np.ndarray) -> Work:
    import torch

    size = x.shape[-1]
    net = torch.nn.TransformerEncoderLayer(size, HEADS, 4 * size, dropout=0.0, batch_first=True, norm_first=True)
    q, qb, k, kb, v, vb, *rest = block_weights(size)
    attention = net.self_attn
    targets = [attention.in_proj_weight, attention.in_proj_bias, attention.out_proj.weight, attention.out_proj.bias]
    targets += [net.linear1.weight, net.linear1.bias, net.linear2.weight, net.linear2.bias]
    sources = [np.concatenate([q, k, v]), np.concatenate([qb, kb, vb]), *rest]
    return _torch(net, net, targets, sources, x, g, lambda: net.linear1.weight.grad)


def torch_gru(x: np.ndarray, g: np.ndarray) -> Work:
    import torch

    size = x.shape[-1]
    net = torch.nn.GRU(size, size, batch_first=True)
    given, bias = weights(*[(size, size)] * 6), np.zeros(3 * size, "f4")
    targets = [net.weight_ih_l0, net.weight_hh_l0, net.bias_ih_l0, net.bias_hh_l0]
    sources = [np.concatenate(given[:3]), np.concatenate(given[3:]), bias, bias]
    return _torch(net, lambda x: net(x)[0], targets, sources, x, g, lambda: net.weight_hh_l0.grad[-size:])


def _torch(
    net: Any,
    forward: Any,
    targets: list[Any],
    sources: list[np.ndarray],
    x: np.ndarray,
    g: np.ndarray,
    weight_gradient: Callable[[], Any],
) -> Work:
    import torch

    with torch.no_grad():
        for p, w in zip(targets, sources, strict=True):
            p.copy_(torch.from_numpy(w))
    of_x, of_g = torch.from_numpy(x), torch.from_numpy(g)

    def run() -> list[Any]:
        net.zero_grad()
        v = of_x.clone().requires_grad_()
        y = forward(v)
        y.backward(of_g)
        return [y.detach(), v.grad, weight_gradient()]

    return run


Maker = Callable[[np.ndarray, np.ndarray], Work]
MAKERS: Mapping[str, tuple[Maker, Maker]] = {
    "autolab": (autolab_block, autolab_gru),
    "torch": (torch_block, torch_gru),
}
