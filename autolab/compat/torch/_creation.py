"""New tensors: from data, filled with a value, ranges, and random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import configuration as _configuration
from ...engine import device_name, get_array_module, to_gpu
from ...engine.arrays import holds_arrays
from ...functions.arrays import device_transfer
from ...functions.pytorch_tensor_names import multinomial as _multinomial  # noqa: F401  # for table.txt
from ...links import init
from ..table import fill
from ._arguments import cast, common_dtype
from ._shapes import _lengths, clone
from ._tensor import Engine, constant, dressed, nested, plain
from ._types import default_dtype, numpy_dtype, of_array
from ._types import device as _device


def to(self: Any, *args: Any, **options: Any) -> Any:
    """Convert to another type, move to another device, or match the type and device of another tensor."""
    unknown = options.keys() - {"device", "dtype", "non_blocking", "copy"}
    if unknown:
        raise TypeError(f"to: got a keyword {sorted(unknown)[0]!r:.60}; expected device, dtype, copy or non_blocking")
    given = [*args, options.get("device"), options.get("dtype")]
    y = self
    for one in given:
        if isinstance(one, Engine):
            y = to(y, of_array(one._data), device_name(one._data))
        elif isinstance(one, str):
            wanted, there = _device(one), get_array_module(y._data) is not np
            if (wanted.type == "cuda") != there:
                y = dressed(device_transfer.to_cpu(y) if there else device_transfer.to_gpu(y))
        elif one is not None and not isinstance(one, bool):
            y = cast(y, numpy_dtype("to", one))
    return clone(y) if options.get("copy") and y is self else y


def _made(array: Any, function: str, dtype: Any, device: Any, requires_grad: bool) -> Any:
    if dtype is not None:
        array = array.astype(numpy_dtype(function, dtype), copy=False)
    if device is not None and _device(device).type == "cuda":
        array = to_gpu(array)
    return constant(array).requires_grad_() if requires_grad else constant(array)


def tensor(data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    """A tensor with a copy of a number, nested lists or an array.

    Python floats become float32, integers int64; arrays keep their type.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> torch.tensor([1, 2]).dtype, torch.tensor([1.0, 2.0])
    (torch.int64, tensor([1., 2.]))
    """
    given = nested(data)
    array = np.array(given)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"tensor: data is of {array.dtype}; expected real numbers")
    if dtype is None and array.dtype == np.float64 and not holds_arrays(given):
        dtype = default_dtype()
    return _made(array, "tensor", dtype, device, requires_grad)


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Any:
    """A tensor of ``data``; if that is an array, the tensor shares its memory."""
    if isinstance(data, np.ndarray):
        return _made(data, "as_tensor", dtype, device, False)
    if isinstance(data, Engine):
        return to(data, dtype, device)
    return tensor(data, dtype=dtype, device=device)


def from_numpy(ndarray: Any) -> Any:
    """A tensor that shares the memory of an array."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"from_numpy: got {type(ndarray).__name__}; expected a numpy.ndarray")
    return constant(ndarray)


def _shape(sizes: tuple[Any, ...], options: dict[str, Any]) -> tuple[int, ...]:
    given = options.pop("size", sizes)
    return _lengths(given if isinstance(given, tuple | list) else (given,))


def _options(function: str, options: dict[str, Any]) -> dict[str, Any]:
    """``dtype``, ``device`` and ``requires_grad``."""
    given = {name: value for name, value in options.items() if value is not None}
    unknown = given.keys() - {"dtype", "device", "requires_grad"}
    if unknown:
        raise TypeError(f"{function}: got {sorted(unknown)[0]!r:.60}; expected dtype, device or requires_grad")
    return {"dtype": None, "device": None, "requires_grad": False, **given}


def _new(array: Any, function: str, options: dict[str, Any]) -> Any:
    """A tensor of an array; float64 is converted to the default type unless another is requested."""
    given = _options(function, options)
    if given["dtype"] is None and array.dtype.kind == "f":
        given["dtype"] = default_dtype()
    return _made(array, function, **given)


def _like(input: Any, options: dict[str, Any]) -> dict[str, Any]:
    """The options, where dtype and device default to those of a tensor."""
    given = {name: value for name, value in options.items() if value is not None}
    return {"dtype": input._data.dtype, "device": input.device, **given}


def arange(start: Any = 0, end: Any = None, step: Any = 1, **options: Any) -> Any:
    """Numbers from ``start`` (0) up to, but not including, ``end``."""
    first, last = (0, start) if end is None else (start, end)
    return _new(np.arange(*_ends(options, first, last, step)), "arange", options)


def _ends(options: dict[str, Any], *numbers: Any) -> list[Any]:
    """The arguments of a range, as integers if an integer type is requested."""
    dtype = options.get("dtype")
    whole = dtype is not None and numpy_dtype("range", dtype).kind in "iu"
    return [np.trunc(plain(n)).astype(np.int64) if whole else np.asarray(plain(n)).item() for n in numbers]


# ---------------------------------------------------------------------- at random
class Generator:
    """A source of random numbers, for ``generator=``. Its numbers are NumPy's, not PyTorch's.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> g = torch.Generator().manual_seed(0)
    >>> torch.rand(2, generator=g).shape
    torch.Size([2])
    """

    def __init__(self, device: Any = "cpu") -> None:
        self.device = _device(device)  # NumPy draws for every device
        self.rng = np.random.default_rng()

    def manual_seed(self, seed: int) -> Generator:
        """Seed the generator. Returns it."""
        self.rng.bit_generator.state = np.random.default_rng(seed).bit_generator.state  # whoever has it draws anew
        return self


def manual_seed(seed: int) -> None:
    """Seed the default generator of all threads. The random numbers are NumPy's, not PyTorch's."""
    _configuration.global_config.rng = np.random.default_rng(seed)


source = init.source
"""What draws."""


def _drawn(name: str, draw: Any, size: tuple[Any, ...], options: dict[str, Any]) -> Any:
    rng, shape = source(options.pop("generator", None)), _shape(size, options)
    made = _new(draw(rng, shape), name, options)
    if made._data.dtype.kind != "f":
        raise RuntimeError(f"{name}: dtype is {made.dtype}; expected one of floats")
    return made


def randint(low: int, high: Any = None, size: Any = None, *, generator: Any = None, **options: Any) -> Any:
    """Random integers from ``low`` (0) up to, but not including, ``high``."""
    given = _options("randint", options)
    if size is None:
        low, high, size = 0, low, high
    return _made(source(generator).integers(low, high, tuple(size)), "randint", **given)


def normal(mean: Any, std: Any = 1.0, size: Any = None, *, generator: Any = None) -> Any:
    """Normally distributed random numbers with these means and standard deviations."""
    shape = tuple(size) if size is not None else np.broadcast_shapes(np.shape(plain(mean)), np.shape(plain(std)))
    drawn = source(generator).standard_normal(shape) * plain(std) + plain(mean)
    given = [x._data for x in (mean, std) if isinstance(x, Engine)]
    return constant(np.asarray(drawn, common_dtype(*given) if given else default_dtype()))


__getattr__ = fill(__name__)
