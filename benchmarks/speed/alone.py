"""Workloads that measure the process itself, so that each library gets its own: the groups `memory` and `million`.

Each returns {"rows": {title: [unit, value]}, "result": numbers that must agree between the libraries}.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from speed.library import Library
from speed.workloads import Problem, Step, deep, long

Outcome = dict[str, Any]
Rows = dict[str, tuple[str, float]]


def memory(library: Library, tiny: bool) -> Outcome:
    """The peak and growth of the process over a chain of 50 layers, in arrays of 4 MB."""
    side = 100 if tiny else 1000
    result = [float(a.mean()) for a in Step(library, deep(50, 3)).results()]  # also triggers lazy imports
    step, array = Step(library, deep(50, side)), 4 * side * side
    rows: Rows = {}
    with _collector_off() as garbage:
        if _reset_peak():
            before = _resident("VmRSS")
            _once(step)
            rows["deep chain: peak"] = ("arrays", (_resident("VmHWM") - before) / array)
            for _ in range(5):
                _once(step)
            before = _resident("VmRSS")
            for _ in range(20):
                _once(step)
            rows["deep chain: growth"] = ("arrays", (_resident("VmRSS") - before) / array)
        else:
            _once(step)
        rows["deep chain: cyclic garbage"] = ("objects", garbage())
    return {"rows": rows, "result": result}


def million(library: Library, tiny: bool) -> Outcome:
    """A chain of a million operations: the time of each phase, and whether it is linear in the length."""
    length = 1_000 if tiny else 1_000_000
    with _collector_off() as garbage:
        tenth, _ = _phases(library, long(length // 10))
        whole, result = _phases(library, long(length))
        rows: Rows = {f"long chain: {phase}": ("s", seconds) for phase, seconds in whole.items()}
        rows["long chain: time per time of a tenth"] = ("", sum(whole.values()) / sum(tenth.values()))
        rows["long chain: cyclic garbage"] = ("objects", garbage())
    return {"rows": rows, "result": result}


ALONE: dict[str, Callable[[Library, bool], Outcome]] = {"memory": memory, "million": million}


@contextmanager
def _collector_off() -> Iterator[Callable[[], int]]:
    """Switch the cycle collector off. Returns a function that counts the garbage it would have to collect."""
    gc.collect()
    gc.disable()
    try:
        yield gc.collect
    finally:
        gc.enable()


def _once(step: Step) -> None:
    for phase in step.phases.values():
        phase()


def _phases(library: Library, problem: Problem) -> tuple[dict[str, float], list[float]]:
    step, seconds, result = Step(library, problem), {}, []
    for name, phase in step.phases.items():
        if name == "free":
            result = [float(g.sum()) for g in library.gradients(step.tape, step.leaves)]
        start = perf_counter()
        phase()
        seconds[name] = perf_counter() - start
    return seconds, result


def _reset_peak() -> bool:
    """Reset the peak of the process to its current size; False if the system does not support that."""
    if not os.path.exists("/proc/self/clear_refs"):
        return False
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    return True


def _resident(field: str) -> int:
    """Return VmRSS (now) or VmHWM (peak) of this process in bytes."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(field))
