"""grad(): gradients as return values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, ValuesView
from importlib import import_module
from typing import Any, overload

from .argument_checks import takes_other_words
from .backward import gradients
from .errors import a_kind, no_switch
from .store import own
from .variable import Variable
from .walks import Ways


@overload
def grad(
    outputs: Callable[..., Any], inputs: int | str | tuple[int | str, ...] = 0, *, has_aux: bool = False
) -> Callable[..., Any]: ...
@overload
def grad(outputs: Any, inputs: Variable, grad_outputs: Any = None, create_graph: bool = False) -> Variable | None: ...
@overload
def grad(
    outputs: Any, inputs: Iterable[Variable], grad_outputs: Any = None, create_graph: bool = False
) -> tuple[Variable | None, ...]: ...
@takes_other_words
def grad(
    outputs: Any, inputs: Any = None, grad_outputs: Any = None, create_graph: bool = False, *, has_aux: bool = False
) -> Any:
    """Return the gradients of ``outputs`` with respect to ``inputs``, without changing any ``.grad``.

    The pass is that of `Variable.backward`: it runs all rules down to the leaves, including those that do not lead to
    ``inputs``; if no input is a leaf, steps older than ``inputs`` are skipped. A `FunctionNode` is asked only for the
    gradients that lead to ``inputs``.

    Parameters
    ----------
    outputs : Variable or sequence of Variables
        For a function, the result is that of `transforms.grad`: a function that computes its gradient.
    inputs : Variable, or sequence or iterator of Variables
        Leaves or intermediate values.
    grad_outputs : Variable, array or a sequence of them, optional
        The upstream gradient of each output, of the same shape. It defaults to 1 for outputs with one element.
    create_graph : bool
        Make the result differentiable, for derivatives of higher order.
    has_aux : bool
        Only for a function, as in `transforms.grad`.

    Returns
    -------
    Variable, or tuple of Variables
        A Variable for a Variable, a tuple for a sequence. Each has the shape and dtype of its input; None for an input
        that no output depends on.

    Raises
    ------
    TypeError
        If an output or input is not a Variable.
    ValueError
        If an upstream gradient has the wrong shape, or the number of upstream gradients is wrong.
    RuntimeError
        If an output with more than one element has no upstream gradient.

    Examples
    --------
    >>> from autolab import Variable, grad
    >>> x = Variable(3.0)
    >>> first = grad(x ** 3, x, create_graph=True)
    >>> first, grad(first, x)
    (variable(27.0), variable(18.0))
    """
    if callable(outputs):
        return import_module("..transforms", __package__).grad(outputs, 0 if inputs is None else inputs, has_aux)
    if type(create_graph) is not bool:
        raise no_switch("grad", create_graph=create_graph)
    ys = _variables("outputs", outputs)
    xs = _variables("inputs", inputs)
    starts = [None] * len(ys) if grad_outputs is None else _sequence(grad_outputs)
    if len(starts) != len(ys):
        raise ValueError(
            f"grad: got {len(starts)} grad_outputs; expected {len(ys)}, one per output. The upstream gradient of one "
            "output is an array or a Variable, not a list of numbers"
        )
    nodes = frozenset([x.node for x in xs if x.node is not None])
    orders = [node.order for node in nodes]
    ways = Ways()
    ways.outputs, ways.inputs = ys, nodes
    keep = nodes if any(orders) else frozenset()  # those of leaves alone are kept in any case
    found = gradients(ys, starts, create_graph, keep, max(min(orders, default=0) - 1, 0), ways)
    seen = {id(getattr(start, "_data", start)) for start in starts}  # the caller's own arrays
    result = tuple([own(found[x.node], seen) if x.node in found else None for x in xs])
    return result[0] if isinstance(inputs, Variable) else result


def _sequence(value: Any) -> list[Any]:
    is_one = isinstance(value, Variable) or not isinstance(value, list | tuple | Iterator | ValuesView)
    return [value] if is_one else list(value)


def _variables(what: str, values: Any) -> list[Variable]:
    found = _sequence(values)
    for value in found:
        if not isinstance(value, Variable):
            raise TypeError(f"grad: {what} has {a_kind(value)}; expected a Variable or a sequence of them")
    return found
