"""``torch.cuda``: whether CuPy finds a GPU."""

from ...gpu import is_available  # noqa: F401
from ..absent import missing

__path__: list[str] = []  # so that the import of torch.cuda.amp asks here
__getattr__ = missing(__name__)
