"""The graph on a page of the gallery: the call of the docstring's example, in a function whose inputs move."""

from __future__ import annotations

import inspect
import linecache
from typing import Any

import numpy as np

from autolab import Variable
from autolab import functions as F
from autolab.views.gallery.site import called
from autolab.views.graph.explorer import Explorer
from autolab.views.graph.session import Session

_SPELLED: dict[str, tuple[str, dict[str, Any]]] = {
    "einsum": ('F.einsum("ij,j->i", a, b)', {"a": [[1.0, 2.0], [3.0, 4.0]], "b": [1.0, 10.0]}),
    "lstsq": ("F.lstsq(a, b)[0]", {"a": [[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], "b": [1.0, 3.0, 5.0]}),
    "quantile": ("F.quantile(a, [0.5, 0.75])", {"a": [4.0, 1.0, 2.0]}),
}
"""Calls whose numbers cannot all be inputs of a graph, or whose results cannot be its outputs."""


def graph(name: str) -> Explorer:
    """The live graph of the call."""
    call, inputs = _SPELLED.get(name) or call_of(name)
    file, source = f"{name}.py", f"def {name}({', '.join(inputs)}):\n    return {call}\n"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)  # where views read code
    space: dict[str, Any] = {"F": F, "np": np}
    exec(compile(source, file, "exec"), space)
    with np.errstate(all="ignore"):  # an example may stand where there is no number
        return Explorer(Session(space[name], (), None, inputs))


def call_of(name: str) -> tuple[str, dict[str, Any]]:
    """The example's call of ``F.name`` as code, and the arguments that it names.

    Those are what has a gradient, and arrays; axes, sizes and other options are written down.
    """
    args, options = called(name)
    function = getattr(F, name)
    signature = inspect.signature(function)
    given = signature.bind(*args, **options).arguments
    for key, value in given.items():
        if signature.parameters[key].kind is inspect.Parameter.VAR_POSITIONAL and len(value) == 1:
            given[key] = value[0]  # a list of arrays, or a number
    primitive = getattr(function, "function", None)
    declared = getattr(primitive, "inputs", ())
    inputs = {key: _array(value) for key, value in given.items() if _moves(value) or key in declared}
    texts = [(key, key if key in inputs else _written(value)) for key, value in given.items()]
    stars = {key for key in inputs if isinstance(inputs[key], tuple)}
    parts = [f"*{text}" if key in stars else text for key, text in texts[: len(args)]]
    parts += [f"{key}={text}" for key, text in texts[len(args) :]]
    return f"F.{name}({', '.join(parts)})", inputs


def _moves(value: Any) -> bool:
    """Whether there is an array in it, or a list of numbers with a fraction."""
    if isinstance(value, list | tuple):
        return any([_moves(part) or (isinstance(part, float) and isinstance(value, list)) for part in value])
    return isinstance(value, Variable | np.ndarray)


def _array(value: Any) -> Any:
    """Whole numbers stay whole, as classes and indices are."""
    return np.asarray(value) if isinstance(value, list) and all([isinstance(part, int) for part in value]) else value


def _written(value: Any) -> str:
    return "np.random.default_rng(0)" if isinstance(value, np.random.Generator) else repr(value)
