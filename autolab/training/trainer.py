"""Trainer: the training loop. It calls its updater until a stop trigger fires, and extensions in between."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from ..engine import a_kind, config, publish, takes_other_words, using_config
from ..links import Link
from ..links.reporter import Reporter
from ..shared.state_layout import FREE, NUMBER, Slot, layout_of, text_of, text_state, under, unpacking
from .triggers import Extension, IntervalTrigger, Trigger, as_trigger
from .updater import StandardUpdater, SubState, with_prefix


@dataclass(eq=False)
class _ExtensionEntry:
    name: str
    extension: Callable[[Trainer], Any]
    trigger: Trigger
    priority: int

    def __post_init__(self) -> None:
        """A trigger that is always true need not be called."""
        self.always = isinstance(self.trigger, IntervalTrigger) and self.trigger.is_every_iteration


class Trainer:
    """The training loop.

    A run that was interrupted, or ended by `stop`, continues at the next `run` as if nothing had happened: an update
    that was in progress is repeated from the beginning, and extensions that had not been called yet are called.

    Parameters
    ----------
    updater : StandardUpdater
    stop_trigger : pair or callable, optional
        When to stop, such as ``(20, "epoch")``; by default only `stop` ends a run.
    out : path
        The folder for the files of extensions; it is created when needed.

    Attributes
    ----------
    observation : dict
        The values reported in the last iteration.
    elapsed_time : float
        Seconds in `run` so far.

    Examples
    --------
    >>> import autolab
    >>> from autolab import links as L, optimizers, training
    >>> from autolab.data import SerialIterator, get_iris
    >>> train, test = get_iris()
    >>> model = L.Classifier(L.MLP((10, 3)))
    >>> updater = training.StandardUpdater(SerialIterator(train, 30), optimizers.Adam(0.01).setup(model))
    >>> trainer = training.Trainer(updater, (2, "epoch"))
    >>> trainer.extend(training.extensions.Evaluator(SerialIterator(test, 30, repeat=False, shuffle=False), model))
    >>> trainer.run()
    >>> updater.iteration, sorted(trainer.observation)
    (8, ['main/accuracy', 'main/loss', 'validation/main/accuracy', 'validation/main/loss'])
    """

    @takes_other_words
    def __init__(
        self, updater: StandardUpdater, stop_trigger: Any = None, out: str | os.PathLike[str] = "result"
    ) -> None:
        if not hasattr(updater, "epoch_detail"):
            what = f"Trainer: updater is {a_kind(updater)}"
            raise TypeError(f"{what}; expected an updater, such as StandardUpdater(iterator, optimizer)")
        self.updater = updater
        self.stop_trigger = (
            (lambda trainer: False) if stop_trigger is None else as_trigger(stop_trigger, "Trainer: stop_trigger", True)
        )
        self.out = Path(out)
        self.observation: dict[str, Any] = {}
        self.reporter = Reporter()
        self.reporter.add_observer("main", updater.target)
        if isinstance(loss := getattr(updater, "loss_func", None), Link):  # the target may be just its parameters
            self.reporter.add_observer("main", loss)
        self.elapsed_time = 0.0
        self._entries: dict[str, _ExtensionEntry] = {}
        self._handled = updater.iteration  # all extensions were called up to this iteration ...
        self._called: set[str] = set()  # ... and these for the next one
        self._stopping = False

    # ------------------------------------------------------------------ extensions
    def extend(
        self,
        extension: Callable[[Trainer], Any],
        name: str | None = None,
        trigger: Any = None,
        priority: int | None = None,
    ) -> None:
        """Call ``extension(trainer)`` after each update for which its trigger is true.

        Parameters
        ----------
        extension : callable
        name, trigger, priority : optional
            By default the attributes of the extension, if it has them; otherwise the name of the function, every
            iteration, and `Extension.READER`.

        Raises
        ------
        TypeError
            If the extension is not callable, or is a class.
        ValueError
            If there is an extension with this name already.
        """
        if isinstance(extension, type):
            raise TypeError(
                f"Trainer.extend: got the class {extension.__name__}; expected an instance, such as "
                f"{extension.__name__}()"
            )
        if not callable(extension):
            raise TypeError(f"Trainer.extend: got {a_kind(extension)}; expected a function of the trainer")
        name = name or str(getattr(extension, "name", getattr(extension, "__name__", type(extension).__name__)))
        if name in self._entries:
            raise ValueError(f"Trainer.extend: there is already an extension {name!r:.60}; give another name=")
        chosen = getattr(extension, "trigger", Extension.trigger) if trigger is None else trigger
        rank = getattr(extension, "priority", Extension.READER) if priority is None else priority
        self._entries[name] = _ExtensionEntry(name, extension, as_trigger(chosen, "Trainer.extend: trigger"), rank)

    def get_extension(self, name: str) -> Any:
        """The extension with this name."""
        if name not in self._entries:
            names = ", ".join(self._entries) or "none"
            raise KeyError(f"Trainer: no extension is called {name!r:.60}; there are: {names:.200}")
        return self._entries[name].extension

    # ------------------------------------------------------------------ running
    def run(self) -> None:
        """Train until the stop trigger is true, or `stop` is called.

        An exception in an update or an extension ends the run and is raised again.
        """
        self._stopping = False
        self.stop_trigger = as_trigger(self.stop_trigger, "Trainer: stop_trigger", True)  # a pair may have been set
        with using_config("train", config.train):  # its end also closes blocks that an interrupt left open inside
            self._run(sorted(self._entries.values(), key=lambda entry: -entry.priority))

    def _run(self, entries: list[_ExtensionEntry]) -> None:
        start, before = perf_counter(), self.elapsed_time
        own = [entry.extension for entry in entries if isinstance(entry.extension, Extension)]
        try:
            for extension in own:
                extension.initialize(self)
            self._call(entries)
            while not (self._stopping or self.stop_trigger(self)):
                self._update()
                self.elapsed_time = before + perf_counter() - start
                self._call(entries)
        finally:
            self.elapsed_time = before + perf_counter() - start
            for extension in own:
                extension.finalize()

    def _update(self) -> None:
        self.observation = {}
        with self.reporter.scope(self.observation):
            self.updater.update()

    def _call(self, entries: list[_ExtensionEntry]) -> None:
        """Call the extensions that are due after the last update and have not been called yet."""
        iteration = self.updater.iteration
        if self._handled == iteration:
            return
        called = self._called
        with self.reporter.scope(self.observation):
            for entry in entries:
                if entry.name not in called:
                    if entry.always or entry.trigger(self):
                        entry.extension(self)
                    called.add(entry.name)
        publish([(self, "_handled", iteration), (self, "_called", set())])

    def stop(self) -> None:
        """End the run after the current update; may be called from another thread."""
        self._stopping = True

    # ------------------------------------------------------------------ state
    def state(self) -> dict[str, Any]:
        """The state of the updater and the extensions, the elapsed time, and the extensions that the last update has
        still to call, by name."""
        found = {**with_prefix("updater", self.updater.state()), "elapsed_time": self.elapsed_time}
        if self._handled != self.updater.iteration:
            seen = {name: float(x) for name, x in self.observation.items() if isinstance(x, int | float | np.number)}
            found["due/text"] = text_state({"called": sorted(self._called), "observation": seen})
        for name, entry in self._entries.items():
            if isinstance(entry.extension, Extension):
                found |= with_prefix(f"extensions/{name}", entry.extension.state())
        return found

    def state_layout(self) -> dict[str, Slot]:
        """The shape and dtype that `load_state` expects for each name; states of unknown extensions are ignored."""
        found = {**under("updater", layout_of(self.updater)), "elapsed_time": NUMBER, **under("extensions", FREE)}
        found |= under("due", FREE)
        for name, entry in self._entries.items():
            if isinstance(entry.extension, Extension):
                found |= under(f"extensions/{name}", layout_of(entry.extension))
        return found

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Load the state of another trainer, created by the same code; on an error nothing changes."""
        if "elapsed_time" not in state:
            raise ValueError("Trainer.load_state: 'elapsed_time' is missing; nothing was loaded")
        stores = self.updater.planned(SubState("updater", state))
        for name, entry in self._entries.items():
            if isinstance(entry.extension, Extension):
                stores += entry.extension.planned(SubState(f"extensions/{name}", state))
        with unpacking("Trainer.load_state"):
            due = text_of(state["due/text"]) if "due/text" in state else {"called": (), "observation": {}}
            called, seen = set(map(str, due["called"])), {name: float(x) for name, x in due["observation"].items()}
        publish([*stores, (self, "elapsed_time", float(state["elapsed_time"])), (self, "observation", seen)])
        self._handled, self._called = self.updater.iteration - ("due/text" in state), called
