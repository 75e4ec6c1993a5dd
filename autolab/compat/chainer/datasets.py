"""``chainer.datasets``"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ... import data as _data
from ...data.dataset import Examples, by_place
from ..table import fill
from .dataset import DatasetMixin, get_dataset_directory


class TupleDataset(Examples):
    """Sequences of the same length; an example is a tuple with one element of each.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> data = chainer.datasets.TupleDataset(np.arange(3.0), [0, 1, 0])
    >>> len(data), data[1], data[:2]
    (3, (np.float64(1.0), 1), [(np.float64(0.0), 0), (np.float64(1.0), 1)])
    """

    def __init__(self, *datasets: Any) -> None:
        if not datasets:
            raise ValueError("TupleDataset: got no dataset; expected at least one")
        lengths = [len(dataset) for dataset in datasets]
        if len(set(lengths)) > 1:
            raise ValueError(f"TupleDataset: the datasets have the lengths {lengths}; expected one length")
        self._datasets = tuple([by_place(dataset) for dataset in datasets])

    def __len__(self) -> int:
        return len(self._datasets[0])

    def __getitem__(self, index: Any) -> Any:
        """One example, or a list of examples for a slice, a list or an array."""
        if isinstance(index, list | np.ndarray):
            return [self[int(i)] for i in index]
        parts = [dataset[index] for dataset in self._datasets]
        return list(zip(*parts, strict=True)) if isinstance(index, slice) else tuple(parts)


class DictDataset(Examples):
    """Named sequences of the same length; an example is a dictionary."""

    def __init__(self, **datasets: Any) -> None:
        self._names, self._rows = list(datasets), TupleDataset(*datasets.values())

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        """One example, or a list of examples for a slice."""
        found = self._rows[index]
        if isinstance(found, tuple):
            return dict(zip(self._names, found, strict=True))
        return [dict(zip(self._names, row, strict=True)) for row in found]


class SubDataset(DatasetMixin):
    """Part of a dataset, optionally in another order."""

    def __init__(self, dataset: Any, start: int, finish: int, order: Sequence[int] | None = None) -> None:
        if not 0 <= start <= finish <= len(dataset) or (order is not None and len(order) != len(dataset)):
            raise ValueError(f"SubDataset: start {start}, finish {finish} or order do not fit {len(dataset)} examples")
        self._dataset, self._places = by_place(dataset), range(start, finish) if order is None else order[start:finish]

    def __len__(self) -> int:
        return len(self._places)

    def get_example(self, i: int) -> Any:
        """The example with index ``i`` in this part."""
        return self._dataset[int(self._places[i])]


class ConcatenatedDataset(DatasetMixin):
    """Datasets concatenated."""

    def __init__(self, *datasets: Any) -> None:
        self._all = _data.ConcatDataset(datasets)

    def __len__(self) -> int:
        return len(self._all)

    def get_example(self, i: int) -> Any:
        """The example with index ``i``."""
        return self._all[i]


class TransformDataset(DatasetMixin):
    """A dataset with a function applied to each example."""

    def __init__(self, dataset: Any, transform: Any, transform_: Callable[[Any], Any] | None = None) -> None:
        self._dataset, self._transform = by_place(dataset), transform if transform_ is None else transform_

    def __len__(self) -> int:
        return len(self._dataset)

    def get_example(self, i: int) -> Any:
        """The transformed example with index ``i``."""
        return self._transform(self._dataset[i])


def split_dataset(dataset: Any, split_at: int, order: Any = None) -> tuple[SubDataset, SubDataset]:
    """Split into the first ``split_at`` examples and the rest."""
    if not isinstance(split_at, int | np.integer):
        raise TypeError(f"split_dataset: split_at is {split_at!r:.60}; expected an integer")
    return SubDataset(dataset, 0, split_at, order), SubDataset(dataset, split_at, len(dataset), order)


def split_dataset_n(dataset: Any, n: int, order: Any = None) -> list[SubDataset]:
    """Split into ``n`` parts of equal length; left-over examples are dropped."""
    size = len(dataset) // n
    return [SubDataset(dataset, i * size, (i + 1) * size, order) for i in range(n)]


def get_cross_validation_datasets(dataset: Any, n_folds: int, order: Any = None) -> list[tuple[Any, Any]]:
    """Pairs of training and test data for cross-validation: each example is in one test set."""
    order = np.arange(len(dataset)) if order is None else np.asarray(order)
    ends = np.linspace(0, len(dataset), n_folds + 1).round().astype(int)
    found = []
    for start, end in pairwise(ends):
        turned = np.concatenate([order[:start], order[end:], order[start:end]])
        found.append(split_dataset(dataset, len(order) - int(end - start), turned))
    return found


def _pair(name: str, fetch: Callable[[], Any], withlabel: bool, ndim: int, *how: Any) -> tuple[Any, Any]:
    """The training and test images: from Chainer's directory if it has stored them there, otherwise downloaded."""
    shapes = {1: (-1, 784), 2: (-1, 28, 28), 3: (-1, 1, 28, 28)}
    if ndim not in shapes:
        raise ValueError(f"get_mnist: ndim is {ndim!r:.60}; expected 1, 2 or 3")
    folder = get_dataset_directory(f"pfnet/chainer/{name}", create_directory=False)
    paths = [Path(folder, f"{part}.npz") for part in ("train", "test")]
    found = [_stored(path) for path in paths] if all([path.exists() for path in paths]) else [x.arrays for x in fetch()]
    train, test = [_images(*arrays, withlabel, shapes[ndim], *how) for arrays in found]
    return train, test


def _stored(path: Path) -> tuple[Any, Any]:
    with np.load(path, allow_pickle=False) as file:
        return file["x"] / np.float32(255), file["y"]


def _images(images: Any, labels: Any, withlabel: bool, shape: Any, scale: float, *how: Any) -> Any:
    dtype, label_dtype, rgb = how
    images = images.reshape(shape).astype(dtype) * np.dtype(dtype).type(scale)
    if rgb and len(shape) > 2:
        images = np.broadcast_to(images.reshape(-1, 1, 28, 28), (len(images), 3, 28, 28)).copy()
    return TupleDataset(images, labels.astype(label_dtype)) if withlabel else images


__getattr__ = fill(__name__)
