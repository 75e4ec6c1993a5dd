"""``chainer.function``: old-style functions, whose backward works on arrays."""

from __future__ import annotations

from typing import Any

from ...authoring import array_function as _array_function
from ..table import fill
from .configuration import using_config  # noqa: F401  # for table.txt
from .function_node import Checked
from .variable import tagged


class Function(Checked, _array_function.Function):
    """A function whose `forward` and `backward` work on arrays; its gradient cannot be differentiated again.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> class Square(chainer.Function):
    ...     def forward_cpu(self, inputs):
    ...         return (inputs[0] ** 2,)
    ...
    ...     def backward_cpu(self, inputs, grad_outputs):
    ...         return (2 * inputs[0] * grad_outputs[0],)
    >>> x = chainer.Variable(np.array([3.0]))
    >>> y = Square()(x)
    >>> y.backward()
    >>> x.grad
    array([6.])
    """

    @property
    def written_backward(self) -> Any:
        """`backward`, or `backward_cpu` if the user defined that one."""
        kind = type(self)
        return kind.backward_cpu if kind.backward is _array_function.Function.backward else kind.backward

    def __call__(self, *inputs: Any) -> Any:
        """Apply the function. Returns a Variable, or a tuple of several."""
        return tagged(super().__call__(*inputs))


__getattr__ = fill(__name__)
