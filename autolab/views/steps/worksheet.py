"""A calculation as lines, one below the other: a sign, a label, and the number or the array; products of matrices in
Falk's scheme, which shows how each element is computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ...recording.model import Operand, Snapshot, Step
from ..draw import say, shape_text
from ..draw.arrays import array_entry, cell_of, text_of
from ..draw.names import label
from ..draw.typeset import formula, of_tokens
from ..graph.rule_formulas import Token

Index = tuple[int, ...]
Space = Literal["out", "in"]
"""Whether an array has the shape of a function's output or of one of its inputs."""

MAX_CELLS = 64


class Sheet:
    """Collects the lines of a calculation, with its arrays as float32 cells, at most ``most`` rows and columns each.

    ``product`` is the index of the first of the three lines with a product of matrices and its factors.
    """

    def __init__(self, most: int = MAX_CELLS) -> None:
        self.most = most
        self.product: int | None = None
        self.lines: list[dict[str, Any]] = []

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
        """Add a line.

        Parameters
        ----------
        sign : str
            How the line continues the one above: ``×``, ``=``, ``Σ``, ``+`` or empty.
        label : str
        snapshot : Snapshot
        math : sequence of tokens
            The label in mathematical notation.
        space : {"out", "in"}, optional
            The kind of index that a selected cell represents; without it, no cell can be selected.
        mark : tuple of int, optional
            The index of the element that is followed through the lines.
        band : tuple of four ints, optional
            The cells from which that element is computed: the first row and column, and the numbers of each.
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
            line["array"] = array_entry("value", snapshot, self.most)
            if line["array"]["block"] == [1, 1] and space is not None:
                line["space"] = space
                line["mark"] = None if mark is None else [*cell_of(snapshot.shape, mark), 1, 1]
            if band is not None:
                line["mark"] = list(band)
        self.lines.append(line)


def index_of(shape: tuple[int, ...], row: int, column: int) -> Index | None:
    """The element at a row and column of the grid of an array; None if there is none."""
    rows = int(np.prod(shape[:-1], dtype=np.int64))
    if not shape or not 0 <= row < rows or not 0 <= column < shape[-1]:
        return None
    return (*[int(i) for i in np.unravel_index(row, shape[:-1])], column) if len(shape) > 1 else (column,)


def brought(index: Index, shape: tuple[int, ...]) -> Index:
    """The index in an array of ``shape`` of the element that is broadcast to ``index``."""
    return tuple([0 if n == 1 else i for i, n in zip(index[len(index) - len(shape) :], shape, strict=True)])


def strongest(snapshot: Snapshot) -> Index:
    """The index of the element of largest magnitude, or of the first NaN."""
    if snapshot.size == 0:
        return (0,) * len(snapshot.shape)
    place = np.unravel_index(int(np.abs(snapshot.values.astype(float)).argmax()), snapshot.values.shape)
    return tuple([int(i) for i in place])


def index_text(name: str, index: Index) -> str:
    """``x[0, 2]``; just the name for a single number."""
    return f"{name}[{', '.join(map(str, index))}]" if index else name


def is_product(found: Snapshot, upstream: Snapshot | None, local: Snapshot | None) -> bool:
    """Whether the result of a rule is upstream times local derivatives; True if that is not known."""
    if local is None or upstream is None or not (local.is_whole and upstream.is_whole and found.is_whole):
        return True
    with np.errstate(all="ignore"):
        expected, values = np.asarray(upstream.values * local.values, float), found.values.astype(float)
        tolerance = 100 * float(np.finfo(found.dtype).eps)
        finite = np.isfinite(expected) & np.isfinite(values)
        return bool(np.allclose(expected[finite], values[finite], rtol=tolerance, atol=tolerance))


MOST = 24
"""The maximum number of rows, or columns, of a factor and the product together."""


@dataclass(frozen=True)
class WorksheetProduct:
    """Two factors, their names, and their product."""

    factors: tuple[Snapshot, Snapshot]
    names: tuple[str, str]
    result: Snapshot

    def fits(self, most: int) -> bool:
        """Whether all its cells can be drawn, in arrays with at most ``most`` rows and columns."""
        return max([n for one in (*self.factors, self.result) for n in one.shape]) <= most

    def terms(self, chosen: Index) -> list[tuple[Any, Any]]:
        """The pairs that are multiplied and summed for an element."""
        (left, right), (row, column) = self.factors, chosen
        return list(zip(left.values[row], right.values[:, column], strict=True))

    def write(self, sheet: Sheet, name: str, math: Sequence[Token], space: Space, chosen: Index) -> None:
        """Add its three lines, with the row and the column that meet at the element ``chosen`` marked.

        ``name`` and ``math`` label the product; a picked cell of it represents an index of ``space``.
        """
        (left, right), (row, column) = self.factors, chosen
        sheet.product = len(sheet.lines)
        sheet.add("", self.names[0], left, band=(row, 0, 1, left.shape[1]))
        sheet.add("", self.names[1], right, band=(0, column, right.shape[0], 1))
        sheet.add("=", name, self.result, math, space, chosen)


def forward_product(step: Step, steps: Mapping[int, Step]) -> WorksheetProduct | None:
    """The product that a step computes, if it is one of two matrices that are not too large."""
    if step.function != "matmul" or step.value is None or step.replaced or len(step.operands) != 2:
        return None
    left, right = [None if operand.step is None else steps[operand.step] for operand in step.operands]
    if left is None or right is None or left.value is None or right.value is None:
        return None
    return _product(left.value, right.value, (label(left), label(right)), step.value)


def share_product(
    step: Step, use: Operand, steps: Mapping[int, Step], upstream: Snapshot | None
) -> WorksheetProduct | None:
    """The share that a product of two matrices sends to one of them: a product with the other one, transposed."""
    if step.function != "matmul" or upstream is None or use.contribution is None or len(step.operands) != 2:
        return None
    is_left = use is step.operands[0]
    other = step.operands[1 if is_left else 0]
    source = None if other.step is None else steps[other.step]
    if source is None or source.value is None:
        return None
    turned = replace(source.value, shape=source.value.shape[::-1], values=source.value.values.T)
    factors, names = (turned, upstream), (say("transposed", name=label(source)), say("term_upstream"))
    return _product(*(factors[::-1] if is_left else factors), names[::-1] if is_left else names, use.contribution)


def tangent_product(step: Step, moves: Step, steps: Mapping[int, Step], share: Snapshot) -> WorksheetProduct | None:
    """The share of the tangent of a product of two matrices that comes from the tangent of one factor."""
    name = say("term_whole", kind="tangent", name=label(moves))
    tangent = replace(moves, value=moves.tangent, name=name)
    return forward_product(replace(step, value=share), {**steps, moves.id: tangent})


def _product(left: Snapshot, right: Snapshot, names: tuple[str, str], result: Snapshot) -> WorksheetProduct | None:
    """The product; None if not all numbers are known, there are too many, or the result is not the factors' product."""
    if any([len(one.shape) != 2 or not one.size or not one.is_whole for one in (left, right, result)]):
        return None
    (rows, inner), (deep, columns) = left.shape, right.shape
    if inner != deep or result.shape != (rows, columns) or result.size < 2 or max(rows, columns) + inner > MOST:
        return None
    with np.errstate(all="ignore"):
        expected, values = np.asarray(left.values @ right.values, float), result.values.astype(float)
        is_it = np.allclose(expected, values, rtol=1e-2, atol=1e-6, equal_nan=True)
    return WorksheetProduct((left, right), names, result) if is_it else None
