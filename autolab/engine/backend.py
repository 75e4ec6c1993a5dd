"""Arrays and where they live. This is the only file of AutoLab that names cupy.

`modules` maps an array type to the module that works on it. NumPy's entry is always there; CuPy's is added when the
first CuPy array is seen, so that nothing here imports cupy unless the user did, or asked for `to_gpu`.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from time import perf_counter
from types import ModuleType
from typing import Any, Literal

import numpy as np

from .errors import a_kind

HAS_FLAGS = sys.platform != "emscripten"
"""Whether the processor tells of floating-point operations that went wrong."""

# Seconds that the running thread has computed. A browser's Python has one thread, and no clock for it alone.
thread_time: Callable[[], float] = getattr(time, "thread_time", time.process_time)

Array = Any
"""A numpy.ndarray, a cupy.ndarray, or what `autolab.tracing` puts in their place."""

modules: dict[type, ModuleType] = {np.ndarray: np}

_SCALARS_PER_DTYPE = 4096
_scalars: dict[np.dtype, dict[float, np.ndarray]] = {}


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
            if np in (found, module) and hasattr(other := module if found is np else found, "takes_numpy"):
                found = other
                continue
            places = ", ".join([f"argument {i} on {device_name(a)}" for i, a in enumerate(arrays) if _module_of(a)])
            raise TypeError(f"get_array_module: got {places}; expected one device: move them with to_gpu or to_cpu")
        found = module
    return found or np


def _module_of(value: object) -> ModuleType | None:
    """The module of a Variable's array, or of the first array of its type."""
    array = getattr(value, "array", value)
    return modules[type(array)] if is_array(array) else None


def as_array(value: object, what: str) -> Array:
    """``value`` as an array: arrays as they are, anything else through NumPy; ``what`` names it in errors."""
    if is_array(value):
        return value
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{what}: got a masked array, whose mask would be lost; fill it: a.filled(0.0)")
    try:
        array = np.asarray(value)
    except ValueError:
        raise TypeError(
            f"{what}: got {_describe(value, None)}; expected lists of equal lengths, as in [[1, 2], [3, 4]]"
        ) from None
    if array.dtype.kind not in "biuf":
        raise TypeError(
            f"{what}: got {_describe(value, array)}; expected real numbers (float32, float64, integers or booleans)"
        )
    return array


def array_of(result: Any) -> Array:
    """``result`` as an array: NumPy gives scalars where a result is 0-d."""
    return result if type(result) in modules else np.asarray(result)


def check_real(array: Array, what: str) -> Array:
    """``array`` itself if its numbers are real, else a TypeError that names ``what``."""
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{what}: got an array of {array.dtype}; expected real numbers (complex is not supported)")
    return array


def _describe(value: object, array: np.ndarray | None) -> str:
    if array is not None and isinstance(value, np.ndarray):
        return f"an array of {array.dtype}"
    try:
        return "None" if value is None else f"{type(value).__name__} {value!r:.60}"
    except ValueError:  # Python writes no number of more than 4300 digits
        return a_kind(value)


def scalar(value: float, dtype: np.dtype) -> Array:
    """A Python number as a cached 0-d array of ``dtype``: a ufunc takes it twice as fast as the number itself.

    Integers stay what they are beside an integer array, so that NumPy's own promotion decides.
    """
    try:
        return _scalars[dtype][value]
    except KeyError:
        pass
    if dtype.kind != "f":
        return value
    array = np.array(value, dtype)
    array.flags.writeable = False
    if value == value and value != 0:  # NaN is never found again, and 0.0 and -0.0 would share a key
        table = _scalars.setdefault(dtype, {})
        if len(table) >= _SCALARS_PER_DTYPE:
            table.clear()
        table[value] = array
    return array


def device_name(array: Array) -> str:
    """Where an array lives: ``cpu`` or ``cuda:0``."""
    device = getattr(array, "device", "cpu")
    return device if isinstance(device, str) else f"cuda:{device.id}"


def generator(xp: ModuleType, rng: np.random.Generator) -> Any:
    """What draws random numbers as arrays of ``xp``: ``rng`` itself, or a generator on the GPU that ``rng`` seeds.

    The GPU's one is good for a single draw. All that has to be kept to draw the same again is in ``rng``, so that seeds
    and saved states of a training run mean the same on every device.
    """
    return rng if xp is np else xp.random.Generator(xp.random.Philox4x3210(int(rng.integers(1 << 63))))


def on_gpu(array: Array) -> bool:
    """Whether an array lives on a GPU."""
    return hasattr(get_array_module(array), "cuda")


def to_cpu(array: Any) -> Any:
    """What holds arrays, in main memory.

    Parameters
    ----------
    array : array, batch, or what moves itself
        An array is given back itself if it is there, else as a copy; so is a Variable, and the copy is a step of its
        graph. A batch is a tuple, list or dict of such; numbers in it stay. A `Parameter`, `Link` or `Optimizer` moves,
        and is given back itself.

    Raises
    ------
    TypeError
        If it is none of these.

    Examples
    --------
    >>> import autolab
    >>> import numpy as np
    >>> x = np.ones(2)
    >>> autolab.to_cpu(x) is x
    True
    """
    return _moved("to_cpu", array, lambda a: a if isinstance(a, np.ndarray) else a.get())


