"""``chainer.training.Trainer``"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .... import training as _training
from ...table import signed
from ..reporter import Reporter
from .extension import Extension
from .triggers import get_trigger


class _Hooked(_training.Extension):
    """An extension made of a function with its own ``initialize`` and ``finalize``."""

    def __init__(self, function: Any) -> None:
        self.function = function
        for name in ("initialize", "finalize", "priority"):
            if getattr(function, name, None) is not None:
                setattr(self, name, getattr(function, name))

    def __call__(self, trainer: Any) -> None:
        self.function(trainer)


class Trainer(_training.Trainer):
    """The training loop.

    Parameters
    ----------
    updater : Updater
    stop_trigger : pair or callable
        When to stop, such as ``(20, "epoch")``.
    out : path
        The folder for the files of extensions.
    extensions : sequence
        The extensions to start with.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> data = chainer.datasets.TupleDataset(np.eye(4, dtype=np.float32), np.arange(4))
    >>> model = chainer.links.Classifier(chainer.links.Linear(4))
    >>> optimizer = chainer.optimizers.SGD().setup(model)
    >>> updater = chainer.training.StandardUpdater(chainer.iterators.SerialIterator(data, 2), optimizer)
    >>> trainer = chainer.training.Trainer(updater, (3, "epoch"))
    >>> trainer.run()
    >>> updater.epoch, sorted(trainer.observation)
    (3, ['main/accuracy', 'main/loss'])
    """

    updater: Any

    def __init__(self, updater: Any, stop_trigger: Any = None, out: Any = "result", extensions: Any = None) -> None:
        super().__init__(updater, stop_trigger, out)
        self.reporter = Reporter()
        for name, optimizer in updater.get_all_optimizers().items():
            self.reporter.add_observer(name, optimizer.target)
        updater.connect_trainer(self)
        self._early: list[Callable[[Any], Any]] = []
        self.is_before_training = True
        for extension in extensions or ():
            self.extend(extension)

    @signed
    def extend(self, extension, name, trigger, priority, *, call_before_training):
        """Call ``extension(trainer)`` after updates, whenever its trigger fires.

        A second extension with the same name gets a number appended to it.
        """
        own = [getattr(extension, key, None) for key in ("name", "default_name", "__name__")]
        name = name or next((str(found) for found in own if found), type(extension).__name__)
        if name == "training":
            raise ValueError("Trainer.extend: the name 'training' is not allowed")
        number, chosen = 0, name
        while chosen in self._entries:
            number += 1
            chosen = f"{name}_{number}"
        trigger = getattr(extension, "trigger", (1, "iteration")) if trigger is None else trigger
        is_own = isinstance(extension, _training.Extension | type)
        is_hooked = hasattr(extension, "initialize") or hasattr(extension, "finalize")
        wrapped = extension if is_own or not (is_hooked and callable(extension)) else _Hooked(extension)
        if isinstance(extension, Extension):
            extension.name = chosen  # an Evaluator uses it as a prefix
        super().extend(wrapped, chosen, get_trigger(trigger), priority)
        if call_before_training:
            self._early.append(extension)

    def get_extension(self, name: str) -> Any:
        """The extension with this name."""
        try:
            found = super().get_extension(name)
        except KeyError as error:
            raise ValueError(error.args[0]) from None
        return found.function if isinstance(found, _Hooked) else found

    def run(self, show_loop_exception_msg: bool = True) -> None:
        """Train until the stop trigger fires."""
        with self.reporter.scope(self.observation):
            for extension in self._early if self.is_before_training else ():
                extension(self)
        self.is_before_training = False
        try:
            super().run()
        except Exception as error:
            for entry in self._entries.values():
                hook = getattr(self.get_extension(entry.name), "on_error", None)
                if hook is not None:
                    hook(self, error, error.__traceback__)
            raise
        finally:
            self.updater.finalize()
