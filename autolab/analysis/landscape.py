"""A loss over two directions through the space of its parameters, with the way that a descent took, as plain data.

Random directions are normalised by filters (H. Li, Z. Xu, G. Taylor, C. Studer, T. Goldstein, "Visualizing the Loss
Landscape of Neural Nets", NeurIPS 2018): each row of each parameter's direction gets the norm of the parameter's own
row, so that a step means the same to layers of all scales.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from .. import transforms
from ..engine.backend import Array
from ..engine.devices import to_cpu
from ..engine.errors import a_kind
from ..engine.switches import using_config
from ..engine.variable import Variable
from ..gradcheck.spread import check_executor, spread
from ..links import Link
from ..tracing import Branches
from ..transforms.structure import filled, leaves

Chosen = Literal["axes", "random", "path", "given"]
Loss = Callable[..., Any]

_CALLER = "surface"
_MARGIN = 0.25
_MOST_STEPS = 401


@dataclass(frozen=True, eq=False, repr=False)
class Surface:
    """A loss over a plane.

    ``values[i, j]`` is the loss at ``x[j]`` along the first direction and ``y[i]`` along the second, in units of the
    directions, from the parameters that were given (for ``axes``, where the two numbers are themselves). ``path`` has
    a row of two such numbers for each point of the way, ``path_values`` the loss at these points themselves, and
    ``captured`` says which part of the way's squared length lies in the plane; the rest of it is not to be seen.

    Examples
    --------
    >>> import autolab
    >>> bowl = autolab.plots.surface(lambda x, y: x**2 + y**2, (0.0, 0.0), steps=3)
    >>> bowl.names, bowl.x.tolist()
    (('x', 'y'), [-1.0, 0.0, 1.0])
    >>> bowl.values.tolist()
    [[2.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 2.0]]
    """

    names: tuple[str, str]
    chosen: Chosen
    x: np.ndarray
    y: np.ndarray
    values: np.ndarray
    center: tuple[float, float]
    path: np.ndarray
    path_values: np.ndarray
    captured: float | None

    def to_json(self) -> dict[str, Any]:
        """Dictionaries, lists, strings and numbers; None for what is not a finite number."""
        listed = {key: getattr(self, key) for key in ("x", "y", "values", "path", "path_values")}
        plain = {key: [_plain(v) for v in array.reshape(-1)] for key, array in listed.items()}
        rest = {"names": list(self.names), "chosen": self.chosen, "center": list(self.center)}
        return {**rest, **plain, "captured": self.captured}

    def __repr__(self) -> str:
        return str(self._repr_mimebundle_()["text/plain"])

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        from ..views import mimebundle

        return mimebundle(self)


def _plain(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def surface(
    loss: Loss,
    params: Any,
    directions: Literal["axes", "random", "path"] | Sequence[Any] | None = None,
    path: Iterable[Any] = (),
    span: float | None = None,
    steps: int = 41,
    seed: int = 0,
    executor: Executor | None = None,
) -> Surface:
    """The loss over two directions from its parameters.

    Parameters
    ----------
    loss : callable
        Returns one number. It is given the parameters: a link, a tuple of arguments, or its only argument.
    params : Link, tuple, array or nested structure of arrays
        Where the plane goes through. It stays as it is: copies are changed.
    directions : {"axes", "random", "path"} or pair, optional
        ``axes``: the two parameters themselves, the default where there are two numbers in all; ``path``: those two
        along which the way extends furthest, the default where there is one; ``random``, the default otherwise:
        random numbers, normalised by filters. Or two structures like ``params``.
    path : iterable, optional
        Points of the way, such as `descend` returns: structures like ``params``, or for a link lists of the arrays of
        its parameters.
    span : float, optional
        How far to go to each side, in units of the directions; by default 1, or as far as the way needs.
    steps : int
        Points in each direction, from 2 to 401.
    seed : int
        Of the random directions.
    executor : Executor, optional
        Does the work: any `concurrent.futures.Executor`, for Dask ``client.get_executor()``.

    Raises
    ------
    TypeError, ValueError
        If an argument is not what it should be, or the loss is not one number.

    Examples
    --------
    >>> found = surface(lambda x, y: x ** 2 + 10 * y ** 2, (3.0, 1.0), steps=3, span=1.0)
    >>> found.values.tolist()
    [[4.0, 9.0, 16.0], [14.0, 19.0, 26.0], [44.0, 49.0, 56.0]]
    """
    check_executor(_CALLER, executor)
    if isinstance(steps, bool) or not isinstance(steps, int) or not 2 <= steps <= _MOST_STEPS:
        raise ValueError(f"{_CALLER}: steps is {steps!r:.60}; expected a whole number from 2 to {_MOST_STEPS}")
    if span is not None and not (isinstance(span, int | float) and 0 < span < math.inf):
        raise ValueError(f"{_CALLER}: span is {span!r:.60}; expected a number above 0")
    space = Space(loss, params)
    if space.start.size < 2:
        raise ValueError(f"{_CALLER}: params holds {space.start.size} numbers; a plane needs two at least")
    way = [space.flat(point, f"point {i} of the path") for i, point in enumerate(path)]
    chosen, first, second = _directions(space, directions, way, seed)
    plane = np.stack([first, second])
    places, captured = _projected(space, plane, way)
    origin = space.start if chosen == "axes" else np.zeros(2)
    reach = _reach(places, span)
    x, y = (np.linspace(low, high, steps) for low, high in reach)
    grid = (y[:, None, None] * second + x[:, None] * first).reshape(-1, space.start.size)
    points: Any = np.concatenate([grid, *[(point - space.start)[None] for point in way]])
    values = np.concatenate(spread(executor, partial(_evaluated, space), points))
    heights = values[: steps * steps].reshape(steps, steps)
    names = space.names() if chosen == "axes" else (f"{chosen} 1", f"{chosen} 2")
    return Surface(
        (names[0], names[1]), chosen, x + origin[0], y + origin[1], heights, (float(origin[0]), float(origin[1])),
        places + origin, values[steps * steps :], captured,
    )  # fmt: skip


def descend(loss: Loss, params: Any, rate: float, steps: int) -> list[Any]:
    """The points of a gradient descent, the first being ``params``: a path for `surface`.

    Examples
    --------
    >>> [float(x) for (x,) in descend(lambda x: x ** 2, (1.0,), rate=0.25, steps=2)]
    [1.0, 0.5, 0.25]
    """
    space = Space(loss, params)
    if space.is_link:
        raise TypeError("descend: params is a Link; train it, and collect copies of the arrays of its parameters")
    wrt: Any = tuple(range(len(params))) if isinstance(params, tuple) else 0
    found, flat = [space.shaped(space.start)], space.start
    for _ in range(steps):
        slope = transforms.grad(loss, wrt=wrt)(*(found[-1] if isinstance(params, tuple) else (found[-1],)))
        flat = flat - rate * space.flat(slope, "the gradient")
        found.append(space.shaped(flat))
    return found


class Space:
    """The parameters of a loss as one vector, and the loss at any such vector."""

    def __init__(self, loss: Loss, params: Any) -> None:
        if not callable(loss):
            raise TypeError(f"{_CALLER}: loss is {a_kind(loss)}; expected a function of the parameters")
        self.loss, self.params, self.is_link = loss, params, isinstance(params, Link)
        pairs = list(params.namedparams()) if isinstance(params, Link) else list(leaves(params))
        self._paths = [name for name, _ in pairs]
        arrays = [_array(leaf, f"{_CALLER}: params{path}") for path, leaf in pairs]
        self.shapes, self._dtypes = [a.shape for a in arrays], [a.dtype for a in arrays]
        self.start = _joined(arrays)

    def parts(self, flat: np.ndarray) -> list[np.ndarray]:
        """The vector as arrays of the parameters' shapes."""
        ends = np.cumsum([math.prod(shape) for shape in self.shapes])[:-1]
        return [part.reshape(shape) for part, shape in zip(np.split(flat, ends), self.shapes, strict=True)]

    def shaped(self, flat: np.ndarray) -> Any:
        """The vector in the structure of the parameters."""
        parts = [part.astype(d) for part, d in zip(self.parts(flat), self._dtypes, strict=True)]
        return parts if self.is_link else filled(self.params, iter(parts))

    def flat(self, point: Any, what: str) -> np.ndarray:
        """A point as a vector; one that does not look like the parameters is an error."""
        source = point.params() if isinstance(point, Link) else (leaf for _, leaf in leaves(point))
        arrays = [_array(leaf, f"{_CALLER}: {what}") for leaf in source]
        if [a.shape for a in arrays] != self.shapes:
            came = f"{[a.shape for a in arrays]!s:.80}"
            raise ValueError(f"{_CALLER}: {what} has the shapes {came}; expected {self.shapes!s:.80}")
        return _joined(arrays)

    def names(self) -> list[str]:
        """What each of the numbers is called."""
        if self.is_link or not isinstance(self.params, tuple):
            return [
                f"{path or 'p'}[{i}]" for path, s in zip(self._paths, self.shapes, strict=True) for i in np.ndindex(s)
            ]
        code = getattr(self.loss, "__code__", None)
        return list(code.co_varnames[:2]) if code and code.co_argcount >= 2 else ["p[0]", "p[1]"]

    def at(self, flat: np.ndarray, model: Any) -> float:
        """The loss at a vector; ``model`` is a copy of the link that may be changed."""
        value = _array(self._result(flat, model), f"{_CALLER}: the loss")
        if value.size != 1:
            raise ValueError(f"{_CALLER}: the loss has shape {value.shape}; expected one number")
        return float(value.reshape(()))

    def traced(self, flat: Any) -> list[Any]:
        """The loss at a traced vector; the link that takes its values is nobody else's."""
        with using_config("enable_backprop", False):
            result = self._result(flat, self.copied())
        return [result.data if isinstance(result, Variable) else result]

    def alone(self, flat: np.ndarray) -> np.ndarray:
        """The loss at a vector, whatever was computed before."""
        with using_config("enable_backprop", False), np.errstate(all="ignore"):
            return np.array([self.at(flat, self.copied())])

    def copied(self) -> Any:
        return self.params.copy("copy") if self.is_link else None

    def _result(self, flat: Any, model: Any) -> Any:
        point = self.shaped(flat)
        if self.is_link:
            for parameter, part in zip(model.params(), point, strict=True):
                parameter.data = part
            return self.loss(model)
        variables = filled(self.params, iter([Variable(leaf) for _, leaf in leaves(point)]))
        return self.loss(*variables) if isinstance(self.params, tuple) else self.loss(variables)


