"""Storing many values at once, or none of them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import starmap
from typing import Any

_store = object.__setattr__


def publish(stores: Iterable[tuple[Any, str, Any]]) -> None:
    """Set attributes, given as ``(object, name, value)``, in one call of C.

    An interrupt is seen between two bytecodes, so it falls before or after all of them. What can fail must have
    happened before: the objects' own ``__setattr__`` and properties are not asked.
    """
    any(starmap(_store, list(stores)))  # which runs through all of them, as a store returns None
