"""``torch.backends.mps``: whether there is a GPU of Apple's: never."""

from ... import absent


def is_available() -> bool:
    """False: AutoLab computes on NumPy and CuPy."""
    return False


def is_built() -> bool:
    """False, as `is_available`."""
    return False


__getattr__ = absent.missing(__name__)
