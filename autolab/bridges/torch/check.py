"""check_gradients(): what is wrong with the gradients of a torch function, a module, a ``torch.autograd.Function``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...engine.tracebacks import folded, hidden
from ...gradcheck.naming.forgotten_way import Traced
from ...gradcheck.reporting.report import GradientReport
from ..checked import Called, ForeignSubject, checked, fixed_upstream, gradient_error
from .edges import function_of, nodes_between
from .inputs import TorchInputs
from .modules import copied_buffers
from .tensors import array_of, tensor_of, tensors_in
from .ways import traced

_SHAPES = re.compile(r"got \[([\d, ]*)\] but expected shape compatible with \[([\d, ]*)\]")


def check_gradients(
    fn: Any,
    /,
    *args: Any,
    options: Mapping[str, Any] | None = None,
    rng: np.random.Generator | None = None,
    order: int = 1,
    executor: Executor | None = None,
    reveal: int = 4,
    **inputs: Any,
) -> GradientReport:
    """Compare the gradients that PyTorch computes with numeric ones, and say what is wrong with them.

    Of a ``torch.autograd.Function`` that is the backward that somebody wrote. A module's parameters are checked as its
    inputs are. Everything is measured in float64 where the function allows it.

    Parameters
    ----------
    fn : callable, torch.nn.Module or subclass of torch.autograd.Function
    *args, **inputs
        Its arguments, as for `record`; those of ``forward`` without ``ctx`` for a Function.
    options, rng, executor, reveal
        As for `autolab.check_gradients`.
    order : int
        2 checks the derivatives of the gradients, which PyTorch then computes with ``create_graph=True``.

    Returns
    -------
    GradientReport
        As that of `autolab.check_gradients`.

    Raises
    ------
    TypeError
        If the arguments do not fit the signature, none of them can have a gradient, or the result is no tensor.

    Examples
    --------
    >>> import torch
    >>> from autolab.bridges.torch import check_gradients
    >>> class Square(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         (x,) = ctx.saved_tensors
    ...         return g * x
    >>> report = check_gradients(Square, torch.tensor([1.0, -2.0, 3.0]))
    >>> report.verdict, report.findings[0].kind
    ('wrong', 'wrong_factor')
    """
    given = {"rng": rng, "order": order, "executor": executor, "reveal": reveal}
    __tracebackhide__ = hidden()
    with folded():
        is_function = isinstance(fn, type) and issubclass(fn, torch.autograd.Function)
        return checked(TorchSubject, TorchInputs, fn.apply if is_function else fn, args, inputs, given, options)


@dataclass(frozen=True)
class TorchSubject(ForeignSubject):
    """A torch function that is checked; a module with its parameters."""

    @property
    def parameters(self) -> dict[str, Tensor]:
        """Those of a module, which are checked as well."""
        module = self.inputs.module if self.inputs.fn is self.inputs.module else None
        return {} if module is None else {name: p for name, p in module.named_parameters() if p.requires_grad}

    @property
    def values(self) -> dict[str, Tensor]:
        """The inputs and parameters."""
        return {**self.inputs.values, **self.parameters}

    def __call__(self, arrays: tuple[np.ndarray, ...]) -> TorchCall:
        return TorchCall(self, arrays)

    def run(self, leaves: Mapping[str, Tensor]) -> list[Tensor]:
        """The results of floats at these inputs and parameters, and of order 2 and above gradients of them."""
        with torch.enable_grad(), copied_buffers():
            found = [y for y in tensors_in(self._call(leaves)) if y.is_floating_point()]
            if not found:
                raise TypeError(f"check_gradients: {self.inputs.name} returned no tensor of floats")
            for _ in range(self.order - 1):
                xs = [x for x in leaves.values() if x.requires_grad]
                ys = [y for y in found if y.requires_grad]
                starts = [torch.as_tensor(fixed_upstream(y.shape)).to(y) for y in ys]
                grads = torch.autograd.grad(ys, xs, starts, create_graph=True, allow_unused=True)
                found = [torch.zeros_like(x) if g is None else g for x, g in zip(xs, grads, strict=True)]
            return found

    def _call(self, leaves: Mapping[str, Tensor]) -> Any:
        if not self.parameters:
            return self.inputs.call(leaves)
        module, used = self.inputs.module, {name: leaves[name] for name in self.parameters}
        assert module is not None
        dtype = next(iter(used.values())).dtype
        buffers = {
            name: b.to(dtype, copy=True) if b.is_floating_point() else b.clone() for name, b in module.named_buffers()
        }

        def call(*args: Any, **kwargs: Any) -> Any:
            return torch.func.functional_call(module, {**used, **buffers}, args, kwargs)

        return replace(self.inputs, fn=call).call(leaves)


class TorchCall(Called):
    """One call: the results, and the gradients that PyTorch computes from here."""

    def __init__(self, subject: TorchSubject, arrays: Sequence[np.ndarray]) -> None:
        self._subject = subject
        self._leaves = {
            name: _leaf(array, tensor) for array, (name, tensor) in zip(arrays, subject.values.items(), strict=True)
        }
        self._results = subject.run(self._leaves)
        self.outputs = tuple([np.array(array_of(y)) for y in self._results])

    def gradients(self, upstream: Sequence[np.ndarray | None]) -> list[np.ndarray | None]:
        pairs = [(y, g) for y, g in zip(self._results, upstream, strict=True) if g is not None and y.requires_grad]
        xs = [x for x in self._leaves.values() if x.requires_grad]
        if not pairs:
            return [None] * len(self._leaves)
        starts = [tensor_of(g).to(device=y.device, dtype=y.dtype) for y, g in pairs]
        try:
            grads = torch.autograd.grad([y for y, _ in pairs], xs, starts, allow_unused=True, retain_graph=True)
        except RuntimeError as error:
            raise gradient_error(error, "incorrect number of gradients", _SHAPES) from None
        found = iter([None if g is None else np.array(array_of(g)) for g in grads])
        return [next(found) if x.requires_grad else None for x in self._leaves.values()]

    def traced(self, place: int, upstream: Sequence[np.ndarray | None]) -> Traced | None:
        functions = self._functions()
        if len(functions) != 1 or self._subject.order > 1:
            return None
        return traced(self._subject.run, functions.pop(), self._leaves, place, upstream)

    @property
    def written_backward(self) -> Callable[..., Any] | None:
        functions = self._functions()
        return functions.pop().backward if len(functions) == 1 else None

    def _functions(self) -> set[Any]:
        """The users' Functions that were applied."""
        starts = [y.grad_fn for y in self._results if y.grad_fn is not None]
        return {function_of(node) for start in starts for node in nodes_between(start, ())} - {None}


def _leaf(array: np.ndarray, given: Tensor) -> Tensor:
    """A leaf that shares the array's memory where it can, so that a change in place is noticed."""
    tensor = tensor_of(array)
    if tensor.is_floating_point() and tensor.dtype.itemsize < 8:
        tensor = tensor.to(given.dtype)  # the check itself is in float64
    return tensor.to(given.device).requires_grad_(given.is_floating_point())
