"""Measurements of a model after an update: gradient norms, how far it moved, and how many units are silent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..engine import Array, Parameter
from ..links import Conv1D, Conv2D, Linear, Link
from ..recording.arrays import snapshot
from ..recording.model import Snapshot
from ..recording.observations import zero_units
from ..shared.norms import norm

CELLS = 128 * 128
"""The largest array that a state keeps whole; of larger ones it keeps a reduced copy."""


@dataclass(frozen=True)
class Layer:
    """A link that has parameters of its own, with its name in charts."""

    name: str
    link: Link
    params: tuple[tuple[str, Parameter], ...]


@dataclass(frozen=True, eq=False)
class ModelState:
    """A model after one update, as immutable data.

    ``values`` and ``gradients`` are keyed by the parameter's path; a gradient is None where there was none.
    ``silent`` has for each layer the number of silent units and of all units.
    """

    iteration: int
    seconds: float
    values: Mapping[str, Snapshot]
    gradients: Mapping[str, Snapshot | None]
    silent: Mapping[str, tuple[int, int]]

    @property
    def nbytes(self) -> int:
        """Size of its arrays in bytes."""
        kept = [*self.values.values(), *[g for g in self.gradients.values() if g is not None]]
        return sum([found.values.nbytes for found in kept])


def layers(model: Link) -> tuple[Layer, ...]:
    """The layers of a model whose sizes are known. Their names omit the common prefix of all paths.

    Examples
    --------
    >>> from autolab import links as L
    >>> model = L.Classifier(L.Chain(first=L.Linear(2, 4), second=L.Linear(4, 3)))
    >>> [layer.name for layer in layers(model)]
    ['first', 'second']
    """
    found = []
    seen: set[int] = set()
    for path, link in model.namedlinks():
        own = [(f"{path.rstrip('/')}/{name}", p) for name, p in link._own("parameter") if p.is_initialized]
        own = [(name, p) for name, p in own if id(p) not in seen]
        seen |= {id(p) for _, p in own}
        if own:
            found.append((path, link, tuple(own)))
    paths = [path.split("/") for path, _, _ in found]
    common = 0
    while paths and all(len(path) > common + 1 and path[common] == paths[0][common] for path in paths):
        common += 1
    names = ["/".join(path[common:]) for path in paths]
    return tuple([Layer(_title(n, link), link, own) for n, (_, link, own) in zip(names, found, strict=True)])


def _title(name: str, link: Link) -> str:
    """The name of a layer in charts; a number alone, as in a Sequential, would say too little."""
    kind = type(link).__name__
    return f"{name} {kind}" if name.rpartition("/")[2].isdigit() else name or kind


def gradient_norm(layer: Layer) -> float | None:
    """The norm of all its gradients together; None if it has none."""
    grads = [p._grad._data for _, p in layer.params if p._grad is not None]
    return norm(grads) if grads else None


def moved(layer: Layer, before: Mapping[str, Array]) -> float | None:
    """How far the last update moved its parameters, relative to their norm; None if the norm was 0 or is unknown, or
    the shapes have changed."""
    pairs = [(p._data, before[path]) for path, p in layer.params if path in before]
    if any([new.shape != w.shape for new, w in pairs]):
        return None
    old = norm([w for _, w in pairs])
    with np.errstate(all="ignore"):
        return norm([new - w for new, w in pairs]) / old if old else None


def silent(layer: Layer) -> tuple[int, int] | None:
    """The numbers of silent units and of all units of a Linear or convolution; None for other links.

    A unit is silent in an update if the gradients of all its weights and of its bias were exactly 0 for the batch, so
    that the update could not move it. A unit before a relu is silent if its result was negative for all examples; so
    is a unit that the loss does not depend on.
    """
    if not isinstance(layer.link, Linear | Conv1D | Conv2D):
        return None
    own = dict(layer.link._own("parameter"))
    grads = [p._grad._data for p in own.values() if p._grad is not None]
    return None if len(grads) < len(own) else zero_units(*grads)


def state_of(found: Sequence[Layer], iteration: int, seconds: float) -> ModelState:
    """A copy of the current state of a model."""
    params = dict([pair for layer in found for pair in layer.params])
    values = {path: snapshot(p._data, CELLS) for path, p in params.items()}
    grads = {path: None if (g := p._grad) is None else snapshot(g._data, CELLS) for path, p in params.items()}
    counts = {layer.name: pair for layer in found if (pair := silent(layer)) is not None}
    return ModelState(iteration, seconds, values, grads, counts)
