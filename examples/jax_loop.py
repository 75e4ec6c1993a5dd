"""Look inside JAX: a recurrent loop (``scan``) with every value and gradient, and a wrong ``custom_vjp`` that is found.

    python examples/jax_loop.py --out result

In a notebook, ``autolab.explore(loss, h, xs, w)`` shows the same live: move an input and everything follows.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import jax
from jax import numpy as jnp

import autolab


def loss(h: Any, xs: Any, w: Any) -> Any:
    """A recurrent network with one unit: every iteration is a group of steps, whose gradients can be compared."""

    def step(h: Any, x: Any) -> Any:
        h = jnp.tanh(w * h + x)
        return h, h

    h, hs = jax.lax.scan(step, h, xs)
    return (hs**2).sum()


@jax.custom_vjp
def softsign(x: Any) -> Any:
    return x / (1 + jnp.abs(x))


def forward(x: Any) -> Any:
    return softsign(x), x


def backward(x: Any, g: Any) -> Any:
    """This backward forgets the square in the denominator."""
    return (g / (1 + jnp.abs(x)),)


softsign.defvjp(forward, backward)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("result"))
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)

    recording = autolab.record(loss, 0.5, jnp.array([1.0, -0.5, 0.2]), 0.8)
    print(recording)
    recording.save(folder / "loop.svg")

    report = autolab.check_gradients(softsign, jnp.array([0.5, -1.2, 2.0, 0.7]))
    print(report)
    autolab.export_html(report, folder / "softsign.html")


if __name__ == "__main__":
    main()
