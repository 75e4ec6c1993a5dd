"""``chainer.dataset``: base classes of datasets and iterators; `convert` makes arrays of batches."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ....data.dataset import Examples
from ...absent import gather


class DatasetMixin(Examples):
    """Base class of datasets: a subclass defines `get_example` and ``__len__``.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> class Squares(chainer.dataset.DatasetMixin):
    ...     def __len__(self):
    ...         return 4
    ...
    ...     def get_example(self, i):
    ...         return i * i
    >>> Squares()[1:], Squares()[-1]
    ([1, 4, 9], 9)
    """

    def get_example(self, i: int) -> Any:
        """The example with index ``i``."""
        raise NotImplementedError(f"{type(self).__name__}: write get_example(self, i)")

    def __getitem__(self, index: Any) -> Any:
        """One example, or a list of examples for a slice, a list or an array."""
        if isinstance(index, slice):
            return [self.get_example(i) for i in range(*index.indices(len(self)))]
        if isinstance(index, list | np.ndarray):
            return [self.get_example(int(i)) for i in index]
        i = int(index)
        if not -len(self) <= i < len(self):
            raise IndexError(f"{type(self).__name__}: there is no example {i}; there are {len(self)}")
        return self.get_example(i % len(self))


class Iterator:
    """Base class of iterators: a subclass defines ``__next__``."""

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__}: write __next__(self)")

    def next(self) -> Any:
        """The next batch."""
        return self.__next__()

    def finalize(self) -> None:
        """Called when the iterator is no longer needed."""

    def serialize(self, serializer: Any) -> None:
        """Save or load its position, as in ``self.i = serializer("i", self.i)``; by default, there is none."""


def get_dataset_root() -> str:
    """The directory of all datasets, from `set_dataset_root` or else the environment's ``CHAINER_DATASET_ROOT``."""
    usual = os.path.join(os.path.expanduser("~"), ".chainer", "dataset")
    return _chosen[-1] if _chosen else os.environ.get("CHAINER_DATASET_ROOT", usual)


def set_dataset_root(path: str) -> None:
    """Set the directory in which datasets are looked for."""
    _chosen.append(path)


_chosen: list[str] = []


def get_dataset_directory(dataset_name: str, create_directory: bool = True) -> str:
    """The directory of a dataset. `get_mnist` reads the files that Chainer stored there.

    Examples
    --------
    >>> import os
    >>> from autolab.compat.chainer.dataset import get_dataset_directory
    >>> get_dataset_directory(os.path.join("pfnet", "chainer", "mnist"), False).endswith("mnist")
    True
    """
    path = os.path.join(get_dataset_root(), dataset_name)
    if create_directory:
        os.makedirs(path, exist_ok=True)
    return path


__getattr__ = gather(__name__, "convert")
