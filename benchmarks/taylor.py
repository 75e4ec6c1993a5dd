"""What Taylor coefficients cost: autolab.jet beside jax.experimental.jet, nested jax.grad and PyTorch's nested grad.

    .bridges-venv/bin/python benchmarks/taylor.py [--save]

Medians of repeated runs in one process and one thread, in processor time, in float64, at 1,000 points. The limit of a
row is 12 times the time of the plain value for each fourth of the order's square. JAX's functions are compiled
beforehand. Gradients of gradients end at order 6: their programs grow exponentially. The results are compared before
anything is timed. A library that is not installed is left out. `--save` writes results/taylor.json.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"))
sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from bridges import milliseconds
from speed import harness

from autolab import Variable, jet
from autolab import functions as F

ORDERS, MOST_NESTED = (2, 4, 6, 10), 6

X, ONES = np.linspace(-2, 2, 1000), np.ones(1000)
FUNCTIONS: dict[str, Callable[[Any], Any]] = {  # of a library's tanh, exp and sin
    "tanh": lambda of: of.tanh,
    "exp(sin x) / (1 + x²)": lambda of: lambda x: of.exp(of.sin(x)) / (1 + x * x),
}

Run = Callable[[], Any]


def jax_runs(made: Callable[[Any], Any], order: int) -> Iterator[tuple[str, Run]]:
    import jax
    from jax import numpy as jnp
    from jax.experimental.jet import jet as jax_jet

    jax.config.update("jax_enable_x64", True)
    fn, x = made(jnp), jnp.asarray(X)
    series = [jnp.ones_like(x)] + [jnp.zeros_like(x)] * (order - 1)
    taylor = jax.jit(lambda x: jax_jet(fn, (x,), (series,))[1][-1])
    yield "jax jet", lambda: np.asarray(taylor(x)) / math.factorial(order)
    if order <= MOST_NESTED:
        for _ in range(order):
            fn = jax.grad(lambda x, below=fn: below(x).sum())
        nested = jax.jit(fn)
        yield "jax grad", lambda: np.asarray(nested(x)) / math.factorial(order)


def torch_runs(made: Callable[[Any], Any], order: int) -> Iterator[tuple[str, Run]]:
    import torch

    torch.set_num_threads(1)
    fn, x = made(torch), torch.tensor(X, requires_grad=True)

    def nested() -> Any:
        y = fn(x)
        for _ in range(order):
            (y,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        return y.detach().numpy() / math.factorial(order)

    if order <= MOST_NESTED:
        yield "torch grad", nested


def runs(made: Callable[[Any], Any], order: int) -> Iterator[tuple[str, Run]]:
    yield "autolab", lambda: jet(made(F), X, ONES, order=order).data[-1]
    for library, others in (("jax", jax_runs), ("torch", torch_runs)):
        if find_spec(library):
            yield from others(made, order)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--save", action="store_true", help="also write results/taylor.json")
    options = parser.parse_args()
    found = []
    for title, made in FUNCTIONS.items():
        x = Variable(X)
        value = milliseconds(lambda made=made, x=x: [made(F)(x) for _ in range(100)]) / 100
        for order in ORDERS:
            row: dict[str, Any] = {"title": title, "order": order, "value": value, "limit": value * 3 * order**2}
            expected = None
            for name, run in runs(made, order):
                result = run()
                expected = result if expected is None else expected
                np.testing.assert_allclose(result, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max())
                row[name] = milliseconds(run)
            found.append(row)
            print(", ".join([f"{k} {v:.3g} ms" if isinstance(v, float) else f"{k} {v}" for k, v in row.items()]))
    if options.save:
        harness.keep("taylor", {**harness.origin(), "load": harness.load(), "rows": found})


if __name__ == "__main__":
    main()
