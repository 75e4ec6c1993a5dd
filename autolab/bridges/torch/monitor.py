"""LiveMonitor: watch a torch module train, look back at past states, and stop it."""

from __future__ import annotations

from typing import Any

from torch import Tensor
from torch.nn import Conv1d, Conv2d, Linear, Module

from ... import links
from ...engine import Parameter, a_kind
from ...views.monitor.monitor import LiveMonitor as AutoLabMonitor
from .inputs import array_of


class LiveMonitor(AutoLabMonitor):
    """Curves, gradient norms, silent units and heatmaps of a torch module while it is trained, with a Stop button.

    Call `update` after each step of the optimizer, before the gradients are cleared. Everything else is as for
    `autolab.training.extensions.LiveMonitor`.

    Parameters
    ----------
    module : torch.nn.Module
    share : float
        Fraction of the training time that the monitor may take; see `autolab.training.Monitor`.
    states : int
        Maximum number of past states to look back at.

    Examples
    --------
    >>> import torch
    >>> from autolab.bridges.torch import LiveMonitor
    >>> x, t = torch.eye(3), torch.arange(3)
    >>> net = torch.nn.Linear(3, 3)
    >>> optimizer, monitor = torch.optim.SGD(net.parameters(), 1.0), LiveMonitor(net)
    >>> for step in range(200):
    ...     optimizer.zero_grad()
    ...     loss = torch.nn.functional.cross_entropy(net(x), t)
    ...     loss.backward()
    ...     optimizer.step()
    ...     if not monitor.update(loss=loss):  # the Stop button was pressed
    ...         break
    >>> print(monitor)
    LiveMonitor: update 200...
    """

    def __init__(self, module: Module, share: float = 0.03, states: int = 60) -> None:
        if not isinstance(module, Module):
            raise TypeError(f"LiveMonitor: module is {a_kind(module)}; expected a torch.nn.Module")
        self._pairs: list[tuple[Tensor, Parameter]] = []
        super().__init__(_mirror(module, self._pairs), share, states)

    def _look(self, start: float) -> None:
        self._follow()
        super()._look(start)

    def keep(self) -> None:
        """Keep the state after the present update, whatever it costs: at the end, for instance."""
        self._follow()
        super().keep()

    def _follow(self) -> None:
        """Bring the mirror up to date. On the CPU, its parameters share the module's memory."""
        for tensor, parameter in self._pairs:
            now = array_of(tensor)
            if now.ctypes.data != parameter._data.ctypes.data:
                parameter.data = now
            parameter.grad = None if tensor.grad is None else array_of(tensor.grad)


class _Mirror(links.Link):
    """A link that stands for a module, and has only its parameters."""


class _MirrorOfUnits(_Mirror, links.Linear):
    """A mirror whose parameters have a row for each unit."""

    def __init__(self) -> None:
        links.Link.__init__(self)


def _mirror(module: Module, pairs: list[tuple[Tensor, Parameter]]) -> links.Link:
    """The module as a link with the name of its class; ``pairs`` are its parameters with those of the link."""
    base = _MirrorOfUnits if isinstance(module, Linear | Conv1d | Conv2d) else _Mirror
    link: Any = type(type(module).__name__, (base,), {})()
    for name, tensor in module.named_parameters(recurse=False):
        parameter = Parameter(array_of(tensor))
        parameter._data = array_of(tensor)
        pairs.append((tensor, parameter))
        setattr(link, name, parameter)
    for name, child in module.named_children():
        setattr(link, name, _mirror(child, pairs))
    return link
