"""Whole networks as people write them, each library with its own layers: the groups `training` and `sequences`.

Training has each library's own loss and optimizer as well; weights, data and updates are the same for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from speed.library import Library, Shape, Work, of_layer, products_alone
from speed.rows import LIMIT

RATE = 0.01
COMPARED = 20
"""Updates after which all weights are compared. Some hundred updates later, rounding moves the input of a relu
to the other side of 0 in one library only, and from then on the two trainings differ."""
HEADS = 4
BATCH = 32
"""Number of sequences in a batch of the GRU."""


# -------------------------------------------------------------------------------------------------- training
@dataclass(frozen=True)
class Task:
    """Examples, labels, the names of the layers, and the initial weights: matrices or kernels, each with its bias."""

    x: np.ndarray
    t: np.ndarray
    layers: tuple[str, ...]
    weights: list[np.ndarray]
    batch: int

    def batches(self, x: Any, t: Any) -> list[tuple[Any, Any]]:
        return [(x[i : i + self.batch], t[i : i + self.batch]) for i in range(0, len(x), self.batch)]

    def made(self, library: Mapping[str, Callable[..., Any]]) -> list[Any]:
        """The layers of a library by name; those with weights are created with them."""
        given = zip(self.weights[::2], self.weights[1::2], strict=True)
        return [library[name](*next(given)) if name in ("linear", "conv") else library[name] for name in self.layers]


Train = Callable[[np.ndarray, np.ndarray], None]
Weights = Callable[[], Sequence[np.ndarray]]


def training(library: Library, tiny: bool) -> list[Work]:
    """An epoch of the MLP and a step of the convnet, for the libraries that have layers and optimizers."""
    if library.name not in TRAINERS:
        return []
    trainer = TRAINERS[library.name]
    epoch = mlp_task(6, 4, (5, 4, 3)) if tiny else mlp_task(60_000, 784, (100, 100, 10))
    step = convnet_task(2 if tiny else 64)
    # On some processors PyTorch convolves less precisely: one bias was 1e-3 from float64, AutoLab's 6e-8.
    return [_going_on("MLP epoch", epoch, trainer, 1e-4), _going_on("convnet step", step, trainer, 5e-3)]


def _going_on(title: str, task: Task, trainer: Trainer, rtol: float) -> Work:
    """Each round continues the training; all weights are compared after `COMPARED` updates."""
    train, trained = trainer(task)
    end = COMPARED * task.batch

    def results() -> list[np.ndarray]:
        train(task.x[:end], task.t[:end])
        return [a.copy() for a in trained()]

    return Work(title, {"whole": lambda: train(task.x, task.t)}, results, rtol)


def mlp_task(examples: int, inputs: int, sizes: Sequence[int]) -> Task:
    """784-100-100-10 with relu on 60,000 examples at batch 100: one epoch."""
    layers = (*["linear", "relu"] * (len(sizes) - 1), "linear")
    return _task((examples, inputs), 100, layers, [(m, n) for n, m in pairwise((inputs, *sizes))])


def convnet_task(batch: int) -> Task:
    """28 x 28 images, 3 x 3 kernels, 16-32-64 channels, relu and pooling after each: one step."""
    kernels = [(o, i, 3, 3) for i, o in pairwise((1, 16, 32, 64))]
    layers = (*["conv", "relu", "pool"] * len(kernels), "flatten", "linear")
    return _task((batch, 1, 28, 28), batch, layers, [*kernels, (10, 64 * 9)])


def _task(shape: tuple[int, ...], batch: int, layers: tuple[str, ...], shapes: Sequence[tuple[int, ...]]) -> Task:
    rng = np.random.default_rng(0)
    x, t = rng.random(shape, "f4"), rng.integers(0, shapes[-1][0], shape[0])
    return Task(x, t, layers, weights(*[of for s in shapes for of in (s, s[:1])]), batch)


def weights(*shapes: tuple[int, ...]) -> list[np.ndarray]:
    """Small numbers, and zeros for biases."""
    rng = np.random.default_rng(1)
    scaled = lambda s: rng.standard_normal(s, dtype="f4") / np.float32(np.prod(s[1:]) ** 0.5)  # noqa: E731
    return [scaled(s) if s[1:] else np.zeros(s, "f4") for s in shapes]


def _autolab(task: Task) -> tuple[Train, Weights]:
    from autolab import Sequential, links, optimizers
    from autolab import functions as F
    from autolab.data import SerialIterator, TupleDataset

    layers = {
        "linear": lambda w, b: links.Linear(*w.shape[::-1]),
        "conv": lambda w, b: links.Conv2D(w.shape[1], w.shape[0], 3, pad=1),
        "relu": F.relu,
        "pool": lambda h: F.max_pool2d(h, kernel=2),
        "flatten": lambda h: F.reshape(h, shape=(len(h), -1)),
    }
    net = Sequential(*task.made(layers))
    net.load_state({path[1:]: w for (path, _), w in zip(net.namedparams(), task.weights, strict=True)})
    batches = lambda x, t: SerialIterator(TupleDataset(x, t), task.batch, repeat=False, shuffle=False)  # noqa: E731
    train = _updates(links.Classifier(net, accfun=None), optimizers, batches)
    return train, lambda: [p.data for p in net.params()]


def _updates(model: Any, optimizers: Any, batches: Callable[..., Iterable[tuple[Any, Any]]]) -> Train:
    """Training by an optimizer of AutoLab's or of Chainer's: both are called in the same way."""
    optimizer = optimizers.SGD(RATE).setup(model)

    def train(x: np.ndarray, t: np.ndarray) -> None:
        for xs, ts in batches(x, t):
            optimizer.update(model, xs, ts)

    return train


def _torch(task: Task) -> tuple[Train, Weights]:
    import torch
    from torch import nn

    layers = {
        "linear": lambda w, b: nn.Linear(*w.shape[::-1]),
        "conv": lambda w, b: nn.Conv2d(w.shape[1], w.shape[0], 3, padding=1),
        "relu": nn.ReLU(),
        "pool": nn.MaxPool2d(2),
        "flatten": nn.Flatten(),
    }
    net = nn.Sequential(*task.made(layers))
    _fill(net.parameters(), task.weights)
    optimizer = torch.optim.SGD(net.parameters(), RATE)

    def train(x: np.ndarray, t: np.ndarray) -> None:
        for xs, ts in task.batches(torch.from_numpy(x), torch.from_numpy(t)):
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(xs), ts).backward()
            optimizer.step()

    return train, lambda: [p.detach().numpy() for p in net.parameters()]


def _fill(parameters: Iterable[Any], arrays: Sequence[np.ndarray]) -> None:
    import torch

    with torch.no_grad():
        for p, a in zip(parameters, arrays, strict=True):
            p.copy_(torch.from_numpy(a))


def _chainer(task: Task) -> tuple[Train, Weights]:
    import chainer
    import chainer.functions as F
    import chainer.links as L

    layers = {
        "linear": lambda w, b: L.Linear(*w.shape[::-1], initialW=w, initial_bias=b),
        "conv": lambda w, b: L.Convolution2D(w.shape[1], w.shape[0], 3, pad=1, initialW=w, initial_bias=b),
        "relu": F.relu,
        "pool": lambda h: F.max_pooling_2d(h, 2, cover_all=False),
        "flatten": lambda h: h,  # its Linear flattens its input
    }
    steps = task.made(layers)
    model = L.Classifier(chainer.Sequential(*steps))
    model.compute_accuracy = False
    links = [step for step in steps if isinstance(step, chainer.Link)]
    return _updates(model, chainer.optimizers, task.batches), lambda: [
        a for link in links for a in (link.W.array, link.b.array)
    ]


Trainer = Callable[[Task], tuple[Train, Weights]]
TRAINERS: Mapping[str, Trainer] = {"autolab": _autolab, "torch": _torch, "chainer": _chainer}


# ------------------------------------------------------------------------------------------------- sequences
@dataclass(frozen=True)
class Model:
    """A model with the weights below; after a backward pass, `gradient` returns the gradient of one of them."""

    forward: Callable[[Any], Any]
    clear: Callable[[], Any]
    gradient: Callable[[], Any]


def sequences(library: Library, tiny: bool) -> list[Work]:
    """A transformer's block and a GRU, for the libraries that have such layers."""
    if library.name not in (*MODELS, LIMIT):
        return []
    length, size = (5, 8) if tiny else (64, 128)
    steps, half = 5 if tiny else 50, size // 2
    if library.name == LIMIT:
        return [products_alone("GRU", gru_products(2 if tiny else BATCH, steps, half))]
    block, gru = MODELS[library.name]
    rng = np.random.default_rng(0)
    x, g = (rng.standard_normal((1, length, size), dtype="f4") for _ in range(2))
    xs, gs = (rng.standard_normal((2 if tiny else BATCH, steps, half), dtype="f4") for _ in range(2))
    return [_both_ways("attention block", library, block(size), x, g), _both_ways("GRU", library, gru(half), xs, gs)]