def to_gpu(array: Any) -> Any:
    """What holds arrays, on the current GPU; takes what `to_cpu` takes.

    Raises
    ------
    RuntimeError
        If CuPy or a GPU is missing; the message says which.

    Examples
    --------
    >>> import autolab
    >>> import numpy as np
    >>> x = autolab.to_gpu(np.ones(2))  # doctest: +SKIP
    """
    return _moved("to_gpu", array, lambda a: a if on_gpu(a) else _gpu("to_gpu").asarray(a))


def _moved(name: str, value: Any, move: Callable[[Array], Array]) -> Any:
    if is_array(value):
        return move(value)
    if isinstance(value, tuple | list):
        items = [_moved(name, item, move) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        return {key: _moved(name, item, move) for key, item in value.items()}
    if isinstance(value, int | float | np.generic):
        return value
    if hasattr(value, name):
        return getattr(value, name)()
    raise TypeError(f"{name}: got {a_kind(value)}; expected an array, a Variable, or a batch of them")


def device(index: int) -> AbstractContextManager[Any]:
    """Choose the GPU on which arrays are made inside a ``with``: ``with autolab.device(0):``.

    Raises
    ------
    RuntimeError
        If CuPy or a GPU is missing; the message says which.
    ValueError
        If there is no GPU of this number.

    Examples
    --------
    >>> import autolab
    >>> import numpy as np
    >>> with autolab.device(0):  # doctest: +SKIP
    ...     x = autolab.to_gpu(np.ones(2))
    """
    cupy = _gpu("device")
    count = cupy.cuda.runtime.getDeviceCount()
    if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < count:
        raise ValueError(f"device: got {index!r:.60}; expected a number from 0 to {count - 1}, one of the GPUs here")
    chosen: AbstractContextManager[Any] = cupy.cuda.Device(index)
    return chosen


def stopwatch(xp: ModuleType) -> Callable[[], float]:
    """Starts to measure; calling the result gives the seconds since then, on a GPU between two events on the device."""
    if not hasattr(xp, "cuda"):
        start = perf_counter()
        return lambda: perf_counter() - start
    cuda = xp.cuda
    first, last = cuda.Event(), cuda.Event()
    first.record()

    def stop() -> float:
        last.record()
        last.synchronize()
        return float(cuda.get_elapsed_time(first, last)) / 1000

    return stop


def strict_linalg(xp: ModuleType) -> AbstractContextManager[Any]:
    """Within it a matrix that has no inverse, or no Cholesky factor, is an error on a GPU as it is in NumPy.

    CuPy, left to itself, does not wait for the device to say so, and goes on with numbers that mean nothing.
    """
    if not hasattr(xp, "cuda"):
        return nullcontext()
    import cupyx

    told: AbstractContextManager[Any] = cupyx.errstate(linalg="raise")
    return told


def refuse_singular(result: Array, *given: Array) -> Array:
    """The result of a routine for matrices, refused if it is not finite although all that was given is.

    NumPy learns from the processor's flags that a matrix has no inverse. A browser has none for Python, and NumPy
    goes on with NaN.

    Raises
    ------
    numpy.linalg.LinAlgError
        If it is refused.
    """
    if HAS_FLAGS or np.isfinite(result).all() or not all(np.isfinite(array).all() for array in given):
        return result
    raise np.linalg.LinAlgError("Singular matrix")


def pool_bytes(xp: ModuleType) -> tuple[int, int]:
    """How many bytes of the memory pool of CuPy are in use, and how many it holds."""
    pool = xp.get_default_memory_pool()
    return int(pool.used_bytes()), int(pool.total_bytes())


def compiled_kernel(in_params: str, out_params: str, operation: str, name: str) -> Callable[..., Any]:
    """CuPy's kernel of an `elementwise_kernel`."""
    kernel: Callable[..., Any] = _gpu(name).ElementwiseKernel(in_params, out_params, operation, name)
    return kernel


def _gpu(who: str) -> Any:
    """CuPy, or an error that says what is missing."""
    for module in modules.values():
        if hasattr(module, "cuda"):  # arrays of it were seen: no need to ask the driver again
            return module
    status = gpu_status()
    if status.state != "ok":
        raise RuntimeError(f"{who}: {status.detail}")
    import cupy

    return cupy


@dataclass(frozen=True)
class GpuStatus:
    """What `autolab doctor` says about the GPU; ``detail`` is a sentence, ``version`` CuPy's, if it is there."""

    state: Literal["absent", "broken", "no driver", "ok"]
    detail: str
    version: str | None = None


def gpu_status() -> GpuStatus:
    """Whether CuPy is installed and finds a device. Imports cupy if it is installed."""
    if importlib.util.find_spec("cupy") is None:
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
