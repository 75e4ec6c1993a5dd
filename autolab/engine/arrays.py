"""Conversion of user input to arrays: numbers, lists, and data assigned to a Variable or its gradient.

Results of a Variable without a gradient: booleans and indices, ``x > 0`` and ``x.argmax(1)``.

These are NumPy arrays. PyTorch methods that arrays lack work on them as on a Variable: ``(y == t).float().mean()``.

Work on devices: moving arrays, random numbers, time, memory, kernels.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from time import perf_counter
from types import ModuleType
from typing import Any

import numpy as np

from .backend import Array, cupy_for, device_name, get_array_module, is_array, modules, on_gpu
from .errors import a_kind

_METHODS = frozenset(
    [
        *("bool", "cpu", "detach", "dim", "double", "eq", "expand", "float", "half", "int", "long", "ne", "numel"),
        *("numpy", "permute", "to", "unsqueeze", "abs", "clone", "masked_fill", "norm", "requires_grad_", "type"),
        *("expand_as", "gather", "ge", "gt", "index_select", "le", "lt", "masked_select", "t", "topk", "view_as"),
    ]
)


class PlainArray(np.ndarray):
    """A NumPy array with the additional `_METHODS`. Comparisons with it give one again; arithmetic does not."""

    def __getattr__(self, name: str) -> Any:
        if name not in _METHODS:
            raise AttributeError(f"'numpy.ndarray' object has no attribute {name!r}", name=name, obj=self)
        from .variable import Variable

        return getattr(Variable(np.asarray(self), requires_grad=False), name)

    def view(self, *shape: Any) -> Any:  # type: ignore[override]
        """PyTorch's, of a shape, or NumPy's, of a dtype or a class."""
        if shape and all([isinstance(part, int | np.integer | tuple) for part in shape]):
            return plain(self.reshape(*shape))
        return super().view(*shape)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array[()] if return_scalar else plain(array) if array.dtype.kind == "b" else array

    def __repr__(self) -> str:
        return repr(np.asarray(self))


def _method(name: str) -> Any:
    def method(self: Any, *args: Any, **options: Any) -> Any:
        options = {_WORDS.get(word, word): value for word, value in options.items()}
        return plain(getattr(np.ndarray, name)(self, *args, **options))

    return method


_WORDS = {"dim": "axis", "keepdim": "keepdims"}
for _name in ("all", "any", "argmax", "argmin", "mean", "sum"):
    setattr(PlainArray, _name, _method(_name))


def plain(value: Any) -> Any:
    """Boolean and integer arrays as a `PlainArray`; everything else, such as arrays on a GPU, unchanged."""
    return value.view(PlainArray) if type(value) is np.ndarray and value.dtype.kind in "bi" else value


HALF, SINGLE = np.dtype(np.float16), np.dtype(np.float32)
_SCALARS_PER_DTYPE = 4096

_scalars: dict[np.dtype, dict[float, np.ndarray]] = {}


def as_array(value: object, what: str) -> Array:
    """``value`` as an array: arrays unchanged, anything else through NumPy; ``what`` names it in errors."""
    if is_array(value):
        return value
    if hasattr(value, "whole"):  # a recorded scalar
        return value.whole()
    masked = sys.modules.get("numpy.ma")  # if it is not imported, nothing is masked
    if masked is not None and isinstance(value, masked.MaskedArray):
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
    """``result`` as an array: NumPy returns scalars for 0-d results, and a gradient may be a `SlicedGradient`."""
    if type(result) in modules:
        return result
    result = result.whole() if hasattr(result, "whole") else result
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
    except ValueError:  # Python refuses to format integers of more than 4300 digits
        return a_kind(value)


def scalar(value: float, dtype: np.dtype) -> Array:
    """A Python number as a cached 0-d array of ``dtype``, which a ufunc handles twice as fast as the number itself.

    For an integer dtype, integers stay as they are, so that NumPy's own promotion decides.
    """
    try:
        return _scalars[dtype][value]
    except KeyError:
        pass
    if dtype.kind != "f":
        return value
    array = np.array(value, dtype)
    array.flags.writeable = False
    if value == value and value != 0:  # NaN would never be found again; 0.0 and -0.0 would share a key
        table = _scalars.setdefault(dtype, {})
        if len(table) >= _SCALARS_PER_DTYPE:
            table.clear()
        table[value] = array
    return array


def float_array(data: Any) -> Array:
    """Arrays and NumPy scalars keep their dtype; Python numbers and lists of them become float64, except booleans."""
    if type(data) in modules or is_array(data):  # the type of the first GPU array is not registered yet
        return data
    if type(data) is int and abs(data) <= 1.7976931348623157e308:  # the largest float
        return np.asarray(float(data))
    array = as_array(data, "Variable: data")
    is_python = not isinstance(data, np.ndarray | np.generic)
    return array.astype(np.float64) if is_python and array.dtype.kind in "iu" and not holds_arrays(data) else array


def holds_arrays(data: Any) -> bool:
    """Whether a nested list contains arrays or NumPy scalars, which keep their dtype."""
    while isinstance(data, list | tuple) and data:
        data = data[0]
    return isinstance(data, np.ndarray | np.generic)


def array_like(data: Any, own: Array, given: Any, what: str) -> Array:
    """``data``, taken from ``given`` (an array, a Variable or a number), as an array like ``own``."""
    is_variable = data is not given
    array = check_real(data if is_variable else as_array(data, what), what)
    if type(array) is not type(own):
        if (is_array(data) or is_variable) and device_name(array) != device_name(own):
            raise TypeError(
                f"{what}: got an array on {device_name(array)} for a Variable on {device_name(own)}: expected both on "
                "one device; move them with to_gpu or to_cpu"
            )
        array = get_array_module(own).asarray(array)  # a number or a list
    return array.astype(own.dtype, copy=False)


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
