"""``torch.utils``"""

from ... import missing
from . import data

__getattr__ = missing(__name__)
