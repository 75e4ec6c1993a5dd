"""Powers and norms of matrices, which are composed of other functions; and the pseudo-inverse."""

from __future__ import annotations

import builtins
import math
from operator import index
from typing import Any

import numpy as np

from ...engine import numpy_protocol, takes_other_words
from ...engine.backend import Array, get_array_module, numpys, strict_linalg
from ...engine.declare import primitive
from ..arrays.axes import expand_dims
from ..arrays.shape import reshape
from ..elementwise.powers import abs
from ..elementwise.selection import where
from ..reductions.extrema import max, min
from ..reductions.norms import norm
from ..reductions.reduce import sum
from ..working_precision import in_full
from .linalg import inv, transposed
from .minors import check_finite
from .products import matmul
from .spectra import singular_values, svd


@numpy_protocol.adapt(np.linalg.matrix_power)
@takes_other_words
def matrix_power(a: Any, n: int) -> Any:
    """Raise a square matrix to the power ``n``; for a negative ``n``, its inverse to the power ``-n``.

    Parameters
    ----------
    a : Variable or array
        Of shape ``(..., m, m)``.
    n : int

    Raises
    ------
    TypeError
        If ``n`` is not an integer.
    ValueError
        If a matrix is not square, or is singular and ``n`` is negative.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.matrix_power(Variable([[1.0, 1.0], [0.0, 1.0]]), 3)
    variable([[1. 3.]
              [0. 1.]])
    """
    try:
        n = index(n)
    except TypeError:
        raise TypeError(f"matrix_power: n is {n!r:.60}; expected an integer") from None
    (a,), rounded = in_full("matrix_power", whole=n >= 0, a=a)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError(f"matrix_power: a has shape {a.shape}; expected square matrices")
    if n == 0:
        xp = get_array_module(numpy_protocol.unwrap(a))
        return rounded(where(xp.ones(a.shape, bool), xp.eye(a.shape[-1], dtype=a.dtype), a))
    if n < 0:
        a, n = _inverse(a), -n
    power = None
    while True:
        if n % 2:
            power = a if power is None else matmul(power, a)
        n //= 2
        if not n:
            return rounded(power)
        a = matmul(a, a)


def _inverse(a: Any) -> Any:
    try:
        return inv(a)
    except ValueError:
        raise ValueError("matrix_power: a matrix is singular; a negative power needs its inverse") from None


@primitive(numpy=np.linalg.pinv)
def pinv(xp: Any, a: Array, *, rcond: float | None = None, hermitian: bool = False, rtol: float | None = None) -> Array:
    """Moore-Penrose pseudo-inverse: of all ``y`` that minimize ``norm(a @ y - I)``, the one with the smallest norm.

    It jumps where the rank of a matrix changes. The gradient is that among matrices of the same rank, in which the
    same number of singular values is cut off.

    Parameters
    ----------
    a : Variable or array
        Of shape ``(..., m, n)``.
    rcond, rtol : float, optional
        Singular values below this fraction of the largest count as 0; give at most one of the two. By default 1e-15,
        or more where the dtype and the size of the matrices require it.
    hermitian : bool
        Whether the matrices are symmetric, which is faster.

    Returns
    -------
    Variable or array
        Of shape ``(..., n, m)``.

    Raises
    ------
    ValueError
        If the input is not a matrix, or both ``rcond`` and ``rtol`` are given.

    Notes
    -----
    G. Golub, V. Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares problems whose variables
    separate", SIAM Journal on Numerical Analysis 10 (1973).

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.pinv(Variable([[2.0, 0.0], [0.0, 0.0]]))
    variable([[0.5 0. ]
              [0.  0. ]])
    """
    if a.ndim < 2:
        raise ValueError("expected matrices")
    if rcond is not None and rtol is not None:
        raise ValueError("got rcond and rtol; expected one of them")
    share = rtol if rcond is None else rcond
    if share is None:
        digits = np.finfo(a.dtype if a.dtype.kind == "f" else np.float64).eps
        share = builtins.max(1e-15, builtins.max(a.shape[-2:]) * digits)
    check_finite(xp, a)
    with strict_linalg(xp):
        kind = {"hermitian": hermitian} if xp is np else {}  # CuPy's pinv lacks the argument
        return xp.linalg.pinv(a, share, **kind)


@pinv.vjp("a")
def _pinv_a(g: Any, a: Any, y: Any, rcond: float | None, rtol: float | None) -> Any:
    """(I - a @ y) @ g.T @ y @ y.T + y.T @ y @ g.T @ (I - y @ a) - y.T @ g @ y.T

    Here ``I`` is the identity matrix. If singular values are cut off that are not 0, the rule is another one.
    """
    share = rtol if rcond is None else rcond
    if share is not None and _cuts_off(numpy_protocol.unwrap(a), numpy_protocol.unwrap(y)):
        return _cut_off(transposed(g), a, share)
    back, up = transposed(y), transposed(g)
    below = matmul(matmul(up - matmul(a, matmul(y, up)), y), back)
    beside = matmul(back, matmul(y, up - matmul(matmul(up, y), a)))
    return below + beside - matmul(back, matmul(g, back))


