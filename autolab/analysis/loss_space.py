"""The parameters of a loss as one vector: the loss at any such vector, its gradient, and directions to look along."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, Literal

import numpy as np

from ..engine import Array, Variable, a_kind, grad, to_cpu, using_config
from ..engine.undisturbed import quietly, undisturbed
from ..links import Link
from ..shared.binding import fitted
from ..shared.structure import filled, leaves

Loss = Callable[..., Any]
Chosen = Literal["axes", "random", "path", "given"]

CALLER = "surface"


class Space:
    """The space of the parameters of a loss, each point of which is one vector, and the loss there."""

    def __init__(self, loss: Loss, params: Any, caller: str = CALLER) -> None:
        if not callable(loss):
            raise TypeError(f"{caller}: loss is {a_kind(loss)}; expected a function of the parameters")
        self.caller, self.loss, self.params, self.is_link = caller, loss, params, isinstance(params, Link)
        pairs = list(params.namedparams()) if isinstance(params, Link) else list(leaves(params))
        self._called = [_name_of(leaf, path, self) for path, leaf in pairs]
        arrays = [_array(leaf, f"{caller}: params{path}") for path, leaf in pairs]
        self.shapes, self._dtypes = [a.shape for a in arrays], [a.dtype for a in arrays]
        self.start = joined(arrays)
        if self.start.size > 1:  # otherwise there is no plane, which is reported first
            _check_arguments(loss, params if isinstance(params, tuple) else (params,))

    @property
    def precision(self) -> float:
        """The spacing of numbers about 1 in the coarsest dtype of the parameters."""
        return float(max([np.finfo(dtype).eps for dtype in self._dtypes]))

    def parts(self, flat: np.ndarray) -> list[np.ndarray]:
        """The vector as arrays of the parameters' shapes."""
        return parts(flat, self.shapes)

    def shaped(self, flat: np.ndarray) -> Any:
        """The vector in the structure of the parameters."""
        parts = [part.astype(d) for part, d in zip(self.parts(flat), self._dtypes, strict=True)]
        return parts if self.is_link else filled(self.params, iter(parts))

    def flat(self, point: Any, what: str) -> np.ndarray:
        """A point as a vector; one without the structure of the parameters is an error."""
        if isinstance(point, np.ndarray) and point.ndim == 1 and self.shapes == [()] * len(point):
            return point.astype(np.float64)  # already a vector with one number per parameter
        source = point.params() if isinstance(point, Link) else (leaf for _, leaf in leaves(point))
        arrays = [_array(leaf, f"{CALLER}: {what}") for leaf in source]
        if [a.shape for a in arrays] != self.shapes:
            came = f"{[a.shape for a in arrays]!s:.80}"
            raise ValueError(f"{CALLER}: {what} has the shapes {came}; expected {self.shapes!s:.80}")
        return joined(arrays)

    def names(self) -> list[str]:
        """The name of each number: that of its Variable, or of the argument of the loss that holds it."""
        return [
            f"{name}{list(at) if at else ''}"
            for name, shape in zip(self._called, self.shapes, strict=True)
            for at in np.ndindex(shape)
        ]

    def layers(self) -> list[tuple[str, int]]:
        """The layers of a link, in the order of the vector, or its single arrays otherwise: names and sizes."""
        return by_layer(self._called, self.shapes, "/" if self.is_link else "")

    def at(self, flat: np.ndarray, model: Any) -> float:
        """The loss at a vector; ``model`` is a copy of the link that may be changed."""
        return _one(self._result(flat, model), self.caller)

    def traced(self, flat: Any) -> list[Any]:
        """The loss at a traced vector; the link that gets its values is a private copy."""
        with using_config("enable_backprop", False):
            result = self._result(flat, self.copied())
        return [result.data if isinstance(result, Variable) else result]

    def alone(self, flat: np.ndarray) -> np.ndarray:
        """The loss at a vector, independent of earlier computations."""
        with using_config("enable_backprop", False), quietly():
            return np.array([self.at(flat, self.copied())])

    def copied(self) -> Any:
        return self.params.copy("copy") if self.is_link else None

    def slope(self, flat: np.ndarray) -> tuple[float, np.ndarray]:
        """The loss at a vector and its gradient there, by backward; 0 where no gradient arrives."""
        with quietly():
            result, inputs = self._placed(flat, self.copied())
        value = _one(result, self.caller)
        with quietly():
            slopes = grad(result, inputs) if isinstance(result, Variable) else (None,) * len(inputs)
        return value, self._joined(slopes)

    def bent(self) -> tuple[float, np.ndarray, Callable[[np.ndarray], np.ndarray]]:
        """The loss at the start, its gradient, and the Hessian there as a function that multiplies it by a vector: one
        backward pass through the recorded gradient per product."""
        with quietly():
            result, inputs = self._placed(self.start, self.copied())
        value = _one(result, self.caller)
        with quietly():
            found = grad(result, inputs, create_graph=True) if isinstance(result, Variable) else (None,) * len(inputs)
        slopes = [(k, g) for k, g in enumerate(found) if g is not None]

        def product(vector: np.ndarray) -> np.ndarray:
            parts = self.parts(vector)
            given = [parts[k].astype(self._dtypes[k]) for k, _ in slopes]
            with quietly():
                rows = grad([g for _, g in slopes], inputs, given) if slopes else (None,) * len(inputs)
            return self._joined(rows)

        return value, self._joined(found), product

    def _joined(self, gradients: Iterable[Any]) -> np.ndarray:
        """Gradients of all parameters as one vector; 0 where none arrives."""
        pairs = zip(self.shapes, gradients, strict=True)
        what = f"{self.caller}: the gradient"
        return joined([np.zeros(shape) if g is None else _array(g, what) for shape, g in pairs])

    def _result(self, flat: Any, model: Any) -> Any:
        return self._placed(flat, model)[0]

    def _placed(self, flat: Any, model: Any) -> tuple[Any, list[Any]]:
        """What the loss returns at a vector, and the Variables that it was given."""
        with undisturbed():
            point = self.shaped(flat)
            if self.is_link:
                inputs = list(model.params())
                for parameter, part in zip(inputs, point, strict=True):
                    parameter.data = part
                return self.loss(model), inputs
            inputs = [Variable(leaf) for _, leaf in leaves(point)]
            variables = filled(self.params, iter(inputs))
            return (self.loss(*variables) if isinstance(self.params, tuple) else self.loss(variables)), inputs


