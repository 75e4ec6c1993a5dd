"""FunctionNode: the base class for people who write a function with its own backward."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from time import perf_counter
from typing import Any

import numpy as np

from .backend import Array, array_of, as_array, check_real, get_array_module
from .config import recording
from .errors import DeclarationError, GradientCountError, ReuseError
from .node import Node, Whole, check_shape
from .observe import ForwardEvent, notify, watchers
from .variable import Variable, wrap


class FunctionNode:
    """A function of arrays with a backward of its own. Subclass it, write `forward` and `backward`, call `apply`.

    An object stands in the graph once: make a new one for every call. That is why a thin wrapper function is the usual
    face of such a class.

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

    References
    ----------
    The interface is Chainer's ``chainer.FunctionNode``.
    """

    _call: _Call | None = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        backward = cls.__dict__.get("backward")
        if backward is not None and list(inspect.signature(backward).parameters)[1:2] == ["inputs"]:
            raise DeclarationError(
                f"{cls.__name__}.backward has the old signature (self, inputs, grad_outputs); a FunctionNode's is "
                "(self, target_input_indexes, grad_outputs): keep inputs with self.retain_inputs in forward"
            )

    @property
    def name(self) -> str:
        """The name of the class."""
        return type(self).__name__

    # ------------------------------------------------------------------ what users write
    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Compute the results from arrays; a tuple even for one. By default `forward_cpu` or `forward_gpu`."""
        if get_array_module(*inputs) is np:
            return self.forward_cpu(inputs)
        return self.forward_gpu(inputs)

    def forward_cpu(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """`forward` for NumPy arrays, where the two differ."""
        raise NotImplementedError(f"{self.name}: write forward(self, inputs), or forward_cpu and forward_gpu")

    def forward_gpu(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """`forward` for CuPy arrays, where the two differ."""
        raise NotImplementedError(f"{self.name}: write forward(self, inputs), or forward_cpu and forward_gpu")

    def backward(
        self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Variable | None, ...]
    ) -> tuple[Variable | None, ...]:
        """Compute the gradients of the inputs: upstream gradient times local derivative, as Variables.

        Parameters
        ----------
        target_input_indexes : tuple of int
            Which inputs need a gradient, sorted.
        grad_outputs : tuple of Variables
            The upstream gradient of each result; None for a result that nothing used.

        Returns
        -------
        tuple of Variables
            One per input or one per target, each of its input's shape; None where there is no dependence.
        """
        raise NotImplementedError(f"{self.name}: write backward(self, target_input_indexes, grad_outputs)")

    # ------------------------------------------------------------------ what users call
    def apply(self, inputs: Iterable[Any]) -> tuple[Variable, ...]:
        """Apply the function to Variables, arrays or numbers; always returns a tuple of Variables.

        Raises
        ------
        ReuseError
            If this object was applied before.
        TypeError
            If `forward` does not return a tuple of arrays.
        """
        if self._call is not None:
            raise ReuseError(
                f"{self.name}: this object was applied before; make a new one for every call: {self.name}()"
            )
        inputs = self._checked_inputs(inputs)
        what = f"{self.name}.apply: an input"
        arrays = tuple([x._data if isinstance(x, Variable) else check_real(as_array(x, what), what) for x in inputs])
        call = self._call = _Call(self, arrays)
        start = perf_counter() if watchers else 0.0
        outputs = tuple([wrap(y, None) for y in self._results(self.forward(arrays))])
        edges = [
            (x.node, i, None, (x.shape, x.dtype)) for i, x in enumerate(inputs) if isinstance(x, Variable) and x.node
        ]
        if edges and recording():
            call.keep(arrays, outputs)
            Whole.join(self, edges).connect(outputs)
        if watchers:
            notify(ForwardEvent(self, inputs, outputs, {}, perf_counter() - start))
        return outputs

    def __call__(self, *inputs: Any) -> Any:
        raise TypeError(f"{self.name} is not called: use {self.name}().apply((x, ...)), which returns a tuple")

    def retain_inputs(self, indexes: Iterable[int]) -> None:
        """In forward: keep these inputs for backward. Nothing is kept by default."""
        self._running().retained_inputs = self._indexes("retain_inputs", indexes)

    def retain_outputs(self, indexes: Iterable[int]) -> None:
        """In forward: keep these results for backward."""
        self._running().retained_outputs = self._indexes("retain_outputs", indexes)

    def get_retained_inputs(self) -> tuple[Variable, ...]:
        """In backward: the inputs kept by `retain_inputs`, in that order, as Variables."""
        call = self._running()
        return tuple([call.input_variable(i) for i in call.retained_inputs])

    def get_retained_outputs(self) -> tuple[Variable, ...]:
        """In backward: the results kept by `retain_outputs`, in that order, as Variables."""
        call = self._running()
        return tuple([call.output_variable(i) for i in call.retained_outputs])

    # ------------------------------------------------------------------ what the engine calls
    def pull(self, node: Whole, g: Any, create_graph: bool) -> list[tuple[Node, Any]]:
        """``[(parent, gradient)]`` for every edge of ``node``; a gradient may be None."""
        call = self._running()
        targets = tuple([edge.rule for edge in node.edges])
        upstream = tuple([_as_variable(got) for got in node.gradients(g)])
        call.node = node if create_graph else None
        try:
            returned = self.backward(targets, upstream)
        finally:
            call.node = None
        gradients = self._by_input(returned, targets, len(call.arrays_shape))
        return [(edge.parent, self._checked(gradients[edge.rule], edge, create_graph)) for edge in node.edges]

    def _running(self) -> _Call:
        if self._call is None:
            raise RuntimeError(f"{self.name}: retained values exist from apply() on; this object was not applied yet")
        return self._call

    def _indexes(self, method: str, indexes: Any) -> tuple[int, ...]:
        if not isinstance(indexes, list | tuple) or not all([isinstance(i, int) and i >= 0 for i in indexes]):
            raise TypeError(
                f"{self.name}.{method}: got {indexes!r:.60}; expected a tuple of indexes from 0, such as (0,)"
            )
        return tuple(indexes)

    def _checked_inputs(self, inputs: Any) -> tuple[Any, ...]:
        if not isinstance(inputs, list | tuple):
            raise TypeError(
                f"{self.name}.apply: got a {type(inputs).__name__}; expected a tuple of inputs: apply((x, ...))"
            )
        return tuple(inputs)

    def _results(self, results: Any) -> list[Array]:
        if not isinstance(results, tuple):
            raise TypeError(
                f"{self.name}.forward returned a {type(results).__name__}; expected a tuple, also for one: return y,"
            )
        for result in results:
            if isinstance(result, Variable):
                raise TypeError(f"{self.name}.forward returned a Variable; it works on arrays and returns arrays")
        what = f"{self.name}.forward: a result"
        return [check_real(as_array(result, what), what) for result in results]

    def _by_input(self, returned: Any, targets: tuple[int, ...], arity: int) -> dict[int, Any]:
        if not isinstance(returned, tuple | list):
            raise TypeError(
                f"{self.name}.backward returned a {type(returned).__name__}; expected a tuple of Variables, "
                "even for one: return gx,"
            )
        if len(returned) == arity:
            return dict(enumerate(returned))
        if len(returned) == len(targets):
            return dict(zip(targets, returned, strict=True))
        raise GradientCountError(
            f"{self.name}.backward returned {len(returned)} gradients; expected {arity}, one per input"
            + (f", or {len(targets)}, one per input that needs one" if len(targets) != arity else "")
        )

    def _checked(self, g: Any, edge: Any, create_graph: bool) -> Any:
        if g is None:
            return None
        if not isinstance(g, Variable):
            raise TypeError(
                f"{self.name}.backward returned a {type(g).__name__} for input {edge.rule}; expected a Variable: "
                "compute gradients from grad_outputs and the retained Variables"
            )
        shape, dtype = edge.fit
        check_shape(self.name, f"inputs[{edge.rule}]", g, shape)
        if not create_graph:
            return g._data if g.dtype == dtype else g._data.astype(dtype)
        return g if g.dtype == dtype else _cast(g, dtype)


def _as_variable(g: Any) -> Variable | None:
    return g if g is None or isinstance(g, Variable) else wrap(array_of(g), None)


def _cast(g: Variable, dtype: np.dtype) -> Variable:
    from .primitive import Primitive

    return Primitive.cast(g, dtype=dtype)


class _Call:
    """What one application keeps: apart from the user's own attributes, so that no name can collide."""

    __slots__ = ("arrays_shape", "inputs", "name", "node", "outputs", "retained_inputs", "retained_outputs")

    def __init__(self, function: FunctionNode, arrays: tuple[Array, ...]) -> None:
        self.name = function.name
        self.arrays_shape = tuple([a.shape for a in arrays])
        self.retained_inputs: tuple[int, ...] = ()
        self.retained_outputs: tuple[int, ...] = ()
        self.inputs: dict[int, Array] = {}
        self.outputs: dict[int, Array] = {}
        self.node: Whole | None = None  # set while a differentiable backward runs

    def keep(self, arrays: tuple[Array, ...], outputs: tuple[Variable, ...]) -> None:
        try:
            self.inputs = {i: arrays[i] for i in self.retained_inputs}
            self.outputs = {i: outputs[i]._data for i in self.retained_outputs}
        except IndexError:
            raise IndexError(
                f"{self.name}: retained inputs {self.retained_inputs} and outputs {self.retained_outputs}; "
                f"there are {len(arrays)} inputs and {len(outputs)} outputs"
            ) from None

    def input_variable(self, i: int) -> Variable:
        parents = {} if self.node is None else {edge.rule: edge.parent for edge in self.node.edges}
        return wrap(self._kept(self.inputs, i), parents.get(i))

    def output_variable(self, i: int) -> Variable:
        return wrap(self._kept(self.outputs, i), None if self.node is None else self.node.part(i))

    def _kept(self, values: dict[int, Array], i: int) -> Array:
        if i not in values:
            raise RuntimeError(f"{self.name}: nothing was retained, as no input required a gradient")
        return values[i]