def _cuts_off(a: Array, y: Array) -> bool:
    """Whether ``a`` has singular values that are not those of ``y``, and far above 0; a traced array cannot tell."""
    if type(a) not in numpys or not a.size:
        return False
    return bool(np.abs(a - a @ y @ a).max() > np.finfo(a.dtype).eps ** 0.5 * np.abs(a).max())


def _cut_off(g: Any, a: Any, share: float) -> Any:
    """The gradient of ``(u * f) @ vh``, with ``f`` the reciprocals of the singular values or 0, at the upstream ``g``.

    Of a function of singular values, a change ``h`` of ``u.T @ a @ vh.T`` becomes its symmetric part times ``(f[i] -
    f[j]) / (s[i] - s[j])`` and its skew part times ``(f[i] + f[j]) / (s[i] + s[j])``; ``f / s`` is that of what ``u``
    and ``vh`` do not span.
    """
    u, s, vh = svd(a)
    values = numpy_protocol.unwrap(s)
    kept = values > share * values.max(axis=-1, keepdims=True)
    f = where(kept, 1 / where(kept, s, 1.0), 0.0)
    one, other = expand_dims(s, axis=-1), expand_dims(s, axis=-2)
    rows, columns = expand_dims(f, axis=-1), expand_dims(f, axis=-2)
    sums, products = rows + columns, rows * columns
    mixed = kept[..., :, None] != kept[..., None, :]
    symmetric = where(mixed, sums / where(mixed, abs(one - other), 1.0), -products)
    skew = where(mixed, sums / where(mixed, one + other, 1.0), products)
    left = matmul(transposed(u), g)
    inner = matmul(left, transposed(vh))
    turned = transposed(inner)
    middle = matmul((symmetric * (inner + turned) + skew * (inner - turned)) / 2, vh)
    beside = expand_dims(f * f, axis=-1)
    outside = matmul(matmul(g - matmul(u, left), transposed(vh * beside)), vh)
    return matmul(u, middle + beside * (left - matmul(inner, vh))) + outside


Size = int | float | str


@numpy_protocol.adapt(np.linalg.matrix_norm)
@takes_other_words
def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Size = "fro") -> Any:
    """Norm of each matrix; by default the Frobenius norm, the square root of the sum of squares.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(..., m, n)``.
    keepdims : bool
        Keep the axes of the matrices, with length 1.
    ord : 'fro', 'nuc', 1, -1, 2, -2, inf or -inf
        ``'fro'`` is the Frobenius norm, ``'nuc'`` the sum of the singular values; 2 and -2 are the largest and the
        smallest singular value; 1 and -1 are the largest and the smallest sum of absolute values over a column, inf
        and -inf those over a row.

    Returns
    -------
    Variable or array
        Of shape ``(...)``.

    Raises
    ------
    ValueError
        If ``ord`` is unknown, or the input is not a matrix or has no elements.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> x = Variable([[3.0, 0.0], [0.0, -4.0]])
    >>> F.matrix_norm(x), F.matrix_norm(x, ord="nuc"), F.matrix_norm(x, ord=2), F.matrix_norm(x, ord=1)
    (variable(5.0), variable(7.0), variable(4.0), variable(4.0))
    """
    (x,), rounded = in_full("matrix_norm", x=x)
    if np.ndim(ord):
        raise ValueError(_no_order(ord))
    if x.ndim < 2 or (ord != "fro" and not math.prod(x.shape[-2:])):
        raise ValueError(f"matrix_norm: x has shape {x.shape}; expected matrices with elements")
    if ord == "fro":
        return rounded(norm(x, axis=(-2, -1), keepdims=keepdims))
    found = _of_values(x, ord) if ord in ("nuc", 2, -2) else _of_sums(x, ord)
    return rounded(reshape(found, shape=(*found.shape, 1, 1)) if keepdims else found)


def _of_values(x: Any, ord: Size) -> Any:
    values = singular_values(x)
    return sum(values, axis=-1) if ord == "nuc" else (max if ord == 2 else min)(values, axis=-1)


def _of_sums(x: Any, ord: Size) -> Any:
    if ord not in (1, -1, math.inf, -math.inf):
        raise ValueError(_no_order(ord))
    sums = sum(abs(x), axis=-2 if ord in (1, -1) else -1)
    return (max if ord in (1, math.inf) else min)(sums, axis=-1)


def _no_order(ord: Any) -> str:
    return f"matrix_norm: ord is {ord!r:.40}; expected 'fro', 'nuc', 1, -1, 2, -2, inf or -inf"
