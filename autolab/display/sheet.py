"""A calculation as lines, one below the other: a sign, what it is, and the number or the array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from ..recording.model import Snapshot
from .detail import array_entry
from .formula import Token
from .numbers import shape_text
from .readings import text_of
from .typeset import formula, of_tokens

Index = tuple[int, ...]
Space = Literal["out", "in"]
"""Whether an array has the shape of a function's output or of one of its inputs."""

MAX_CELLS = 64


class Sheet:
    """Collects the lines of a calculation and the float32 cells of its arrays, ``most`` rows and columns of each.

    ``product`` is the number of the first of three lines that are a product of matrices and its factors.
    """

    def __init__(self, most: int = MAX_CELLS) -> None:
        self.most = most
        self.product: int | None = None
        self.lines: list[dict[str, Any]] = []
        self.buffers: list[bytes] = []

    def add(
        self,
        sign: str,
        label: str,
        snapshot: Snapshot,
        math: Sequence[Token] = (),
        space: Space | None = None,
        mark: Index | None = None,
        band: tuple[int, int, int, int] | None = None,
    ) -> None:
        """A line.

        Parameters
        ----------
        sign : str
            What the line does to the one above: ``×``, ``=``, ``Σ``, ``+`` or nothing.
        label : str
        snapshot : Snapshot
        math : sequence of tokens
            The same in the field's notation.
        space : {"out", "in"}, optional
            The kind of index that a chosen cell stands for; without it no cell can be chosen.
        mark : tuple of int, optional
            The index of the element that is followed through the lines.
        band : tuple of four ints, optional
            The cells that it is made of instead: the first row and column, and how many of each.
        """
        line: dict[str, Any] = {
            "sign": sign,
            "label": label,
            "math": formula(of_tokens(math)) if math else None,
            "text": text_of(snapshot),
        }
        line["shape"] = shape_text(snapshot.shape) if snapshot.shape else ""
        line["array"] = line["mark"] = line["space"] = None
        if snapshot.size > 1:
            entry, cells = array_entry("value", snapshot, self.most)
            line["array"] = {**entry, "buffer": len(self.buffers)}
            self.buffers.append(cells)
            if entry["block"] == [1, 1] and space is not None:
                line["space"] = space
                line["mark"] = None if mark is None else [*cell_of(snapshot.shape, mark), 1, 1]
            if band is not None:
                line["mark"] = list(band)
        self.lines.append(line)


def cell_of(shape: tuple[int, ...], index: Index) -> list[int]:
    """Row and column of an element in the grid of its array."""
    return [int(np.ravel_multi_index(index[:-1], shape[:-1])) if len(shape) > 1 else 0, index[-1] if index else 0]


def index_of(shape: tuple[int, ...], row: int, column: int) -> Index | None:
    """The element at a row and column of the grid of an array; None if there is none."""
    rows = int(np.prod(shape[:-1], dtype=np.int64))
    if not shape or not 0 <= row < rows or not 0 <= column < shape[-1]:
        return None
    return (*[int(i) for i in np.unravel_index(row, shape[:-1])], column) if len(shape) > 1 else (column,)


def strongest(snapshot: Snapshot) -> Index:
    """The index of the element of greatest magnitude; of the first NaN where there is one."""
    if snapshot.size == 0:
        return (0,) * len(snapshot.shape)
    place = np.unravel_index(int(np.abs(snapshot.values.astype(float)).argmax()), snapshot.values.shape)
    return tuple([int(i) for i in place])


def index_text(name: str, index: Index) -> str:
    """``x[0, 2]``; the name alone for a single number."""
    return f"{name}[{', '.join(map(str, index))}]" if index else name
