"""How a loss bends around the parameters of a model: the extreme eigenvalues of its Hessian, its trace and spectrum.

The Hessian itself is never built for a model of more than a few hundred parameters. What is known of it are products
with vectors, each as cheap as a gradient or two:

- extreme eigenvalues by the Lanczos iteration with full reorthogonalisation, whose residuals bound their errors
  (B. N. Parlett, "The Symmetric Eigenvalue Problem", 1980);
- the trace by random vectors of signs (M. F. Hutchinson, 1989), with its standard error;
- the spectrum by stochastic Lanczos quadrature (G. H. Golub, G. Meurant, 1994; B. Ghorbani, S. Krishnan, Y. Xiao, "An
  Investigation into Neural Net Optimization via Hessian Eigenvalue Density", ICML 2019).
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..engine import Savable, check_whole, config, folded, hidden, using_config
from ..shared.foreign import bridge
from .loss_space import Loss, Space

Product = Callable[[np.ndarray], np.ndarray]

_EXACT = 256
"""Up to so many parameters all products with unit vectors are computed: they cost no more than the estimates would."""
_CLOSE = 1e-3
"""The extreme eigenvalues are known when their error bounds are below this fraction of the larger of the two."""
_LONGEST, _CHECKED = 80, 5
_QUADRATURE = 30
_KEPT = 40_000_000
"""The Lanczos iteration keeps all its vectors: so many numbers at most (320 MB)."""
_POINTS = 41


class LossNearby(NamedTuple):
    """A loss and its derivatives at the parameters of a model, all of which form one vector of ``size`` numbers.

    ``layers`` are names and sizes, in the order of the vector, and ``precision`` is the spacing of numbers about 1 in
    which all is computed; ``product`` multiplies the Hessian by a vector, ``at(moves)`` returns the losses after moves
    of shape ``(n, size)`` away from the parameters, and ``shaped`` turns a vector into the structure of the parameters.
    """

    layers: list[tuple[str, int]]
    precision: float
    value: float
    gradient: np.ndarray
    product: Product
    at: Callable[[np.ndarray], np.ndarray]
    shaped: Callable[[np.ndarray], Any]


@dataclass(frozen=True)
class Extreme:
    """The largest or the smallest eigenvalue: there is an eigenvalue within ``error`` of ``value``.

    ``direction`` is its eigenvector, of length 1, in the structure of the parameters; it points downhill.
    ``losses`` are the losses along it, at the distances `Curvature.distances`.
    """

    value: float
    error: float
    direction: Any
    losses: np.ndarray


@dataclass(frozen=True)
class LayerCurvature:
    """One layer: its number of parameters, its part of the trace with the standard error, and which fraction of the
    squared length of the direction that bends most lies in it."""

    name: str
    size: int
    trace: float
    trace_error: float
    share: float


@dataclass(frozen=True, eq=False, repr=False)
class Curvature(Savable):
    """How a loss bends around the parameters of a model, created by `curvature`.

    ``largest`` and ``smallest`` are the extreme eigenvalues of the Hessian; ``trace`` has the standard error
    ``trace_error``. Of the eigenvalues, a fraction ``shares[i]`` lies at about ``places[i]``. For a model of up to 256
    parameters ``is_exact``: these are all eigenvalues, up to rounding. ``products`` counts the products with the
    Hessian that it took.

    Examples
    --------
    >>> import autolab
    >>> found = autolab.curvature(lambda x, y: x**2 - 3 * y**2, (1.0, 0.0))
    >>> found.largest.value, found.smallest.value, found.trace
    (2.0, -6.0, -4.0)
    >>> found.largest_stable_rate
    1.0
    """

    loss: float
    size: int
    gradient_norm: float
    largest: Extreme
    smallest: Extreme
    trace: float
    trace_error: float
    places: np.ndarray
    shares: np.ndarray
    layers: tuple[LayerCurvature, ...]
    distances: np.ndarray
    slopes: tuple[float, float]
    is_exact: bool
    products: int

    @property
    def largest_stable_rate(self) -> float:
        """The learning rate above which plain gradient descent moves away, if the loss were its parabola: 2 divided by
        the largest eigenvalue; infinite if the loss bends upwards in no direction."""
        return 2 / self.largest.value if self.largest.value > 0 else math.inf

    def parabola(self, extreme: Extreme) -> np.ndarray:
        """The losses along an extreme direction if there were no third derivatives."""
        slope = self.slopes[extreme is self.smallest]
        return self.loss + slope * self.distances + extreme.value * self.distances**2 / 2

    def __repr__(self) -> str:
        return str(self._repr_mimebundle_()["text/plain"])


def curvature(loss: Loss, model: Any, /, *data: Any, probes: int = 6, seed: int = 0) -> Curvature:
    """Measure how a loss bends around the parameters of a model: which learning rates are stable, and in which
    directions the loss is steepest, flat, or goes down.

    Parameters
    ----------
    loss : callable
        Returns one number. It is called as ``loss(model, *data)``; for a tuple of arrays as ``loss(*model, *data)``.
    model : Link, torch.nn.Module, array, or structure of arrays
        The parameters are those of the model, or the arrays themselves, also JAX's. They do not change.
    *data
        Further arguments of the loss, such as a batch and its targets.
    probes : int
        The number of random vectors for the trace and the spectrum, each of which takes 30 products with the Hessian;
        at least 2.
    seed : int
        The seed of the random vectors.

    Returns
    -------
    Curvature
        It displays itself, and prints as a table.

    Raises
    ------
    TypeError, ValueError
        If the loss is not a single finite number, or the model has no parameters or derivatives that are not finite.

    Notes
    -----
    The loss is computed with the same random numbers each time, such as a dropout's mask. The memory is that of a
    gradient with its graph, and of at most 80 vectors.

    Examples
    --------
    >>> import autolab
    >>> import numpy as np
    >>> net = autolab.links.Linear(2, 1)
    >>> x, t = np.array([[1.0, 0.0], [0.0, 2.0]]), np.zeros((2, 1))
    >>> found = autolab.curvature(lambda net, x, t: ((net(x) - t) ** 2).mean(), net, x, t)
    >>> round(found.trace, 6), [layer.name for layer in found.layers]
    (7.0, ['W', 'b'])
    """
    __tracebackhide__ = hidden()
    with folded():
        probes = check_whole("curvature", "probes", probes, 2, 1000)
        library = bridge(model, data)
        nearby = _nearby(loss, model, data) if library is None else library.loss_nearby(loss, model, data)
        size = nearby.gradient.size
        if not (math.isfinite(nearby.value) and np.isfinite(nearby.gradient).all()):
            raise ValueError(f"curvature: the loss is {nearby.value:g} or its gradient is not finite; expected numbers")
        measured = _measured if size <= _EXACT else _estimated
        return measured(nearby, _Counted(nearby.product, size), probes, np.random.default_rng(seed))


class _Counted:
    """Products with the Hessian, counted."""

    def __init__(self, product: Product, size: int) -> None:
        self._product, self.size, self.count = product, size, 0

    def __call__(self, vector: np.ndarray) -> np.ndarray:
        self.count += 1
        found = self._product(vector)
        if not np.isfinite(found).all():
            raise ValueError(
                "curvature: a product with the Hessian is not finite; expected second derivatives that are"
            )
        return found


def _nearby(loss: Loss, model: Any, data: tuple[Any, ...]) -> LossNearby:
    """A loss of AutoLab's."""
    drawn = copy.deepcopy(config.rng)

    def of_model(*parameters: Any) -> Any:
        with using_config("rng", copy.deepcopy(drawn)):
            return loss(*parameters, *data)

    space = Space(of_model if callable(loss) else loss, model, "curvature")
    if not space.start.size:
        raise ValueError("curvature: the model has no parameters")
    value, gradient, product = space.bent()

    def at(moves: np.ndarray) -> np.ndarray:
        return np.array([space.alone(space.start + move)[0] for move in moves])

    return LossNearby(space.layers(), space.precision, value, gradient, product, at, space.shaped)


