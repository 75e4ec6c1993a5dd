"""What LiveMonitor costs: the digits MLP trained with and without it, in turns, in one process.

    python benchmarks/monitor.py

prints the numbers as JSON; `training.py` puts them into words. With it means the live view of a notebook, whose
messages go nowhere.
"""

from __future__ import annotations

import json
import statistics
from time import perf_counter, thread_time
from typing import Any

from comm.base_comm import BaseComm
from ipywidgets import comm as widget_comm

from autolab import links as L
from autolab import optimizers, training
from autolab.data import SerialIterator, get_digits
from autolab.training.extensions import LiveMonitor
from autolab.widgets.monitor_view import MonitorView

PAIRS, UPDATES = 9, 12_000


class Nowhere(BaseComm):
    """A comm whose messages are made, as text and bytes, and thrown away."""

    messages = 0

    def publish_msg(self, msg_type: str, data: Any = None, **_: Any) -> None:
        json.dumps(data or {}, default=str)
        Nowhere.messages += 1


class Turns:
    """A network that is trained a little further in each turn; the seconds of all turns are the training thread's."""

    def __init__(self, watched: bool) -> None:
        model = L.Classifier(L.MLP((100, 100, 10)))
        updater = training.StandardUpdater(SerialIterator(get_digits()[0], 32), optimizers.Adam().setup(model))
        self.trainer = training.Trainer(updater)
        self.monitor = LiveMonitor(model)
        self.wall = self.called = self.worked = 0.0  # seconds: by the clock, of extensions and their calls, of all
        self._call, self.trainer._call = self.trainer._call, self._timed
        if watched:
            self.monitor._view = MonitorView(self.monitor)
            self.trainer.extend(self.monitor)

    def _timed(self, entries: Any) -> None:
        start = thread_time()
        self._call(entries)
        self.called += thread_time() - start

    def turn(self) -> float:
        end = self.trainer.updater.iteration + UPDATES
        self.trainer.stop_trigger = lambda trainer: trainer.updater.iteration >= end
        wall, start = perf_counter(), thread_time()
        self.trainer.run()
        took = thread_time() - start
        self.wall += perf_counter() - wall
        self.worked += took
        return took


def race() -> dict[str, float]:
    """The time of an update without it, the median ratio of neighbouring turns, and what the monitor says itself."""
    widget_comm.create_comm = Nowhere
    alone, watched = Turns(False), Turns(True)
    alone.turn(), watched.turn()  # to warm up
    Nowhere.messages, watched.wall = 0, 0.0
    pairs = []
    for i in range(PAIRS):
        order = (alone, watched) if i % 2 else (watched, alone)
        took = {id(one): one.turn() for one in order}
        pairs.append((took[id(alone)], took[id(watched)]))
    monitor = watched.monitor
    found = {
        "update": statistics.median(pair[0] for pair in pairs) / UPDATES,
        "with it / without it": statistics.median(pair[1] / pair[0] for pair in pairs),
        "its calls": (watched.called - alone.called) / watched.worked,
        "its own share": monitor.spent / monitor.worked,
        "messages a second": Nowhere.messages / watched.wall,
    }
    monitor.close()
    return found


if __name__ == "__main__":
    print(json.dumps(race(), indent=1))
