"""Tensors as PyTorch prints them: four digits, followed by attributes that differ from the default."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...engine import Leaf, to_cpu
from ._types import default_dtype, of_array

_SUMMARIZED = 1000


def text(tensor: Any) -> str:
    """``tensor([1., 2.], requires_grad=True)``"""
    kind = "Parameter containing:\ntensor" if type(tensor).__name__ == "Parameter" else "tensor"
    if not hasattr(tensor._data, "dtype"):  # a parameter without a size
        return "Parameter containing:\n<no size yet>"
    array = to_cpu(tensor._data)
    notes = list(_notes(tensor, array))
    if not array.size:
        size = [] if array.shape == (0,) else [f"size={array.shape}"]
        return f"{kind}({', '.join(['[]', *size, *notes])})"
    formatter = {"all": _format(array)}
    numbers = np.array2string(
        array,
        separator=", ",
        prefix="tensor(",
        formatter=formatter,  # type: ignore[arg-type]  # "all" is one of NumPy's keys
        threshold=_SUMMARIZED,
        edgeitems=3,
        max_line_width=80,
    )
    return f"{kind}({', '.join([numbers, *notes])})"


def _notes(tensor: Any, array: np.ndarray) -> Any:
    usual = (default_dtype(),) if not array.size else (default_dtype(), np.int64, np.bool_)
    if array.dtype not in usual:
        yield f"dtype={of_array(array)}"
    if tensor.node is not None:
        yield "requires_grad=True" if isinstance(tensor.node, Leaf) else f"grad_fn={tensor.grad_fn}"


def _format(array: np.ndarray) -> Callable[[Any], str]:
    """A function that formats an element, padded to the width of the widest."""
    sized = _shown(array)
    write: Callable[[Any], str] = str
    if array.dtype.kind == "f":
        sized = sized[np.isfinite(sized) & (sized != 0)]  # as PyTorch, which counts neither zeros nor NaN
        write = _float_format(np.abs(sized.astype(np.float64)))
    width = max([len(write(item)) for item in sized], default=0)
    return lambda item: write(item).rjust(width)


def _shown(array: np.ndarray) -> Any:
    """The elements that are printed."""
    if array.size <= _SUMMARIZED:
        return array.ravel()
    for axis, length in enumerate(array.shape):
        if length > 6:
            array = np.take(array, [0, 1, 2, -3, -2, -1], axis)
    return array.ravel()


def _float_format(sizes: np.ndarray) -> Callable[[Any], str]:
    """The format for numbers of these magnitudes: no digits after the point for integers, otherwise four."""
    least, greatest = min(sizes, default=1.0), max(sizes, default=1.0)
    is_whole = (sizes == np.ceil(sizes)).all()
    is_scientific = greatest / least > 1000 or greatest > 1e8 or (least < 1e-4 and not is_whole)
    form = "{:.4e}" if is_scientific else "{:.0f}." if is_whole else "{:.4f}"
    return lambda x: form.format(x) if np.isfinite(x) else str(float(x))
