"""``dezero.functions``."""

from ...functions import cos, exp, sin, tanh
from .. import missing

__all__ = ["cos", "exp", "sin", "tanh"]

__getattr__ = missing(__name__)
