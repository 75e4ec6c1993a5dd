"""A case of the table of functions as one function of its floating-point inputs: values, first and second gradients."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

import autolab
from autolab import Variable
from autolab import functions as F

from .cases import Case
from .rows import Row


def applied(row: Row, case: Case, dtype: type, seed: int) -> tuple[Any, list[np.ndarray]]:
    """What a case applies to Variables, as a function of them that returns all results; and the floating-point inputs.

    The function reaches nothing of the row, whose reference holds all of autograd: too much to be compiled.
    """
    made = case.make(np.random.default_rng([zlib.crc32(f"{row.name} {case.label}".encode()), seed]), dtype)
    inputs = [np.array(a) for a in made if a.dtype.kind == "f"]
    its_function, its_call = row.function, case.call

    def run(*variables: Variable) -> list[Any]:
        given = iter(variables)
        found: list[Any] = []

        def function(*args: Any, **attributes: Any) -> Any:
            found.append(its_function(*args, **attributes))
            return found[-1]

        its_call(function, *[next(given) if a.dtype.kind == "f" else Variable(a) for a in made])
        return found

    return run, inputs


def call(row: Row, case: Case, dtype: type, seed: int) -> tuple[Any, list[np.ndarray]]:
    """What a case computes, as a function of its floating-point inputs: values and gradients; and these inputs."""
    apply, inputs = applied(row, case, dtype, seed)

    def run(*arrays: Any) -> list[Any]:
        xs = [Variable(a) for a in arrays]
        return [value for results in apply(*xs) for value in _orders(results, xs)]

    return run, inputs


def _orders(results: Any, xs: list[Variable]) -> list[Any]:
    """The results, the gradients of their weighted squares, and the gradients of the squares of those."""
    ys = [y for y in (results if isinstance(results, list | tuple) else [results]) if isinstance(y, Variable)]
    values = [y.data for y in ys]
    ys = [y for y in ys if y.requires_grad]
    if not ys:
        return values
    weigh = [np.linspace(0.5, 1.5, y.size).astype(y.dtype).reshape(y.shape) for y in ys]
    first = autolab.grad([F.sum(y * y * w) for y, w in zip(ys, weigh, strict=True)], xs, create_graph=True)
    ready = [F.sum(g * g) for g in first if g is not None and g.requires_grad]
    second = autolab.grad(ready, xs) if ready else ()
    return values + [g.data for g in (*first, *second) if g is not None]
