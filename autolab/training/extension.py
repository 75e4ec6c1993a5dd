"""Extension: something that a trainer does between updates, such as writing a log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..shared.state_layout import FREE, Slot

if TYPE_CHECKING:
    from .trainer import Trainer


class Extension:
    """The base class of extensions: subclass it and define `__call__`. Any function of the trainer works as well.

    Attributes
    ----------
    trigger : pair or callable
        When it is called, unless `Trainer.extend` says otherwise.
    priority : int
        Extensions with a higher priority are called first.
    name : str
        By default the name of the class.

    Examples
    --------
    >>> from autolab.training import Extension
    >>> class Announce(Extension):
    ...     trigger = (1, "epoch")
    ...     def __call__(self, trainer):
    ...         print("epoch", trainer.updater.epoch)
    >>> Announce().name
    'Announce'
    """

    WRITER, EDITOR, READER = 300, 200, 100
    """Priorities of extensions that add observations, that change them, and that only read them."""

    trigger: Any = (1, "iteration")
    priority: int = READER

    @property
    def name(self) -> str:
        """Its name in a trainer, unless `Trainer.extend` says otherwise."""
        return type(self).__name__

    def initialize(self, trainer: Trainer) -> None:
        """Called once before the first update of a run."""

    def __call__(self, trainer: Trainer) -> None:
        raise NotImplementedError(f"{type(self).__name__}: write __call__(self, trainer)")

    def finalize(self) -> None:
        """Called when a run ends, even by an error or an interrupt."""

    def state(self) -> dict[str, Any]:
        """What to save in a snapshot: arrays and numbers by name."""
        return {}

    def state_layout(self) -> Mapping[str, Slot]:
        """The shape and dtype that `planned` expects for each name; by default anything is accepted."""
        return FREE

    def planned(self, state: Mapping[str, Any]) -> list[tuple[Any, str, Any]]:
        """The assignments that restore `state`, as ``(object, attribute, value)``."""
        return []
