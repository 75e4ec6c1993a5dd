"""Variable: an array that refers to the node that made it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from .argument_checks import known
from .array_like import ArrayLike
from .arrays import array_like, as_array, check_real, float_array
from .backend import Array
from .display import show
from .errors import ALREADY, ASSIGNED, check_update
from .habits import Sentence, answer_habits
from .leaving import left
from .modes import listeners
from .node import Leaf, Node, new_order
from .parts import check_replaced


class Variable(ArrayLike):
    """An array in a computation graph.

    Parameters
    ----------
    data : array, number or nested list of numbers
        Arrays keep their dtype and are not copied: pass a copy if it will be reused. Numbers and lists become float64.
    name : str, optional
        Shown in displays. It is text and never executed.
    requires_grad : bool, optional
        Whether gradients are computed for it. By default True for floating-point data; integers and booleans are never
        differentiable.

    Raises
    ------
    TypeError
        If ``data`` does not consist of real numbers, or ``requires_grad=True`` with integers or booleans.

    Examples
    --------
    >>> from autolab import Variable
    >>> x = Variable([1.0, 2.0, 3.0])
    >>> (x * x).sum().backward()
    >>> x.grad
    variable([2. 4. 6.])
    """

    __slots__ = ("__weakref__", "_data", "_name", "_taken", "node")

    _data: Array
    node: Node | None
    _taken: str  # unset, but for a constant that `parts` has to recognise
    _backward: ClassVar[Callable[..., None]]  # set by backward.py: an import in each call would cost a microsecond
    _creator: ClassVar[Callable[..., Any]]  # set by creator.py

    def _holds(self) -> tuple[dict[str, str], str]:
        return {}, "own"

    def __init__(self, data: Any, name: str | None = None, requires_grad: bool | None = None) -> None:
        if isinstance(data, Variable):
            raise TypeError(ALREADY)
        self._data = check_real(float_array(data), "Variable: data")
        if not isinstance(requires_grad, bool | None):
            raise TypeError(f"Variable: requires_grad is {requires_grad!r:.60}; expected True, False or None")
        differentiable = self._data.dtype.kind == "f"
        if requires_grad and not differentiable:
            raise TypeError(
                f"Variable: requires_grad=True, but data is {self._data.dtype}; only floating-point data has gradients"
            )
        self.node = Node.leaf() if differentiable and requires_grad in (None, True) else None
        self.name = name

    @property
    def data(self) -> Array:
        """The array itself, not a copy. Assigning to it, or changing it in place, is not recorded in the graph."""
        return left(self, self._data) if listeners and self.node is not None else self._data

    @data.setter
    def data(self, value: Any) -> None:
        leaf = type(self.node) is Leaf or check_replaced(self, value)
        if type(value) is np.ndarray and value.dtype.kind == "f":  # the path of every update in a training loop
            self._data = value
            if leaf:
                self.node.moved = new_order()  # type: ignore[union-attr]
            return
        if isinstance(value, Variable) and value.creator is not None:
            raise TypeError(ASSIGNED)
        array = check_real(as_array(getattr(value, "array", value), "Variable.data"), "Variable.data")
        if self.node is not None and array.dtype.kind != "f":
            raise TypeError(f"Variable.data: got {array.dtype}; expected floats, as the Variable requires a gradient")
        self._data = array
        if leaf:
            self.node.moved = new_order()  # type: ignore[union-attr]

    array = data

    @property
    def requires_grad(self) -> bool:
        """Whether a gradient can flow to this value. It can be set for a leaf: False forgets its gradient."""
        return self.node is not None

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self._let_require(value)

    @property
    def creator(self) -> Any:
        """What made the value, with its ``inputs``: a `Creator`, or an object of a user's function class; None for a
        leaf."""
        return self._creator() if self.node is not None and self.node.order else None

    @property
    def grad(self) -> Variable | None:
        """The accumulated gradient, a Variable of the same shape, or None if there is none.

        Assigning to it (an array or a Variable of the same shape) sets the gradient that `backward` starts from.
        """
        g = getattr(self.node, "grad", None)
        if g is None and type(self.node) is not Leaf:
            check_update(self, sys._getframe(1))
        return g

    @grad.setter
    def grad(self, value: Any) -> None:
        if value is None:
            return self.cleargrad()
        if self.node is None:
            raise ValueError("Variable.grad: this Variable does not require a gradient; expected requires_grad=True")
        self.node.grad, self.node.given = self._gradient(value, "Variable.grad"), True

    @property
    def _grad(self) -> Variable | None:
        """The gradient as stored; a facade may override `grad` to show it in another form."""
        return getattr(self.node, "grad", None)

    @property
    def grad_status(self) -> str:
        """Why the gradient is what it is, or is missing, in one sentence.

        If it is exactly zero, or contains NaN or infinities, the last backward pass is repeated to name the function
        responsible, if the value where it started still exists.

        Examples
        --------
        >>> from autolab import Variable, functions as F
        >>> x = Variable([-1.0, -2.0])
        >>> y = F.relu(x).sum()
        >>> y.backward()
        >>> x.grad_status
        'The gradient is exactly zero: relu passes nothing on, as its input is negative or 0 where its result matters.'
        """
        return Sentence(show(self, "grad_status"))

    def _gradient(self, value: Any, what: str) -> Variable:
        """``value`` as a gradient of this Variable, after checking its shape."""
        g = value if isinstance(value, Variable) and value.requires_grad else wrap(self._like(value, what), None)
        if g.shape != self.shape:
            raise ValueError(f"{what}: got shape {g.shape}; expected {self.shape}, the shape of the Variable")
        return g

    def _like(self, value: Any, what: str = "Variable.grad") -> Array:
        """``value`` as an array of the Variable's dtype."""
        array = value._data if isinstance(value, Variable) else value
        if type(array) is type(self._data) and array.dtype is self._data.dtype:
            return array
        return array_like(array, self._data, value, what)

    def cleargrad(self) -> None:
        """Clear the gradient, so that the next backward does not add to it."""
        if self.node is not None:
            self.node.grad, self.node.given = None, False

    def backward(
        self, retain_grad: Any = False, create_graph: bool = False, *, gradient: Any = None, **others: Any
    ) -> None:
        """Compute the gradients of this value and add them to ``.grad`` of the leaves that it depends on.

        The pass starts from ``gradient``, or from ``self.grad`` if the user has set it, or else from 1 for a value with
        one element. All gradients are stored at the end: after an exception or an interrupt, every ``.grad`` is
        unchanged. Several threads may add to the same leaves at the same time, and no gradient is lost.

        Parameters
        ----------
        retain_grad : bool
            Also keep the gradients of this value and of intermediate values (replacing those of an earlier pass).
        create_graph : bool
            Make the gradients differentiable. For higher orders prefer `autolab.grad`, which stores nothing.
        gradient : Variable, array or number, optional
            The upstream gradient, of the shape of this value; also by position, ``y.backward(g)``.

        Raises
        ------
        RuntimeError
            If the value has more than one element and no upstream gradient, or nothing below it requires a gradient.
        ValueError
            If the upstream gradient has a different shape, or both ``gradient`` and ``self.grad`` are set.
        """
        if others:
            others = known("Variable.backward", ["retain_grad", "create_graph", "gradient"], others)
            return self.backward(retain_grad, **{"create_graph": create_graph, "gradient": gradient} | others)
        if type(retain_grad) is not bool:
            if gradient is not None:
                raise TypeError("Variable.backward: the upstream gradient was given twice")
            gradient, retain_grad = retain_grad, False
        self._backward(retain_grad, create_graph, gradient)


answer_habits(Variable, "Variable")
_new = Variable.__new__


def wrap(data: Array, node: Node | None) -> Variable:
    """A Variable from an array and its node, without the checks of the constructor."""
    variable = _new(Variable)
    variable._data = data
    variable.node = node
    variable._name = None
    return variable


def as_variable(value: Any) -> Variable:
    """``value`` itself if it is a Variable, else a constant Variable.

    Examples
    --------
    >>> from autolab import as_variable
    >>> as_variable(3.0).requires_grad
    False
    """
    return value if isinstance(value, Variable) else Variable(value, requires_grad=False)
