"""A product of two matrices, written so that it shows how it is made: the left factor at the left, the right one above,
and each number of the result where a row of the one meets a column of the other (Falk's scheme).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..recording.model import Operand, Snapshot, Step
from .formula import Token
from .messages import say
from .sheet import Index, Sheet, Space
from .steps import label

MOST = 24
"""Rows, or columns, of a factor and the product together, at most."""


@dataclass(frozen=True)
class Product:
    """Two factors, what they are called, and their product."""

    factors: tuple[Snapshot, Snapshot]
    names: tuple[str, str]
    result: Snapshot

    def fits(self, most: int) -> bool:
        """Whether all of its cells can be drawn, of arrays with at most ``most`` rows and columns."""
        return max([n for one in (*self.factors, self.result) for n in one.shape]) <= most

    def terms(self, chosen: Index) -> list[tuple[Any, Any]]:
        """What is multiplied and summed for an element of it."""
        (left, right), (row, column) = self.factors, chosen
        return list(zip(left.values[row], right.values[:, column], strict=True))

    def write(self, sheet: Sheet, name: str, math: Sequence[Token], space: Space, chosen: Index) -> None:
        """Its three lines, with the row and the column marked that meet at the element ``chosen``.

        ``name`` and ``math`` say what the product is; a cell of it that is picked stands for an index of ``space``.
        """
        (left, right), (row, column) = self.factors, chosen
        sheet.product = len(sheet.lines)
        sheet.add("", self.names[0], left, band=(row, 0, 1, left.shape[1]))
        sheet.add("", self.names[1], right, band=(0, column, right.shape[0], 1))
        sheet.add("=", name, self.result, math, space, chosen)


def forward_product(step: Step, steps: Mapping[int, Step]) -> Product | None:
    """What a step computes, if it is the product of two matrices that are not too large."""
    if step.function != "matmul" or step.value is None or step.replaced or len(step.operands) != 2:
        return None
    left, right = [None if operand.step is None else steps[operand.step] for operand in step.operands]
    if left is None or right is None or left.value is None or right.value is None:
        return None
    return _product(left.value, right.value, (label(left), label(right)), step.value)


def share_product(step: Step, use: Operand, steps: Mapping[int, Step], upstream: Snapshot | None) -> Product | None:
    """The share that a product of two matrices sends to one of them: with the other one, transposed."""
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


def _product(left: Snapshot, right: Snapshot, names: tuple[str, str], result: Snapshot) -> Product | None:
    """None where the numbers are not all there, are too many, or the result is not what the factors make."""
    if any([len(one.shape) != 2 or not one.size or not one.is_whole for one in (left, right, result)]):
        return None
    (rows, inner), (deep, columns) = left.shape, right.shape
    if inner != deep or result.shape != (rows, columns) or result.size < 2 or max(rows, columns) + inner > MOST:
        return None
    with np.errstate(all="ignore"):
        is_it = np.allclose(left.values @ right.values, result.values, rtol=1e-2, atol=1e-6, equal_nan=True)
    return Product((left, right), names, result) if is_it else None
