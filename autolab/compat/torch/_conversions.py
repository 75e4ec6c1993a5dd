"""The same numbers in another type, or on another device."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.backend import device_name, get_array_module
from ...functions.arrays import device_transfer
from ._arguments import cast
from ._shapes import clone
from ._tensor import Engine, dressed
from ._types import device, numpy_dtype, of_array


def to(self: Any, *args: Any, **options: Any) -> Any:
    """The same numbers in another type, on another device, or as another tensor has them."""
    return converted(self, args, options)


def converted(x: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """``x.to(...)``"""
    unknown = options.keys() - {"device", "dtype", "non_blocking", "copy"}
    if unknown:
        raise TypeError(f"to: got a keyword {sorted(unknown)[0]!r:.60}; expected device, dtype, copy or non_blocking")
    given = [*args, options.get("device"), options.get("dtype")]
    y = x
    for one in given:
        if isinstance(one, Engine):
            y = converted(y, (of_array(one._data), device_name(one._data)), {})
        elif isinstance(one, str):
            wanted, there = device(one), get_array_module(y._data) is not np
            if (wanted.type == "cuda") != there:
                y = dressed(device_transfer.to_cpu(y) if there else device_transfer.to_gpu(y))
        elif one is not None and not isinstance(one, bool):
            y = cast(y, numpy_dtype("to", one))
    return clone(y) if options.get("copy") and y is x else y