def gru_products(batch: int, steps: int, size: int) -> list[Shape]:
    """Those of the inputs, of all steps and gates at once, and those of the state, of three gates at each step."""
    return [
        *of_layer(batch * steps, size, 3 * size),
        *[p for _ in range(steps) for p in of_layer(batch, size, 3 * size)],
    ]


def _both_ways(title: str, library: Library, model: Model, x: np.ndarray, g: np.ndarray) -> Work:
    """Run forward, backward from an upstream gradient, and free both graphs."""
    seed = library.constant(g)

    def run(leaves: Any) -> Any:
        return model.forward(*leaves)

    def passes() -> tuple[Any, Any]:
        model.clear()
        leaves = [library.leaf(x)]
        y = library.forward(run, leaves)
        library.backward(y, seed)
        return leaves, y

    def whole() -> None:
        library.clear(passes()[0])

    def results() -> list[np.ndarray]:
        """The value, and the gradients of the input and of a weight."""
        leaves, y = passes()
        found = [library.value(y), *library.gradients(y, leaves)]
        of_weight = model.gradient()
        return [np.array(a) for a in (*found, getattr(of_weight, "data", of_weight))]

    return Work(title, {"whole": whole}, results)


def block_weights(size: int) -> list[np.ndarray]:
    """Weights of queries, keys, values and outputs, then of the two linear layers, each with its bias."""
    square, up, down = ((size, size), (size,)), ((4 * size, size), (4 * size,)), ((size, 4 * size), (size,))
    return weights(*square, *square, *square, *square, *up, *down)


