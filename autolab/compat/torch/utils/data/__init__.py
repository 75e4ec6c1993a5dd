"""``torch.utils.data``: datasets, and loaders that form batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from operator import itemgetter
from typing import Any

import numpy as np

from ..... import data as _data
from .....data import dataset
from ....absent import gather
from ....table import signed
from ..._creation import source, tensor
from ..._shapes import stack
from ..._tensor import Engine, constant


class Dataset:
    """Examples by index: a subclass defines ``__getitem__`` and ``__len__``."""

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__}: write __getitem__(self, index)")

    def __add__(self, other: Any) -> ConcatDataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset):
    """Examples in a stream: a subclass defines ``__iter__``."""

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__}: write __iter__(self)")


class TensorDataset(_data.TupleDataset, Dataset):
    """The rows of one or more tensors of equal length, as tuples.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> data = torch.utils.data.TensorDataset(torch.arange(3), torch.ones(3, 2))
    >>> len(data), data[1]
    (3, (tensor(1), tensor([1., 1.])))
    """

    tensors = property(lambda self: self.arrays)


class Subset(_data.Subset, Dataset):
    """The examples of a dataset with these indices."""


class ConcatDataset(dataset.ConcatDataset, Dataset):
    """Datasets concatenated."""


def random_split(dataset: Any, lengths: Sequence[float], generator: Any = None) -> list[Subset]:
    """Split a dataset at random into parts of these lengths, or fractions."""
    return [Subset(dataset, part.indices) for part in _data.random_split(dataset, lengths, source(generator))]


def default_collate(batch: Sequence[Any]) -> Any:
    """Form a batch: numbers, arrays and tensors are stacked; tuples and dictionaries are collated by element."""
    first = batch[0]
    if isinstance(first, Engine):
        return stack(batch)
    if isinstance(first, np.ndarray):
        return constant(np.stack(batch))
    if isinstance(first, int | float | np.generic):
        return tensor(np.array(batch))
    if isinstance(first, dict):
        return {key: default_collate([one[key] for one in batch]) for key in first}
    if isinstance(first, tuple | list):
        return [default_collate(part) for part in zip(*batch, strict=True)]
    return list(batch)


class DataLoader(_data.DataLoader):
    """Batches of a dataset; every loop over it is a full pass.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> data = torch.utils.data.TensorDataset(torch.arange(5))
    >>> [x for x, in torch.utils.data.DataLoader(data, batch_size=2)]
    [tensor([0, 1]), tensor([2, 3]), tensor([4])]
    """

    @signed
    def __init__(self, dataset, batch_size, shuffle, collate_fn, drop_last, generator):
        collate = itemgetter(0) if batch_size is None else collate_fn or default_collate
        rng = None if generator is None else source(generator)
        size = 1 if batch_size is None else batch_size
        self.collate = collate
        self._stream = dataset if isinstance(dataset, IterableDataset) else None
        if self._stream is not None and shuffle:
            raise ValueError(f"DataLoader: shuffle is {shuffle}; an IterableDataset has its own order")
        super().__init__((None,) if self._stream is not None else dataset, size, bool(shuffle), rng, drop_last, collate)

    def __len__(self) -> int:
        if self._stream is not None:
            raise TypeError("DataLoader: an IterableDataset has no length")
        return super().__len__()

    def __iter__(self) -> Iterator[Any]:
        return super().__iter__() if self._stream is None else self._batches(iter(self._stream))

    def _batches(self, stream: Iterator[Any]) -> Iterator[Any]:
        while (rows := list(islice(stream, self.batch_size))) and (len(rows) == self.batch_size or not self.drop_last):
            yield self.collate(rows)


__getattr__ = gather(__name__)
