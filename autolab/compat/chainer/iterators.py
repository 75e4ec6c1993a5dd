"""``chainer.iterators``"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import data as _data
from ...data.dataset import NoEnd, by_place
from ..table import fill, signed
from .dataset import Iterator


class _Examples(_data.TupleDataset):
    """A dataset whose batches are lists of examples."""

    def __init__(self, examples: Any) -> None:
        self.examples = by_place(examples)

    def __len__(self) -> int:
        return len(self.examples)

    def __getitem__(self, index: Any) -> Any:
        with NoEnd(self.examples):
            if isinstance(index, slice):
                return list(self.examples[index])
            if isinstance(index, np.ndarray):
                return [self.examples[int(i)] for i in index]
            return self.examples[index]

    def __getattr__(self, name: str) -> Any:
        if name == "examples" or name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.examples, name)


class SerialIterator(Iterator, _data.SerialIterator):
    """Batches of a dataset as lists of examples.

    Parameters
    ----------
    dataset
    batch_size : int
    repeat : bool
        Whether to go on endlessly, or stop after one epoch.
    shuffle : bool
        Whether each epoch has a new order, from NumPy's global generator.
    order_sampler : callable, optional
        Returns the next order, given the previous one and the position in it.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> batches = chainer.iterators.SerialIterator([1, 2, 3], 2, repeat=False, shuffle=False)
    >>> list(batches)
    [[1, 2], [3]]
    """

    @signed
    def __init__(self, dataset, batch_size, repeat, shuffle, order_sampler):
        if order_sampler is not None and shuffle is not None:
            raise ValueError("SerialIterator: got shuffle and order_sampler; expected one of them")
        self._sampler, self.order, self.position = order_sampler, np.arange(len(dataset)), 0
        _data.SerialIterator.__init__(self, _Examples(dataset), batch_size, repeat, shuffle is not False)

    def reset(self) -> None:
        """Start again from the beginning."""
        super().reset()
        self._previous = -1.0

    def __next__(self) -> Any:
        before = self.epoch_detail
        batch = _data.SerialIterator.__next__(self)
        self._previous = before
        return batch

    def _drawn(self) -> np.ndarray:
        n = len(self.dataset)
        if self._sampler is not None:
            return np.asarray(self._sampler(self.order, self.position))
        return np.random.permutation(n) if self.shuffle else np.arange(n)

    @property
    def current_position(self) -> int:
        """The position within the epoch."""
        return self.position

    @property
    def previous_epoch_detail(self) -> float | None:
        """`epoch_detail` before the last batch; None before the first."""
        return None if self._previous < 0 else self._previous


__getattr__ = fill(__name__)
