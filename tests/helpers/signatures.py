"""NumPy's functions that take one array or two and nothing else that they need."""

from __future__ import annotations

from typing import Any

import numpy as np

_OTHERS = {1: ("argmax", "argmin", "sum", "count_nonzero", "sort", "nan_to_num", "any", "iscomplexobj", "mean"), 2: ()}
_LEFT_OUT = {"isnat", "logical_not", "matvec", "vecmat", "vecdot", "matmul"}


def direct_names() -> list[tuple[str, int]]:
    """``(name, number of arrays)``: all ufuncs with one result of which floats make something, and more."""
    found: list[tuple[str, int]] = [(name, arity) for arity, names in _OTHERS.items() for name in names]
    for name in sorted(dir(np)):
        ufunc: Any = getattr(np, name)
        fits = isinstance(ufunc, np.ufunc) and ufunc.nin <= 2 and ufunc.nout == 1 and name not in _LEFT_OUT
        if fits and any([types[: ufunc.nin] == "d" * ufunc.nin for types in ufunc.types]):
            found.append((name, ufunc.nin))
    return found
