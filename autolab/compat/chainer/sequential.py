"""``chainer.sequential``"""

from .link import Sequential

__all__ = ["Sequential"]