def named_arguments(loss: Loss, params: Any, inputs: Mapping[str, Any]) -> Any:
    """The parameters, or the arguments of the loss that were given by name."""
    if (params is None) is not bool(inputs):
        came = f"both params and {', '.join(inputs):.60}" if inputs else "no params"
        raise TypeError(f"{CALLER}: got {came}; expected surface(loss, params) or surface(loss, x=3.0, y=1.0)")
    bound = fitted(CALLER, loss, (), inputs) if inputs and callable(loss) else None
    if bound is None:
        return params
    bound.apply_defaults()
    return bound.args


def _name_of(leaf: Any, path: str, space: Space) -> str:
    """The user's name for an array: its own, or that of the argument that contains it, with its path inside."""
    if space.is_link:
        return path.lstrip("/")
    if getattr(leaf, "name", None):
        return str(leaf.name)
    place, rest = 0, path
    if isinstance(space.params, tuple):
        first, _, rest = path[1:].partition("]")
        place = int(first)
    try:
        taken = [p.name for p in inspect.signature(space.loss).parameters.values() if p.kind <= p.POSITIONAL_OR_KEYWORD]
    except (TypeError, ValueError):  # built-in functions have no signature
        taken = []
    return f"{taken[place]}{rest}" if place < len(taken) else f"p{path}"


def _check_arguments(loss: Loss, args: tuple[Any, ...]) -> None:
    """Refuse a loss that cannot be called with the parameters, such as one without arguments."""
    try:
        signature = inspect.signature(loss)
    except (TypeError, ValueError):  # built-in functions have no signature
        return
    try:
        signature.bind(*args)
    except TypeError:
        name = getattr(loss, "__name__", type(loss).__name__)
        given = "the parameters as one argument" if len(args) == 1 else f"{len(args)} arguments"
        given = "the link" if isinstance(args[0], Link) else given
        raise TypeError(
            f"{CALLER}: {name:.60}{signature!s:.80} does not take what params holds; it is called with {given}"
        ) from None


@dataclass(frozen=True, eq=False)
class SurfacePlane:
    """The plane of a surface: it maps coordinates in the picture to vectors of parameters.

    For a surface over two parameters, the coordinates are the parameters themselves, and ``origin`` is where the space
    starts; otherwise they are measured along the directions from there, and ``origin`` is 0.
    """

    space: Space
    first: np.ndarray
    second: np.ndarray
    origin: np.ndarray

    def slope(self, x: float, y: float) -> tuple[float, np.ndarray]:
        """The loss at a place and its gradient in the plane, of shape ``(2,)``."""
        along, up = np.array([x, y]) - self.origin
        value, gradient = self.space.slope(self.space.start + along * self.first + up * self.second)
        with np.errstate(all="ignore"):
            return value, np.array([gradient @ self.first, gradient @ self.second])


