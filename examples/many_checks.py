"""Check thousands of gradients with several processes or Dask workers, with a progress display.

    python examples/many_checks.py --workers 2
    python examples/many_checks.py --workers 2 --dask

Each case is one of AutoLab's elementwise functions at points of its domain that are drawn with the case number as seed,
so the same cases give the same findings wherever they run. A Dask worker that dies is replaced, and another one does
its part; a part that kills several workers ends the sweep with an error that names the last worker and the cases.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, as_completed
from time import perf_counter

import numpy as np
from data_parallel import pool
from tqdm.auto import tqdm

from autolab import functions as F
from autolab.gradcheck import gradcheck

PART = 50
"""Cases sent to a worker at once: sending them takes less than a hundredth of the time of checking them."""
Case = tuple[str, int]
Check = Callable[[Case], str | None]
FUNCTIONS = "arcsinh cos erf exp expm1 gelu log log1p sigmoid silu sin sinh softplus softsign sqrt tan tanh"


def cases(count: int) -> list[Case]:
    """The cases: names of functions, each with a seed for its points."""
    names = FUNCTIONS.split()
    return [(names[i % len(names)], i) for i in range(count)]


def check(case: Case) -> str | None:
    """A message about a wrong gradient; None if it is right."""
    name, seed = case
    function = getattr(F, name)
    low, high = function.function.domain
    points = np.random.default_rng(seed).uniform(low, high, 8)
    try:
        gradcheck(function, points)
    except AssertionError as error:
        return str(error)
    return None


def checked(check: Check, part: Sequence[Case]) -> list[tuple[Case, str]]:
    """The work of one worker: the wrong cases of a part, each with a message."""
    return [(case, said) for case in part if (said := check(case)) is not None]


def sweep(
    executor: Executor, cases: Sequence[Case], progress: Callable[[int], object], check: Check = check
) -> list[tuple[Case, str]]:
    """The wrong cases, in order; ``progress`` is called with the number of cases checked since its last call."""
    parts = [cases[first : first + PART] for first in range(0, len(cases), PART)]
    futures = {executor.submit(checked, check, part): part for part in parts}
    found: list[tuple[Case, str]] = []
    for future in as_completed(futures):
        part = futures[future]
        try:
            found += future.result()
        except BaseException as error:
            error.add_note(f"This happened to the cases {part[0]} to {part[-1]}; those that wait are dropped.")
            for other in futures:
                other.cancel()
            raise
        progress(len(part))
    return sorted(found, key=lambda pair: pair[0][1])


def main() -> None:
    parser = argparse.ArgumentParser(description="Check many gradients with several processes.")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--dask", action="store_true", help="workers of Dask; without it, processes of this machine")
    options = parser.parse_args()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    with pool(options.workers, options.dask) as executor, tqdm(total=options.cases, unit=" checks") as bar:
        list(executor.map(abs, range(options.workers)))  # start the workers
        began = perf_counter()
        wrong = sweep(executor, cases(options.cases), bar.update)
        seconds = perf_counter() - began
    print(f"{options.cases} checks in {seconds:.1f} s with {options.workers} worker(s): {len(wrong)} wrong")
    for (name, seed), said in wrong[:10]:
        print(f"{name}, case {seed}: {said}")


if __name__ == "__main__":
    main()
