"""``dezero.utils``: pictures of graphs, numeric gradients, downloads, and shapes."""

from __future__ import annotations

import os
import urllib.request
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from ... import functions as F  # noqa: F401  # for table.txt
from ...engine import Array, is_array, unwrap
from ...gradcheck import numerical_grad as _numerical_grad
from ...shared.files import replacing, write
from ...views.graph.graph_svg import to_svg
from ..dot import graph_with_names, label_text
from ..table import fill, signed
from ._notes import functions_below
from ._variable import Variable
from .core import as_variable
from .cuda import as_numpy

cache_dir = os.path.join(os.path.expanduser("~"), ".dezero")
"""Where downloads are kept; a file that is put there under its name is not downloaded."""

_CELLS = 30
_BLOCK = 1 << 16


# ---------------------------------------------------------------------- arrays
def reshape_sum_backward(gy: Any, x_shape: Any, axis: Any, keepdims: bool) -> Any:
    """The upstream gradient of a sum, reshaped so that the summed axes have length 1 again."""
    if not x_shape or axis is None or keepdims:
        return gy.reshape(gy.shape)
    axes = axis if isinstance(axis, tuple) else (axis,)
    return np.expand_dims(gy, tuple([a % len(x_shape) for a in axes]))


def max_backward_shape(x: Any, axis: Any) -> list[int]:
    """The shape of ``x`` with length 1 along ``axis``."""
    axes = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    return [1 if i in axes else n for i, n in enumerate(x.shape)]


def pair(x: Any) -> tuple[int, int]:
    """A number as a pair of equal ones; a pair is returned unchanged."""
    if isinstance(x, int | np.integer):
        return int(x), int(x)
    if isinstance(x, tuple) and len(x) == 2:
        return x
    raise ValueError(f"pair: got {x!r:.60}; expected an integer, or a tuple of two")


# ---------------------------------------------------------------------- pictures
@signed
def get_dot_graph(output, verbose):
    """The graph of ``output`` in Graphviz's DOT language.

    Parameters
    ----------
    output : Variable
    verbose : bool
        Add shapes and dtypes to the names.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat.dezero import Variable, utils
    >>> x = Variable(np.array(1.0), name="x")
    >>> print(utils.get_dot_graph(x * x, verbose=False))
    digraph g {
    0 [label="", color=orange, style=filled]
    1 [label="Mul", color=lightblue, style=filled, shape=box]
    2 -> 1
    2 -> 1
    1 -> 0
    2 [label="x", color=orange, style=filled]
    }
    """
    numbers: dict[int, int] = {}
    held: list[Any] = []  # so that no id is given to another object
    lines: list[str] = []

    def number(one: Any) -> int:
        held.append(one)
        return numbers.setdefault(id(one), len(numbers))

    def add_variable(v: Any) -> None:
        if id(v) not in drawn:
            drawn.add(id(v))
            has_kind = verbose and is_array(v._data)  # which may be gone
            label = ": ".join([part for part in (v.name, f"{v.shape} {v.dtype}" if has_kind else "") if part])
            lines.append(f'{number(v)} [label="{label_text(label)}", color=orange, style=filled]')

    drawn: set[int] = set()
    add_variable(output)
    for f in functions_below(output):
        label = label_text(type(f).__name__)
        lines.append(f'{number(f)} [label="{label}", color=lightblue, style=filled, shape=box]')
        lines += [f"{number(x)} -> {number(f)}" for x in f.inputs]
        lines += [f"{number(f)} -> {number(y())}" for y in f.outputs if y() is not None]
        for x in f.inputs:
            add_variable(x)
    return "\n".join(["digraph g {", *lines, "}"])


def plot_dot_graph(output: Variable, verbose: bool = True, to_file: str = "graph.png") -> Any:
    """Draw the graph of ``output`` into a file, whose extension says how: png, pdf, svg.

    In a notebook, the picture is also shown. If Graphviz's program ``dot`` is not installed, AutoLab draws its own
    picture into an SVG file and says so.
    """
    from graphviz import ExecutableNotFound, Source

    source, path = Source(get_dot_graph(output, verbose)), Path(to_file)
    try:
        write(path, source.pipe(format=path.suffix[1:] or "png"))
    except ExecutableNotFound:
        path = path.with_suffix(".svg")
        drawn = graph_with_names(output)
        write(path, to_svg(drawn, "auto"))
        print(f"plot_dot_graph: Graphviz's program dot is not installed; {path} is AutoLab's own picture")
        return drawn
    return source


# ---------------------------------------------------------------------- checks
def numerical_grad(f: Callable[..., Any], x: Any, *args: Any, **kwargs: Any) -> Array:
    """The gradient of the sum of ``f(x)`` by central differences.

    Parameters
    ----------
    f : callable
    x : Variable or array of floats
        Changed in place and restored.
    *args, **kwargs
        Further arguments of ``f``.
    """
    x = unwrap(x)

    def values() -> tuple[Array]:
        return (np.asarray(unwrap(f(x, *args, **kwargs))),)

    (start,) = values()
    (found,) = _numerical_grad(values, (x,), (np.ones_like(start, np.float64),), eps=1e-4)
    return found


@signed
def gradient_check(f, x, *args, rtol, atol, **kwargs):
    """Whether the gradient from backward is close to the numeric one. If not, both are printed.

    `autolab.check_gradients` tells you more: where they differ, and why.
    """
    x = as_variable(x)
    x.data = x.data.astype(np.float64)
    numeric = numerical_grad(f, x, *args, **kwargs)
    y = f(x, *args, **kwargs)
    y.backward()
    found = x.grad.data
    if np.allclose(as_numpy(numeric), as_numpy(found), rtol, atol):
        return True
    print("\n========== FAILED (Gradient Check) ==========")
    for title, values in (("Numerical Grad", numeric), ("Backprop Grad", found)):
        print(f"{title}\n shape: {values.shape}\n values: {str(values.ravel()[:10])[1:-1]} ...")
    return False


# ---------------------------------------------------------------------- downloads
def show_progress(block_num: int, block_size: int, total_size: int) -> None:
    """Print the progress of a download, as a bar and a percentage of at most 100 %."""
    share = min(block_num * block_size / total_size, 1.0) if total_size > 0 else 1.0
    filled = int(share * _CELLS)
    print(f"\r[{'#' * filled}{'.' * (_CELLS - filled)}] {share * 100:.2f}%", end="")


def get_file(url: str, file_name: str | None = None) -> str:
    """The path of a file in `cache_dir`, downloaded if it is not there. An incomplete download is removed.

    Raises
    ------
    OSError
        If it cannot be downloaded; the message says where to put it by hand.
    """
    name = file_name or url.partition("?")[0].rstrip("/").rpartition("/")[2]
    path = os.path.join(cache_dir, name)
    if os.path.exists(path):
        return path
    os.makedirs(cache_dir, exist_ok=True)
    print("Downloading: " + name)
    try:
        with urllib.request.urlopen(url, timeout=60) as response, replacing(path) as file:
            total = int(response.headers.get("Content-Length") or 0)
            for block in count(1):
                if not (part := response.read(_BLOCK)):
                    break
                file.write(part)
                show_progress(block, _BLOCK, total)
    except OSError as error:
        raise OSError(f"get_file: {name} could not be downloaded from {url} ({error}); put it into {path}") from error
    print(" Done")
    return path


__getattr__ = fill(__name__)
