"""PyTorch in AutoLab's views: record it, explore it, check its gradients, watch it train.

>>> import torch
>>> from autolab.bridges.torch import record
>>> recording = record(lambda x: (x * x).sum(), torch.tensor([1.0, -2.0]))
>>> recording["x"].grad.values
array([ 2., -4.], dtype=float32)

The top-level `autolab.record`, `autolab.explore` and `autolab.check_gradients` call these for modules and tensors.
"""

from typing import TYPE_CHECKING

from ..needed import UnsupportedError, later, missing

if TYPE_CHECKING:
    from .check import check_gradients
    from .curvature import loss_nearby
    from .diagnose import TorchWorkbench as workbench
    from .live import LiveMonitor, explore

try:
    from .graph import graph, graph_in
    from .record import record
except ModuleNotFoundError as error:
    raise missing(error, "torch", "PyTorch") from None

__all__ = [
    "LiveMonitor",
    "UnsupportedError",
    "check_gradients",
    "explore",
    "graph",
    "graph_in",
    "loss_nearby",
    "record",
    "workbench",
]

__getattr__ = later(
    __name__,
    {
        "check_gradients": ".check:check_gradients",
        "loss_nearby": ".curvature:loss_nearby",
        "workbench": ".diagnose:TorchWorkbench",
        "explore": ".live:explore",
        "LiveMonitor": ".live:LiveMonitor",
    },
)