def _evaluated(space: Space, moves: np.ndarray) -> np.ndarray:
    """The loss at some points, in whichever thread or process."""
    values = Branches(space.traced, space.alone).at(space.start + moves)
    if values is not None and values.shape[1] == 1:
        return values[:, 0]
    model = space.copied()
    with using_config("enable_backprop", False), np.errstate(all="ignore"):
        return np.array([space.at(space.start + move, model) for move in moves])


def _array(value: Any, what: str) -> np.ndarray:
    data: Array = value.data if isinstance(value, Variable) else value
    array = np.asarray(to_cpu(data) if hasattr(data, "shape") else data)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{what} is {a_kind(value)}; expected real numbers")
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def _joined(arrays: Iterable[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.empty(0), *[array.reshape(-1).astype(np.float64) for array in arrays]])


# ---------------------------------------------------------------------------------------------------- directions
def _directions(space: Space, given: Any, way: list[np.ndarray], seed: int) -> tuple[Chosen, np.ndarray, np.ndarray]:
    if given is None:
        given = "axes" if space.start.size == 2 else "path" if len(way) > 2 else "random"
    if isinstance(given, str):
        return _named(space, given, way, seed)
    if not isinstance(given, list | tuple) or len(given) != 2:
        raise TypeError(f"{_CALLER}: directions is {given!r:.60}; expected 'axes', 'random', 'path' or a pair")
    first, second = (space.flat(one, f"direction {i}") for i, one in enumerate(given, 1))
    return "given", *_apart(first, second)


