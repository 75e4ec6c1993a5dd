"""Watching: what a session keeps of the thread that opened it, and what its function depended on when it last ran."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..engine.config import config, using_config
from ..engine.observe import BackwardEvent, ForwardEvent, observe
from ..recording.origins import Origins


class Watching:
    """A function that is run again and again, in the mode and with the random numbers of the thread that opened it.

    Attributes
    ----------
    origins : Origins
        What the run reached whose numbers are shown.
    given : Origins
        The caller's own arrays, where copies of them are looked at.
    """

    def __init__(self, fn: Callable[..., Any]) -> None:
        self._watched = fn
        self.origins = Origins(fn)
        self.given = Origins()
        self._train_then = self._train_now = config.train
        self._rng = copy.deepcopy(config.rng)
        self._drawn = copy.deepcopy(self._rng)  # from which the runs draw, one after the other

    def rng(self) -> np.random.Generator:
        """A generator at the place where that of the thread stood: every run draws the same numbers."""
        if _spawned(self._drawn) != _spawned(self._rng):
            self._drawn = copy.deepcopy(self._rng)
        self._drawn.bit_generator.state = self._rng.bit_generator.state  # a copy takes many times longer
        return self._drawn

    @contextlib.contextmanager
    def running(self, check: Callable[[], None]) -> Iterator[Origins]:
        """Inside, the function runs: ``check`` is called at every step of the engine, and what it raises ends the run.

        What is reached is noted; the run whose numbers are shown makes that ``origins``.
        """
        origins = Origins(self._watched)

        def hear(event: ForwardEvent | BackwardEvent) -> None:
            check()
            origins.look(event)

        with using_config("train", self.train), using_config("rng", self.rng()), observe(hear):
            yield origins
        origins.settle()

    @property
    def train(self) -> bool:
        """The mode in which the function runs."""
        return self._train_then

    def note_mode(self) -> None:
        """Note the mode of the thread that calls, which is to be the notebook's own."""
        self._train_now = config.train

    def other_mode(self) -> str | None:
        """The mode of the notebook, ``train`` or ``test``, if it was changed there to another one than this."""
        changed = self._train_now not in (self._train_then, self.train)
        return ("train" if self._train_now else "test") if changed else None


def _spawned(rng: np.random.Generator) -> int:
    """How many generators it has spawned, which its state does not say."""
    return getattr(rng.bit_generator.seed_seq, "n_children_spawned", 0)
