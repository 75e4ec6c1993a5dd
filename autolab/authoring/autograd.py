"""``autolab.autograd``: what PyTorch has in ``torch.autograd``."""

from __future__ import annotations

from typing import Any

from ..engine.backend import get_array_module
from ..engine.configuration import FromNowOn, no_grad
from ..engine.grad import grad as _grad
from ..engine.habits import by_habit
from ..engine.modes import modes
from ..engine.numpy_protocol import unwrap
from ..engine.observe import BackwardEvent, observe
from ..engine.variable import Variable
from .by_form import FunctionByForm as Function

__path__: list[str] = []  # so that ``import autolab.autograd.functional`` asks what it stands for
__all__ = ["Function", "Variable", "backward", "detect_anomaly", "grad", "no_grad", "set_detect_anomaly"]


def grad(outputs: Any, inputs: Any, grad_outputs: Any = None, **options: Any) -> tuple[Any, ...]:
    """`autolab.grad`, whose result is a tuple also for a single input."""
    found = _grad(outputs, inputs, grad_outputs, **options)
    return found if isinstance(found, tuple) else (found,)


def backward(tensors: Any, grad_tensors: Any = None, **options: Any) -> None:
    """``y.backward(g)`` of a Variable, or of each in a sequence."""
    several = isinstance(tensors, list | tuple)
    starts = (grad_tensors or [None] * len(tensors)) if several else [grad_tensors]
    for y, g in zip(tensors if several else [tensors], starts, strict=True):
        y.backward(gradient=g, **options)


class detect_anomaly(observe):
    """A ``with`` block in which a backward pass ends with an error at the first function whose gradient is NaN.

    Raises
    ------
    RuntimeError
        It names the function.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import Variable, autograd
    >>> with np.errstate(all="ignore"), autograd.detect_anomaly():
    ...     (0 * np.sqrt(Variable(0.0))).backward()
    Traceback (most recent call last):
    RuntimeError: sqrt: its backward made NaN; the grad_status of a leaf says from what
    """

    def __init__(self, check_nan: bool = True) -> None:
        super().__init__(_refuse_nan if check_nan else lambda event: None)


class set_detect_anomaly(FromNowOn):
    """`detect_anomaly` from now on, or no longer; in a ``with`` block until its end.

    Examples
    --------
    >>> from autolab import autograd
    >>> _ = autograd.set_detect_anomaly(True), autograd.set_detect_anomaly(False)
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        others = tuple([hook for hook in modes().hooks if hook is not _refuse_nan])
        super().__init__("hooks", (*others, _refuse_nan) if mode and check_nan else others)


def _refuse_nan(event: Any) -> None:
    shares = [unwrap(g) for g in event.gradients if g is not None] if isinstance(event, BackwardEvent) else []
    if any([get_array_module(g).isnan(g).any() for g in shares]):
        raise RuntimeError(
            f"{event.node.function.name}: its backward made NaN; the grad_status of a leaf says from what"
        )


def __getattr__(name: str) -> Any:
    return by_habit(__name__, "autograd", name, __name__.partition(".")[0])