def autolab_block(size: int) -> Model:
    from autolab import functions as F
    from autolab import links

    first, second = links.LayerNormalization(size), links.LayerNormalization(size)
    attention = links.MultiHeadAttention(size, HEADS)
    up, down = links.Linear(size, 4 * size), links.Linear(4 * size, size)
    linears = [attention.query, attention.key, attention.value, attention.out, up, down]
    given = block_weights(size)
    for linear, w, b in zip(linears, given[::2], given[1::2], strict=True):
        linear.load_state({"W": w, "b": b})

    def forward(x: Any) -> Any:
        x = x + attention(first(x))
        return x + down(F.relu(up(second(x))))

    def clear() -> None:
        for link in [first, second, *linears]:
            link.cleargrads()

    return Model(forward, clear, lambda: up.W.grad)


def autolab_gru(size: int) -> Model:
    from autolab import links

    layer = links.GRU(size, size, reset_after=True)
    cell = layer.cell
    given = weights(*[(size, size)] * 6)
    for linear, w in zip([cell.W_r, cell.W_z, cell.W_h, cell.U_r, cell.U_z, cell.U_h], given, strict=True):
        linear.load_state({"W": w, **({} if linear.b is None else {"b": np.zeros(size, "f4")})})
    return Model(lambda x: layer(x)[0], layer.cleargrads, lambda: cell.U_h.W.grad)


def torch_block(size: int) -> Model:
    from torch import nn

    net = nn.TransformerEncoderLayer(size, HEADS, 4 * size, dropout=0.0, batch_first=True, norm_first=True)
    q, qb, k, kb, v, vb, *rest = block_weights(size)
    attention = net.self_attn
    targets = [attention.in_proj_weight, attention.in_proj_bias, attention.out_proj.weight, attention.out_proj.bias]
    targets += [net.linear1.weight, net.linear1.bias, net.linear2.weight, net.linear2.bias]
    _fill(targets, [np.concatenate([q, k, v]), np.concatenate([qb, kb, vb]), *rest])
    return Model(net, net.zero_grad, lambda: net.linear1.weight.grad)


def torch_gru(size: int) -> Model:
    from torch import nn

    net = nn.GRU(size, size, batch_first=True)
    given, bias = weights(*[(size, size)] * 6), np.zeros(3 * size, "f4")
    targets = [net.weight_ih_l0, net.weight_hh_l0, net.bias_ih_l0, net.bias_hh_l0]
    _fill(targets, [np.concatenate(given[:3]), np.concatenate(given[3:]), bias, bias])
    return Model(lambda x: net(x)[0], net.zero_grad, lambda: net.weight_hh_l0.grad[-size:])


Maker = Callable[[int], Model]
MODELS: Mapping[str, tuple[Maker, Maker]] = {
    "autolab": (autolab_block, autolab_gru),
    "compiled": (autolab_block, autolab_gru),
    "torch": (torch_block, torch_gru),
}
