"""A module `cupy` for machines without a GPU: NumPy's functions as CuPy has them, on arrays that stay where they are.

`installed` puts it in CuPy's place, so that AutoLab finds "a GPU". A name or a parameter that CuPy lacks is lacking
here too: `cupy_names` has the real ones.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np

from autolab.engine import backend
from autolab.gpu import device
from autolab.gpu.user_kernel import elementwise_kernel

from . import cupy_names, kernel_text, strict_array, strict_linalg
from .strict_array import ndarray, note, traffic, unwrapped, uploaded, wrapped

_UPLOADING = {"array", "asarray", "ascontiguousarray"}


class Ufunc:
    """A universal function on the device."""

    def __init__(self, ufunc: np.ufunc) -> None:
        self._ufunc, self.__name__ = ufunc, ufunc.__name__

    def __call__(self, *args: Any, **options: Any) -> Any:
        if not set(options) <= {"out", "dtype", "casting"}:
            raise TypeError(f"cupy.{self.__name__}: Wrong arguments {options}")
        note(self.__name__)
        given = {k: unwrapped(v) for k, v in options.items() if v is not None}
        result = wrapped(self._ufunc(*[unwrapped(a) for a in args], **given))
        return options["out"] if options.get("out") is not None else result

    def at(self, a: ndarray, index: Any, b: Any = None) -> None:
        self._ufunc.at(a._host, unwrapped(index), unwrapped(b))


class Namespace(ModuleType):
    """NumPy's functions and constants below one name, such as ``linalg.``."""

    def __init__(self, name: str, numpy: Any, **own: Any) -> None:
        super().__init__(f"cupy.{name}".rstrip("."))
        self._numpy, self._owner = numpy, name
        self.__dict__.update(own)

    def __getattr__(self, name: str) -> Any:
        if name not in cupy_names.names(self._owner):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        found = getattr(self._numpy, name)
        if isinstance(found, np.ufunc) and cupy_names.names(self._owner)[name] == cupy_names.UFUNC:
            return Ufunc(found)
        return found if isinstance(found, type) or not callable(found) else _function(self._owner, name, found)


def _function(owner: str, name: str, numpy_function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **options: Any) -> Any:
        given = cupy_names.checked(owner, name, args, options)
        note(f"{owner}.{name}".lstrip("."))
        options = {k: unwrapped(v) for k, v in options.items()}
        if name in _UPLOADING and isinstance(args[0], np.ndarray | np.generic | int | float | list | tuple | bool):
            value, *others = given
            return _made(given[value], **{k: given[k] for k in others})
        return wrapped(numpy_function(*[unwrapped(a) for a in args], **options))

    return call


def _made(value: Any, dtype: Any = None, copy: Any = None, order: Any = None, ndmin: int = 0) -> ndarray:
    items = list(value) if isinstance(value, list | tuple) else []
    if any(isinstance(item, ndarray) for item in items):
        found: ndarray = wrapped(np.array([unwrapped(item) for item in items], dtype=dtype))
        return found
    return uploaded(value, dtype=dtype, order=order or "K", ndmin=ndmin)


def of_numpy(function: Any) -> Any:
    """The function of this module that CuPy would take for one of NumPy's."""
    found: Any = cupy
    for part in [*function.__module__.split(".")[1:], function.__name__]:
        found = getattr(found, part)
    return found


class Generator:
    """A generator of random numbers on the device, with the methods that CuPy's has."""

    def __init__(self, bits: np.random.BitGenerator) -> None:
        self._rng = np.random.Generator(bits)

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> ndarray:
        array: ndarray = wrapped(self._rng.random(size, dtype))
        return array

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> ndarray:
        array: ndarray = wrapped(self._rng.standard_normal(size, dtype))
        return array

    def uniform(self, low: float = 0.0, high: float = 1.0, size: Any = None, dtype: Any = np.float64) -> ndarray:
        array: ndarray = wrapped(self._rng.uniform(low, high, size).astype(dtype))
        return array


_PIECE = 4096


class Kernel:
    """An elementwise kernel: its C is read by `kernel_text`, and computed on whole arrays."""

    made: list[tuple[str, str, str, str]] = []  # noqa: RUF012 (emptied by `installed`)

    def __init__(self, in_params: str, out_params: str, operation: str, name: str = "kernel", **options: Any) -> None:
        self._in, self._out = [[part.split() for part in text.split(",")] for text in (in_params, out_params)]
        self._operation, self._name = operation, name
        Kernel.made.append((in_params, out_params, operation, name))

    def __call__(self, *args: Any, block_size: int = 128) -> Any:
        assert block_size <= 256  # a thread may have 255 registers, a block 65,536
        if self._name != "kernel":
            note(self._name)
        if not any(isinstance(a, ndarray) for a in args):
            raise ValueError("Loop size is undecided.")
        hosts, types = [unwrapped(a) for a in args], dict[str, Any]()
        for (kind, name), host in zip(self._in, hosts, strict=True):
            if isinstance(host, np.ndarray | np.generic) and types.setdefault(kind, host.dtype) != host.dtype:
                raise TypeError(f"{name}: type is mismatched. {host.dtype} {types[kind]}")
            if len(kind) > 1 and isinstance(host, np.ndarray | np.generic) and np.dtype(kind) != host.dtype:
                raise TypeError(f"{name}: expected {kind}, not {host.dtype}")
        shape = np.broadcast_shapes(*[np.shape(host) for host in hosts])
        results = [np.empty(shape, types.get(kind, kind)) for kind, _ in self._out]
        flat = [np.broadcast_to(host, shape).reshape(-1) if np.ndim(host) else host for host in hosts]
        for start in range(0, results[0].size, _PIECE):  # what a thread holds in registers takes no memory
            piece = slice(start, start + _PIECE)
            given = [host[piece] if np.ndim(host) else host for host in flat]
            values = kernel_text.run(self._operation, dict(zip([name for _, name in self._in], given, strict=True)))
            for result, (_, name) in zip(results, self._out, strict=True):
                result.reshape(-1)[piece] = values[name]
        arrays = tuple([wrapped(result) for result in results])
        return arrays if len(arrays) > 1 else arrays[0]


