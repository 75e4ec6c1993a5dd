"""``dezero.dataloaders``: iterating over the batches of a dataset."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...data.dataset import batch_of
from ...engine import to_gpu


class DataLoader:
    """An iterator over batches ``(x, t)``. Every loop is a full pass, in a new order if shuffled.

    This also holds after a break, and for a loop inside another.

    Parameters
    ----------
    dataset
        It has a length, and examples ``(x, t)`` by index.
    batch_size : int
        The last batch may be smaller.
    shuffle : bool
        Whether to shuffle, with NumPy's global generator.
    gpu : bool
        Whether batches are put on the GPU.

    Examples
    --------
    >>> from autolab.compat.dezero import DataLoader
    >>> loader = DataLoader([(0, 1), (2, 3), (4, 5)], batch_size=2, shuffle=False)
    >>> [(x.tolist(), t.tolist()) for x, t in loader]
    [([0, 2], [1, 3]), ([4], [5])]
    """

    def __init__(self, dataset: Any, batch_size: int, shuffle: bool = True, gpu: bool = False) -> None:
        self.dataset, self.batch_size, self.shuffle, self.gpu = dataset, batch_size, shuffle, gpu
        self.data_size = len(dataset)
        self.max_iter = math.ceil(self.data_size / batch_size)
        self.reset()

    def reset(self) -> None:
        """Start a new pass."""
        self.iteration = 0
        self.index = np.random.permutation(self.data_size) if self.shuffle else np.arange(self.data_size)

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        for iteration in range(self.max_iter):
            yield self._batch(iteration)
        self.reset()

    def __next__(self) -> tuple[Any, Any]:
        if self.iteration >= self.max_iter:
            self.reset()
            raise StopIteration
        self.iteration += 1
        return self._batch(self.iteration - 1)

    def _batch(self, iteration: int) -> tuple[Any, Any]:
        x, t = batch_of(self.dataset, self._numbers(iteration))
        return (to_gpu(x), to_gpu(t)) if self.gpu else (x, t)

    def _numbers(self, iteration: int) -> np.ndarray:
        """The indices of the examples of a batch."""
        return self.index[iteration * self.batch_size : (iteration + 1) * self.batch_size]

    def next(self) -> tuple[Any, Any]:
        """The next batch; StopIteration at the end of a pass."""
        return self.__next__()

    def to_cpu(self) -> None:
        """From now on, keep batches in main memory."""
        self.gpu = False

    def to_gpu(self) -> None:
        """From now on, put batches on the GPU."""
        self.gpu = True


class SeqDataLoader(DataLoader):
    """Batches of a sequence: each row follows its own section, one time step per batch."""

    def __init__(self, dataset: Any, batch_size: int, gpu: bool = False) -> None:
        super().__init__(dataset, batch_size, shuffle=False, gpu=gpu)

    def _numbers(self, iteration: int) -> np.ndarray:
        jump = self.data_size // self.batch_size
        return (np.arange(self.batch_size) * jump + iteration) % self.data_size
