"""Nested tuples, lists and dicts: their leaves, and the same structure with other leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from typing import Any

from ..engine import a_kind


def leaves(tree: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The leaves with their paths, in order; None counts as an empty structure.

    Examples
    --------
    >>> list(leaves({"a": 1, "b": (2, [3])}))
    [("['a']", 1), ("['b'][0]", 2), ("['b'][1][0]", 3)]
    """
    if isinstance(tree, dict):
        for key, branch in tree.items():
            yield from leaves(branch, f"{path}[{key!r}]")
    elif isinstance(tree, list | tuple):
        for i, branch in enumerate(tree):
            yield from leaves(branch, f"{path}[{i}]")
    elif tree is not None:
        yield path, tree


def rebuilt(tree: Any, leaf: Callable[[Any], Any]) -> Any:
    """The same structure with every leaf replaced by ``leaf(value)``, called in order.

    Examples
    --------
    >>> rebuilt({"a": 1, "b": (2, None)}, lambda n: n * 10)
    {'a': 10, 'b': (20, None)}
    """
    if isinstance(tree, dict | list | tuple):
        return mapped(tree, lambda _, branch: rebuilt(branch, leaf))
    return None if tree is None else leaf(tree)


def mapped(branches: Any, change: Callable[[Any, Any], Any]) -> Any:
    """A dict, list or tuple of the same kind with every branch replaced by ``change(key, branch)``.

    Examples
    --------
    >>> mapped({"a": 1}, lambda key, n: f"{key}{n}"), mapped((5, 6), lambda i, n: i * n)
    ({'a': 'a1'}, (0, 6))
    """
    if isinstance(branches, dict):
        same_kind = copy(branches)
        same_kind.update({key: change(key, branch) for key, branch in branches.items()})
        return same_kind
    changed = [change(i, branch) for i, branch in enumerate(branches)]
    return type(branches)(*changed) if hasattr(branches, "_fields") else type(branches)(changed)


def contains_itself(tree: Any) -> bool:
    """Whether a list, tuple or dict is inside itself, at any depth.

    Examples
    --------
    >>> tree = [[1.0]]
    >>> contains_itself(tree)
    False
    >>> tree.append(tree)
    >>> contains_itself(tree)
    True
    """
    around: set[int] = set()
    waiting: list[Any] = [(tree, False)]
    while waiting:
        branch, is_done = waiting.pop()
        if is_done:
            around.discard(id(branch))
        elif isinstance(branch, dict | list | tuple):
            if id(branch) in around:
                return True
            around.add(id(branch))
            waiting.append((branch, True))
            waiting += [(inner, False) for inner in (branch.values() if isinstance(branch, dict) else branch)]
    return False


def filled(tree: Any, values: Iterator[Any]) -> Any:
    """The same structure with every leaf replaced by the next of ``values``."""
    return rebuilt(tree, lambda _: next(values))


def matched(tree: Any, other: Any, what: str, path: str = "") -> list[Any]:
    """The values of ``other`` at the leaves of ``tree``; if the structures differ, an error that names ``what``."""
    if isinstance(tree, dict):
        if not isinstance(other, dict) or other.keys() != tree.keys():
            raise TypeError(f"{what}{path} is {_described(other)}; expected a dict with the keys {list(tree)!r:.80}")
        return [value for key in tree for value in matched(tree[key], other[key], what, f"{path}[{key!r}]")]
    if isinstance(tree, list | tuple):
        if not isinstance(other, list | tuple) or len(other) != len(tree):
            raise TypeError(f"{what}{path} is {_described(other)}; expected {a_kind(tree)} of {len(tree)}")
        pairs = enumerate(zip(tree, other, strict=True))
        return [value for i, (a, b) in pairs for value in matched(a, b, what, f"{path}[{i}]")]
    if tree is None and other is None:
        return []
    if tree is None or other is None or isinstance(other, list | tuple | dict):
        raise TypeError(f"{what}{path} is {_described(other)}; expected {'None' if tree is None else 'an array'}")
    return [other]


def _described(value: Any) -> str:
    if isinstance(value, dict):
        return f"a dict with the keys {list(value)!r:.80}"
    return a_kind(value) + (f" of {len(value)}" if isinstance(value, list | tuple) else "")
