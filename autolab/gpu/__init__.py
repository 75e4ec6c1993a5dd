"""GPU kernels: elementwise functions as one kernel per direction, and kernels written in C.

`symbols.py` and `traced_function.py` trace what a function computes, and `kernel_program.py` makes one kernel of the
steps that its results need, and runs it on arrays.
`device.py` serves the declared functions; `user_kernel.py` is for kernels that users write in C. `autolab.fuse`, which
looks at what a function reads as `compile` does, is in `transforms/fuse.py`.
"""

from ..engine.backend import cupy_for, gpu_status
from ..engine.habits import answering
from ..engine.numpy_protocol import on_device
from . import device
from .user_kernel import elementwise_kernel


def is_available() -> bool:
    """Whether CuPy is installed and finds a GPU; if not, `autolab doctor` says why.

    Examples
    --------
    >>> import autolab
    >>> device = autolab.device("cuda" if autolab.gpu.is_available() else "cpu")
    """
    return gpu_status().state == "ok"


on_device.forward, on_device.pull, on_device.with_number = device.forward, device.pull, device.with_number


def synchronize() -> None:
    """Wait until the GPU has finished all its work, for example before reading a clock; without a GPU, return at once.

    Examples
    --------
    >>> import autolab
    >>> autolab.gpu.synchronize()
    """
    if is_available():
        cupy_for("synchronize").cuda.Device().synchronize()


__getattr__ = answering(__name__, "autolab", "autolab")


__all__ = ["elementwise_kernel", "is_available", "synchronize"]
