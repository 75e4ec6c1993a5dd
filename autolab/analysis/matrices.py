"""Jacobians and Hessians at a point as labelled matrices."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .. import transforms
from ..engine import Savable, Variable, to_cpu
from ..engine.undisturbed import quietly
from ..shared.binding import Bound, bind
from ..shared.structure import leaves

MOST = 2_000_000
"""The maximum number of entries of a matrix."""

_FLAT = 1e-9
"""An eigenvalue below this fraction of the largest counts as zero, and so does a gradient relative to the curvature."""
_UNEVEN = 1e-6

Nature = Literal["minimum", "maximum", "saddle", "flat", "unknown"]


@dataclass(frozen=True, eq=False, repr=False)
class DerivativeMatrix(Savable):
    """All first derivatives of all results (``jacobian``), or all second derivatives of one result (``hessian``).

    ``values[i, j]`` belongs to ``rows[i]`` and ``columns[j]``, which are names with indices. A Hessian also has its
    ``eigenvalues`` in ascending order (empty if an entry is not finite), ``stationary``, which is whether the gradient
    is zero at the point, and ``uneven``, the largest difference between an entry and its mirror image as a fraction of
    the largest entry, which is 0 up to rounding unless a backward is wrong.

    Examples
    --------
    >>> import autolab
    >>> hessian = autolab.plots.show_hessian(lambda x, y: x * y, x=1.0, y=2.0)
    >>> hessian.values.tolist(), hessian.rows, hessian.signs
    ([[0.0, 1.0], [1.0, 0.0]], ('x', 'y'), (1, 0, 1))
    """

    kind: Literal["jacobian", "hessian"]
    function: str
    values: np.ndarray
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    eigenvalues: np.ndarray
    stationary: bool = False
    uneven: float = 0.0

    @property
    def signs(self) -> tuple[int, int, int]:
        """The numbers of negative, zero and positive eigenvalues."""
        slack = _FLAT * float(np.max(np.abs(self.eigenvalues), initial=0.0))
        below, above = int((self.eigenvalues < -slack).sum()), int((self.eigenvalues > slack).sum())
        return below, len(self.eigenvalues) - below - above, above

    @property
    def is_even(self) -> bool:
        """Whether a Hessian is symmetric, up to rounding."""
        return self.uneven <= _UNEVEN

    @property
    def nature(self) -> Nature:
        """How the function curves: as at a minimum, a maximum or a saddle, or ``flat`` in some direction."""
        below, zero, above = self.signs
        if not len(self.eigenvalues) or not self.is_even:
            return "unknown"
        if below and above:
            return "saddle"
        return "flat" if zero else "minimum" if above else "maximum"

    def to_json(self) -> dict[str, Any]:
        """The data as dictionaries, lists, strings and numbers; None replaces numbers that are not finite."""
        table = [[float(v) if math.isfinite(v) else None for v in row] for row in self.values]
        plain = {key: getattr(self, key) for key in ("kind", "function", "stationary", "uneven", "nature")}
        lists = {"rows": list(self.rows), "columns": list(self.columns), "eigenvalues": self.eigenvalues.tolist()}
        return {**plain, **lists, "values": table}

    def __repr__(self) -> str:
        return str(self._repr_mimebundle_()["text/plain"])


def show_jacobian(fn: Callable[..., Any], /, *args: Any, **inputs: Any) -> DerivativeMatrix:
    """The Jacobian of a function as a labelled heatmap: one row per element of the result, one column per element of
    the inputs.

    Parameters
    ----------
    fn : callable
        Takes Variables and returns a Variable or a tuple of them.
    *args, **inputs
        The arguments of ``fn``, bound to its signature. The result is differentiated with respect to all that are
        floating-point.

    Returns
    -------
    DerivativeMatrix

    Raises
    ------
    TypeError, ValueError
        If the inputs do not fit the signature, none is floating-point, or the matrix would be too large.

    Notes
    -----
    It takes one backward pass per row. `autolab.transforms.jacobian` returns the Jacobian as arrays.

    Examples
    --------
    >>> from autolab.analysis import show_jacobian
    >>> found = show_jacobian(lambda x, y: x * y, x=[2.0, 3.0], y=5.0)
    >>> found.values.tolist(), found.columns
    ([[5.0, 0.0, 2.0], [0.0, 5.0, 3.0]], ('x[0]', 'x[1]', 'y'))
    """
    bound, names, given = _bound("show_jacobian", fn, args, inputs)
    with quietly():  # numbers that are not finite are shown
        table = transforms.jacobian(_of_inputs(bound, names), wrt=tuple(range(len(names))))(*given)
    blocks = [to_cpu(block.data) for _, block in leaves(table)]
    per_row = [blocks[i : i + len(names)] for i in range(0, len(blocks), len(names))]
    columns = _labels(names, given)
    results = [block[0].shape[: block[0].ndim - given[0].ndim] for block in per_row]
    flat = [np.concatenate([b.reshape(-1, v.size) for b, v in zip(row, given, strict=True)], axis=1) for row in per_row]
    name = _short(bound.name)
    titles = [name] if len(results) == 1 else [f"{name}.{k}" for k in range(len(results))]
    rows = [label for title, shape in zip(titles, results, strict=True) for label in _indexed(title, shape)]
    values = np.concatenate(flat).astype(np.float64)
    return DerivativeMatrix("jacobian", name, values, tuple(rows), columns, np.empty(0))


def show_hessian(fn: Callable[..., Any], /, *args: Any, **inputs: Any) -> DerivativeMatrix:
    """The Hessian of a function as a labelled heatmap, with its eigenvalues and what they mean.

    Parameters
    ----------
    fn : callable
        Takes Variables and returns a single number.
    *args, **inputs
        The arguments of ``fn``, bound to its signature. The result is differentiated with respect to all that are
        floating-point.

    Returns
    -------
    DerivativeMatrix

    Raises
    ------
    TypeError, ValueError
        If the inputs do not fit the signature, none is floating-point, or the matrix would be too large.

    Examples
    --------
    >>> from autolab.analysis import show_hessian
    >>> found = show_hessian(lambda x, y: x ** 2 - y ** 2, x=0.0, y=0.0)
    >>> found.eigenvalues.tolist(), found.nature, found.stationary
    ([-2.0, 2.0], 'saddle', True)
    """
    bound, names, given = _bound("show_hessian", fn, args, inputs)
    size = sum([v.size for v in given])
    if size * size > MOST:
        raise ValueError(f"show_hessian: the matrix would be {size} x {size}; expected at most {MOST} entries")
    wrt, of_inputs = tuple(range(len(names))), _of_inputs(bound, names)
    with quietly():  # numbers that are not finite are shown
        slopes = transforms.grad(of_inputs, wrt=wrt)(*given)
        table = transforms.hessian(of_inputs, wrt=wrt)(*given)
    pairs = [[to_cpu(table[i][j].data).reshape(given[i].size, given[j].size) for j in wrt] for i in wrt]
    values = np.block(pairs).astype(np.float64)
    finite = bool(np.isfinite(values).all())
    eigenvalues = np.linalg.eigvalsh((values + values.T) / 2) if finite else np.empty(0)
    largest = float(np.max(np.abs(values), initial=0.0)) if finite else math.nan
    uneven = float(np.max(np.abs(values - values.T), initial=0.0)) / largest if largest > 0 else 0.0
    slope = max([float(np.max(np.abs(to_cpu(g.data)), initial=0.0)) for g in slopes])
    labels = _labels(names, given)
    stationary = slope <= _FLAT * max(1.0, largest)
    return DerivativeMatrix("hessian", _short(bound.name), values, labels, labels, eigenvalues, stationary, uneven)


def _bound(caller: str, fn: Any, args: Any, inputs: Any) -> tuple[Bound, list[str], list[np.ndarray]]:
    bound = bind(caller, fn, args, inputs)
    able = {name: v for name, v in bound.variables.items() if v.data.dtype.kind == "f" and v.size}
    if not able:
        raise ValueError(f"{caller}: {bound.name:.60} has no input of floating-point numbers to differentiate by")
    return bound, list(able), [v.data for v in able.values()]


def _of_inputs(bound: Bound, names: Sequence[str]) -> Callable[..., Any]:
    def of_inputs(*variables: Variable) -> Any:
        result = bound.call(dict(zip(names, variables, strict=True)))
        count = sum([y.size for _, y in leaves(result) if isinstance(y, Variable)])
        if count * sum([v.size for v in variables]) > MOST:
            raise ValueError(f"{bound.caller}: the matrix would have {count} rows; expected at most {MOST} entries")
        return result

    of_inputs.__name__ = bound.name
    return of_inputs


def _short(name: str) -> str:
    return name if name.isidentifier() and len(name) <= 20 else "y"


def _labels(names: Sequence[str], given: Sequence[Any]) -> tuple[str, ...]:
    return tuple([label for name, v in zip(names, given, strict=True) for label in _indexed(name, v.shape)])


def _indexed(name: str, shape: tuple[int, ...]) -> list[str]:
    return [f"{name}[{', '.join(map(str, index))}]" if index else name for index in np.ndindex(*shape)]
