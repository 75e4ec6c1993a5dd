"""Which way through a Function's forward a wrong backward forgets: its forward is run with autograd on, way by way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from ...gradcheck.naming.forgotten_way import Traced, TracedStep, Way
from . import calls
from .regions import takes_context
from .tensors import array_of, exchanged, tensor_of, tensors_in

_ELEMENTWISE = {"exp", "log", "sin", "cos", "tan", "tanh", "sigmoid", "sqrt", "rsqrt", "abs", "square", "pow", "relu"}
_ELEMENTWISE |= {"add", "sub", "mul", "div", "neg", "reciprocal", "expm1", "log1p", "softplus", "erf", "clamp", "atan"}


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
    x = list(fresh.values())[place]
    right = _reaching([y for y, _ in pairs], x, [g for _, g in pairs])
    return right, list(_ways(edges.found, pairs, x)) if edges.found else []


def _ways(edges: Sequence[_TorchUse], pairs: Sequence[tuple[Tensor, Tensor]], x: Tensor) -> Iterator[Way]:
    ys, starts = [y for y, _ in pairs], [g for _, g in pairs]
    for edge in edges:
        (share,) = torch.autograd.grad(ys, [edge.alias], starts, allow_unused=True, retain_graph=True)
        if share is None:
            continue
        found = _reaching([edge.value], x, [share])
        yield Way(edge.giver, found)
        (g,) = torch.autograd.grad(ys, [edge.result], starts, allow_unused=True, retain_graph=True)
        if edge.function in _ELEMENTWISE and g is not None:
            if g.shape == edge.value.shape:
                yield TracedStep(edge.function, found - _reaching([edge.value], x, [g]), "wrong_function.step")
            if g.shape == x.shape:
                yield TracedStep(
                    edge.function, found - np.asarray(array_of(g), np.float64).ravel(), "wrong_function.inner"
                )


def _reaching(values: Sequence[Tensor], x: Tensor, gs: Sequence[Tensor]) -> np.ndarray:
    """What of gradients that arrive at values reaches ``x``, flat."""
    needing = [(value, g) for value, g in zip(values, gs, strict=True) if value.requires_grad]
    if not needing:
        return np.zeros(x.numel())
    if any(value is x for value, _ in needing):
        found = sum([g for value, g in needing if value is x])
    else:
        ys, starts = [value for value, _ in needing], [g for _, g in needing]
        (found,) = torch.autograd.grad(ys, [x], starts, allow_unused=True, retain_graph=True)
    return np.zeros(x.numel()) if found is None else np.asarray(array_of(found), np.float64).ravel()
