"""A loss of JAX parameters near them, as `autolab.curvature` takes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp

from ...analysis.curvature import LossNearby
from ...analysis.loss_space import by_layer, joined, parts
from ...engine import a_kind
from .inputs import array_of, is_float


def loss_nearby(loss: Callable[..., Any], model: Any, data: tuple[Any, ...]) -> LossNearby:
    """The loss at a pytree of parameters; a tuple holds the first arguments of the loss.

    Examples
    --------
    >>> import autolab, jax.numpy as jnp
    >>> found = autolab.curvature(lambda p: (p["w"] ** 2).sum(), {"w": jnp.array([1.0, 2.0])})
    >>> found.largest.value, found.trace
    (2.0, 4.0)
    """
    leaves, tree = jax.tree_util.tree_flatten_with_path(model)
    names = [jax.tree_util.keystr(path, simple=True, separator=".") or "p" for path, _ in leaves]
    at_rest = [jnp.asarray(leaf) for _, leaf in leaves]
    if not at_rest:
        raise ValueError("curvature: the model has no parameters")
    for name, leaf in zip(names, at_rest, strict=True):
        if not is_float(leaf):
            raise TypeError(f"curvature: {name} is {a_kind(leaf)} of {leaf.dtype}; expected floating-point numbers")
    shapes = [leaf.shape for leaf in at_rest]

    def value_at(given: list[Any]) -> Any:
        filled = jax.tree_util.tree_unflatten(tree, given)
        found = loss(*filled, *data) if type(filled) is tuple else loss(filled, *data)
        if jnp.size(found) != 1:
            raise ValueError(f"curvature: the loss is {a_kind(found)} of shape {jnp.shape(found)}; expected one number")
        return jnp.reshape(found, ())

    def as_leaves(flat: np.ndarray) -> list[Any]:
        return [jnp.asarray(part, leaf.dtype) for part, leaf in zip(parts(flat, shapes), at_rest, strict=True)]

    def as_vector(arrays: Any) -> np.ndarray:
        return joined([array_of(array) for array in arrays])

    value, slopes = jax.value_and_grad(value_at)(at_rest)
    _, pushed = jax.linearize(jax.grad(value_at), at_rest)
    multiplied, evaluated = jax.jit(pushed), jax.jit(value_at)
    middle = as_vector(at_rest)

    def at(moves: np.ndarray) -> np.ndarray:
        return np.array([float(evaluated(as_leaves(middle + move))) for move in moves])

    return LossNearby(
        by_layer(names, shapes, "."), max([float(jnp.finfo(leaf.dtype).eps) for leaf in at_rest]), float(value),
        as_vector(slopes), lambda vector: as_vector(multiplied(as_leaves(vector))), at,
        lambda flat: jax.tree_util.tree_unflatten(tree, as_leaves(flat)),
    )  # fmt: skip
