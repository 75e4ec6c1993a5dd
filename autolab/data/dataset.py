"""Datasets: objects with a length whose examples are accessed by index.

Subsets of a dataset, random splits, and datasets joined into one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..engine import a_kind, check_rng, config, takes_other_words, to_gpu

Transform = Callable[[Any], Any]


def by_place(examples: Any) -> Any:
    """What ``examples[i]`` gives by place: of pandas, which looks for a label there, the values; else as it is."""
    if not hasattr(examples, "iloc"):
        return examples
    return examples.to_numpy() if hasattr(examples, "to_numpy") else np.asarray(examples)


class Examples:
    """What has examples by place, and is iterated over from the first to the last.

    Python itself would take any IndexError for the end: one bad place, and a loop would see fewer examples.
    """

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__}: write __len__(self)")

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__}: write __getitem__(self, index)")

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))


class TupleDataset(Examples):
    """Arrays of the same length as a dataset: example ``i`` is the tuple of their ``i``-th elements.

    Parameters
    ----------
    *arrays : arrays or sequences
        Of the same length, such as images and their labels.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.data import TupleDataset
    >>> data = TupleDataset(np.array([[1.0], [2.0], [3.0]]), np.array([0, 1, 0]))
    >>> len(data), data[1]
    (3, (array([2.]), np.int64(1)))
    >>> data[[0, 2]]
    (array([[1.],
           [3.]]), array([0, 0]))
    """

    def __init__(self, *arrays: Any) -> None:
        if not arrays:
            raise ValueError(f"{type(self).__name__}: got no array; expected at least one")
        values, who = [by_place(a) for a in arrays], type(self).__name__
        found = tuple([a if hasattr(a, "shape") else _as_array(i, a) for i, a in enumerate(values)])
        for i, array in enumerate(found):
            if not array.shape:
                raise TypeError(f"{who}: array {i} is {a_kind(arrays[i])} without a length; expected examples")
        lengths = [len(array) for array in found]
        if len(set(lengths)) != 1:
            raise ValueError(f"{who}: the arrays have the lengths {lengths}; expected one length")
        self.arrays = found

    def __len__(self) -> int:
        return len(self.arrays[0])

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        """One example for an integer; arrays of examples for a slice, a list or an array of indices."""
        return tuple([array[index] for array in self.arrays])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join([f'{a.dtype} {a.shape}' for a in self.arrays])})"


def _as_array(i: int, values: Any) -> np.ndarray:
    try:
        return np.asarray(values)
    except ValueError:
        raise ValueError(f"TupleDataset: the examples of array {i} have different shapes; expected one shape") from None


class Dataset(Examples):
    """The base class of datasets with labels and transforms: define `prepare`, which sets ``data`` and ``label``.

    A subclass that defines ``__len__`` and ``__getitem__`` itself, as in PyTorch, needs no `prepare`.

    Parameters
    ----------
    train : bool
        Whether to provide the training data or the test data.
    transform, target_transform : callable, optional
        Applied to an example, and to its label, on each access.

    Attributes
    ----------
    data : sequence
        The examples, before the transform.
    label : sequence or None
        None if there are no labels; the label of every example is then None.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.data import Dataset
    >>> class Squares(Dataset):
    ...     def prepare(self):
    ...         self.data = np.arange(4.0)
    ...         self.label = self.data**2
    >>> Squares(transform=lambda x: 10 * x)[3]
    (np.float64(30.0), np.float64(9.0))
    """

    def __init__(
        self, train: bool = True, transform: Transform | None = None, target_transform: Transform | None = None
    ) -> None:
        for name, given in (("transform", transform), ("target_transform", target_transform)):
            if given is not None and not callable(given):
                raise TypeError(f"{type(self).__name__}: {name} is {a_kind(given)}; expected a function")
        self.train = train
        self.transform = transform or _same
        self.target_transform = target_transform or _same
        self.data: Any = None
        self.label: Any = None
        kind = type(self)
        if kind.prepare is Dataset.prepare and kind.__getitem__ is not Dataset.__getitem__:
            return  # as in PyTorch: the subclass says how many examples there are, and which
        self.prepare()
        if self.data is None:
            raise ValueError(f"{type(self).__name__}.prepare left self.data at None; expected a sequence of examples")
        self.data, self.label = by_place(self.data), by_place(self.label)

    def prepare(self) -> None:
        """Set ``self.data`` and, if there are labels, ``self.label``."""
        raise NotImplementedError(f"{type(self).__name__}: write prepare(self)")

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        """The example with this index and its label, both transformed."""
        if not isinstance(index, int | np.integer) or isinstance(index, bool):
            raise TypeError(f"{type(self).__name__}: the index is {index!r:.60}; expected a whole number")
        label = None if self.label is None else self.target_transform(self.label[index])
        return self.transform(self.data[index]), label


def _same(x: Any) -> Any:
    return x


def batch_of(dataset: Any, indices: np.ndarray) -> tuple[Any, ...]:
    """The examples with these indices as a batch: one array for each part of an example."""
    if isinstance(dataset, TupleDataset):
        return dataset[indices]
    with NoEnd(dataset):
        return concat_examples([dataset[int(i)] for i in indices])


class NoEnd:
    """Turns a StopIteration of the dataset's own, of a file that has no more lines, into an error: a loop over the
    batches would take it for the end, and see fewer examples."""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is StopIteration:
            what = f"{type(self._dataset).__name__}: an example raised StopIteration, which would end the loop"
            raise RuntimeError(f"{what} over the batches; expected IndexError for a place outside the data") from error


@takes_other_words
def concat_examples(examples: Sequence[Any], device: Any = None) -> tuple[Any, ...]:
    """Stack examples into a batch: a list of ``(x, t)`` becomes two arrays, a list of anything but tuples one.

    Parameters
    ----------
    examples : sequence
        A tuple of arrays, which is a batch already, is returned as it is.
    device : int, optional
        The CPU for None or -1; otherwise the arrays are moved to the current GPU.

    Raises
    ------
    ValueError
        If there are no examples, or their shapes differ.

    Examples
    --------
    >>> from autolab.data import concat_examples
    >>> concat_examples([([1.0, 2.0], 0), ([3.0, 4.0], 1)])
    (array([[1., 2.],
           [3., 4.]]), array([0, 1]))
    """
    if not examples:
        raise ValueError("concat_examples: got no examples; expected at least one")
    if isinstance(examples, tuple) and all([isinstance(part, np.ndarray) for part in examples]):
        return examples
    if device not in (None, -1):
        return tuple([to_gpu(part) for part in concat_examples(examples)])
    rows = [e if isinstance(e, tuple) else (e,) for e in examples]
    if len(counts := {len(row) for row in rows}) > 1:
        raise ValueError(
            f"concat_examples: the examples have {sorted(counts)!s:.60} parts; expected one number of them"
        )
    return tuple([_stacked(i, values) for i, values in enumerate(zip(*rows, strict=True))])


def _stacked(i: int, values: tuple[Any, ...]) -> Any:
    if all([value is None for value in values]):
        return None
    if isinstance(values[0], Mapping):
        raise TypeError(
            f"concat_examples: part {i} of the examples is {a_kind(values[0])}; expected numbers, in tuples"
        )
    arrays = [value if hasattr(value, "requires_grad") else np.asarray(value) for value in values]
    shapes = sorted({a.shape for a in arrays})
    if len(shapes) > 1:
        raise ValueError(f"concat_examples: part {i} of the examples has the shapes {shapes!s:.100}; expected one")
    return np.stack(arrays)


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
