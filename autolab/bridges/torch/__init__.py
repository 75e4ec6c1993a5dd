"""PyTorch in AutoLab's views: record it, explore it, check its gradients, watch it train.

>>> import torch
>>> from autolab.bridges.torch import record
>>> recording = record(lambda x: (x * x).sum(), torch.tensor([1.0, -2.0]))
>>> recording["x"].grad.values
array([ 2., -4.], dtype=float32)

The top-level `autolab.record`, `autolab.explore` and `autolab.check_gradients` call these where they are given a module
or tensors.
"""

from ..needed import UnsupportedError, missing

try:
    from .check import check_gradients
    from .diagnose import TorchWorkbench as workbench
    from .explore import explore
    from .graph import graph, graph_in
    from .monitor import LiveMonitor
    from .record import record
except ModuleNotFoundError as error:
    raise missing(error, "torch", "PyTorch") from None

__all__ = ["LiveMonitor", "UnsupportedError", "check_gradients", "explore", "graph", "graph_in", "record", "workbench"]
