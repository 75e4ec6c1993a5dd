"""Whole training, as people write it: each library's own links, loss, optimizer; the same weights, data and updates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from speed.library import Library

RATE = 0.01
COMPARED = 20
"""Updates after which all weights are compared. Some hundred updates later rounding puts the input of a relu on the
other side of 0 in one library and not in the other, and from then on they are two trainings."""

Train = Callable[[np.ndarray, np.ndarray], None]
Weights = Callable[[], Sequence[np.ndarray]]


@dataclass(frozen=True)
class Task:
    """Examples, labels, and the weights to start from: a matrix or kernels with its bias, layer after layer."""

    x: np.ndarray
    t: np.ndarray
    weights: tuple[np.ndarray, ...]
    batch: int

    def batches(self, x: Any, t: Any) -> list[tuple[Any, Any]]:
        return [(x[i : i + self.batch], t[i : i + self.batch]) for i in range(0, len(x), self.batch)]


class Training:
    """One library at one network: every turn goes on training it."""

    parts: tuple[str, ...] = ()

    def __init__(self, title: str, task: Task, train: Train, weights: Weights, rtol: float = 1e-4) -> None:
        self.title, self.task, self.train, self.weights, self.rtol = title, task, train, weights, rtol

    @property
    def phases(self) -> dict[str, Callable[[], None]]:
        return {"whole": lambda: self.train(self.task.x, self.task.t)}

    def results(self) -> list[np.ndarray]:
        """All weights after some updates."""
        end = COMPARED * self.task.batch
        self.train(self.task.x[:end], self.task.t[:end])
        return [a.copy() for a in self.weights()]

    def counts(self) -> dict[str, int]:
        return {}


def works(library: Library, tiny: bool) -> list[Training]:
    """An epoch of the MLP and a step of the convnet, for the libraries that have layers and optimizers."""
    if library.name not in MAKERS:
        return []
    epoch = mlp_task(6, 4, (5, 4, 3)) if tiny else mlp_task(60_000, 784, (100, 100, 10))
    step = convnet_task(2 if tiny else 64)
    mlp, convnet = MAKERS[library.name]
    # On some processors PyTorch convolves less precisely: one bias was 1e-3 from float64, AutoLab's 6e-8.
    return [Training("MLP epoch", epoch, *mlp(epoch)), Training("convnet step", step, *convnet(step), rtol=5e-3)]


def mlp_task(examples: int, inputs: int, sizes: Sequence[int]) -> Task:
    """784-100-100-10 with relu on 60,000 examples at batch 100: one epoch."""
    return _task((examples, inputs), 100, [(m, n) for n, m in pairwise((inputs, *sizes))])


def convnet_task(batch: int) -> Task:
    """28 x 28 images, 3 x 3 kernels, 16-32-64 channels, relu and pooling after each: one step."""
    kernels = [(o, i, 3, 3) for i, o in pairwise((1, 16, 32, 64))]
    return _task((batch, 1, 28, 28), batch, [*kernels, (10, 64 * 9)])


def _task(shape: tuple[int, ...], batch: int, shapes: Sequence[tuple[int, ...]]) -> Task:
    rng = np.random.default_rng(0)
    weights: list[np.ndarray] = []
    for s in shapes:
        weights += [rng.standard_normal(s, dtype="f4") / np.float32(np.sqrt(np.prod(s[1:]))), np.zeros(s[0], "f4")]
    return Task(rng.random(shape, "f4"), rng.integers(0, shapes[-1][0], shape[0]), tuple(weights), batch)


# --------------------------------------------------------------------------------------------------- AutoLab
def autolab_mlp(task: Task) -> tuple[Train, Weights]:
    from autolab import links

    return _autolab(links.MLP([len(b) for b in task.weights[1::2]]), task)


def autolab_convnet(task: Task) -> tuple[Train, Weights]:
    from autolab import Sequential, links
    from autolab import functions as F

    steps: list[Any] = []
    for w in task.weights[:-2:2]:
        steps += [links.Conv2D(w.shape[1], w.shape[0], 3, pad=1), F.relu, lambda h: F.max_pool2d(h, kernel=2)]
    flatten = lambda h: F.reshape(h, shape=(len(h), -1))  # noqa: E731
    return _autolab(Sequential(*steps, flatten, links.Linear(*task.weights[-2].shape[::-1])), task)


def _autolab(net: Any, task: Task) -> tuple[Train, Weights]:
    from autolab import links, optimizers
    from autolab.data import SerialIterator, TupleDataset

    net.load_state({path[1:]: w for (path, _), w in zip(net.namedparams(), task.weights, strict=True)})
    model = links.Classifier(net, accfun=None)
    optimizer = optimizers.SGD(RATE).setup(model)

    def train(x: np.ndarray, t: np.ndarray) -> None:
        for xs, ts in SerialIterator(TupleDataset(x, t), task.batch, repeat=False, shuffle=False):
            optimizer.update(model, xs, ts)

    return train, lambda: [p.data for p in net.params()]


# --------------------------------------------------------------------------------------------------- PyTorch
def torch_mlp(task: Task) -> tuple[Train, Weights]:
    import torch

    layers: list[Any] = []
    for w in task.weights[::2]:
        layers += [torch.nn.Linear(*w.shape[::-1]), torch.nn.ReLU()]
    return _torch(torch.nn.Sequential(*layers[:-1]), task)


def torch_convnet(task: Task) -> tuple[Train, Weights]:
    import torch

    steps: list[Any] = []
    for w in task.weights[:-2:2]:
        steps += [torch.nn.Conv2d(w.shape[1], w.shape[0], 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2)]
    return _torch(torch.nn.Sequential(*steps, torch.nn.Flatten(), torch.nn.Linear(*task.weights[-2].shape[::-1])), task)


def _torch(net: Any, task: Task) -> tuple[Train, Weights]:
    import torch

    with torch.no_grad():
        for p, w in zip(net.parameters(), task.weights, strict=True):
            p.copy_(torch.from_numpy(w))
    optimizer = torch.optim.SGD(net.parameters(), RATE)

    def train(x: np.ndarray, t: np.ndarray) -> None:
        for xs, ts in task.batches(torch.from_numpy(x), torch.from_numpy(t)):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(net(xs), ts).backward()
            optimizer.step()

    return train, lambda: [p.detach().numpy() for p in net.parameters()]


# --------------------------------------------------------------------------------------------------- Chainer
def chainer_mlp(task: Task) -> tuple[Train, Weights]:
    import chainer

    layers: list[Any] = []
    for w, b in zip(task.weights[::2], task.weights[1::2], strict=True):
        layers += [chainer.links.Linear(*w.shape[::-1], initialW=w, initial_bias=b), chainer.functions.relu]
    return _chainer(layers[:-1], task)


def chainer_convnet(task: Task) -> tuple[Train, Weights]:
    import chainer.functions as F
    import chainer.links as L

    *kernels, w, b = task.weights
    steps: list[Any] = []
    for k, c in zip(kernels[::2], kernels[1::2], strict=True):
        steps += [L.Convolution2D(k.shape[1], k.shape[0], 3, pad=1, initialW=k, initial_bias=c), F.relu]
        steps += [lambda h: F.max_pooling_2d(h, 2, cover_all=False)]
    linear = L.Linear(*w.shape[::-1], initialW=w, initial_bias=b)  # it flattens what it gets
    return _chainer([*steps, linear], task)


def _chainer(steps: list[Any], task: Task) -> tuple[Train, Weights]:
    import chainer

    model = chainer.links.Classifier(chainer.Sequential(*steps))
    model.compute_accuracy = False
    optimizer = chainer.optimizers.SGD(RATE).setup(model)

    def train(x: np.ndarray, t: np.ndarray) -> None:
        for xs, ts in task.batches(x, t):
            optimizer.update(model, xs, ts)

    layers = [step for step in steps if isinstance(step, chainer.Link)]
    return train, lambda: [a for layer in layers for a in (layer.W.array, layer.b.array)]


Maker = Callable[[Task], tuple[Train, Weights]]
MAKERS: Mapping[str, tuple[Maker, Maker]] = {
    "autolab": (autolab_mlp, autolab_convnet),
    "torch": (torch_mlp, torch_convnet),
    "chainer": (chainer_mlp, chainer_convnet),
}
