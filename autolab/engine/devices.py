"""Work on devices: moving arrays, random numbers, time, memory, kernels."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from time import perf_counter
from types import ModuleType
from typing import Any

import numpy as np

from .backend import Array, cupy_for, is_array, on_gpu
from .errors import a_kind
from .plain_arrays import PlainArray

HAS_FLAGS = sys.platform != "emscripten"
"""Whether the processor's floating-point error flags are available."""

# CPU time of the current thread, in seconds. Python in a browser has a single thread, and no clock for it.
thread_time: Callable[[], float] = getattr(time, "thread_time", time.process_time)


# Threads per block, one per element. A GPU starts about one block per clock cycle: with CuPy's 128 threads per block
# its memory would be idle part of the time. A block has enough registers for 256 threads of any kernel.
_BLOCK = 256


def to_cpu(array: Any) -> Any:
    """Move arrays, or objects that hold arrays, to main memory.

    Parameters
    ----------
    array : array, Variable, batch, Parameter, Link or Optimizer
        An array or Variable that is already there is returned as is, otherwise as a copy; the copy of a Variable is a
        step of the graph. A batch is a tuple, list or dict of these; numbers in it are unchanged. A `Parameter`, `Link`
        or `Optimizer` is moved in place and returned.

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
    if type(array) is np.ndarray:  # at once: checks of gradients ask for each of thousands of results
        return array
    return _moved("to_cpu", array, lambda a: a if isinstance(a, np.ndarray) else a.get())


def to_gpu(array: Any) -> Any:
    """Move arrays, or objects that hold arrays, to the current GPU; accepts the same as `to_cpu`.

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
    return _moved("to_gpu", array, lambda a: a if on_gpu(a) else cupy_for("to_gpu").asarray(a))


def _moved(name: str, value: Any, move: Callable[[Array], Array]) -> Any:
    if is_array(value) or type(value) is PlainArray:
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


def device(index: int | str) -> Any:
    """Select the GPU for new arrays inside a ``with`` block: ``with autolab.device(0):``.

    A name such as ``"cpu"`` or ``"cuda"`` is returned as is, for ``x.to(device)`` and ``model.to(device)``.

    Raises
    ------
    RuntimeError
        If CuPy or a GPU is missing; the message says which.
    ValueError
        If there is no GPU with this index.

    Examples
    --------
    >>> import autolab
    >>> import numpy as np
    >>> with autolab.device(0):  # doctest: +SKIP
    ...     x = autolab.to_gpu(np.ones(2))
    """
    if isinstance(index, str) and index.partition(":")[0] in ("cpu", "cuda"):
        return index
    cupy = cupy_for("device")
    count = cupy.cuda.runtime.getDeviceCount()
    if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < count:
        raise ValueError(f"device: got {index!r:.60}; expected a number from 0 to {count - 1}, one of the GPUs here")
    return cupy.cuda.Device(index)


def generator(xp: ModuleType, rng: np.random.Generator) -> Any:
    """A random generator for arrays of ``xp``: ``rng`` itself, or a generator on the GPU that is seeded from ``rng``.

    The GPU generator is for a single draw. The complete random state is in ``rng``, so that seeds and saved states of a
    training run mean the same on every device.
    """
    if xp is np or hasattr(xp, "draws_as_numpy"):
        return rng
    return xp.random.Generator(xp.random.Philox4x3210(int(rng.integers(1 << 63))))


def stopwatch(xp: ModuleType) -> Callable[[], float]:
    """Start a stopwatch; calling it gives the seconds since then, on a GPU between two events on the device."""
    if xp is np or not hasattr(xp, "cuda"):  # looking up a missing name in NumPy is slow
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


def pool_bytes(xp: ModuleType) -> tuple[int, int]:
    """The bytes in use in CuPy's memory pool, and the bytes it holds."""
    pool = xp.get_default_memory_pool()
    return int(pool.used_bytes()), int(pool.total_bytes())


def compiled_kernel(in_params: str, out_params: str, operation: str, name: str) -> Callable[..., Any]:
    """The CuPy kernel of an `elementwise_kernel`."""
    kernel = cupy_for(name).ElementwiseKernel(in_params, out_params, operation, name)
    return partial(kernel, block_size=_BLOCK)


def refuse_singular(result: Array, *given: Array) -> Array:
    """Return the result of a matrix routine; refuse it if it is not finite although all inputs are.

    NumPy detects a matrix without an inverse by the processor's flags. A browser gives Python none, and NumPy continues
    with NaN.

    Raises
    ------
    numpy.linalg.LinAlgError
        If it is refused.
    """
    if HAS_FLAGS or np.isfinite(result).all() or not all(np.isfinite(array).all() for array in given):
        return result
    raise np.linalg.LinAlgError("Singular matrix")
