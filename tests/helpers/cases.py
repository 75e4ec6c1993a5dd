"""Inputs for the table of functions: shapes, memory layouts, and ways to apply a function to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

Make = Callable[[np.random.Generator, type], tuple[np.ndarray, ...]]


@dataclass(frozen=True)
class Case:
    """Inputs, and how they are applied: by default ``f(*inputs)``."""

    label: str
    make: Make
    call: Callable[..., Any] = lambda f, *xs: f(*xs)


@contextmanager
def naming(what: str) -> Iterator[None]:
    """Name the case in what is raised, where one test looks at many: a test of its own takes longer than most cases."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"the case: {what}")
        raise


def _dense(rng: np.random.Generator, shape: tuple[int, ...], dtype: type, domain: tuple[float, float]) -> np.ndarray:
    return rng.uniform(*domain, shape).astype(dtype)


def arrays(*shapes: tuple[int, ...], domain: tuple[float, float] = (-2, 2)) -> Make:
    return lambda rng, dtype: tuple([_dense(rng, shape, dtype, domain) for shape in shapes])


def layouts(shape: tuple[int, ...], domain: tuple[float, float] = (-2, 2), call: Any = None) -> tuple[Case, ...]:
    """The same shape in every way that memory can be laid out; the other inputs of ``call`` are its own affair."""
    options = {} if call is None else {"call": call}

    def changed(change: Callable[[np.ndarray], np.ndarray], stored: tuple[int, ...] = shape) -> Make:
        return lambda rng, dtype: (change(_dense(rng, stored, dtype, domain)),)

    last = (*shape[:-1], 2 * shape[-1])
    return (
        Case("negative stride", changed(lambda a: a[..., ::-1]), **options),
        Case("every other", changed(lambda a: a[..., ::2], last), **options),
        Case("columns first", changed(np.asfortranarray), **options),
        Case("transposed", changed(np.transpose, shape[::-1]), **options),
        Case("read-only", changed(_read_only), **options),
    )


def _read_only(a: np.ndarray) -> np.ndarray:
    a.flags.writeable = False
    return a


_UNARY = ((), (1,), (5,), (5, 4), (2, 3, 4), (0,), (0, 3))
_BINARY = (
    *(((), ()), ((5,), (5,)), ((5, 4), (5, 4)), ((5, 4), (4,)), ((4,), (5, 4)), ((5, 1), (1, 4)), ((), (5, 4))),
    *(((5, 4), ()), ((2, 1, 4), (3, 1)), ((1,), (1, 1)), ((0, 3), (3,)), ((1,), (0,))),
)
CONSTANT = np.linspace(0.5, 1.5, 4)


def unary_cases(domain: tuple[float, float]) -> tuple[Case, ...]:
    shapes = tuple([Case(str(shape), arrays(shape, domain=domain)) for shape in _UNARY])
    return shapes + layouts((5, 4), domain)


def binary_cases(domain: tuple[float, float]) -> tuple[Case, ...]:
    """Every function here also takes numbers and arrays, which are constants, on either side."""
    shapes = tuple([Case(f"{a} with {b}", arrays(a, b, domain=domain)) for a, b in _BINARY])
    x = arrays((5, 4), domain=domain)
    return (
        *shapes,
        *layouts((5, 4), domain, lambda f, a: f(a, 1.5)),
        Case("a value with itself", x, lambda f, a: f(a, a)),
        Case("number on the left", x, lambda f, a: f(1.5, a)),
        Case("integer on the right", x, lambda f, a: f(a, 2)),
        Case("array on the left", x, lambda f, a: f(CONSTANT.astype(dtype_of(a)), a)),
        Case("array on the right", x, lambda f, a: f(a, CONSTANT.astype(dtype_of(a)))),
    )


def dtype_of(x: Any) -> np.dtype:
    return getattr(x, "_value", x).dtype  # autograd boxes its arrays


def cases_with(*cases: tuple[str, tuple[tuple[int, ...], ...], dict[str, Any]]) -> tuple[Case, ...]:
    """Cases of a function that takes attributes."""
    return tuple(
        [
            Case(f"{label} {shapes}", arrays(*shapes), lambda f, *xs, _a=attributes: f(*xs, **_a))
            for label, shapes, attributes in cases
        ]
    )


def fixed(**attributes: Any) -> Callable[..., Any]:
    return lambda f, x: f(x, **attributes)
