"""What PyTorch refuses in a backward pass: a graph that has been freed, and values changed in place since.

The engine keeps a graph as long as something refers to it, and does not check whether values have changed. This module
remembers the roots of finished passes and the arrays changed in place, as long as they live. Only if there are any is a
graph searched before a pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary, ref

import numpy as np

from ...engine import Array, Node, is_array, new_order, nodes_below
from ...engine.retention import kept_values

_walked: set[ref[Node]] = set()
_changed: dict[int, tuple[ref[Any], int]] = {}
_rewritten: WeakKeyDictionary[Node, int] = WeakKeyDictionary()
_written: WeakKeyDictionary[Node, Node] = WeakKeyDictionary()
_VIEWS = {"getitem", "reshape", "transpose", "moveaxis", "swapaxes", "expand_dims", "broadcast_to", "diagonal"}


def note_change(array: Array) -> None:
    """Remember that an array is about to be changed in place."""
    base = _base(array)
    key = id(base)
    _changed[key] = ref(base, lambda _: _changed.pop(key, None)), new_order()


def note_walked(root: Node) -> None:
    """Remember that a pass started at this node and did not retain its graph."""
    _walked.add(ref(root, _walked.discard))


def note_rewritten(node: Node) -> None:
    """Remember that the result of a step was changed in place: views taken of it before have the new values, but the
    old history."""
    _rewritten[node] = new_order()


def note_view(node: Node, whole: Node) -> None:
    """Remember that a view was written to, whose history since then begins at the node of the whole tensor."""
    _written[node] = whole


def check_pass(root: Node) -> None:
    """Raise a RuntimeError where PyTorch would: see the module's docstring."""
    if not _changed and not _walked:  # what is in _rewritten is in _changed as well
        return
    inner = [node for node in nodes_below(root) if node.order]
    if (ref(root) in _walked or _meets_walked(inner)) and any([next(_kept(node), None) is not None for node in inner]):
        raise RuntimeError(
            "Trying to backward through the graph a second time: it was freed by the first pass. Give that one "
            "retain_graph=True, or compute the result again"
        )
    if _changed:
        for node in inner:
            if any([_changed.get(id(_base(array)), (None, 0))[1] > node.order for array in _kept(node)]):
                name = node.function.name if node.function is not None else "a step"
                raise RuntimeError(
                    f"a value that the gradient of {name} needs has been modified by an inplace operation; write "
                    "y = y + ... there, or clone() first"
                )

    if _rewritten and any([_is_old_view(view, node.order) for node in inner for view in node.parents]):
        raise RuntimeError(
            "a view of a tensor was used after the tensor has been modified by an inplace operation; take the view "
            "after that, or clone() the tensor first"
        )


def _is_old_view(view: Node, used: int) -> bool:
    """Whether a value, ``used`` at this position, is a view of values that were changed after it was taken."""
    of = node_of_whole(view)
    return of is not view and view.order < _rewritten.get(of, 0) < used


def node_of_whole(view: Any) -> Any:
    """The step that computed the tensor of which this one is a view; the node itself, if it is none."""
    return list(nodes_of_view(view))[-1]


def nodes_of_view(view: Any) -> Iterator[Any]:
    """The node of a view, then that of the tensor of which it is a view, and so on."""
    while True:
        yield view
        if view in _written:
            view = _written[view]
        elif getattr(getattr(view, "function", None), "name", None) in _VIEWS and not _copies(view):
            view = next(iter(view.parents))
        else:
            return


def _copies(node: Node) -> bool:
    """Whether a step is advanced indexing, by lists or arrays, which copies."""
    index = dict(kept_values(node.function, next(iter(node.edges)))).get("index", ())
    return any([is_array(i) or isinstance(i, list) for i in (index if isinstance(index, tuple) else (index,))])


def _meets_walked(inner: list[Node]) -> bool:
    """Whether a graph shares a node with one that has been freed."""
    last = min([node.order for node in inner], default=0)
    old = [root for one in {*_walked} if (root := one()) is not None and root.order >= last]
    return bool(old) and not set(inner).isdisjoint([node for root in old for node in nodes_below(root)])


def _kept(node: Node) -> Iterator[Array]:
    """The arrays that a node retains for backward."""
    for edge in node.edges:
        yield from _arrays(edge.saved)
    held = getattr(node.function, "held", None)  # the functions that users write
    for _, _, value in held() if held is not None else ():
        yield from _arrays(value)


def _arrays(value: Any) -> Iterator[Array]:
    value = getattr(value, "_data", value)
    if is_array(value):
        yield value
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _arrays(item)


def _base(array: Any) -> Any:
    """The array that owns the memory."""
    while isinstance(array, np.ndarray) and isinstance(array.base, np.ndarray):
        array = array.base
    return array
