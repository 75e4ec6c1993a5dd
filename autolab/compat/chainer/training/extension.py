"""``chainer.training.extension``"""

from __future__ import annotations

from typing import Any

from .... import training as _training
from ...table import signed

PRIORITY_WRITER = _training.Extension.WRITER
PRIORITY_EDITOR = _training.Extension.EDITOR
PRIORITY_READER = _training.Extension.READER
PRIORITY_SNAPSHOT = -100
__all__ = ["Extension", "make_extension", *[name for name in globals() if name.startswith("PRIORITY")]]


class Extension(_training.Extension):
    """Base class of extensions, which a trainer calls during training: a subclass defines ``__call__``.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> class Announce(chainer.training.Extension):
    ...     trigger = (1, "epoch")
    ...
    ...     def __call__(self, trainer):
    ...         print("epoch", trainer.updater.epoch)
    >>> Announce().default_name
    'Announce'
    """

    name: Any = None

    @property
    def default_name(self) -> str:
        """The name that a trainer gives it by default."""
        return type(self).__name__

    def on_error(self, trainer: Any, exc: Exception, tb: Any) -> None:
        """Called before an error ends the run."""


@signed
def make_extension(trigger, default_name, priority, finalizer, initializer, on_error):
    """A decorator that gives a function of the trainer the attributes of an extension.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> @chainer.training.make_extension(trigger=(1, "epoch"))
    ... def announce(trainer):
    ...     print("epoch", trainer.updater.epoch)
    >>> announce.trigger
    (1, 'epoch')
    """

    def decorate(function: Any) -> Any:
        function.trigger = (1, "iteration") if trigger is None else trigger
        function.default_name = default_name or getattr(function, "__name__", type(function).__name__)
        function.priority = PRIORITY_READER if priority is None else priority
        function.initialize, function.finalize, function.on_error = initializer, finalizer, on_error
        return function

    return decorate
