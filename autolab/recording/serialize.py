"""Recordings as JSON-able data."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from .arrays import plain


def to_json(value: Any) -> Any:
    """Dataclasses as dictionaries, tuples as lists, arrays as nested lists."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_json(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, np.ndarray):
        return plain(value)
    if isinstance(value, tuple):
        return [to_json(item) for item in value]
    return plain(value) if isinstance(value, float) else value
