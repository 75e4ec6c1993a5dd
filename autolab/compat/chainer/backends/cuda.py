"""``chainer.backends.cuda``: can be imported without CUDA; what needs CuPy raises an error when it is used."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

import numpy as np  # noqa: F401  # for table.txt

from ....engine import arrays as _transfer
from ....engine import backend as _backend
from ....gpu.user_kernel import elementwise_kernel
from ...table import fill


def on_first(device: Any) -> tuple[()]:
    """Nothing, for the current GPU or the first one; any other is refused, as arrays go to the current one."""
    index = getattr(device, "id", device)
    if index is None or str(index).rpartition(":")[2] == "0":
        return ()
    raise NotImplementedError(
        f"to_gpu: device={device!r:.40} is not part of AutoLab's chainer facade; it has the first GPU"
    )


available = _backend.gpu_status().state == "ok"
cudnn_enabled = False


class DummyDeviceType(AbstractContextManager[Any]):
    """The device of arrays in main memory."""

    id = -1

    def __exit__(self, *error: object) -> None:
        pass

    def __int__(self) -> int:
        return self.id

    def __repr__(self) -> str:
        return "<DummyDevice>"

    def use(self) -> None:
        """Does nothing: results are on the device of their inputs."""


DummyDevice = DummyDeviceType()


class _LazyCupy:
    """CuPy, imported when one of its attributes is first used."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(_backend.cupy_for("chainer.backends.cuda.cupy"), name)


class _NoArray:
    """The type of CuPy's arrays if CuPy is missing: nothing is an instance."""


_kernel = cache(elementwise_kernel)
cupy: Any = _LazyCupy()
ndarray: Any = cupy.ndarray if available else _NoArray
get_array_module = _backend.get_array_module


def check_cuda_available() -> None:
    """Raise a RuntimeError that says what is missing, unless there is a GPU to use."""
    _backend.cupy_for("check_cuda_available")


def get_device_from_id(device_id: int | None) -> Any:
    """A GPU as a context manager; for a negative number or None, main memory."""
    if device_id is None or device_id < 0:
        return DummyDevice
    return _transfer.device(device_id)


__getattr__ = fill(__name__)
