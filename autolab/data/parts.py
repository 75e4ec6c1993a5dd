"""Subsets of a dataset, random splits, and datasets joined into one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..engine import check_rng, config, takes_other_words
from .dataset import Examples, by_place


class Subset(Examples):
    """The examples of a dataset with the given indices.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.data import Subset, TupleDataset
    >>> Subset(TupleDataset(np.arange(5) * 10), [3, 1])[0]
    (np.int64(30),)
    """

    def __init__(self, dataset: Any, indices: Sequence[int] | np.ndarray) -> None:
        self.dataset, self.indices = by_place(dataset), np.asarray(by_place(indices))
        if self.indices.ndim != 1 or (self.indices.size and self.indices.dtype.kind not in "iu"):
            what = f"Subset: indices is of {self.indices.dtype} and of shape {self.indices.shape}"
            raise TypeError(f"{what}; expected the numbers of examples, such as np.flatnonzero(mask)")

    def __getitem__(self, index: Any) -> Any:
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


@takes_other_words
def random_split(dataset: Any, lengths: Sequence[float], rng: np.random.Generator | None = None) -> list[Subset]:
    """Split a dataset at random into parts of the given lengths, or fractions that add up to 1.

    Parameters
    ----------
    dataset : sequence
    lengths : sequence of numbers
        How many examples each part gets, or its share of them.
    rng : numpy.random.Generator, optional
        Draws the order; by default ``autolab.config.rng``.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.data import TupleDataset, random_split
    >>> [len(part) for part in random_split(TupleDataset(np.arange(11)), [0.8, 0.2])]
    [9, 2]
    """
    check_rng("random_split", rng)
    total, sizes = len(dataset), list(lengths)
    if abs(sum(sizes) - 1) < 1e-9:
        sizes = [int(share * total) for share in sizes]
        for i in range(total - int(sum(sizes))):
            sizes[i % len(sizes)] += 1
    if sum(sizes) != total or any([size < 0 or size != int(size) for size in sizes]):
        told = f"random_split: lengths is {list(lengths)!r:.60}"
        raise ValueError(f"{told}; expected whole numbers with a sum of {total}, or shares with a sum of 1")
    order = (config.rng if rng is None else rng).permutation(total)
    return [Subset(dataset, part) for part in np.split(order, np.cumsum(sizes)[:-1].astype(int))]


def split_dataset_random(dataset: Any, first_size: int, seed: int | None = None) -> list[Subset]:
    """`random_split` into the first ``first_size`` examples and the rest."""
    rng = None if seed is None else np.random.default_rng(seed)
    return random_split(dataset, [first_size, len(dataset) - first_size], rng)


class ConcatDataset(Examples):
    """The concatenation of several datasets.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.data import Subset, TupleDataset
    >>> from autolab.utils.data import ConcatDataset
    >>> both = ConcatDataset([TupleDataset(np.arange(3)), TupleDataset(np.arange(10, 12))])
    >>> len(both), both[3]
    (5, (np.int64(10),))
    """

    def __init__(self, datasets: Sequence[Any]) -> None:
        self.datasets = [by_place(one) for one in datasets]
        self._ends = np.cumsum([len(one) for one in self.datasets])

    def __len__(self) -> int:
        return int(self._ends[-1]) if self.datasets else 0

    def __getitem__(self, index: int) -> Any:
        number = range(len(self))[index]
        part = int(np.searchsorted(self._ends, number, side="right"))
        return self.datasets[part][number - (int(self._ends[part - 1]) if part else 0)]
