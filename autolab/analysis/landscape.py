"""Loss surfaces: a loss along two directions in the space of its parameters, with the path of a descent, as plain data.

Random directions are filter-normalised (H. Li, Z. Xu, G. Taylor, C. Studer, T. Goldstein, "Visualizing the Loss
Landscape of Neural Nets", NeurIPS 2018): each row of a parameter's direction gets the norm of the parameter's own row,
so that a step means the same for layers of all scales.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from .. import transforms
from ..engine import Savable, check_whole, folded, hidden, show, using_config
from ..engine.undisturbed import quietly
from ..gradcheck.measuring.executors import check_executor, spread
from ..optimizers import Optimizer
from ..transforms.tracing import BatchEvaluator
from .loss_space import CALLER, Chosen, Loss, Space, SurfacePlane, directions_of, named_arguments
from .rolling import Roll, checked_start, roll

_MARGIN = 0.25
_MOST_STEPS = 401
_VISIBLE = 1e-3


@dataclass(frozen=True, eq=False, repr=False)
class Surface(Savable):
    """A loss over a plane in the space of its parameters, created by `surface`.

    ``values[i, j]`` is the loss at ``x[j]`` along the first direction and ``y[i]`` along the second. These coordinates
    are in units of the directions, relative to the given parameters; for ``axes`` they are the two parameters
    themselves. Each row of ``path`` holds the coordinates of one point of the path, projected onto the plane,
    ``path_values`` the losses at the points themselves, and ``captured`` is the fraction of the path's squared length
    that lies in the plane; the rest cannot be seen.

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
    plane: SurfacePlane

    def roll(
        self,
        start: Sequence[float],
        optimizer: str | Optimizer = "SGD",
        steps: int = 60,
        settings: Mapping[str, float] | None = None,
    ) -> Roll:
        """Let an optimizer of AutoLab's move a ball from a starting point, by the gradient of the loss in the plane.

        Parameters
        ----------
        start : pair of float
            The starting point, within the surface.
        optimizer : str or Optimizer
            The name of an optimizer in `autolab.optimizers`, such as ``SGD``, ``MomentumSGD`` or ``Adam``; or an
            optimizer, whose settings are copied and which itself does not change.
        steps : int
            The number of updates, from 1 to 500. The ball stops earlier if the loss or its gradient is not finite.
        settings : dict, optional
            Settings of the optimizer, by name; all others have their defaults.

        Raises
        ------
        TypeError, ValueError
            If the start is outside the surface, there is no such optimizer or setting, or the loss has changed since
            the surface was computed.

        Examples
        --------
        >>> import autolab
        >>> bowl = autolab.plots.surface(lambda x, y: x**2 + y**2, (0.0, 0.0))
        >>> bowl.roll((1.0, -0.5), "SGD", steps=2, settings={"lr": 0.25}).places.tolist()
        [[1.0, -0.5], [0.5, -0.25], [0.25, -0.125]]
        """
        self._check_loss(checked_start(start, (self.x, self.y)))
        return roll(self.plane, (self.x, self.y), start, optimizer, steps, settings)

    def _check_loss(self, place: np.ndarray) -> None:
        """Refuse a loss that has visibly changed at the grid point nearest to a place. A loss that uses random numbers
        changes each time."""
        j, i = (int(np.abs(axis - at).argmin()) for axis, at in zip((self.x, self.y), place, strict=True))
        drawn, known = float(self.values[i, j]), self.values[np.isfinite(self.values)]
        now, again = (self.plane.slope(float(self.x[j]), float(self.y[i]))[0] for _ in range(2))
        if now == again and math.isfinite(drawn) and not abs(now - drawn) <= _VISIBLE * np.ptp([0.0, *known]):
            raise ValueError(
                f"Surface.roll: the loss at ({self.x[j]:g}, {self.y[i]:g}) is {now:g} now; expected {drawn:g}, which "
                "it was when the surface was computed"
            )

    def explore(
        self, start: Sequence[float] | None = None, optimizer: str | Optimizer = "MomentumSGD", steps: int = 60
    ) -> Any:
        """Open the surface as a live view, which shows the loss under the pointer and a ball that can be dragged and
        rolls.

        In plain Python, where there is no notebook to draw in, the view is saved as a page in the folder
        ``autolab_pages``.

        Parameters
        ----------
        start, optimizer, steps
            As for `roll`; without a start, the ball is placed in the view.

        Returns
        -------
        SurfaceView
            ``.roll`` is the path of the ball as data, ``.rolls`` those of a race; ``.close()`` closes the view.

        Raises
        ------
        TypeError, ValueError
            As `roll`.

        Examples
        --------
        >>> import autolab
        >>> bowl = autolab.plots.surface(lambda x, y: x**2 + 10 * y**2, (0.0, 0.0))
        >>> view = bowl.explore((0.8, 0.4), "Adam")
        explore: no notebook to draw in; open ...html in a browser; later views go to the same folder
        """
        return show(self, "live", start=start, optimizer=optimizer, steps=steps)

    def to_json(self) -> dict[str, Any]:
        """Dictionaries, lists, strings and numbers; None for what is not a finite number."""
        listed = {key: getattr(self, key) for key in ("x", "y", "values", "path", "path_values")}
        plain = {key: [_plain(v) for v in array.reshape(-1)] for key, array in listed.items()}
        rest = {"names": list(self.names), "chosen": self.chosen, "center": list(self.center)}
        return {**rest, **plain, "captured": self.captured}

    def __repr__(self) -> str:
        return str(self._repr_mimebundle_()["text/plain"])


