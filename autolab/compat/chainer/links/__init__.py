"""``chainer.links``: layers under Chainer's names, with Chainer's parameters."""

from ...absent import gather

__getattr__ = gather(__name__)
