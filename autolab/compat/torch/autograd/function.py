"""``torch.autograd.function``: functions with their own backward."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from ....authoring import ContextFunction
from ....authoring.base import Barrier
from ....engine import no_grad
from ...dressing import DressedNode
from .._tensor import Engine, dressed


class Function(ContextFunction):
    """A function with static ``forward(ctx, *args)`` and ``backward(ctx, *grad_outputs)``, called as ``F.apply(...)``.

    `forward` takes no ``ctx`` if there is a static ``setup_context(ctx, inputs, output)``. On ``ctx``:
    `save_for_backward`, `saved_tensors`, `needs_input_grad`, `mark_non_differentiable`, `mark_dirty`,
    `set_materialize_grads`, and any attribute of your own.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> class MulConstant(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, tensor, constant):
    ...         ctx.constant = constant
    ...         return tensor * constant
    ...
    ...     @staticmethod
    ...     def backward(ctx, grad_output):
    ...         return grad_output * ctx.constant, None
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> y = MulConstant.apply(x, 3)
    >>> y.sum().backward()
    >>> y, x.grad
    (tensor([3., 6.], grad_fn=<MulConstantBackward>), tensor([3., 3.]))
    """

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Save what `backward` needs, for a `forward` without ``ctx``."""
        raise NotImplementedError(f"{ctx.name}: write a static setup_context(ctx, inputs, output)")

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Apply the function. Returns a tensor, or a tuple of several."""
        return dressed(super().apply(*args))

    @property
    def saved_tensors(self) -> Any:
        """In backward, the tensors passed to `save_for_backward`, in that order."""
        return dressed(super().saved_tensors)

    saved_variables = saved_tensors  # its former name

    @property
    def label(self) -> str:
        """The label in views: the name of the class."""
        return type(self).__name__

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls._first = 1 if cls.setup_context is Function.setup_context else 0

    def _evaluate(self, arguments: tuple[Any, ...]) -> Any:
        dressed(arguments)
        if self._first:
            return super()._evaluate(arguments)
        cls: Any = type(self)
        output = cls.forward(*arguments)
        cls.setup_context(self, arguments, output)
        return output

    def _gradients(self, node: Any, g: Any, ways: Any) -> Any:
        return super()._gradients(cast(Any, DressedNode(node, dressed)), g, ways)


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator for a `backward` that does not record a graph: a second derivative through it is an error.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> class Square(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...
    ...     @staticmethod
    ...     @torch.autograd.function.once_differentiable
    ...     def backward(ctx, g):
    ...         return 2 * ctx.saved_tensors[0] * g
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> (gx,) = torch.autograd.grad(Square.apply(x), x, create_graph=True)
    >>> torch.autograd.grad(gx, x)
    Traceback (most recent call last):
    RuntimeError: Square: trying to differentiate twice a function that was marked with @once_differentiable
    """

    @wraps(backward)
    def once(ctx: Any, *grads: Any) -> Any:
        with no_grad():
            found = backward(ctx, *grads)
        node = ctx._running().node
        if node is None:
            return found
        reason = f"{ctx.name}: trying to differentiate twice a function that was marked with @once_differentiable"
        barrier, parents = Barrier(ctx.name, reason), [*node.parents]
        single = not isinstance(found, tuple | list)
        fenced = [
            g if not isinstance(g, Engine) else barrier.wrap(g._data, parents) for g in ([found] if single else found)
        ]
        return fenced[0] if single else tuple(fenced)

    return once
