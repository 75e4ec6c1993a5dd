"""FunctionNode: the base class for functions with a backward of their own, as in Chainer."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

from ..engine import MultiOutputNode, Variable
from ..engine.errors import DeclarationError, a_kind
from ..engine.walks import Ways
from .base import ArrayForward, as_upstream


class FunctionNode(ArrayForward):
    """A function of arrays with a backward of its own. Subclass it, define `forward` and `backward`, and call `apply`.

    An instance appears in the graph only once: create a new one for every call, usually in a short function around it.

    Retain the inputs and results that `backward` needs with `retain_inputs` and `retain_outputs`: only those remain
    part of the graph. An array that `forward` stores as an attribute is a constant for every derivative. That is right
    for a dropout mask; but with an intermediate that depends on the inputs, second derivatives would be wrong and are
    refused: compute it again in `backward`, or return it as an additional result and retain that.

    References
    ----------
    The interface is Chainer's ``chainer.FunctionNode``.

    Examples
    --------
    >>> from autolab import FunctionNode, Variable
    >>> class MulAdd(FunctionNode):
    ...     def forward(self, inputs):
    ...         x, y, z = inputs
    ...         self.retain_inputs((0, 1))
    ...         return (x * y + z,)
    ...     def backward(self, target_input_indexes, grad_outputs):
    ...         x, y = self.get_retained_inputs()
    ...         (gw,) = grad_outputs
    ...         return gw * y, gw * x, gw
    >>> def muladd(x, y, z):
    ...     (w,) = MulAdd().apply((x, y, z))
    ...     return w
    >>> x, y, z = Variable(2.0), Variable(3.0), Variable(4.0)
    >>> muladd(x, y, z).backward()
    >>> x.grad, y.grad, z.grad
    (variable(3.0), variable(2.0), variable(1.0))
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        backward = cls.__dict__.get("backward")
        if backward is not None and list(inspect.signature(backward).parameters)[1:2] == ["inputs"]:
            raise DeclarationError(
                f"{cls.__name__}.backward has the old signature (self, inputs, grad_outputs); a FunctionNode's is "
                "(self, target_input_indexes, grad_outputs): keep inputs with self.retain_inputs in forward"
            )

    def backward(
        self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Variable | None, ...]
    ) -> tuple[Variable | None, ...]:
        """Compute the gradients of the inputs: upstream gradient times local derivative, as Variables.

        Parameters
        ----------
        target_input_indexes : tuple of int
            Indexes of the inputs that need a gradient, sorted.
        grad_outputs : tuple of Variables
            The upstream gradient of each result; None for a result that is not used.

        Returns
        -------
        tuple of Variables
            One gradient per input or per target, of the input's shape; None if the results do not depend on it.
        """
        raise NotImplementedError(f"{self.name}: write backward(self, target_input_indexes, grad_outputs)")

    def apply(self, inputs: Iterable[Any]) -> tuple[Variable, ...]:
        """Apply the function to Variables, arrays or numbers; always returns a tuple of Variables.

        Raises
        ------
        ReuseError
            If this object was applied before.
        TypeError
            If `forward` does not return a tuple of arrays.
        """
        if not isinstance(inputs, list | tuple):
            raise TypeError(f"{self.name}.apply: got {a_kind(inputs)}; expected a tuple of inputs: apply((x, ...))")
        inputs = tuple(inputs)
        return self._apply(inputs, self._arrays(inputs), self._forward)

    def called(self, *inputs: Any) -> Any:
        """`apply`; returns a single result as it is, not in a tuple. Tools call every object of a function this way."""
        if len(inspect.signature(self.backward).parameters) == 1:
            raise TypeError(
                f"{self.name}: backward(self, gy) is that of an autolab.Function; a FunctionNode has "
                "forward(self, inputs) and backward(self, target_input_indexes, grad_outputs)"
            )
        outputs = self.apply(inputs)
        return outputs[0] if len(outputs) == 1 else outputs

    __call__ = called

    def get_retained_inputs(self) -> tuple[Variable, ...]:
        """In backward: the inputs retained by `retain_inputs`, in that order, as Variables; by default none."""
        call = self._running()
        return tuple([call.input_variable(i) for i in call.retained_inputs])

    def get_retained_outputs(self) -> tuple[Variable, ...]:
        """In backward: the results retained by `retain_outputs`, in that order, as Variables; by default none."""
        call = self._running()
        return tuple([call.output_variable(i) for i in call.retained_outputs])

    def _gradients(self, node: MultiOutputNode, g: Any, ways: Ways | None) -> Mapping[int, Variable | None]:
        call = self._running()
        targets = tuple([edge.place for edge in node.edges if ways is None or ways[edge.parent]])
        if not targets:
            return dict.fromkeys(range(call.arity))
        returned = self.backward(targets, tuple([as_upstream(got) for got in node.gradients(g)]))
        call.check_tuple(returned, "Variables")
        if len(returned) == call.arity:
            return dict(enumerate(returned))
        if len(returned) == len(targets):
            found = dict(zip(targets, returned, strict=True))
            return found if ways is None else dict.fromkeys(range(call.arity)) | found
        others = f", or {len(targets)}, one per input that needs one" if len(targets) != call.arity else ""
        raise call.miscounted(returned, f"{call.arity}, one per input{others}")
