"""check_gradients(): checks the gradients of a torch function, a module, or a ``torch.autograd.Function``."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...engine import folded, hidden
from ...gradcheck.report import GradientReport
from ..checked import WHOLE, ForeignFunction, checked, fixed_upstream
from .edges import function_of, nodes_between
from .inputs import TorchInputs, array_of, needs_gradient, takes_context, tensor_of, tensors_in
from .modules import copied_buffers
from .record import TorchRun


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

    For a ``torch.autograd.Function``, this checks the user-written backward. The parameters of a module are checked
    like its inputs. Everything is measured in float64, if the function allows it.

    Parameters
    ----------
    fn : callable, torch.nn.Module or subclass of torch.autograd.Function
    *args, **inputs
        Its arguments, as for `record`; for a Function, those of ``forward`` without ``ctx``.
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
        If the arguments do not fit the signature, none of them can have a gradient, or the result is not a tensor.

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
        return checked(TorchFunction, fn.apply if is_function else fn, args, inputs, given, options)


_WITH_STEPS = ("Round", "Floor", "Ceil", "Trunc", "Sign", "Sgn", "DivBackward2")
"""Names of the nodes of step functions; the last one is a division with ``rounding_mode``."""


class TorchFunction(ForeignFunction):
    """A torch function whose gradients are checked; a module with its parameters."""

    kind, backward_name = TorchInputs, "backward"
    error = (
        "incorrect number of gradients",
        re.compile(r"got \[([\d, ]*)\] but expected shape compatible with \[([\d, ]*)\]"),
    )

    @property
    def _parameters(self) -> dict[str, Tensor]:
        """The parameters of a module, and of those among the arguments, which are checked as well."""
        module = self._inputs.learned
        return {} if module is None else {name: p for name, p in module.named_parameters() if p.requires_grad}

    @property
    def values(self) -> dict[str, Tensor]:
        return {**super().values, **self._parameters}

    def forward(self, inputs: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
        given = zip(self.values.items(), inputs, strict=True)
        self._leaves = {name: _leaf(array, tensor) for (name, tensor), array in given}
        self._ys = self._run(self._leaves)
        return tuple([np.array(array_of(y)) for y in self._ys])

    def _run(self, leaves: Mapping[str, Tensor]) -> list[Tensor]:
        """The floating-point results at these inputs and parameters, or for order 2 and above their gradients."""
        with torch.enable_grad(), self._apart(leaves):
            found = [y for y in tensors_in(self._at(leaves).call(leaves)) if y.is_floating_point()]
            if not found:
                raise TypeError(f"check_gradients: {self.name} returned no tensor of floats")
            for _ in range(self._order - 1):
                xs = [x for x in leaves.values() if x.requires_grad]
                ys = [y for y in found if needs_gradient(y)]
                starts = [torch.as_tensor(fixed_upstream(y.shape)).to(y) for y in ys]
                grads = torch.autograd.grad(ys, xs, starts, create_graph=True, allow_unused=True)
                found = [torch.zeros_like(x) if g is None else g for x, g in zip(xs, grads, strict=True)]
            return found

    def _at(self, leaves: Mapping[str, Tensor]) -> TorchInputs:
        """Call the function with other parameters."""
        module, used = self._inputs.learned, {name: leaves[name] for name in self._parameters}
        if not used:
            return self._inputs

        def call(*args: Any, **kwargs: Any) -> Any:
            return torch.func.functional_call(module, used, args, kwargs)

        return replace(self._inputs, fn=call)

    def _apart(self, leaves: Mapping[str, Tensor]) -> AbstractContextManager[None]:
        """A context in which modules keep their buffers; those of the checked module get its parameters' dtype."""
        dtypes = [leaves[name].dtype for name in self._parameters]
        return copied_buffers(self._inputs.learned, dtypes[0]) if dtypes else copied_buffers()

    def gradients(self, upstream: Sequence[np.ndarray | None]) -> list[Tensor | None]:
        pairs = [(y, g) for y, g in zip(self._ys, upstream, strict=True) if g is not None and needs_gradient(y)]
        xs = [x for x in self._leaves.values() if x.requires_grad]
        starts = [tensor_of(g).to(device=y.device, dtype=y.dtype) for y, g in pairs]
        ys = [y for y, _ in pairs]
        found = torch.autograd.grad(ys, xs, starts, allow_unused=True, retain_graph=True) if pairs else ()
        by_leaf = dict(zip(map(id, xs), found, strict=False))
        return [by_leaf.get(id(x)) for x in self._leaves.values()]

    @property
    def _nodes(self) -> list[Any]:
        return nodes_between([y.grad_fn for y in self._ys if y.grad_fn is not None], ())

    @property
    def has_steps(self) -> bool:
        return any([type(node).__name__.startswith(_WITH_STEPS) for node in self._nodes])

    @property
    def rule(self) -> Any:
        functions = {function_of(node) for node in self._nodes} - {None}
        return functions.pop() if len(functions) == 1 else None

    def followed(self, upstream: Callable[[Sequence[Any]], Any], place: int) -> tuple[TorchRun, int | None]:
        leaves = {name: _leaf(array_of(x), x) for name, x in self._leaves.items()}
        run = TorchRun(self._at(leaves), {name: leaves[name] for name in self._inputs.values}, upstream, WHOLE)
        run.begin(sys._getframe())
        try:
            with self._apart(leaves), _applied_as_forward(self.rule):
                run.follow()
        finally:
            run.shares.close()
        inputs = [step for step, draft in enumerate(run.drafts) if draft.kind == "input"]
        x = [*leaves.values()][place]
        return run, inputs[place] if place < len(inputs) else run.known.step_of(x)

    def reaching(self, run: TorchRun, step: int, g: np.ndarray, x: int) -> Any:
        tensors, start = dict(run.known.tensors()), tensor_of(g)
        if step == x or step not in tensors or not needs_gradient(tensors[step]):
            return start if step == x else None
        value, leaf = tensors[step], tensors[x]
        return torch.autograd.grad([value], [leaf], [start.to(value)], allow_unused=True, retain_graph=True)[0]


def _leaf(array: np.ndarray, given: Tensor) -> Tensor:
    """A leaf that shares the array's memory if possible, so that a change in place is noticed."""
    tensor = tensor_of(array)
    if tensor.is_floating_point() and tensor.dtype.itemsize < 8:
        tensor = tensor.to(given.dtype)  # the check itself uses float64
    return tensor.to(given.device).requires_grad_(given.is_floating_point())


# ------------------------------------------------------------------ the path that a wrong backward forgets
class _Context:
    """The ``ctx`` of a forward whose backward is not called."""

    needs_input_grad = ()

    def save_for_backward(self, *tensors: Any) -> None:
        self.saved_tensors = tensors

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("mark_", "set_", "save_")):
            return lambda *args: None
        raise AttributeError(name)


@contextmanager
def _applied_as_forward(function: Any) -> Iterator[None]:
    """A context in which applying a Function runs its forward, with autograd enabled."""
    own, context = vars(function).get("apply"), (_Context(),) if takes_context(function) else ()
    function.apply = staticmethod(partial(function.forward, *context))
    try:
        yield
    finally:
        if own is None:
            del function.apply
        else:
            function.apply = own
