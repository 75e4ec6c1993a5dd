"""``chainer.function_node``: functions with a differentiable backward, and ``chainer.grad``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from ...authoring import function_node as _function_node
from ...authoring.base import ArrayForward
from ...engine import get_array_module
from ...engine.grad import grad as _grad
from ..dressing import DressedNode
from ..table import signed
from .configuration import config
from .utils import type_check
from .variable import tagged


class Checked(ArrayForward):
    """Base class of both styles: type checks before forward, and labels in graphs."""

    @property
    def label(self) -> str:
        """The label in graphs: the name of the class."""
        return type(self).__name__

    def check_type_forward(self, in_types: type_check.TypeInfoTuple) -> None:
        """Check the dtypes and shapes of the inputs with `type_check.expect`; by default nothing is checked."""

    def _forward(self, arrays: tuple[Any, ...]) -> Any:
        if config.type_check:
            self.check_type_forward(type_check.get_types(arrays, "in_types", False))
        return super()._forward(arrays)


class FunctionNode(Checked, _function_node.FunctionNode):
    """A function whose backward works on Variables, so it has gradients of any order.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> class MulAdd(chainer.FunctionNode):
    ...     def forward(self, inputs):
    ...         self.retain_inputs((0, 1))
    ...         x, y, z = inputs
    ...         return (x * y + z,)
    ...
    ...     def backward(self, target_input_indexes, grad_outputs):
    ...         x, y = self.get_retained_inputs()
    ...         (gw,) = grad_outputs
    ...         return gw * y, gw * x, gw
    >>> x, y, z = [chainer.Variable(np.array(value, np.float32)) for value in (2, 3, 4)]
    >>> (w,) = MulAdd().apply((x, y, z))
    >>> w.backward()
    >>> x.grad, y.grad, z.grad
    (array(3., dtype=float32), array(2., dtype=float32), array(1., dtype=float32))
    """

    def __call__(self, *inputs: Any) -> Any:
        raise TypeError(f"{self.name} is not called: use {self.name}().apply((x, ...)), which returns a tuple")

    def apply(self, inputs: Iterable[Any]) -> Any:
        """Apply the function to Variables or arrays; always returns a tuple of Variables."""
        return tagged(super().apply(inputs))

    def get_retained_inputs(self) -> Any:
        """In backward, the inputs retained by `retain_inputs`, in that order."""
        return tagged(super().get_retained_inputs())

    def get_retained_outputs(self) -> Any:
        """In backward, the results retained by `retain_outputs`, in that order."""
        return tagged(super().get_retained_outputs())

    def _gradients(self, node: Any, g: Any, ways: Any) -> Any:
        return super()._gradients(cast(Any, DressedNode(node, tagged)), g, ways)


@signed
def grad(outputs, inputs, grad_outputs, grad_inputs, set_grad, enable_double_backprop):
    """Gradients of ``outputs`` with respect to ``inputs``, as a list of Variables.

    Parameters
    ----------
    outputs, inputs : sequence of Variables
    grad_outputs : sequence of Variables, optional
        The upstream gradient of each output; ones where it is None.
    grad_inputs : sequence of Variables, optional
        Added to the gradients.
    set_grad : bool
        Store the gradients in ``grad_var`` of the inputs as well.
    enable_double_backprop : bool
        Make the gradients differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> x = chainer.Variable(np.array([3.0]))
    >>> (gx,) = chainer.grad([x**3], [x], enable_double_backprop=True)
    >>> gx, chainer.grad([gx], [x])
    (variable([27.]), [variable([18.])])
    """
    if not isinstance(outputs, tuple | list) or not isinstance(inputs, tuple | list):
        raise TypeError("grad: outputs and inputs are sequences; expected grad([y], [x])")
    given = [None] * len(outputs) if grad_outputs is None else grad_outputs
    starts = zip(outputs, given, strict=True)
    grad_outputs = [get_array_module(y.array).ones_like(y.array) if g is None else g for y, g in starts]
    found: Sequence[Any] = tagged(_grad(list(outputs), list(inputs), grad_outputs, enable_double_backprop))
    if grad_inputs is not None:
        pairs = zip(found, grad_inputs, strict=True)
        found = [g if more is None else more if g is None else g + more for g, more in pairs]
    if set_grad:
        for x, g in zip(inputs, found, strict=True):
            x.grad_var = g
    return list(found)
