"""``chainer.backends``"""

from ...absent import gather

__all__ = ["cuda"]

__getattr__ = gather(__name__)
