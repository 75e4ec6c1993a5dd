"""``autolab.tree_util``: functions for nested structures, under JAX's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..shared import structure

__all__ = ["flatten", "leaves", "map", "reduce", "unflatten"]
__all__ += ["tree_flatten", "tree_leaves", "tree_map", "tree_reduce", "tree_unflatten"]


def tree_map(f: Callable[..., Any], tree: Any, *rest: Any) -> Any:
    """Apply ``f`` to each array in a structure, and to those at the same position in others; keeps the structure.

    Raises
    ------
    TypeError
        If the structures differ.

    Examples
    --------
    >>> from autolab.tree_util import tree_map
    >>> tree_map(lambda w, g: w - 0.1 * g, {"w": 1.0, "b": [2.0]}, {"w": 10.0, "b": [0.0]})
    {'w': 0.0, 'b': [2.0]}
    """
    columns = [tree_leaves(tree), *[structure.matched(tree, other, "tree_map: a structure") for other in rest]]
    return structure.filled(tree, iter([f(*each) for each in zip(*columns, strict=True)]))


def tree_leaves(tree: Any) -> list[Any]:
    """The arrays in a structure, as a list."""
    return [leaf for _, leaf in structure.leaves(tree)]


def tree_reduce(f: Callable[[Any, Any], Any], tree: Any, initial: Any = 0) -> Any:
    """Reduce the arrays in a structure: ``result = f(result, array)``, starting with ``initial``."""
    for leaf in tree_leaves(tree):
        initial = f(initial, leaf)
    return initial


def tree_flatten(tree: Any) -> tuple[list[Any], Any]:
    """The arrays in a structure, and the structure itself, for `tree_unflatten`."""
    return tree_leaves(tree), structure.rebuilt(tree, lambda _: "*")


def tree_unflatten(treedef: Any, leaves: Any) -> Any:
    """The structure filled with the given arrays; a ValueError if there are too many or too few."""
    given, count = list(leaves), len(tree_leaves(treedef))
    if len(given) != count:
        raise ValueError(f"tree_unflatten: leaves has {len(given)} entries; expected {count}")
    return structure.filled(treedef, iter(given))


map, leaves, reduce = tree_map, tree_leaves, tree_reduce  # as in ``jax.tree``
flatten, unflatten = tree_flatten, tree_unflatten
