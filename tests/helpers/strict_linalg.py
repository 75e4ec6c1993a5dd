"""Linear algebra as CuPy has it: it neither broadcasts stacks nor looks whether a result is one, unless it is told to.

See the notes of `cupy.linalg.solve` and `cupy.linalg.cholesky`, and `cupyx.errstate`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np

from .strict_array import note, unwrapped, wrapped


class _State(threading.local):
    linalg = "ignore"


_state = _State()


@contextmanager
def errstate(*, linalg: str | None = None) -> Iterator[None]:
    """Whether linear algebra looks at its results: ``"raise"`` or ``"ignore"``."""
    before, _state.linalg = _state.linalg, linalg or _state.linalg
    try:
        yield
    finally:
        _state.linalg = before


cupyx = SimpleNamespace(errstate=errstate)


def _computed(name: str, routine: str, *arrays: Any) -> Any:
    note(name)
    hosts = [unwrapped(a) for a in arrays]
    try:
        return wrapped(getattr(np.linalg, name)(*hosts))
    except np.linalg.LinAlgError as error:
        if "square" in str(error) or "dimension" in str(error):
            raise
        if _state.linalg == "raise":
            raise np.linalg.LinAlgError(f"Error reported by {routine} in cuSOLVER. devInfo = [1].") from None
        return wrapped(np.full_like(hosts[-1], 123.0))  # whatever was there


def inv(a: Any) -> Any:
    return _computed("inv", "dgetrf", a)


def cholesky(a: Any) -> Any:
    return _computed("cholesky", "dpotrf", a)


def solve(a: Any, b: Any) -> Any:
    if b.ndim > 1 and a.shape[:-1] != b.shape[:-1]:
        raise ValueError("a must have (..., M, M) shape and b must have (..., M, K) for multidimensional b")
    if a.size and not b.size:
        raise ZeroDivisionError("step is the size of no column")
    return _computed("solve", "dgetrf", a, b)


FUNCTIONS: dict[str, Callable[..., Any]] = {"inv": inv, "cholesky": cholesky, "solve": solve}
