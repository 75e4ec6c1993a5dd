"""``chainer.cuda``: the former name of `chainer.backends.cuda`."""

from .. import missing
from .backends import cuda as _cuda
from .backends.cuda import *  # noqa: F403

__all__ = [*_cuda.__all__]

__getattr__ = missing(__name__)
