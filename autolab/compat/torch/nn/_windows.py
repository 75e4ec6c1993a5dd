"""Convolutions, pooling and padding."""

from __future__ import annotations

from typing import Any

from .... import functions as F  # noqa: F401  # for table.txt
from ....functions.networks.conv_transpose import padded_transpose  # noqa: F401  # for table.txt
from ....functions.pytorch_names import equal_windows
from ....links.functional import pad as _pad
from ...table import fill
from .._arguments import of_floats, tensor_of  # noqa: F401  # of_floats is for table.txt
from .._tensor import dressed


def _padding(weight: Any, padding: Any, dilation: Any) -> Any:
    """``padding`` as numbers: "valid" and "same" are replaced."""
    if not isinstance(padding, str):
        return padding if isinstance(padding, int) else tuple(padding)
    if padding == "valid":
        return 0
    kernel = weight._data.shape[2:]
    reach = [step * (k - 1) for k, step in zip(kernel, _each(dilation, len(kernel)), strict=True)]
    if padding != "same" or any([r % 2 for r in reach]):
        raise RuntimeError(
            f"conv: padding is {padding!r:.60} for {kernel}; expected numbers, or 'same' for odd lengths"
        )
    found = tuple([r // 2 for r in reach])
    return found if len(found) > 1 else found[0]


def _each(value: Any, axes: int) -> tuple[int, ...]:
    return (value,) * axes if isinstance(value, int) else tuple(value)


def _adapted(name: str, engine: Any, axes: int, input: Any, output_size: Any) -> Any:
    kernel = equal_windows(name, tensor_of(name, input)._data.shape[-axes:], output_size)
    return dressed(engine(input, kernel if axes > 1 else kernel[0]))


def pad(input: Any, pad: Any, mode: str = "constant", value: float | None = None) -> Any:
    """Pad axes at both ends; ``pad`` has two numbers for each axis, starting with the last axis."""
    tensor_of("pad", input)
    if mode != "constant" and (mode not in ("reflect", "replicate", "circular") or value is not None):
        expected = "a value with 'constant', or one of reflect, replicate, circular"
        raise NotImplementedError(f"pad: mode is {mode!r:.40} and value {value!r:.40}; expected {expected}")
    if mode != "constant" and not len(pad) // 2 < input._data.ndim <= len(pad) // 2 + 2 <= 5:
        axes = f"{input._data.ndim} axes and pad {len(pad)} numbers"
        raise NotImplementedError(f"pad: input has {axes}; mode {mode!r:.40} pads all but the first one or two")
    return dressed(_pad(input, pad, mode, value or 0))


__getattr__ = fill(__name__)
