"""``torch.utils``"""

from ... import missing
from . import data

__all__ = ["data"]

__getattr__ = missing(__name__)
