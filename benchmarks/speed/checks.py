"""Checking a gradient: every element of the Jacobian by a backward pass, and by a two-point difference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from speed.library import Library


class Check:
    """One library at the full check of Linear in float64: ``x @ w.T``, as a function of its own or of the user's."""

    rtol = 1e-4
    parts: tuple[str, ...] = ()

    def __init__(self, library: Library, written: str, rows: int, width: int, columns: int) -> None:
        rng = np.random.default_rng(0)
        self.library, self.linear = library, getattr(library, written)
        self.leaves = [library.leaf(rng.normal(size=shape)) for shape in ((rows, width), (columns, width))]
        self.title = "gradcheck, Linear" if written == "linear" else "gradcheck, a user's Linear"

    @property
    def phases(self) -> dict[str, Callable[[], Any]]:
        return {"whole": self.whole}

    def whole(self) -> bool:
        return self.library.gradcheck(self.linear, self.leaves)

    def results(self) -> list[np.ndarray]:
        """The verdict, and the value of the function."""
        return [np.array([float(self.whole())]), self.library.value(self.linear(*self.leaves)).copy()]

    def counts(self) -> dict[str, int]:
        return {}
