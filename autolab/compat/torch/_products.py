"""Products of vectors and matrices, and those functions of ``torch.linalg`` that AutoLab has."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from ... import functions as F
from ...engine import a_kind
from ...functions.elementwise.selection import with_values
from ..table import fill
from ._arguments import of_floats, tensor_of
from ._elementwise import _sub, binary  # noqa: F401  # _sub is for table.txt
from ._reductions import _gathered, norm  # noqa: F401  # for table.txt
from ._shapes import _alike
from ._tensor import dressed

matmul = binary("matmul", F.matmul)
_outer = binary("outer", F.outer)


SignAndLog = namedtuple("SignAndLog", "sign logabsdet")


def _with_axes(name: str, input: Any, other: Any, axes: tuple[int, int]) -> Any:
    found = tensor_of(name, input)._data.ndim, tensor_of(name, other, "other")._data.ndim
    if found != axes:
        raise RuntimeError(f"{name}: got tensors with {found[0]} and {found[1]} axes; expected {axes[0]} and {axes[1]}")
    return matmul(input, other)


def addmm(input: Any, mat1: Any, mat2: Any, *, beta: float = 1, alpha: float = 1) -> Any:
    """``beta * input + alpha * mat1 @ mat2``"""
    product = _with_axes("mm", mat1, mat2, (2, 2)) * alpha
    return dressed(product if beta == 0 else input * beta + product)


def einsum(equation: str, *operands: Any) -> Any:
    """Sums of products, in Einstein's notation: a letter for each axis."""
    if not isinstance(equation, str):
        raise TypeError(f"einsum: equation is {a_kind(equation)}; expected a string such as 'ij,jk->ik'")
    given = operands[0] if len(operands) == 1 and isinstance(operands[0], tuple | list) else operands
    return dressed(F.einsum(equation, *_alike(given)))


def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    """The cosine of the angle between vectors along ``dim``."""
    pair = [of_floats("cosine_similarity", x, name) for x, name in ((x1, "x1"), (x2, "x2"))]
    a, b = [F.broadcast_to(x, np.broadcast_shapes(*[one.shape for one in pair])) for x in pair]
    lengths = [F.norm(x, None, dim, True) for x in (a, b)]
    if all([(length._data >= eps).all() for length in lengths]):
        return dressed(F.cosine_similarity(a, b, dim, eps))
    scaled = [F.div(x, with_values(n, F.maximum(n, eps))) for x, n in zip((a, b), lengths, strict=True)]
    return dressed(F.sum(F.mul(*scaled), dim))


__getattr__ = fill(__name__)
