"""Train one network with several processes, each of which computes the gradient for its part of every batch.

    python examples/data_parallel.py --workers 2
    python examples/data_parallel.py --workers 2 --dask

The weighted mean of the parts' gradients is the gradient of the batch, so training gives the same result as in one
process, up to rounding. It pays off only if computing a part takes much longer than sending the weights there and the
gradients back: both times are printed. A layer that uses the whole batch, such as batch normalization, sees only its
part.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from time import perf_counter
from typing import Any

import numpy as np

from autolab import Chain, data, optimizers, using_config
from autolab import functions as F
from autolab import links as L

Part = tuple[int, float, list[np.ndarray]]


def gradient(model: L.Link, x: np.ndarray, t: np.ndarray) -> Part:
    """The work of one worker: the number of its examples, their mean loss, and the gradient of each parameter."""
    model.cleargrads()
    loss = model(x, t)
    loss.backward()
    return len(x), float(loss.data), [np.zeros_like(p.data) if p.grad is None else p.grad.data for p in model.params()]


def update(executor: Executor, workers: int, model: L.Link, optimizer: Any, x: np.ndarray, t: np.ndarray) -> float:
    """Take one step with the gradient of the whole batch; return the loss."""
    parts = zip(np.array_split(x, workers), np.array_split(t, workers), strict=True)
    futures = [executor.submit(gradient, model, *part) for part in parts if len(part[0])]
    loss, gradients = average([future.result() for future in futures])
    for parameter, g in zip(model.params(), gradients, strict=True):
        parameter.grad = g
    optimizer.update()
    return loss


def average(parts: Sequence[Part]) -> tuple[float, list[np.ndarray]]:
    """The mean over all examples: parts are weighted by their numbers of examples."""
    total = sum([count for count, _, _ in parts])
    shares = [count / total for count, _, _ in parts]
    loss = sum([share * part[1] for share, part in zip(shares, parts, strict=True)])
    columns = zip(*[part[2] for part in parts], strict=True)
    return loss, [sum([np.asarray(s, g.dtype) * g for s, g in zip(shares, gs, strict=True)]) for gs in columns]


class ConvNet(Chain):
    """A convolutional network: few weights to send, much to compute."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = L.Conv2D(1, 32, 3, pad=1), L.Conv2D(32, 64, 3, pad=1)
        self.out = L.Linear(64 * 4 * 4, 10)

    def forward(self, x: Any) -> Any:
        h = F.relu(self.second(F.relu(self.first(x))))
        h = F.max_pool2d(h, kernel=2)
        return self.out(F.reshape(h, shape=(len(h), -1)))


@contextmanager
def pool(workers: int, dask: bool) -> Iterator[Executor]:
    """Processes on this machine; with Dask, they could also run on other machines."""
    if not dask:
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as executor:
            yield executor
        return
    from distributed import Client, LocalCluster

    with LocalCluster(workers, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        yield client.get_executor()


def train(executor: Executor, workers: int, steps: int, batch: int) -> tuple[list[float], L.Classifier, float]:
    """The losses, the trained model, and the mean time per step in seconds, without the first step."""
    digits, _ = data.get_digits()
    x, t = digits[:]
    x = x.reshape(-1, 1, 8, 8)
    with using_config("rng", np.random.default_rng(0)):
        model = L.Classifier(ConvNet(), accfun=None)
    optimizer = optimizers.Adam(0.003).setup(model)
    rng, losses, began = np.random.default_rng(1), [], perf_counter()
    for step in range(steps):
        chosen = rng.choice(len(x), batch)
        losses.append(update(executor, workers, model, optimizer, x[chosen], t[chosen]))
        began = perf_counter() if step == 0 else began
    return losses, model, (perf_counter() - began) / max(steps - 1, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description="Train a network with several processes.")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--dask", action="store_true", help="workers of Dask; without it, processes of this machine")
    options = parser.parse_args()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")  # one core per worker; NumPy reads this when a worker imports it
    seconds = {}
    for workers in (1, options.workers):
        with pool(workers, options.dask) as executor:
            losses, _, seconds[workers] = train(executor, workers, options.steps, options.batch)
        print(f"{workers} worker(s): loss {losses[0]:.6f} to {losses[-1]:.6f}, {1e3 * seconds[workers]:.0f} ms a step")
    print(f"{options.workers} workers are {seconds[1] / seconds[options.workers]:.2f} times as fast as one.")


if __name__ == "__main__":
    main()
