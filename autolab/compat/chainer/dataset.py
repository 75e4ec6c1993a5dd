"""``chainer.dataset``: base classes of datasets and iterators, and the conversion of batches to arrays."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...data.dataset import Examples
from ...engine import get_array_module, is_array, to_cpu, to_gpu


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


def to_device(device: Any, x: Any) -> Any:
    """Move an array to a device: None leaves it where it is, -1 is main memory, any other value the current GPU.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> chainer.dataset.to_device(-1, np.ones(2))
    array([1., 1.])
    """
    if device is None or not is_array(x):
        return x
    return to_cpu(x) if str(device) in ("-1", "@numpy") else to_gpu(x)


def concat_examples(batch: Sequence[Any], device: Any = None, padding: Any = None) -> Any:
    """Stack a list of examples into arrays: a tuple of arrays for tuples, a dictionary of arrays for dictionaries.

    Parameters
    ----------
    batch : list
    device : int or str, optional
    padding : number, or one for each element, optional
        Fill value after examples that are smaller than others.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> x, t = chainer.dataset.concat_examples([(np.zeros(2), 0), (np.ones(2), 1)])
    >>> x.shape, t
    ((2, 2), array([0, 1]))
    """
    if not len(batch):
        raise ValueError("concat_examples: batch is empty")
    first = batch[0]
    if isinstance(first, tuple):
        paddings = padding if isinstance(padding, tuple) else (padding,) * len(first)
        return tuple([_joined([e[i] for e in batch], device, paddings[i]) for i in range(len(first))])
    if isinstance(first, dict):
        by_name = padding if isinstance(padding, dict) else dict.fromkeys(first, padding)
        return {name: _joined([e[name] for e in batch], device, by_name[name]) for name in first}
    return _joined(list(batch), device, padding)


def _joined(values: list[Any], device: Any, padding: Any) -> Any:
    arrays = [value if is_array(value) else np.asarray(value) for value in values]
    xp = get_array_module(*arrays)
    if padding is None:
        return to_device(device, xp.stack(arrays))
    shape = [max(lengths) for lengths in zip(*[array.shape for array in arrays], strict=True)]
    joined = xp.full((len(arrays), *shape), padding, arrays[0].dtype)
    for i, array in enumerate(arrays):
        joined[(i, *[slice(n) for n in array.shape])] = array
    return to_device(device, joined)


def converter() -> Callable[[Any], Any]:
    """A decorator for functions of a batch and a device; it has no effect here.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> @chainer.dataset.converter()
    ... def halved(batch, device):
    ...     return [x / 2 for x in batch]
    >>> halved([1, 2], None)
    [0.5, 1.0]
    """
    return lambda function: function


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
