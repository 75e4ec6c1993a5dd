"""Array modules and devices. This is the only file of AutoLab that imports cupy.

`modules` maps an array type to its module. NumPy is always registered; CuPy is added when the first CuPy array is seen,
so that cupy is imported only if the user imports it or calls `to_gpu`.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from types import ModuleType
from typing import Any, Literal, NamedTuple

import numpy as np

Array = Any
"""A numpy.ndarray, a cupy.ndarray, or an array of `autolab.transforms.tracing`."""

modules: dict[type, ModuleType] = {np.ndarray: np}

numpys: set[type] = {np.ndarray}
"""The array types that NumPy itself computes with: its own, and those that record what it does."""


def is_array(value: object) -> bool:
    """Whether the engine works on ``value`` directly (exactly NumPy's or CuPy's array type, no subclass)."""
    kind = type(value)
    return kind in modules or _register_cupy(kind)


def _register_cupy(kind: type) -> bool:
    if kind.__name__ != "ndarray" or kind.__module__.partition(".")[0] != "cupy":
        return False
    import cupy

    modules[kind] = cupy
    return True


def get_array_module(*arrays: object) -> ModuleType:
    """The module of ``arrays``: ``numpy`` or ``cupy``.

    Parameters
    ----------
    *arrays : array, Variable or anything else
        Numbers and None are ignored. Without any array, the result is NumPy.

    Returns
    -------
    module
        Always ``numpy`` if CUDA is absent.

    Raises
    ------
    TypeError
        If NumPy and CuPy arrays are mixed.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import get_array_module
    >>> get_array_module(np.ones(3)).__name__
    'numpy'
    """
    for array in arrays:
        if type(array) is not np.ndarray:
            break
    else:  # the usual case, decided fast
        return np
    found: ModuleType | None = None
    for array in arrays:
        module = modules.get(type(array)) or _module_of(array)
        if module is None:
            continue
        if found is not None and module is not found:
            if in_main_memory(found) and in_main_memory(module):
                found = module if found is np else found
                continue
            places = ", ".join([f"argument {i} on {device_name(a)}" for i, a in enumerate(arrays) if _module_of(a)])
            raise TypeError(f"get_array_module: got {places}; expected one device: move them with to_gpu or to_cpu")
        found = module
    return found or np


def _module_of(value: object) -> ModuleType | None:
    """The module of a Variable's array, or of the first array of its type."""
    array = getattr(value, "array", value)
    return modules[type(array)] if is_array(array) else None


def device_name(array: Array) -> str:
    """Where an array lives: ``cpu`` or ``cuda:0``."""
    device = getattr(array, "device", "cpu")
    return device if isinstance(device, str) else f"cuda:{device.id}"


def in_main_memory(xp: ModuleType) -> bool:
    """Whether arrays of a module are NumPy's own or, like traced ones, can be mixed with them."""
    return xp is np or hasattr(xp, "takes_numpy")


def on_gpu(array: Array) -> bool:
    """Whether an array lives on a GPU."""
    return (xp := get_array_module(array)) is not np and hasattr(xp, "cuda")  # NumPy is slow to find a name missing


def strict_linalg(xp: ModuleType) -> AbstractContextManager[Any]:
    """A context in which a matrix without an inverse or a Cholesky factor raises an error on a GPU, as in NumPy.

    By default CuPy does not wait for the device to report it, and continues with meaningless numbers.
    """
    if not hasattr(xp, "cuda"):
        return nullcontext()
    import cupyx

    told: AbstractContextManager[Any] = cupyx.errstate(linalg="raise")
    return told


def cupy_for(who: str) -> Any:
    """CuPy, or an error that says what is missing."""
    for module in modules.values():
        if hasattr(module, "cuda"):  # its arrays were seen, so no need to ask the driver again
            return module
    status = gpu_status()
    if status.state != "ok":
        raise RuntimeError(f"{who}: {status.detail}")
    import cupy

    return cupy


class GpuStatus(NamedTuple):
    """What `autolab doctor` reports about the GPU; ``detail`` is a sentence, ``version`` that of CuPy, if installed."""

    state: Literal["absent", "broken", "no driver", "ok"]
    detail: str
    version: str | None = None


def gpu_status() -> GpuStatus:
    """Whether CuPy is installed and finds a device. Imports cupy if it is installed."""
    from importlib.util import find_spec

    if find_spec("cupy") is None:
        return GpuStatus("absent", "CuPy is not installed; everything runs on the CPU")
    try:
        import cupy
    except Exception as error:  # cupy raises many kinds of errors when CUDA's libraries do not match
        return GpuStatus("broken", f"CuPy is installed but cannot be imported: {error}")
    try:
        runtime = cupy.cuda.runtime
    except AttributeError:  # a leftover folder of an installation
        return GpuStatus("broken", "CuPy is installed in part only: it has no cupy.cuda")
    try:
        device = runtime.getDeviceProperties(0)["name"].decode()
    except runtime.CUDARuntimeError as error:
        return GpuStatus("no driver", f"CuPy {cupy.__version__} finds no usable GPU: {error}", cupy.__version__)
    return GpuStatus("ok", f"CuPy {cupy.__version__} on {device}", cupy.__version__)
