"""What a recording of PyTorch or JAX costs, compared with the plain run forward and backward, and per move in a live
view.

    .bridges-venv/bin/python benchmarks/bridges.py [--save]

Medians of repeated runs in one process and one thread, in processor time, since the machine may be shared. A move is
all that the kernel computes for it; painting is measured by browser.py. `--save` writes results/bridges.json and the
table in docs/bridges.md. A library that is not installed is left out. `make test-bridges` creates the environment.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from time import process_time
from typing import Any

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"))
sys.path.insert(0, str(Path(__file__).parents[1]))

from speed import harness

from autolab.shared.files import write

NOTE = harness.ROOT / "docs" / "bridges.md"
BEGIN, END = "<!-- results/bridges.json -->\n\n", "\n<!-- end -->"

SECONDS = 1.0
"""Each thing is repeated for so long, at least five times."""

Row = tuple[str, int, Callable[[], Any], Callable[[], Any], Callable[[], Any]]


def torch_rows() -> Iterator[Row]:
    import torch
    from torch import nn

    from autolab.bridges.torch import record
    from autolab.bridges.torch.inputs import TorchInputs
    from autolab.bridges.torch.live import TorchSession

    torch.manual_seed(0)
    torch.set_num_threads(1)

    def muladd(x: Any, y: Any, z: Any) -> Any:
        h = x * y
        return (h + z).sum()

    net = nn.Sequential(nn.Linear(64, 100), nn.ReLU(), nn.Linear(100, 100), nn.ReLU(), nn.Linear(100, 10))
    block = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)
    images = nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3))
    programs: list[tuple[str, Any, tuple[Any, ...]]] = [
        ("torch: x * y + z, 3 numbers each", muladd, (torch.ones(3), torch.ones(3), torch.ones(3))),
        ("torch: three linear layers, batch of 32", net, (torch.randn(32, 64),)),
        ("torch: a transformer block, 8 × 32 × 64", block, (torch.randn(8, 32, 64),)),
        ("torch: convolutions, 8 × 3 × 32 × 32", images, (torch.randn(8, 3, 32, 32),)),
    ]
    for title, fn, args in programs:
        leaves = [a.clone().requires_grad_() for a in args]
        plain = lambda fn=fn, leaves=leaves: fn(*leaves).sum().backward()  # noqa: E731
        yield row(title, plain, partial(record, fn, *args), TorchSession(TorchInputs.bind("explore", fn, args, {}), {}))


def jax_rows() -> Iterator[Row]:
    import jax
    import numpy as np
    from jax import numpy as jnp

    from autolab.bridges.jax import record
    from autolab.bridges.jax.inputs import JaxInputs
    from autolab.bridges.jax.live import JaxSession

    rng = np.random.default_rng(0)
    x, w, v = (jnp.asarray(rng.normal(size=shape), jnp.float32) for shape in ((32, 64), (64, 100), (100, 10)))

    def network(x: Any, w: Any, v: Any) -> Any:
        h = jnp.tanh(x @ w)
        return jax.nn.log_softmax(h @ v).mean()

    def muladd(x: Any, y: Any, z: Any) -> Any:
        return (x * y + z).sum()

    one = jnp.ones(3)
    for title, fn, args in (
        ("JAX: x * y + z, 3 numbers each", muladd, (one, one, one)),
        ("JAX: two layers, batch of 32", network, (x, w, v)),
    ):
        gradient = jax.grad(fn, argnums=tuple(range(len(args))))  # without jit, as a function is first written
        plain = lambda gradient=gradient, args=args: jax.block_until_ready(gradient(*args))  # noqa: E731
        yield row(title, plain, partial(record, fn, *args), JaxSession(JaxInputs.bind("explore", fn, args, {}), {}))


def row(title: str, plain: Callable[[], Any], record: Callable[[], Any], session: Any) -> Row:
    """Time the plain run, the recording and a move, which shifts an element of the first input a little each time."""
    session.record()
    name, places = next(iter(session.point)), count(1.0, 1e-3)

    def move() -> None:
        session.move(name, 0, next(places))
        session.record()

    return title, len(session.recording.steps), plain, record, move


def milliseconds(what: Callable[[], Any]) -> float:
    what()
    times: list[float] = []
    while len(times) < 5 or sum(times) < SECONDS:
        start = process_time()
        what()
        times.append(process_time() - start)
    return 1e3 * statistics.median(times)


def table(rows: list[dict[str, Any]]) -> str:
    """The rows as a table for docs/bridges.md."""
    lines = ["| program | steps | plain run | `record` | a move |", "| --- | ---: | ---: | ---: | ---: |"]
    for row in rows:
        times = " | ".join([f"{row[name]:.{2 if row[name] < 100 else 3}g} ms" for name in ("plain", "record", "move")])
        lines.append(f"| {row['title']} | {row['steps']} | {times} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--save", action="store_true", help="also write results/bridges.json and docs/bridges.md")
    options = parser.parse_args()
    libraries = [rows for name, rows in (("torch", torch_rows), ("jax", jax_rows)) if find_spec(name)]
    found = []
    print(f"{'':44}{'steps':>6}{'plain':>10}{'record':>10}{'move':>10}   record / plain, µs a step")
    for title, steps, *works in [row for rows in libraries for row in rows()]:
        plain, record, move = map(milliseconds, works)
        found.append({"title": title, "steps": steps, "plain": plain, "record": record, "move": move})
        ratio, each = record / plain, 1e3 * (record - plain) / steps
        print(f"{title:44}{steps:>6}{plain:>7.2f} ms{record:>7.2f} ms{move:>7.2f} ms{ratio:>10.1f} x{each:>10.0f}")
    if options.save:
        harness.keep("bridges", {**harness.origin(), "load": harness.load(), "rows": found})
        before, _, rest = NOTE.read_text("utf-8").partition(BEGIN)
        write(NOTE, before + BEGIN + table(found) + END + rest.partition(END)[2])


if __name__ == "__main__":
    main()
