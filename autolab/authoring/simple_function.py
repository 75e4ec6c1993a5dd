"""SimpleFunction: forward on arrays, backward on Variables, without declarations, as in DeZero."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ..engine import Array, MultiOutputNode, Variable
from ..engine.errors import GradientCountError, counted
from ..engine.walks import Ways
from .base import Authored, as_upstream
from .call import parameter_label


class SimpleFunction(Authored):
    """A function with ``forward(self, x0, x1, ...)`` on arrays and ``backward(self, gy0, ...)`` on Variables.

    Subclass it and call an instance: ``F()(x)``. All `inputs` and `outputs` are retained automatically and available in
    `backward`, so gradients of any order work. An instance appears in the graph only once: create a new one for every
    call. Pass settings that are not inputs to ``__init__``.

    An array that `forward` stores as an attribute is a constant for every derivative; if it was computed from the
    inputs, second derivatives through it are refused.

    References
    ----------
    The interface is that of DeZero's ``Function``.

    Examples
    --------
    >>> from autolab import Variable, grad
    >>> from autolab import functions as F
    >>> from autolab.authoring import SimpleFunction
    >>> class Cube(SimpleFunction):
    ...     def forward(self, x):
    ...         return x ** 3
    ...     def backward(self, gy):
    ...         (x,) = self.inputs
    ...         return gy * 3 * x ** 2
    >>> def cube(x):
    ...     return Cube()(x)
    >>> x = Variable(2.0)
    >>> first = grad(cube(x), x, create_graph=True)
    >>> first, grad(first, x)
    (variable(12.0), variable(12.0))
    """

    # ------------------------------------------------------------------ what users write
    def forward(self, *xs: Array) -> Any:
        """Compute the result of arrays: an array, or a tuple of several."""
        raise NotImplementedError(f"{self.name}: write forward(self, x, ...)")

    def backward(self, *gys: Variable) -> Any:
        """Compute the gradients of the inputs as Variables, from the upstream gradient of each result.

        The upstream gradient of an unused result is zero. Return a gradient, or a tuple of gradients in the order of
        the inputs. For inputs that require no gradient return None; the last ones can be omitted.
        """
        raise NotImplementedError(f"{self.name}: write backward(self, gy, ...)")

    # ------------------------------------------------------------------ what users call
    def __call__(self, *inputs: Any) -> Any:
        """Apply the function to Variables, arrays or numbers; returns a Variable, or a tuple for several results.

        Raises
        ------
        ReuseError
            If this object was called before.
        """
        outputs = self._apply(inputs, self._arrays(inputs), self._forward)
        return outputs[0] if len(outputs) == 1 else outputs

    @property
    def inputs(self) -> tuple[Variable, ...]:
        """In backward: the inputs, as Variables."""
        call = self._running()
        return tuple([call.input_variable(i) for i in range(call.arity)])

    @property
    def outputs(self) -> tuple[Callable[[], Variable], ...]:
        """In backward: functions that return the results, as in ``self.outputs[0]()``."""
        call = self._running()
        return tuple([partial(call.output_variable, i) for i in call.retained_outputs])

    # ------------------------------------------------------------------ what the engine calls
    def input_label(self, i: int) -> str:
        """The name of the parameter of `forward`."""
        return parameter_label(self.forward, i)

    def _forward(self, arrays: tuple[Array, ...]) -> list[Variable]:
        returned = self.forward(*arrays)
        if isinstance(returned, list):
            raise TypeError(f"{self.name}.forward returned a list; expected an array, or a tuple for several results")
        results = list(returned) if isinstance(returned, tuple) else [returned]
        del returned
        call = self._running()
        call.retained_inputs, call.retained_outputs = tuple(range(len(arrays))), tuple(range(len(results)))
        return self._results(results)

    def _upstream(self, node: MultiOutputNode, g: Any) -> list[Variable]:
        return [as_upstream(got) for got in node.all_gradients(g)]  # type: ignore[misc]  # none of them is None

    def _gradients(self, node: MultiOutputNode, g: Any, ways: Ways | None) -> Mapping[int, Any]:
        returned = self.backward(*self._upstream(node, g))
        gradients = tuple(returned) if isinstance(returned, tuple | list) else (returned,)
        call = self._running()
        if len(gradients) > call.arity:
            raise call.miscounted(gradients, f"{call.arity}, one per input")
        for edge in node.edges:
            if edge.place >= len(gradients):
                raise GradientCountError(
                    f"{self.name}.backward returned {counted(gradients)}, none for input {edge.place} "
                    f"({self.input_label(edge.place)}), which requires one; return None to say that it has none"
                )
        return dict(enumerate(gradients))
