"""Import a library and compute a first gradient; prints the seconds that this takes beyond importing NumPy."""

from __future__ import annotations

import json
import sys
from functools import partial
from time import perf_counter

import numpy as np

from speed import by_hand
from speed.libraries import LIBRARIES
from speed.rows import OURS


def first_gradient(name: str) -> list[float]:
    library = LIBRARIES[name]()
    leaves = [library.leaf(np.full(4, value, "f4")) for value in (2.0, 3.0, 4.0)]
    run = partial(by_hand.muladd, ()) if library.by_hand else lambda xyz: xyz[0] * xyz[1] + xyz[2]
    tape = library.forward(run, leaves)
    library.backward(tape, library.constant(np.ones(4, "f4")))
    return [float(g.sum()) for g in library.gradients(tape, leaves)]


if __name__ == "__main__":
    start = perf_counter()
    try:
        result = first_gradient(sys.argv[1])
        print(json.dumps({"seconds": perf_counter() - start, "result": result}))
    except ImportError as error:
        if sys.argv[1] == OURS:
            raise
        print(json.dumps({"left_out": str(error)}))