# ---------------------------------------------------------------------------------------------- all eigenvalues
def _measured(nearby: LossNearby, product: _Counted, probes: int, rng: np.random.Generator) -> Curvature:
    """From the whole Hessian, for a small model."""
    matrix = np.stack([product(row) for row in np.eye(product.size)])
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    uneven = float(np.abs(matrix - matrix.T).max())
    ends = [(float(values[i]), uneven, vectors[:, i]) for i in (-1, 0)]
    diagonal = np.diagonal(matrix)[None]
    return _found(nearby, product, ends, diagonal, (values, np.full(len(values), 1 / len(values))))


# ---------------------------------------------------------------------------------------------- estimates
class _Tridiagonal(NamedTuple):
    """What some steps of the Lanczos iteration know: Ritz values with their residuals, their weights in the start
    vector, and a function that returns the vector of one of them."""

    values: np.ndarray
    residuals: np.ndarray
    weights: np.ndarray
    vector: Callable[[int], np.ndarray]


def _estimated(nearby: LossNearby, product: _Counted, probes: int, rng: np.random.Generator) -> Curvature:
    """From products with random vectors."""
    longest = max(2, min(_LONGEST, _KEPT // product.size))
    outer = _lanczos(product, rng.normal(size=product.size), longest, _CLOSE)
    ends = [(float(outer.values[i]), float(outer.residuals[i]), outer.vector(i)) for i in (-1, 0)]
    diagonals, spectra = [], []
    for _ in range(probes):
        signs = rng.choice([-1.0, 1.0], size=product.size)
        first: list[np.ndarray] = []
        spectra.append(_lanczos(product, signs, min(_QUADRATURE, longest), 0.0, first))
        diagonals.append(signs * first[0])
    places = np.concatenate([found.values for found in spectra])
    shares = np.concatenate([found.weights for found in spectra]) / probes
    order = np.argsort(places)
    return _found(nearby, product, ends, np.stack(diagonals), (places[order], shares[order]))


def _lanczos(
    product: Product, start: np.ndarray, longest: int, close: float, first: list[np.ndarray] | None = None
) -> _Tridiagonal:
    """At most ``longest`` steps from a start vector; fewer once both extreme values are known to a fraction ``close``.

    ``first`` receives the product with the start vector itself.
    """
    length = float(np.linalg.norm(start))
    basis = np.empty((longest, start.size))
    basis[0] = start / length
    diagonal, beside = np.zeros(longest), np.zeros(longest)
    for k in range(longest):
        new = product(basis[k])
        if k == 0 and first is not None:
            first.append(new * length)
        diagonal[k] = new @ basis[k]
        for _ in range(2):  # once leaves what rounding has left of the earlier vectors
            new = new - basis[: k + 1].T @ (basis[: k + 1] @ new)
        beside[k] = np.linalg.norm(new)
        scale = max(float(np.abs(diagonal[: k + 1]).max()), float(beside[: k + 1].max()))
        is_closed = beside[k] <= 1e-10 * scale  # no other direction is reached from here
        if is_closed or k + 1 == longest or (close and (k + 1) % _CHECKED == 0):
            off = beside[:k]
            values, vectors = np.linalg.eigh(np.diag(diagonal[: k + 1]) + np.diag(off, 1) + np.diag(off, -1))
            residuals = np.abs(beside[k] * vectors[-1])
            if is_closed or k + 1 == longest or max(residuals[0], residuals[-1]) <= close * np.abs(values).max():
                break
        basis[k + 1] = new / beside[k]
    return _Tridiagonal(values, residuals, vectors[0] ** 2, lambda i: basis[: k + 1].T @ vectors[:, i])


# ---------------------------------------------------------------------------------------------- the result
def _found(
    nearby: LossNearby,
    product: _Counted,
    ends: Sequence[tuple[float, float, np.ndarray]],
    diagonals: np.ndarray,
    spectrum: tuple[np.ndarray, np.ndarray],
) -> Curvature:
    """``diagonals`` has one estimate of the Hessian's diagonal per row; one row is the diagonal itself."""
    ends = [(value, error, _downhill(vector, nearby.gradient)) for value, error, vector in ends]
    steepest = max(abs(value) for value, _, _ in ends)
    reach = _reach(nearby, steepest)
    distances = np.linspace(-reach, reach, _POINTS)
    extremes = [
        Extreme(
            value,
            max(error, nearby.precision * steepest),
            nearby.shaped(vector),
            nearby.at(distances[:, None] * vector),
        )
        for value, error, vector in ends
    ]
    slopes = [float(nearby.gradient @ vector) for _, _, vector in ends]
    stops = np.cumsum([size for _, size in nearby.layers])
    traces = np.stack([part.sum(axis=1) for part in np.split(diagonals, stops[:-1], axis=1)], axis=1)
    squares = [float((part**2).sum()) for part in np.split(ends[0][2], stops[:-1])]
    rows = zip(nearby.layers, *_with_errors(traces), squares, strict=True)
    layers = [LayerCurvature(name, size, trace, error, share) for (name, size), trace, error, share in rows]
    (trace,), (trace_error,) = _with_errors(traces.sum(axis=1, keepdims=True))
    return Curvature(
        nearby.value, product.size, float(np.linalg.norm(nearby.gradient)), extremes[0], extremes[1], trace,
        trace_error, *spectrum, tuple(layers), distances, (slopes[0], slopes[1]), len(diagonals) == 1, product.count,
    )  # fmt: skip


def _downhill(vector: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """An eigenvector with the sign for which the loss does not rise at first; its first large element then decides."""
    slope = float(vector @ gradient)
    first = vector[np.abs(vector) > np.abs(vector).max() / 2][0]
    return -vector if (slope > 0 or (slope == 0 and first < 0)) else vector


def _with_errors(rows: np.ndarray) -> tuple[list[float], list[float]]:
    """The mean of each column, and its standard error; 0 for a single row, which is no sample."""
    count = len(rows)
    errors = rows.std(axis=0, ddof=1) / math.sqrt(count) if count > 1 else np.zeros(rows.shape[1])
    return rows.mean(axis=0).tolist(), errors.tolist()


def _reach(nearby: LossNearby, steepest: float) -> float:
    """How far to draw: to where the parabola that bends most has risen by three times the loss."""
    height = 3 * abs(nearby.value) or 1.0
    return math.sqrt(2 * height / steepest) if steepest > 0 else 1.0