def _plain(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def surface(
    loss: Loss,
    params: Any = None,
    directions: Literal["axes", "random", "path"] | Sequence[Any] | None = None,
    path: Iterable[Any] = (),
    span: float | None = None,
    steps: int = 41,
    seed: int = 0,
    executor: Executor | None = None,
    **inputs: Any,
) -> Surface:
    """Compute a loss surface: the loss along two directions from its parameters.

    Parameters
    ----------
    loss : callable
        Returns one number. It is called with the parameters: with a link, with the elements of a tuple as its
        arguments, or with anything else as its only argument.
    params : Link, tuple, array or nested structure of arrays
        The parameters through which the plane goes. They do not change; the loss is computed with copies.
    directions : {"axes", "random", "path"} or pair, optional
        ``axes``: the two parameters themselves, the default if there are just two numbers; ``path``: the two directions
        in which the path extends furthest, the default if a path is given; ``random``: random directions,
        filter-normalised, the default otherwise. Or a pair of structures like ``params``.
    path : iterable, optional
        The points of a path, such as `descend` returns: structures like ``params``, or, for a link, lists of the arrays
        of its parameters.
    span : float, optional
        How far the surface extends to each side, in units of the directions; by default 1, or as far as the path needs.
    steps : int
        The number of grid points in each direction, from 2 to 401.
    seed : int
        The seed of the random directions.
    executor : Executor, optional
        Runs the computations: any `concurrent.futures.Executor`; for Dask, ``client.get_executor()``.
    **inputs
        The arguments of the loss by name, instead of ``params``: ``surface(f, x=3.0, y=1.0)``.

    Returns
    -------
    Surface

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or value, or the loss is not a single number.

    Examples
    --------
    >>> from autolab.analysis import surface
    >>> found = surface(lambda x, y: x ** 2 + 10 * y ** 2, (3.0, 1.0), steps=3, span=1.0)
    >>> found.values.tolist()
    [[4.0, 9.0, 16.0], [14.0, 19.0, 26.0], [44.0, 49.0, 56.0]]
    """
    __tracebackhide__ = hidden()
    with folded():
        check_executor(CALLER, executor)
        steps = check_whole(CALLER, "steps", steps, 2, _MOST_STEPS)
        if span is not None and not (isinstance(span, int | float) and 0 < span < math.inf):
            raise ValueError(f"{CALLER}: span is {span!r:.60}; expected a number above 0")
        space = Space(loss, named_arguments(loss, params, inputs))
        if space.start.size < 2:
            raise ValueError(f"{CALLER}: a plane needs at least two numbers; params holds {space.start.size}")
        way = [space.flat(point, f"point {i} of the path") for i, point in enumerate(path)]
        chosen, first, second = directions_of(space, directions, way, seed)
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
            places + origin, values[steps * steps :], captured, SurfacePlane(space, first, second, origin),
        )  # fmt: skip


def descend(loss: Loss, params: Any, rate: float, steps: int) -> list[Any]:
    """The points of a gradient descent with learning rate ``rate``, starting at ``params``: a path for `surface`.

    Parameters
    ----------
    loss : callable
        Returns one number. It is given the parameters: a tuple of arguments, or its only argument.
    params : tuple, array or nested structure of arrays
        Where the descent starts.
    rate : float
        The learning rate.
    steps : int
        How many steps are taken: there is one point more.

    Examples
    --------
    >>> from autolab.analysis import descend
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


def _evaluated(space: Space, moves: np.ndarray) -> np.ndarray:
    """The loss at some points, in any thread or process."""
    values = BatchEvaluator(space.traced, space.alone).at(space.start + moves)
    if values is not None and values.shape[1] == 1:
        return values[:, 0]
    model = space.copied()
    with using_config("enable_backprop", False), quietly():
        return np.array([space.at(space.start + move, model) for move in moves])


def _projected(space: Space, plane: np.ndarray, way: list[np.ndarray]) -> tuple[np.ndarray, float | None]:
    """The path projected onto the plane, and the fraction of its squared length that lies in the plane."""
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
