"""Variable: an array that knows the node which made it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from .array_like import ArrayLike
from .arrays import array_like, as_array, check_real, float_array
from .backend import Array
from .display import show
from .habits import Sentence, answer_habits
from .keyword_aliases import known
from .leaving import left
from .modes import listeners
from .node import Leaf, Node, new_order
from .remedies import ALREADY, ASSIGNED, check_update


class Variable(ArrayLike):
    """An array in a computation graph.

    Parameters
    ----------
    data : array, number or nested list of numbers
        Arrays keep their dtype and are not copied: copy one that is filled again. Numbers and lists become float64.
    name : str, optional
        Shown in displays. It is text and never executed.
    requires_grad : bool, optional
        Whether gradients are computed for it. By default True for floating-point data; integers and booleans never are
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

    __slots__ = ("__weakref__", "_data", "_name", "node")

    _data: Array
    node: Node | None
    _backward: ClassVar[Callable[..., None]]  # set by backward.py: an import in every call would take a microsecond
    _creator: ClassVar[Callable[..., Any]]  # set by creator.py

    def __init__(self, data: Any, name: str | None = None, requires_grad: bool | None = None) -> None:
        if isinstance(data, Variable):
            raise TypeError(ALREADY)
        self._data = check_real(float_array(data), "Variable: data")
        self.name = name
        if not isinstance(requires_grad, bool | None):
            raise TypeError(f"Variable: requires_grad is {requires_grad!r:.60}; expected True, False or None")
        differentiable = self._data.dtype.kind == "f"
        if requires_grad and not differentiable:
            raise TypeError(
                f"Variable: requires_grad=True, but data is {self._data.dtype}; only floating-point data has gradients"
            )
        self.node = Node.leaf() if differentiable and requires_grad in (None, True) else None

    @property
    def data(self) -> Array:
        """The array itself, not a copy. Assigning to it, or changing it in place, is no step of the graph."""
        return left(self, self._data) if listeners and self.node is not None else self._data

    @data.setter
    def data(self, value: Any) -> None:
        if type(value) is np.ndarray and value.dtype.kind == "f":  # every update of a training loop comes here
            self._data = value
            if type(self.node) is Leaf:
                self.node.moved = new_order()
            return
        if isinstance(value, Variable) and value.creator is not None:
            raise TypeError(ASSIGNED)
        array = check_real(as_array(getattr(value, "array", value), "Variable.data"), "Variable.data")
        if self.node is not None and array.dtype.kind != "f":
            raise TypeError(f"Variable.data: got {array.dtype}; expected floats, as the Variable requires a gradient")
        self._data = array
        if type(self.node) is Leaf:
            self.node.moved = new_order()

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
        """What made the value, with the ``inputs`` that went in: a `Creator`, or the object of a class that a user
        wrote; None for a leaf."""
        return self._creator() if self.node is not None and self.node.order else None

    @property
    def grad(self) -> Variable | None:
        """The gradient of the last backward passes, a Variable of the same shape, or None if there is none.

        Assigning sets the gradient that `backward` starts from (an array or a Variable of the same shape).
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
        """The gradient as it is stored: what `grad` shows, where a facade does not show it in another form."""
        return getattr(self.node, "grad", None)

    @property
    def grad_status(self) -> str:
        """Why the gradient is what it is, or is not there, in one sentence.

        Where it is exactly zero, or holds NaN or infinite numbers, this walks through the last backward pass again to
        name the function that made it so, if that pass started at a value which is still held.

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
        """``value`` as a gradient of this Variable."""
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
        """Forget the gradient: the next backward starts from none instead of adding to it."""
        if self.node is not None:
            self.node.grad, self.node.given = None, False

    def backward(
        self, retain_grad: Any = False, create_graph: bool = False, *, gradient: Any = None, **others: Any
    ) -> None:
        """Compute the gradients of this value and add them to ``.grad`` of the leaves it depends on.

        The pass starts from ``gradient``, or from ``self.grad`` if the user set it, else from 1 for a value of one
        element. All gradients are published at the end: an exception or an interrupt leaves every ``.grad`` as it was.
        Threads whose passes add to the same leaves at the same time need a lock of their own; `autolab.grad` stores
        nothing and needs none.

        Parameters
        ----------
        retain_grad : bool
            Keep the gradients of this value and of those in between as well (they replace those of an earlier pass).
        create_graph : bool
            Make the gradients differentiable. For higher orders prefer `autolab.grad`, which stores nothing.
        gradient : Variable, array or number, optional
            The upstream gradient, of the shape of this value; also by position, ``y.backward(g)``.

        Raises
        ------
        RuntimeError
            If the value has more than one element and no upstream gradient, or depends on nothing that requires one.
        ValueError
            If the upstream gradient has another shape, or both ``gradient`` and ``self.grad`` are set.
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
    """A Variable of an array and its node, without the checks of the constructor."""
    variable = _new(Variable)
    variable._data = data
    variable.node = node
    variable._name = None
    return variable


def as_variable(value: Any) -> Variable:
    """``value`` itself if it is a Variable, else a constant Variable of it.

    Examples
    --------
    >>> as_variable(3.0).requires_grad
    False
    """
    return value if isinstance(value, Variable) else Variable(value, requires_grad=False)