def _named(space: Space, kind: str, way: list[np.ndarray], seed: int) -> tuple[Chosen, np.ndarray, np.ndarray]:
    if kind == "axes":
        if space.start.size != 2:
            raise ValueError(f"{_CALLER}: directions is 'axes', but params holds {space.start.size} numbers and not 2")
        return "axes", np.array([1.0, 0.0]), np.array([0.0, 1.0])
    if kind == "path":
        if len(way) < 3:
            raise ValueError(f"{_CALLER}: directions is 'path', but the path has {len(way)} points; it needs 3")
        axes = np.linalg.svd(np.stack(way) - space.start, full_matrices=False)[2]
        return "path", axes[0], axes[1]
    if kind == "random":
        rng = np.random.default_rng(seed)
        first, second = (_normalised(space, rng.normal(size=space.start.size)) for _ in range(2))
        return "random", *_apart(first, second)
    raise ValueError(f"{_CALLER}: directions is {kind!r:.60}; expected 'axes', 'random', 'path' or a pair")


def _normalised(space: Space, flat: np.ndarray) -> np.ndarray:
    """Each row of a direction with the norm of the parameter's own row; arrays of one axis count as one row."""
    scaled = []
    for part, own in zip(space.parts(flat), space.parts(space.start), strict=True):
        rows = part.reshape(len(part), -1) if part.ndim > 1 else part.reshape(1, -1)
        size = np.linalg.norm(own.reshape(rows.shape), axis=1, keepdims=True)
        norm = np.linalg.norm(rows, axis=1, keepdims=True)
        scaled.append(rows * size / np.where(norm > 0, norm, 1.0))
    return _joined(scaled)


def _apart(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    lengths = np.linalg.norm(first) * np.linalg.norm(second)
    if not lengths > 0 or abs(first @ second) > (1 - 1e-9) * lengths:
        raise ValueError(f"{_CALLER}: the two directions span no plane: one is zero, or both are parallel")
    return first, second


def _projected(space: Space, plane: np.ndarray, way: list[np.ndarray]) -> tuple[np.ndarray, float | None]:
    """The nearest points of the plane to those of the way, and the part of the squared length that lies in it."""
    if not way:
        return np.empty((0, 2)), None
    moves = np.stack(way) - space.start
    places = np.linalg.lstsq(plane.T, moves.T, rcond=None)[0].T
    whole = float((moves**2).sum())
    rest = float(((moves - places @ plane) ** 2).sum())
    return places, 1.0 if whole == 0 else max(0.0, 1.0 - rest / whole)


def _reach(places: np.ndarray, span: float | None) -> list[tuple[float, float]]:
    if span is not None or not len(places):
        end = span or 1.0
        return [(-end, end)] * 2
    found = []
    low, high = np.minimum(places.min(axis=0), 0.0), np.maximum(places.max(axis=0), 0.0)
    least = max(0.25 * float((high - low).max()), 1e-9)
    for a, b in zip(low.tolist(), high.tolist(), strict=True):
        margin = max(_MARGIN * (b - a), (least - (b - a)) / 2)
        found.append((a - margin, b + margin))
    return found
