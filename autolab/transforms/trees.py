"""``autolab.tree_util``: functions for nested structures, under JAX's names."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ..shared.structure import filled, mapped, matched, rebuilt
from ..shared.structure import leaves as leaves_of

__all__ = ["flatten", "leaves", "map", "reduce", "structure", "unflatten"]
__all__ += ["tree_flatten", "tree_leaves", "tree_map", "tree_reduce", "tree_structure", "tree_unflatten"]


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
    columns = [matched(tree, other, "tree_map: a structure") for other in (tree, *rest)]
    return filled(tree, iter([f(*each) for each in zip(*columns, strict=True)]))


def tree_leaves(tree: Any) -> list[Any]:
    """The arrays in a structure, as a list; those of a dict in the order of its keys, as in JAX."""
    return [leaf for _, leaf in leaves_of(_in_order(tree))]


def _in_order(tree: Any) -> Any:
    """The structure with the keys of its dicts sorted, where they can be; other mappings have an order of their own."""
    if not isinstance(tree, dict | list | tuple):
        return tree
    if type(tree) is dict:
        with suppress(TypeError):
            tree = {key: tree[key] for key in sorted(tree)}
    return mapped(tree, lambda _, branch: _in_order(branch))


def tree_reduce(f: Callable[[Any, Any], Any], tree: Any, initializer: Any = None) -> Any:
    """Reduce the arrays in a structure: ``result = f(result, array)``, starting with ``initializer`` or the first.

    Examples
    --------
    >>> from autolab.tree_util import tree_reduce
    >>> tree_reduce(max, {"a": -1.0, "b": [-2.0]})
    -1.0
    """
    given = tree_leaves(tree)
    return functools.reduce(f, given if initializer is None else [initializer, *given])


def tree_structure(tree: Any) -> Any:
    """The structure alone, for `tree_unflatten`; structures are equal if they are alike."""
    return rebuilt(_in_order(tree), lambda _: "*")


def tree_flatten(tree: Any) -> tuple[list[Any], Any]:
    """The arrays in a structure, and the structure itself, for `tree_unflatten`."""
    return tree_leaves(tree), tree_structure(tree)


def tree_unflatten(treedef: Any, leaves: Any) -> Any:
    """The structure filled with the given arrays; a ValueError if there are too many or too few."""
    given, count = list(leaves), len(tree_leaves(treedef))
    if len(given) != count:
        raise ValueError(f"tree_unflatten: leaves has {len(given)} entries; expected {count}")
    return filled(treedef, iter(given))


map, leaves, reduce = tree_map, tree_leaves, tree_reduce  # as in ``jax.tree``
flatten, structure, unflatten = tree_flatten, tree_structure, tree_unflatten
