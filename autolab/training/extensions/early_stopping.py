"""EarlyStopping: end training when a metric no longer improves."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ...engine import publish, takes_other_words
from ..trainer import Trainer
from ..triggers import Extension


class EarlyStopping(Extension):
    """End training when a loss has stopped improving.

    Use it as an extension of a `Trainer`, or in a training loop: ``if stopping(loss): break``.

    Parameters
    ----------
    patience : int
        Number of consecutive checks without improvement after which training ends.
    monitor : str
        The observation of the trainer to watch; ignored in a loop.
    min_delta : float
        The loss has to improve by more than this.
    mode : {"min", "max"}
        Whether smaller or larger numbers are better.

    Attributes
    ----------
    best : float
        The best number so far.
    count : int
        Number of checks since the best one.

    Examples
    --------
    >>> from autolab.training import EarlyStopping
    >>> stopping = EarlyStopping(patience=2)
    >>> [stopping(loss) for loss in (0.9, 0.5, 0.6, 0.7)]
    [False, False, False, True]
    """

    trigger = (1, "epoch")

    @takes_other_words
    def __init__(
        self, patience: int = 3, monitor: str = "validation/main/loss", min_delta: float = 0.0, mode: str = "min"
    ) -> None:
        if isinstance(patience, bool) or not isinstance(patience, int) or patience < 1 or mode not in ("min", "max"):
            told = f"patience is {patience!r:.60}, mode is {mode!r:.60}"
            raise ValueError(f"EarlyStopping: {told}; expected a whole number of at least 1, and 'min' or 'max'")
        self.patience, self.monitor, self.min_delta, self.mode = patience, monitor, min_delta, mode
        self.best, self.count = math.inf if mode == "min" else -math.inf, 0

    def __call__(self, loss: Any) -> bool:  # type: ignore[override]
        """Whether to end training; ``loss`` is a number, or a trainer, which is stopped in that case."""
        trainer = loss if isinstance(loss, Trainer) else None
        if trainer is not None and self.monitor not in trainer.observation:
            names = ", ".join(trainer.observation)
            raise KeyError(f"EarlyStopping: monitor is {self.monitor!r:.60}; observed: {names or 'nothing':.200}")
        new = float(loss if trainer is None else trainer.observation[self.monitor])
        is_better = (self.best - new if self.mode == "min" else new - self.best) > self.min_delta
        publish([(self, "best", new if is_better else self.best), (self, "count", 0 if is_better else self.count + 1)])
        if trainer is not None and self.count >= self.patience:
            trainer.stop()
        return self.count >= self.patience

    def state(self) -> dict[str, Any]:
        return {"best": self.best, "count": self.count}

    def planned(self, state: Mapping[str, Any]) -> list[tuple[Any, str, Any]]:
        return [(self, name, kind(state[name])) for name, kind in (("best", float), ("count", int)) if name in state]