def _one(result: Any, caller: str) -> float:
    """The loss as a number."""
    value = _array(result, f"{caller}: the loss")
    if value.size != 1:
        raise ValueError(f"{caller}: the loss has shape {value.shape}; expected one number")
    return float(value.reshape(()))


def _array(value: Any, what: str) -> np.ndarray:
    data: Array = value.data if isinstance(value, Variable) else value
    array = np.asarray(to_cpu(data) if hasattr(data, "shape") else data)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{what} is {a_kind(value)}; expected real numbers")
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def by_layer(names: Iterable[str], shapes: Iterable[tuple[int, ...]], separator: str) -> list[tuple[str, int]]:
    """The sizes of neighbouring parameters with one owner; without a separator, each is by itself."""
    owned = [
        ((name.rpartition(separator)[0] if separator else name) or name, shape)
        for name, shape in zip(names, shapes, strict=True)
    ]
    return [(owner, sum([math.prod(s) for _, s in group])) for owner, group in groupby(owned, key=itemgetter(0))]


def parts(flat: np.ndarray, shapes: Sequence[tuple[int, ...]]) -> list[np.ndarray]:
    """A vector as arrays of these shapes; `joined` puts them together again."""
    ends = np.cumsum([math.prod(shape) for shape in shapes])[:-1]
    return [part.reshape(shape) for part, shape in zip(np.split(flat, ends), shapes, strict=True)]


def joined(arrays: Iterable[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.empty(0), *[array.reshape(-1).astype(np.float64) for array in arrays]])


# ---------------------------------------------------------------------- the two directions of a surface
def directions_of(space: Space, given: Any, way: list[np.ndarray], seed: int) -> tuple[Chosen, np.ndarray, np.ndarray]:
    if given is None:
        given = "axes" if space.start.size == 2 else "path" if len(way) > 2 else "random"
    if isinstance(given, str):
        return _by_name(space, given, way, seed)
    if not isinstance(given, list | tuple) or len(given) != 2 or all([isinstance(one, int | float) for one in given]):
        expected = "'axes', 'random', 'path' or a pair of arrays or structures"
        told = f"how far to go round a point is said by span: {CALLER}(f, (0.0, 0.0), span=2)"
        raise TypeError(f"{CALLER}: directions is {given!r:.60}; expected {expected}; {told}")
    first, second = (space.flat(one, f"direction {i}") for i, one in enumerate(given, 1))
    return "given", *_apart(first, second)


def _by_name(space: Space, kind: str, way: list[np.ndarray], seed: int) -> tuple[Chosen, np.ndarray, np.ndarray]:
    if kind == "axes":
        if space.start.size != 2:
            raise ValueError(f"{CALLER}: directions is 'axes', but params holds {space.start.size} numbers and not 2")
        return "axes", np.array([1.0, 0.0]), np.array([0.0, 1.0])
    if kind == "path":
        if len(way) < 3:
            raise ValueError(f"{CALLER}: directions is 'path', but the path has {len(way)} points; it needs 3")
        axes = np.linalg.svd(np.stack(way) - space.start, full_matrices=False)[2]
        return "path", axes[0], axes[1]
    if kind == "random":
        rng = np.random.default_rng(seed)
        first, second = (_normalised(space, rng.normal(size=space.start.size)) for _ in range(2))
        return "random", *_apart(first, second)
    raise ValueError(f"{CALLER}: directions is {kind!r:.60}; expected 'axes', 'random', 'path' or a pair")


def _normalised(space: Space, flat: np.ndarray) -> np.ndarray:
    """A direction with each row scaled to the norm of the parameter's own row; a one-dimensional array is one row."""
    scaled = []
    for part, own in zip(space.parts(flat), space.parts(space.start), strict=True):
        rows = part.reshape(len(part), -1) if part.ndim > 1 else part.reshape(1, -1)
        size = np.linalg.norm(own.reshape(rows.shape), axis=1, keepdims=True)
        norm = np.linalg.norm(rows, axis=1, keepdims=True)
        scaled.append(rows * size / np.where(norm > 0, norm, 1.0))
    return joined(scaled)


def _apart(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    lengths = np.linalg.norm(first) * np.linalg.norm(second)
    if not lengths > 0 or abs(first @ second) > (1 - 1e-9) * lengths:
        raise ValueError(f"{CALLER}: the two directions span no plane: one is zero, or both are parallel")
    return first, second
