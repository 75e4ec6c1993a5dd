"""``torch.cuda``: whether CuPy finds a GPU."""

from ...engine.backend import cupy_for
from ...gpu import is_available
from ..absent import missing


def device_count() -> int:
    """1 if there is a GPU: AutoLab uses the current one."""
    return int(is_available())


def manual_seed(seed: int) -> None:
    """Without effect: random numbers are NumPy's on every device, and `torch.manual_seed` seeds them."""


def manual_seed_all(seed: int) -> None:
    """Without effect, as `manual_seed`."""


def empty_cache() -> None:
    """Give memory that CuPy keeps back to the GPU; without effect where there is none."""
    if is_available():
        cupy_for("torch.cuda.empty_cache").get_default_memory_pool().free_all_blocks()


__path__: list[str] = []  # so that the import of torch.cuda.amp asks here
__getattr__ = missing(__name__)
