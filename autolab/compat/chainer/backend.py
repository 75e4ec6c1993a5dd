"""``chainer.backend``"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import arrays as _transfer
from ...engine import backend as _backend
from ..table import fill
from .backends import cuda

get_array_module = _backend.get_array_module


class CpuDevice(cuda.DummyDeviceType):
    """The CPU: arrays in main memory.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> chainer.backend.CpuDevice().name
    '@numpy'
    """

    xp, name = np, "@numpy"
    supported_array_types = (np.ndarray,)

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and str(other) == str(self)

    def __hash__(self) -> int:
        return hash(str(self))

    def send(self, arrays: Any) -> Any:
        """Move arrays to main memory."""
        return _transfer.to_cpu(arrays)


class GpuDevice(CpuDevice):
    """A GPU."""

    def __init__(self, index: int = 0) -> None:
        self.index, self.name = index, f"@cupy:{index}"
        self.xp = cuda.cupy  # if CuPy is missing, an error that says what is missing

    def send(self, arrays: Any) -> Any:
        """Move arrays to this GPU."""
        with _transfer.device(self.index):
            return _transfer.to_gpu(arrays)


def get_device(device_spec: Any) -> Any:
    """The device for ``-1``, ``"@numpy"``, ``0``, ``"@cupy:0"``, or a device itself.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> chainer.get_device("@numpy")
    @numpy
    """
    if isinstance(device_spec, CpuDevice):
        return device_spec
    name = str(device_spec)
    if name in ("-1", "@numpy", "native", "<DummyDevice>"):
        return CpuDevice()
    number = name.removeprefix("@cupy:")
    if not number.isdigit():
        raise ValueError(f"get_device: got {device_spec!r:.60}; expected -1, '@numpy', or the number of a GPU")
    return GpuDevice(int(number))


def copyto(dst: Any, src: Any) -> None:
    """Copy the elements of one array into another, on any devices.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> a = np.zeros(2)
    >>> chainer.backend.copyto(a, np.ones(2))
    >>> a
    array([1., 1.])
    """
    dst[...] = get_array_module(dst).asarray(_transfer.to_cpu(src) if isinstance(dst, np.ndarray) else src)


__getattr__ = fill(__name__)
