"""Function: forward and backward on arrays, as in Chainer's old style, for first-order gradients only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..engine import MultiOutputNode, Variable, a_kind, array_of, check_real, wrap
from ..engine.backend import Array, get_array_module, in_main_memory, is_array
from ..engine.walks import Ways
from .base import ArrayForward, Barrier, as_upstream


class Function(ArrayForward):
    """A function whose `forward` and `backward` both work on arrays. Subclass it and call an instance: ``F()(x)``.

    As arrays have no history, its gradient cannot be differentiated again; doing so raises an error. For higher orders,
    write an `autolab.FunctionNode`. An instance appears in the graph only once: create a new one for every call.

    Attributes that `forward` sets are available in `backward`.

    References
    ----------
    The interface is Chainer's ``chainer.Function``.

    Examples
    --------
    >>> from autolab import Variable
    >>> from autolab.authoring import Function
    >>> class MulAdd(Function):
    ...     def forward(self, inputs):
    ...         x, y, z = inputs
    ...         return (x * y + z,)
    ...     def backward(self, inputs, grad_outputs):
    ...         x, y, z = inputs
    ...         (gw,) = grad_outputs
    ...         return gw * y, gw * x, gw
    >>> def muladd(x, y, z):
    ...     return MulAdd()(x, y, z)
    >>> x, y, z = Variable(2.0), Variable(3.0), Variable(4.0)
    >>> muladd(x, y, z).backward()
    >>> x.grad, y.grad, z.grad
    (variable(3.0), variable(2.0), variable(1.0))
    """

    @property
    def written_backward(self) -> Callable[..., Any]:
        """`backward`, or `backward_cpu` if the user wrote that one."""
        kind = type(self)
        return kind.backward_cpu if kind.backward is Function.backward else kind.backward

    # ------------------------------------------------------------------ what users write
    def backward(self, inputs: tuple[Array | None, ...], grad_outputs: tuple[Array | None, ...]) -> tuple[Any, ...]:
        """Compute the gradients of the inputs, as arrays. By default calls `backward_cpu` or `backward_gpu`.

        Parameters
        ----------
        inputs : tuple of arrays
            The inputs of `forward`; None for those that `retain_inputs` did not retain.
        grad_outputs : tuple of arrays
            The upstream gradient of each result; None for a result that is not used. They are copies, which may be
            changed in place.

        Returns
        -------
        tuple of arrays
            One gradient per input, of its shape; None if the results do not depend on it.
        """
        if in_main_memory(get_array_module(*inputs, *grad_outputs)):
            return self.backward_cpu(inputs, grad_outputs)
        return self.backward_gpu(inputs, grad_outputs)

    def backward_cpu(self, inputs: tuple[Array | None, ...], grad_outputs: tuple[Array | None, ...]) -> tuple[Any, ...]:
        """`backward` for NumPy arrays, if the two differ."""
        raise NotImplementedError(f"{self.name}: write backward(self, inputs, grad_outputs), or backward_cpu and _gpu")

    def backward_gpu(self, inputs: tuple[Array | None, ...], grad_outputs: tuple[Array | None, ...]) -> tuple[Any, ...]:
        """`backward` for CuPy arrays, if the two differ."""
        raise NotImplementedError(f"{self.name}: write backward(self, inputs, grad_outputs), or backward_cpu and _gpu")

    # ------------------------------------------------------------------ what users call
    def __call__(self, *inputs: Any) -> Any:
        """Apply the function to Variables, arrays or numbers; returns a Variable, or a tuple for several results.

        All inputs are retained, unless `forward` selects some by ``self.retain_inputs(indexes)``, or none by ``()``.

        Raises
        ------
        ReuseError
            If this object was called before.
        TypeError
            If `forward` does not return a tuple of arrays.
        """
        outputs = self._apply(inputs, self._arrays(inputs), self._forward)
        return outputs[0] if len(outputs) == 1 else outputs

    @property
    def output_data(self) -> tuple[Array | None, ...]:
        """In backward: the results; None for those that `retain_outputs` did not retain."""
        call = self._running()
        return tuple([call.outputs.get(i) for i in range(call.results)])

    # ------------------------------------------------------------------ what the engine calls
    def _forward(self, arrays: tuple[Array, ...]) -> list[Variable]:
        self._running().retained_inputs = tuple(range(len(arrays)))
        return super()._forward(arrays)

    def _gradients(self, node: MultiOutputNode, g: Any, ways: Ways | None) -> Mapping[int, Variable | None]:
        call = self._running()
        upstream = [as_upstream(got) for got in node.gradients(g)]
        inputs = tuple([call.inputs.get(i) for i in range(call.arity)])
        returned = self.backward(inputs, tuple([None if got is None else got._data.copy() for got in upstream]))
        call.check_tuple(returned, "arrays")
        if len(returned) != call.arity:
            raise call.miscounted(returned, f"{call.arity}, one per input")
        return {edge.place: self._gradient(returned[edge.place], edge.place) for edge in node.edges}

    def _gradient(self, value: Any, i: int) -> Variable | None:
        if value is None:
            return None
        if not is_array(value) and not isinstance(value, np.generic):
            raise TypeError(
                f"{self.name}.backward returned {a_kind(value)} for input {i}; expected an array: "
                "an old style Function computes gradients with NumPy or CuPy"
            )
        what = f"{self.name}.backward: the gradient for input {i}"
        return wrap(check_real(array_of(value), what), None)

    def _differentiably(self, node: MultiOutputNode, g: Any, ways: Ways | None) -> Mapping[int, Variable | None]:
        """The gradients, connected to everything they depend on by nodes that refuse to be differentiated."""
        barrier = Barrier(
            self.name,
            f'cannot twice-differentiate an old style Function "{self.name}": its backward works on arrays, which have '
            "no history; for higher orders write it as an autolab.FunctionNode",
        )
        upstream = [as_upstream(got) for got in node.gradients(g)]
        parents = [*node.parents, *[got.node for got in upstream if got is not None and got.node is not None]]
        return barrier.joined(self._gradients(node, g, ways), parents)
