"""What an event says about the application of a function, besides its values."""

from __future__ import annotations

from typing import Any

from ..engine import ForwardEvent, Primitive
from ..functions.arrays.device_transfer import Transfer
from .locate import source_of


def attributes_of(event: ForwardEvent) -> tuple[tuple[str, str], ...]:
    """The names and texts of the attributes that differ from their defaults."""
    defaults = event.function.schema.defaults if isinstance(event.function, Primitive) else {}
    texts = {name: f"{value!r:.60}" for name, value in event.attributes.items()}
    return tuple([(name, text) for name, text in texts.items() if text != repr(defaults.get(name, ...))])


def given_inputs(event: ForwardEvent) -> tuple[Any, ...]:
    """The inputs, without optional ones at the end that were not given to a declared function."""
    count = len(event.inputs)
    while isinstance(event.function, Primitive) and event.inputs[count - 1] is None:
        count -= 1
    return event.inputs[:count]


def backward_code(function: Any) -> str | None:
    """The source of a backward that a user wrote; None for declared functions, which have rules, and for transfers."""
    if isinstance(function, Primitive) or type(function) is Transfer:
        return None
    return source_of(function.written_backward)[0]
