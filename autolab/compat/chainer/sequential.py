"""``chainer.sequential``"""

from .. import missing
from .link import Sequential

__all__ = ["Sequential"]

__getattr__ = missing(__name__)
