"""One fresh process: one library at one group of workloads. Questions on stdin and answers on stdout are JSON.

`race.py` starts it, as `python -m speed.worker GROUP LIBRARY`. For the group `cold`, as little as possible is imported.
"""

from __future__ import annotations

import json
import sys
from time import perf_counter, process_time
from typing import Any

import numpy as np

from speed.libraries import LIBRARIES
from speed.library import Library, Work
from speed.rows import LIMIT, OURS

TURN_SECONDS = 0.01
PROJECTIONS = 4


def main(group: str, name: str) -> None:
    start = perf_counter()
    try:
        library = LIBRARIES[name]()
    except ImportError as error:
        if name == OURS:
            raise
        return answer({"left_out": str(error)})
    if group == "cold":
        result = first_gradient(library)
        rows = {"import and first gradient beyond NumPy": ["ms", 1e3 * (perf_counter() - start)]}
        return answer({"rows": rows, "result": result})
    serve(group, library)


def first_gradient(library: Library) -> list[float]:
    leaves = [library.leaf(np.full(4, value, "f4")) for value in (2.0, 3.0, 4.0)]
    run = (lambda xyz: library.muladd(*xyz)) if library.by_hand else (lambda xyz: xyz[0] * xyz[1] + xyz[2])
    tape = library.forward(run, leaves)
    library.backward(tape, library.constant(np.ones(4, "f4")))
    return [float(g.sum()) for g in library.gradients(tape, leaves)]


def serve(group: str, library: Library) -> None:
    """Print what the library computes alone, or answer questions about its workloads."""
    from importlib.metadata import version

    from speed.alone import ALONE
    from speed.workloads import GROUPS

    about = {"version": "" if library.name in (OURS, LIMIT) else version(library.name)}
    if group in ALONE:
        return answer({**about, **({"rows": {}} if library.by_hand else ALONE[group](library, False))})
    works = {work.title: work for work in GROUPS[group](library, False)}
    answer({**about, "titles": list(works)})
    repeats = 1
    for line in sys.stdin:
        question = json.loads(line)
        work = works[question["title"]]
        if question["do"] == "check":
            answer({"results": [fingerprint(a) for a in work.results()], "rtol": work.rtol, "counts": work.counts()})
            turn(work, 4)  # the first runs of a compiled function are slow: it is traced, and compared with itself
            repeats = max(1, round(TURN_SECONDS / sum(turn(work, 2).values())))
        else:
            answer({"seconds": turn(work, repeats), "parts": work.parts})


def answer(value: dict[str, Any]) -> None:
    print(json.dumps(value), flush=True)


def turn(work: Work, repeats: int) -> dict[str, float]:
    """Return the mean seconds of each phase, or of all together where no part counts.

    Repeats fill the caches with the workload's data. Processor time is not affected by other processes on the core.
    """
    phases = work.phases
    if not work.parts:
        start = process_time()
        for _ in range(repeats):
            for phase in phases.values():
                phase()
        return {"whole": (process_time() - start) / repeats}
    spent = dict.fromkeys(phases, 0.0)
    for _ in range(repeats):
        for name, phase in phases.items():
            start = process_time()
            phase()
            spent[name] += process_time() - start
    return {name: seconds / repeats for name, seconds in spent.items()}


def fingerprint(array: np.ndarray) -> dict[str, Any]:
    """A short fingerprint of an array: random projections, from which the distance between arrays can be estimated."""
    rng = np.random.default_rng(array.size)
    flat = array.ravel().astype(float)
    projections = [float(flat @ rng.standard_normal(flat.size)) for _ in range(PROJECTIONS)]
    norm = float(np.linalg.norm(flat))
    return {"shape": list(array.shape), "dtype": array.dtype.name, "norm": norm, "projections": projections}


if __name__ == "__main__":
    main(*sys.argv[1:])
