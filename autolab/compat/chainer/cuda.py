"""``chainer.cuda``: the old name of `chainer.backends.cuda`."""

from .backends import cuda as _cuda
from .backends.cuda import *  # noqa: F403

__all__ = [*_cuda.__all__]
