"""explore(): a live view of a torch function, which is run again at each point.

LiveMonitor: watch a torch module train, look back at past states, and stop it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import Conv1d, Conv2d, Linear, Module
from torch.nn.parameter import UninitializedTensorMixin

from ... import links
from ...engine import Parameter, a_kind, folded, hidden
from ...recording.model import Recording
from ...shared.binding import Bound
from ...views.graph.explorer import Explorer
from ...views.graph.parameters import if_few
from ...views.monitor.monitor import LiveMonitor as AutoLabMonitor
from ..session import BridgeSession, opened
from .inputs import TorchInputs, array_of
from .record import TorchRun


@dataclass(frozen=True)
class ModuleParameter:
    """A parameter of a module, with the interface that an exploration needs."""

    tensor: Tensor

    @property
    def array(self) -> np.ndarray:
        """Its present numbers."""
        return array_of(self.tensor)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of its array."""
        return self.array.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.tensor.shape)

    @property
    def size(self) -> int:
        return self.tensor.numel()


class TorchSession(BridgeSession):
    """A torch function or module and the point at which it is shown.

    Every computation starts with the same random numbers, and with the module's buffers as they are: every difference
    is due to a move, and running means do not drift.
    """

    runs = TorchRun

    def __init__(self, inputs: TorchInputs, options: Mapping[str, Any]) -> None:
        self._module = inputs.module
        self._rng_state = torch.get_rng_state()
        self._gpu_states = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else []
        mode = {} if self._module is None else {"train": self._module.training}
        super().__init__(inputs, {**mode, **options})

    def _bind(self, fn: Callable[..., Any], args: tuple[Any, ...], inputs: Mapping[str, Any]) -> Bound:
        bound = super()._bind(fn, args, inputs)
        named = [] if self._module is None else self._module.named_parameters()
        taken = bound.variables
        found: Any = {name: ModuleParameter(p) for name, p in named if _can_be_moved(p) and name not in taken}
        return if_few(replace(bound, learned=found))

    def computed(self, run: Any, arrays: Mapping[str, np.ndarray]) -> Recording:
        parameters = {name: a for name, a in arrays.items() if name not in self._inputs.values}
        try:
            with self._as_it_was(), self._parameters_moved(parameters):
                return run.record()
        finally:
            with torch.no_grad():
                for buffer, kept in run.names.buffers:
                    if not torch.equal(buffer, kept):  # an expanded buffer cannot be written to
                        buffer.copy_(kept)

    @contextlib.contextmanager
    def _as_it_was(self) -> Iterator[None]:
        """A context with the session's mode and random numbers, which are restored afterwards."""
        modules = [] if self._module is None else list(self._module.modules())
        modes = [module.training for module in modules]
        with torch.random.fork_rng(devices=range(len(self._gpu_states))):
            torch.set_rng_state(self._rng_state)
            torch.cuda.set_rng_state_all(self._gpu_states)
            try:
                if self._module is not None and self._module.training != self.train:
                    self._module.train(self.train)
                yield
            finally:
                for module, mode in zip(modules, modes, strict=True):
                    module.training = mode

    @contextlib.contextmanager
    def _parameters_moved(self, arrays: Mapping[str, np.ndarray]) -> Iterator[None]:
        """A context in which these parameters of the module have other values."""
        learned: Any = self.bound.learned
        kept = [(learned[name].tensor, learned[name].tensor.data) for name in arrays]
        try:
            for (parameter, own), array in zip(kept, arrays.values(), strict=True):
                parameter.data = torch.as_tensor(array).to(own)
            yield
        finally:
            for parameter, own in kept:
                parameter.data = own

    def settings(self) -> dict[str, tuple[str, tuple[str, ...]]]:
        mode = "train" if self.train else "test"
        return {} if self._module is None else {"mode": (mode, ("train", "test"))}


def _can_be_moved(parameter: Tensor) -> bool:
    if isinstance(parameter, UninitializedTensorMixin) or not parameter.requires_grad:
        return False
    return parameter.is_floating_point() and parameter.layout == torch.strided and not parameter.is_meta


def explore(fn: Callable[..., Any], /, *args: Any, options: Mapping[str, Any] | None = None, **inputs: Any) -> Explorer:
    """Open a live view of a torch function or module: move its inputs, and all values and gradients follow.

    At each point the function is run again by PyTorch. Buffers, such as running means, and the random state of the
    program are left unchanged.

    Parameters
    ----------
    fn : callable or torch.nn.Module
    *args, **inputs
        Its arguments, as for `record`. Tensors can be moved, and so can up to 64 parameters of a module that is
        explored; the module has the other values only while it runs.
    options : dict, optional
        ``upstream`` and ``budget``, as for `record`; ``replace``, a dict from step numbers to the values that replace
        their results; ``parameters``, a dict from names of a module's parameters to arrays; ``seconds`` (default 60),
        after which a computation is stopped; ``train``, a module's mode.

    Returns
    -------
    Explorer
        ``.point`` is a dict of the present inputs, as arrays, ``.recording`` the recording that is shown, and
        ``.close()`` ends it.

    Raises
    ------
    TypeError
        If the inputs do not fit the signature, or ``fn`` returns no tensor.
    UnsupportedError
        As for `record`.

    Examples
    --------
    >>> import torch
    >>> from autolab.bridges.torch import explore
    >>> view = explore(lambda x, y: (x * y).sum(), torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
    explore: no notebook to draw in; open ...html in a browser; later views go to the same folder
    >>> view.recording["x"].grad.values
    array([3., 4.], dtype=float32)
    >>> view.close()
    """
    __tracebackhide__ = hidden()
    with folded():
        return opened(TorchSession, fn, args, inputs, options)


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
