"""What LiveMonitor adds to training: `python benchmarks/monitor.py [--save]`, a minute and a half.

The digits MLP is trained with and without the monitor, in short turns. The monitor is the live view of a notebook,
whose messages are discarded. All is one run of one model, so both kinds of turns find the same arrays in the same
places; in the turns without it, it is not called, and its clocks stand still. Processor time of the training thread
counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from time import perf_counter, thread_time
from typing import Any

import numpy as np
from comm.base_comm import BaseComm
from ipywidgets import comm as widget_comm
from speed.harness import Goals, tell

from autolab import links as L
from autolab import optimizers, training
from autolab.data import SerialIterator, get_digits
from autolab.training import monitor as monitor_module
from autolab.training.extensions import LiveMonitor
from autolab.views.monitor import monitor as live_module
from autolab.views.monitor.view import MonitorView

GOALS: Goals = {
    "update": (None, "us"),
    "adds": (3, "%"),
    "adds, at least": (None, "%"),  # in 90 % of samples of the turns
    "adds, at most": (None, "%"),
    "by its own clock": (None, "%"),
    "pictures": (None, "/s"),
    "run": (None, "s"),
}
PAIRS, UPDATES = 600, 100
BEFORE = 5_000
"""Updates with it before the first turn: by then it keeps as many states as it ever does."""


class Nowhere(BaseComm):
    """A comm that creates its messages, as text and bytes, and discards them."""

    messages = 0

    def publish_msg(self, msg_type: str, data: Any = None, **_: Any) -> None:
        json.dumps(data or {}, default=str)
        Nowhere.messages += 1


class Clock:
    """A clock that stands still in the turns without the monitor, which thus does not notice them."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self._away, self._left = clock, 0.0, 0.0

    def __call__(self) -> float:
        return self._clock() - self._away

    def leave(self) -> None:
        self._left = self._clock()

    def come_back(self) -> None:
        self._away += self._clock() - self._left


class Turns:
    """A training run in which the monitor is called in two turns, then not in two turns, and so on."""

    def __init__(self) -> None:
        self.clocks = Clock(perf_counter), Clock(thread_time)
        monitor_module.perf_counter = live_module.perf_counter = self.clocks[0]  # type: ignore[assignment]
        monitor_module.thread_time = self.clocks[1]  # type: ignore[assignment]
        model = L.Classifier(L.MLP((100, 100, 10)))
        updater = training.StandardUpdater(SerialIterator(get_digits()[0], 32), optimizers.Adam().setup(model))
        self.monitor = LiveMonitor(model)
        self.monitor._view = MonitorView(self.monitor)
        self.trainer = training.Trainer(updater, self.at_the_end)
        self.trainer.extend(self.monitor)
        self._call, self.trainer._call = self.trainer._call, self._called
        self.present, self.next = True, BEFORE
        self.started = 0.0
        self.took: dict[bool, list[float]] = {True: [], False: []}  # seconds of the turns, with and without the monitor

    def _called(self, entries: Any) -> None:
        self._call(entries if self.present else [])

    def at_the_end(self, trainer: training.Trainer) -> bool:
        """Called by the trainer after each update; ends one turn and starts the next."""
        if trainer.updater.iteration < self.next:
            return False
        now = thread_time()
        turns = (self.next - BEFORE) // UPDATES
        if turns:
            self.took[self.present].append(now - self.started)
        self.change(present=turns % 4 in (0, 3))
        self.next += UPDATES
        self.started = thread_time()
        return turns == 2 * PAIRS

    def change(self, present: bool) -> None:
        if present != self.present:
            for clock in self.clocks:
                clock.come_back() if present else clock.leave()
        self.present = present


def monitor() -> dict[str, float]:
    """The time of an update without the monitor, what the monitor adds, and what it reports itself."""
    widget_comm.create_comm = Nowhere
    turns = Turns()
    start, before = perf_counter(), turns.clocks[0]()
    turns.trainer.run()
    seconds = turns.clocks[0]() - before
    with_it, without = (np.array(turns.took[present]) for present in (True, False))
    pairs = len(without)
    drawn = np.random.default_rng(0).integers(0, pairs, (2_000, pairs))  # with replacement
    low, high = np.quantile(with_it[drawn].sum(axis=1) / without[drawn].sum(axis=1) - 1, [0.05, 0.95])
    found = {
        "update": 1e6 * float(np.median(without)) / UPDATES,
        "adds": 100 * float(with_it.sum() / without.sum() - 1),
        "adds, at least": 100 * float(low),
        "adds, at most": 100 * float(high),
        "by its own clock": 100 * turns.monitor.spent / turns.monitor.worked,
        "pictures": Nowhere.messages / seconds,
        "run": perf_counter() - start,
    }
    turns.monitor.close()
    return found


if __name__ == "__main__":
    tell(__doc__, {"monitor": (monitor, GOALS)})
