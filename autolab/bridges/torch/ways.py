"""Which way through a Function's forward a wrong backward forgets: its forward is run with autograd on, way by way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from ...gradcheck.naming.forgotten_way import Traced
from ..checked import TracedUse, ways_through
from . import calls
from .edges import takes_context
from .tensors import array_of, exchanged, tensor_of, tensors_in


class _Context:
    """What a forward leaves for its backward, which is not asked here."""

    needs_input_grad = ()

    def save_for_backward(self, *tensors: Any) -> None:
        self.saved_tensors = tensors

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("mark_", "set_", "save_")):
            return lambda *args: None
        raise AttributeError(name)


@dataclass
class _TorchUse:
    """A use of a value: the function that takes it, the one that made it, the value, and its alias for this use."""

    function: str
    giver: str
    value: Tensor
    alias: Tensor
    result: Tensor


class _Edges(TorchFunctionMode):
    """Collects every use of a tensor that needs a gradient."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[_TorchUse] = []
        self._made: dict[int, tuple[str, Tensor]] = {}

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        used: list[tuple[Tensor, Tensor]] = []

        def swap(label: str, tensor: Tensor) -> Tensor:
            if not tensor.requires_grad:
                return tensor
            used.append((tensor, torch.ops.aten.alias.default(tensor)))
            return used[-1][1]

        name = calls.name_of(func)
        if calls.is_property(func):
            return func(*args, **(kwargs or {}))
        result = func(*exchanged(tuple(args), swap), **exchanged(kwargs or {}, swap))
        for y in tensors_in(result):
            self._made[id(y)] = name, y
            self.found += [_TorchUse(name, self._made.get(id(x), (name,))[0], x, alias, y) for x, alias in used]
        return result


def traced(
    run: Callable[[Mapping[str, Tensor]], list[Tensor]],
    function: Any,
    leaves: Mapping[str, Tensor],
    place: int,
    upstream: Sequence[np.ndarray | None],
) -> Traced | None:
    """The gradient of the input number ``place`` by the forward itself, and the share of every way through it.

    ``run`` computes the results at leaves; while it does, ``function`` is its bare forward.
    """
    fresh = {name: x.detach().clone().requires_grad_(x.requires_grad) for name, x in leaves.items()}
    edges = _Edges()
    is_old = takes_context(function)

    def forward(*args: Any, **kwargs: Any) -> Any:
        with edges:
            return function.forward(_Context(), *args, **kwargs) if is_old else function.forward(*args, **kwargs)

    own = vars(function).get("apply")
    function.apply = staticmethod(forward)
    try:
        ys = run(fresh)
    finally:
        if own is None:
            del function.apply
        else:
            function.apply = own
    pairs = [(y, tensor_of(g).to(y)) for y, g in zip(ys, upstream, strict=True) if g is not None]
    ys, starts = [y for y, _ in pairs], [g for _, g in pairs]
    x = list(fresh.values())[place]

    def arriving(at: Tensor) -> Tensor | None:
        return torch.autograd.grad(ys, [at], starts, allow_unused=True, retain_graph=True)[0]

    shares = [(edge, arriving(edge.alias)) for edge in edges.found]
    uses = [
        TracedUse(edge.function, edge.giver, share, arriving(edge.result), partial(_reaching, edge.value, x))
        for edge, share in shares
        if share is not None
    ]
    right = sum([_reaching(y, x, g) for y, g in pairs], np.zeros(x.numel()))
    return right, list(ways_through(uses, tuple(x.shape), array_of))


def _reaching(value: Tensor, x: Tensor, g: Tensor) -> np.ndarray:
    """What of a gradient that arrives at a value reaches ``x``, flat."""
    if value is x:
        found: Tensor | None = g
    elif value.requires_grad:
        (found,) = torch.autograd.grad([value], [x], [g], allow_unused=True, retain_graph=True)
    else:
        found = None
    return np.zeros(x.numel()) if found is None else np.asarray(array_of(found), np.float64).ravel()