class CUDARuntimeError(RuntimeError):
    """What CuPy raises where there is no driver."""


class Device:
    """One GPU; entering it makes it the current one."""

    current = 0

    def __init__(self, i: int | None = None) -> None:
        self.id = Device.current if i is None else i

    def synchronize(self) -> None:
        pass

    def __enter__(self) -> Device:
        self._before, Device.current = Device.current, self.id
        return self

    def __exit__(self, *error: object) -> None:
        Device.current = self._before


class Event:
    """A moment on the device."""

    recorded = 0

    def record(self) -> None:
        Event.recorded += 1
        self.at = Event.recorded

    def synchronize(self) -> None:
        assert self.at


class Stream:
    """A queue of work; what is captured on it is not done again when its graph is launched."""

    capturing: Stream | None = None

    def __init__(self, null: bool = False, non_blocking: bool = False) -> None:
        self.non_blocking = non_blocking

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def synchronize(self) -> None:
        assert Stream.capturing is None, "operation not permitted when stream is capturing"

    def begin_capture(self, mode: int | None = None) -> None:
        assert self.non_blocking and Stream.capturing is None
        Stream.capturing = self

    def end_capture(self) -> Any:
        assert Stream.capturing is self
        Stream.capturing = None
        return SimpleNamespace(launch=lambda stream=None: note("graph"))


def _matmul(a: Any, b: Any) -> Any:
    if Stream.capturing:
        raise NotImplementedError("calling cuBLAS API during stream capture is currently unsupported")
    return _function("", "matmul", np.matmul)(a, b)


def _pad(array: Any, pad_width: Any, mode: str = "constant", **options: Any) -> Any:
    wide = [max(widths) > n for widths, n in zip(pad_width, array.shape, strict=True)]
    assert mode in ("constant", "edge", "symmetric") or not any(wide), (
        "CuPy does not go round a short axis as NumPy does"
    )
    return _function("", "pad", np.pad)(array, pad_width, mode, **options)


class Pool:
    """The memory pool."""

    def malloc(self, size: int) -> None:
        """Nothing: the arrays here have their own memory."""

    def used_bytes(self) -> int:
        return 3 << 20

    def total_bytes(self) -> int:
        return 8 << 20

    def free_all_blocks(self) -> None:
        pass


_cuda = SimpleNamespace(
    Event=Event,
    get_elapsed_time=lambda start, end: 1000.0 * (end.at - start.at),
    Device=Device,
    Stream=Stream,
    MemoryPool=Pool,
    using_allocator=lambda allocator=None: nullcontext(),
    runtime=SimpleNamespace(
        CUDARuntimeError=CUDARuntimeError,
        getDeviceCount=lambda: 1,
        getDeviceProperties=lambda i: {"name": b"a strict array on the CPU"},
    ),
)
_random = SimpleNamespace(
    Generator=Generator,
    Philox4x3210=lambda seed: np.random.Philox(seed),
    default_rng=lambda seed=None: Generator(np.random.PCG64(seed)),
)
cupy = Namespace(
    "",
    np,
    ndarray=ndarray,
    cuda=_cuda,
    random=_random,
    fft=Namespace("fft", np.fft),
    linalg=Namespace("linalg", np.linalg, **strict_linalg.FUNCTIONS),
    lib=SimpleNamespace(stride_tricks=Namespace("lib.stride_tricks", np.lib.stride_tricks)),
    ElementwiseKernel=Kernel,
    matmul=_matmul,
    pad=_pad,
    get_default_memory_pool=Pool,
    asnumpy=lambda a: a.get(),
    __version__="0 (strict)",
)
cupy.__spec__ = ModuleSpec("cupy", None)


@contextmanager
def installed() -> Iterator[strict_array.Traffic]:
    """Let AutoLab find this module where it looks for CuPy; gives what is copied to and fro."""
    traffic.clear()
    Kernel.made.clear()
    elementwise_kernel.cache_clear()  # what was compiled here is nothing for a real GPU
    device._kernels.clear()  # and each test sees its own compiled
    here = {"cupy": cupy, "cupyx": strict_linalg.cupyx}
    with mock.patch.dict(sys.modules, here), mock.patch.dict(backend.modules, {np.ndarray: np}, clear=True):
        yield traffic
    traffic.clear()
