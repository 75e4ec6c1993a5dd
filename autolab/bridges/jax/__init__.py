"""JAX in AutoLab's views: record it, explore it, check its gradients.

>>> import jax.numpy as jnp
>>> from autolab.bridges.jax import record
>>> recording = record(lambda x: (x * x).sum(), jnp.array([1.0, -2.0]))
>>> recording["x"].grad.values
array([ 2., -4.], dtype=float32)

The top-level `autolab.record`, `autolab.explore` and `autolab.check_gradients` call these for JAX's arrays and
functions.
"""

from collections.abc import Mapping
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

from ..needed import UnsupportedError, later, missing

if TYPE_CHECKING:
    from .check import check_gradients
    from .curvature import loss_nearby
    from .diagnose import JaxWorkbench as workbench
    from .live import explore

try:
    from .record import record
except ModuleNotFoundError as error:
    raise missing(error, "jax", "JAX") from None

__all__ = ["UnsupportedError", "check_gradients", "explore", "graph_in", "loss_nearby", "record", "workbench"]

__getattr__ = later(
    __name__,
    {
        "check_gradients": ".check:check_gradients",
        "loss_nearby": ".curvature:loss_nearby",
        "workbench": ".diagnose:JaxWorkbench",
        "explore": ".live:explore",
    },
)


def graph_in(frame: FrameType, y: Any, named: Mapping[str, Any]) -> NoReturn:
    """Raise: JAX's arrays have no graph.

    Examples
    --------
    >>> import autolab, jax.numpy as jnp
    >>> autolab.graph(jnp.ones(2))
    Traceback (most recent call last):
    TypeError: graph: an array of JAX's keeps no graph; autolab.record(fn, ...) runs the function
    """
    raise TypeError("graph: an array of JAX's keeps no graph; autolab.record(fn, ...) runs the function")
