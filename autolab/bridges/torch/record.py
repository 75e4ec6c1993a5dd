"""record(): one run of a torch function or module, and of its gradient, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...engine.tracebacks import folded, hidden
from ...recording.model import Recording
from ...shared.binding import chosen_options
from .inputs import bind
from .run import TorchRun

OPTIONS = ("upstream", "budget")


def record(fn: Callable[..., Any], /, *args: Any, options: Mapping[str, Any] | None = None, **inputs: Any) -> Recording:
    """Run a torch function or module on its inputs, then its gradient, and return every step of both as plain data.

    Steps are the calls of PyTorch that the function makes: ``x @ w``, ``F.relu(h)``, ``h.sum()``. Every number is
    PyTorch's own: values, the gradient of every value, and of it the share of each use. Parameters have their names,
    modules are scopes. Nobody's ``.grad`` changes.

    Parameters
    ----------
    fn : callable or torch.nn.Module
        Takes tensors, returns a tensor, or a tuple, list or dict of tensors.
    *args, **inputs
        Its arguments, bound by its signature. Tensors and NumPy arrays, also inside tuples, lists and dicts, are the
        inputs; those of floats get a gradient, whether or not they require one. They are copied. Anything else is
        passed on as it is.
    options : dict, optional
        ``upstream``: the upstream gradient of the output (by default ones of its shape); a tuple for several outputs.
        ``budget``: how many bytes of arrays the recording may keep (by default 64 MiB); larger ones are block-reduced.

    Returns
    -------
    Recording
        As that of `autolab.record`; every view shows it.

    Raises
    ------
    TypeError
        If the inputs do not fit the signature, or ``fn`` returns no tensor.
    UnsupportedError
        If a number could be another than PyTorch's: a view that is written to, a value that a gradient needs and that
        was changed in place, compiled code, ``vmap``, hooks that may change gradients. The message names it.

    Examples
    --------
    >>> import torch
    >>> from autolab.bridges.torch import record
    >>> def loss(x, w):
    ...     h = x @ w
    ...     return (h * h).sum()
    >>> recording = record(loss, torch.tensor([1.0, 2.0]), torch.tensor([3.0, -1.0]))
    >>> [step.name or step.function for step in recording.steps], recording["h"].grad.values.item()
    (['x', 'w', 'h', 'mul', 'sum'], 2.0)
    """
    __tracebackhide__ = hidden()
    with folded():
        chosen = chosen_options("record", options, OPTIONS)
        return TorchRun(bind("record", fn, args, inputs), **chosen).record()
