"""Arrays and where they live. This is the only file of AutoLab that imports cupy.

`modules` maps an array type to the module that works on it. NumPy's entry is always there; CuPy's is added when the
first CuPy array is seen, so that nothing here imports cupy unless the user did, or asked for `to_gpu`.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from types import ModuleType
from typing import Any, Literal, NamedTuple

import numpy as np

Array = Any
"""A numpy.ndarray, a cupy.ndarray, or what `autolab.transforms.tracing` puts in their place."""

modules: dict[type, ModuleType] = {np.ndarray: np}

numpys: set[type] = {np.ndarray}
"""The array types that NumPy itself computes with: its own, and those that write down what it does."""


def is_array(value: object) -> bool:
    """True for an array that the engine works on as it is (NumPy's and CuPy's own type, no subclass)."""
    kind = type(value)
    return kind in modules or _register_cupy(kind)


def _register_cupy(kind: type) -> bool:
    if kind.__name__ != "ndarray" or kind.__module__.partition(".")[0] != "cupy":
        return False
    import cupy

    modules[kind] = cupy
    return True


def get_array_module(*arrays: object) -> ModuleType:
    """The module that works on ``arrays``: ``numpy`` or ``cupy``.

    Parameters
    ----------
    *arrays : array, Variable or anything else
        Numbers and None say nothing. Without any array the answer is NumPy.

    Returns
    -------
    module
        Always ``numpy`` where CUDA is absent.

    Raises
    ------
    TypeError
        If some arrays are NumPy's and some CuPy's.

    Examples
    --------
    >>> import numpy as np
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
    """Whether arrays of a module are NumPy's own or, like traced ones, may stand beside them."""
    return xp is np or hasattr(xp, "takes_numpy")


def on_gpu(array: Array) -> bool:
    """Whether an array lives on a GPU."""
    return (xp := get_array_module(array)) is not np and hasattr(xp, "cuda")  # NumPy's search for a name takes long


def strict_linalg(xp: ModuleType) -> AbstractContextManager[Any]:
    """Within it a matrix that has no inverse, or no Cholesky factor, is an error on a GPU as it is in NumPy.

    CuPy, left to itself, does not wait for the device to say so, and goes on with numbers that mean nothing.
    """
    if not hasattr(xp, "cuda"):
        return nullcontext()
    import cupyx

    told: AbstractContextManager[Any] = cupyx.errstate(linalg="raise")
    return told


def cupy_for(who: str) -> Any:
    """CuPy, or an error that says what is missing."""
    for module in modules.values():
        if hasattr(module, "cuda"):  # arrays of it were seen: no need to ask the driver again
            return module
    status = gpu_status()
    if status.state != "ok":
        raise RuntimeError(f"{who}: {status.detail}")
    import cupy

    return cupy


class GpuStatus(NamedTuple):
    """What `autolab doctor` says about the GPU; ``detail`` is a sentence, ``version`` CuPy's, if it is there."""

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
    except Exception as error:  # cupy raises many kinds when CUDA's libraries do not fit
        return GpuStatus("broken", f"CuPy is installed but cannot be imported: {error}")
    try:
        runtime = cupy.cuda.runtime
    except AttributeError:  # a folder of that name is left of an installation
        return GpuStatus("broken", "CuPy is installed in part only: it has no cupy.cuda")
    try:
        device = runtime.getDeviceProperties(0)["name"].decode()
    except runtime.CUDARuntimeError as error:
        return GpuStatus("no driver", f"CuPy {cupy.__version__} finds no usable GPU: {error}", cupy.__version__)
    return GpuStatus("ok", f"CuPy {cupy.__version__} on {device}", cupy.__version__)
