"""``chainer.backends``"""

from ... import missing
from . import cuda

__all__ = ["cuda"]

__getattr__ = missing(__name__)
