"""What each view costs in time and memory, beside the plain run: `python benchmarks/costs.py [--most 30000] [--save]`.

- `lines`: functions of 1,000 and of 10,000 or more lines of one step each, with a text that is new each time, and a
  GPT of six blocks. Times are processor time, as multiples of the plain run (forward and backward) in the same round,
  so that a busy machine changes little. An exponent of 1 says that twice the lines take twice the time. Memory is what
  Python and NumPy allocate at the peak, by `tracemalloc`.
- `arrays`: the peak of one call on a million numbers, in arrays of that size.

`--save` writes results/costs.json; `readme.py` makes the tables of docs/speed.md from it.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import linecache
import math
import os
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", BROWSER="none")  # before NumPy starts threads
sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))

import numpy as np
import small_gpt
from speed import harness

import autolab
from autolab import functions as F

VIEWS = ("record", "picture", "page", "explore", "check_gradients")
_numbers = count()


def lines(length: int) -> Callable[[Any], Any]:
    """A new function of so many lines, each of which makes one step."""
    number = next(_numbers)
    texts = f"    h = h * {1.0001 + number * 1e-7!r}\n", "    h = -h\n"
    text = "def f(h):\n" + "".join([texts[i % 2] for i in range(length)]) + "    return h\n"
    name, space = f"<lines {number}>", dict[str, Any]()
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    exec(compile(text, name, "exec", dont_inherit=True), space)
    return space["f"]  # type: ignore[return-value]


def gpt() -> tuple[Any, tuple[Any, ...]]:
    """A GPT of six blocks, and a batch of two sections of text."""
    text = small_gpt.Text()
    return small_gpt.GPT(len(text.letters), blocks=6), text.batch(2, np.random.default_rng(1))


def views(fn: Any, inputs: tuple[Any, ...], folder: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The work of each view, in the order in which somebody meets them. A picture and a page include the recording."""
    yield "record", lambda: autolab.record(fn, *inputs)
    yield "picture", lambda: autolab.record(fn, *inputs)._repr_mimebundle_()
    yield "page", lambda: autolab.export_html(autolab.record(fn, *inputs), folder / "page.html")
    yield "explore", lambda: autolab.explore(fn, *inputs)
    if not isinstance(fn, autolab.Link):
        yield "check_gradients", lambda: autolab.check_gradients(fn, *inputs)


def plain_run(fn: Any, inputs: tuple[Any, ...]) -> None:
    given = inputs if isinstance(fn, autolab.Link) else [autolab.Variable(x) for x in inputs]
    fn(*given).backward()


def seconds(work: Callable[[], Any]) -> float:
    gc.collect()
    start = process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        work()
    return process_time() - start


def peak(work: Callable[[], Any]) -> int:
    """The bytes allocated at the peak of a call."""
    gc.collect()
    tracemalloc.start()
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def costs(new: Callable[[], tuple[Any, tuple[Any, ...]]], rounds: int) -> dict[str, Any]:
    """The multiples of the plain run, and the bytes at the peak, of each view of a function; ``new`` makes it anew."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        times: dict[str, list[float]] = {}
        for _ in range(rounds):
            plain = 0.0
            for name in VIEWS:
                fn, inputs = new()
                plain_run(fn, inputs)
                plain = min(seconds(lambda: plain_run(fn, inputs)) for _ in range(3))  # noqa: B023
                work = dict(views(fn, inputs, Path(folder))).get(name)
                if work is not None:
                    times.setdefault(name, []).append(seconds(work) / plain)
            times.setdefault("plain_ms", []).append(1e3 * plain)
        found: dict[str, Any] = {name: median(figures) for name, figures in times.items()}
        for name in [name for name in VIEWS if name in found]:
            found[f"{name}_mb"] = peak(dict(views(*new(), Path(folder)))[name]) / 1e6
        return found


def in_arrays(size: int) -> dict[str, float]:
    """The peaks of a call on ``size`` numbers, in arrays of that size."""

    def one(x: Any) -> Any:
        return F.sum(F.sin(x) * x)

    def all_of_them(x: Any) -> Any:
        return F.sin(x) * x

    x = np.random.default_rng(0).normal(size=size)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        calls: dict[str, Callable[[Any], Any]] = {
            "gradients": lambda x: autolab.grad(one)(x),
            "record": lambda x: autolab.record(one, x=x),
            "explore": lambda x: autolab.explore(one, x=x),
            "check_gradients": lambda x: autolab.check_gradients(one, x=x),
            "check_gradients, a result of that size": lambda x: autolab.check_gradients(all_of_them, x=x),
        }
        for call in calls.values():
            peak(lambda: call(x[:100]))  # noqa: B023  # what is imported at the first call is not the array's
        return {name: peak(lambda: call(x)) / x.nbytes for name, call in calls.items()}  # noqa: B023


def exponents(rows: dict[int, dict[str, Any]]) -> dict[str, float]:
    """How each cost grows with the number of lines, as a power of it."""
    least, most = min(rows), max(rows)
    grown = {name: rows[most][name] / rows[least][name] for name in VIEWS}
    longer, plain = most / least, rows[most]["plain_ms"] / rows[least]["plain_ms"]
    return {name: math.log(growth * plain) / math.log(longer) for name, growth in grown.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=10_000, help="the lines of the longest function (default 10,000)")
    parser.add_argument("--size", type=int, default=1_000_000, help="the numbers of the arrays (default a million)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds, of which the median counts (default 3)")
    parser.add_argument("--save", action="store_true", help="write the figures under results")
    options = parser.parse_args()
    costs(lambda: (lines(10), (0.5,)), 1)  # imports
    lengths = sorted({1000, options.most})
    rows = {n: costs(lambda n=n: (lines(n), (0.5,)), options.rounds) for n in lengths}
    found = {
        **harness.origin(),
        "load": harness.load(),
        "lines": {str(length): row for length, row in rows.items()},
        "exponents": exponents(rows) if len(rows) > 1 else {},
        "gpt": costs(gpt, options.rounds),
        "arrays": in_arrays(options.size),
    }
    for title in ("exponents", "gpt", "arrays"):
        print(title, {name: round(figure, 2) for name, figure in found[title].items()})
    for length, row in rows.items():
        print(f"{length} lines", {name: round(figure, 2) for name, figure in row.items()})
    if options.save:
        harness.keep("costs", found)


if __name__ == "__main__":
    main()
