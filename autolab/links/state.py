"""What a link's parameters and buffers hold, as arrays by name, and how such arrays come back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine.backend import Array, as_array, get_array_module
from ..engine.parameter import Parameter

if TYPE_CHECKING:
    from .link import Link


def places(link: Link) -> Iterator[tuple[str, Any, str, Array | None]]:
    """Path, object, attribute and value of everything that belongs to the state; None for what has no size yet."""
    for path, parameter in link.namedparams():
        yield path, parameter, "_data", parameter._data if parameter.is_initialized else None
    for prefix, owner in link.namedlinks():
        for name, kind in owner._kinds.items():
            if kind == "buffer":
                yield f"{prefix.rstrip('/')}/{name}", owner, name, owner.__dict__[name]


def planned(link: Link, state: Mapping[str, Any]) -> list[tuple[Any, str, Array]]:
    """The stores that put ``state`` into the link; raises before anything has changed."""
    known = {path[1:] for path, _, _, _ in places(link)}
    if unknown := sorted(set(state) - known):
        raise ValueError(f"load_state: {type(link).__name__} has no {', '.join(unknown):.200}; nothing was loaded")
    if missing := sorted(known - set(state)):
        raise ValueError(f"load_state: {', '.join(missing):.200} is missing; nothing was loaded")
    stores = []
    for path, owner, attribute, before in places(link):
        value = state[path[1:]]
        if value is not None:
            stores.append((owner, attribute, _fitted(path[1:], as_array(value, "load_state"), owner, before)))
        elif before is not None:
            name = f"{path[1:]!r:.100}"
            raise ValueError(
                f"load_state: {name} has no size in what is loaded; expected {before.shape}; nothing was loaded"
            )
    return stores


def _fitted(name: str, value: Array, owner: Any, before: Array | None) -> Array:
    """A copy of ``value`` that takes the place of ``before``: of its shape and dtype, and on its device.

    A parameter without a size takes the dtype as it comes, but is made of floating-point numbers.
    """
    if before is None:
        whole = isinstance(owner, Parameter) and value.dtype.kind != "f"
        copy: Array = value.astype(np.float32) if whole else value.copy()
        return copy
    if value.shape != before.shape:
        raise ValueError(
            f"load_state: {name!r:.100} has shape {value.shape}; expected {before.shape}; nothing was loaded"
        )
    return get_array_module(before).array(value, dtype=before.dtype)
