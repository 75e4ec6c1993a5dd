"""What LiveMonitor costs: the digits MLP trained with and without it, in turns, in one process.

    python benchmarks/monitor.py

With it means the live view of a notebook, whose messages go nowhere. Prints the median of the ratios of the CPU times
of neighbouring turns, and how often was painted.
"""

from __future__ import annotations

import json
import statistics
from time import thread_time
from typing import Any

from comm.base_comm import BaseComm
from ipywidgets import comm as widget_comm

from autolab import links as L
from autolab import optimizers, training
from autolab.data import SerialIterator, get_digits
from autolab.training.extensions import LiveMonitor
from autolab.widgets.monitor_view import MonitorView

TURNS, UPDATES = 15, 1000


class Nowhere(BaseComm):
    """A comm whose messages are made, as text and bytes, and thrown away."""

    sent = 0

    def publish_msg(self, msg_type: str, data: Any = None, **_: Any) -> None:
        Nowhere.sent += len(json.dumps(data or {}, default=str))


def seconds(watched: bool) -> tuple[float, int]:
    """The time of a run, and how many states it kept and painted."""
    model = L.Classifier(L.MLP((100, 100, 10)))
    updater = training.StandardUpdater(SerialIterator(get_digits()[0], 32), optimizers.Adam().setup(model))
    trainer = training.Trainer(updater, (UPDATES, "iteration"))
    monitor = LiveMonitor(model)
    if watched:
        monitor._view = MonitorView(monitor)
        trainer.extend(monitor)
    start = thread_time()
    trainer.run()
    took = thread_time() - start
    monitor.close()
    return took, len(monitor.states)


def main() -> None:
    widget_comm.create_comm = Nowhere
    seconds(True)
    pairs = [(seconds(False)[0], *seconds(True)) for _ in range(TURNS)]
    ratios = [watched / alone for alone, watched, _ in pairs]
    paints = [count / watched for _, watched, count in pairs]
    print(f"an update without it: {1e6 * statistics.median(a for a, _, _ in pairs) / UPDATES:.0f} us")
    print(f"with it / without it: {statistics.median(ratios):.3f} (from {min(ratios):.3f} to {max(ratios):.3f})")
    print(f"states painted a second: {statistics.median(paints):.1f}, {Nowhere.sent / 1e6:.1f} MB of JSON in all")


if __name__ == "__main__":
    main()
