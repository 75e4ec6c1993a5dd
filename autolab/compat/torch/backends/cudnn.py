"""``torch.backends.cudnn``: there is no cuDNN, and NumPy's convolutions are deterministic whatever the switches say."""

from ... import absent

benchmark = deterministic = False
allow_tf32 = enabled = True


def is_available() -> bool:
    """False: nothing here uses cuDNN."""
    return False


__getattr__ = absent.missing(__name__)
