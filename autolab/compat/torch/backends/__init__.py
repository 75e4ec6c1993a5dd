"""``torch.backends``: PyTorch's switches of the libraries below it, as on a machine without them."""

from ... import absent
from . import cudnn, mps

__all__ = ["cudnn", "mps"]
__getattr__ = absent.missing(__name__)
