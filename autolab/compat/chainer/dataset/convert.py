"""``chainer.dataset.convert``: converters, which make arrays of the examples of a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import update_wrapper
from typing import Any

import numpy as np

from ....engine import a_kind, get_array_module, is_array
from ..backend import get_device


class Converter:
    """Base class of converters: ``__call__(self, batch, device)`` makes arrays of a batch, on a device."""

    def __call__(self, batch: Any, device: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__}: write __call__(self, batch, device)")


class _FunctionConverter(Converter):
    """A function of a batch and a device as a converter, which is given a device object or None."""

    def __init__(self, function: Callable[..., Any]) -> None:
        if not callable(function):
            raise TypeError(f"converter: got {a_kind(function)}; expected a function of a batch and a device")
        update_wrapper(self, function)
        self._function = function

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        if len(args) > 1:
            args = (args[0], _device(args[1]), *args[2:])
        elif "device" in keywords:
            keywords["device"] = _device(keywords["device"])
        return self._function(*args, **keywords)


def _device(device: Any) -> Any:
    return None if device is None else get_device(device)


def converter() -> Callable[[Any], Any]:
    """A decorator that makes a `Converter` of a function of a batch and a device, which may be None.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> @chainer.dataset.converter()
    ... def halved(batch, device):
    ...     return [x / 2 for x in batch], device
    >>> halved([1, 2], -1)
    ([0.5, 1.0], @numpy)
    """
    return _FunctionConverter


def to_device(device: Any, x: Any) -> Any:
    """Move an array to a device: None leaves it where it is, -1 is main memory, a number that GPU.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> chainer.dataset.to_device(-1, np.ones(2))
    array([1., 1.])
    """
    return x if device is None or not is_array(x) else get_device(device).send(x)


@converter()
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
