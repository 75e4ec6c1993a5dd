"""DeZero's Variable: AutoLab's, with DeZero's constructor, initial gradient and integers.

The engine creates Variables of its own class. `dressed` changes the class of an object in place: nothing is copied, and
the graph is the engine's.
"""

from __future__ import annotations

import weakref
from inspect import isfunction
from typing import Any

import numpy as np

from ...engine import Array, Leaf, Node, get_array_module, is_array, listeners, nodes_below, parameter, to_cpu, to_gpu
from ...engine.leaving import left
from ...engine.parameter import Pending
from ...engine.variable import Variable as Engine
from ...engine.variable import wrap
from ..dressing import dress, dressing
from ._notes import by_hand, functions_below

_INTEGER = np.dtype(np.int64)
_EXACT = 1 << 53


class Variable(Engine):
    """A value in a computation graph.

    Parameters
    ----------
    data : array or None
        Nothing else: ``Variable(1.0)`` is an error, ``Variable(np.array(1.0))`` is not.
    name : str, optional
    requires_grad : bool, optional
        As for `autolab.Variable`; DeZero does not have it.

    Raises
    ------
    TypeError
        If ``data`` is not an array.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat.dezero import Variable
    >>> x = Variable(np.array([1.0, 2.0]))
    >>> y = x * x
    >>> y.backward()
    >>> x.grad
    variable([2. 4.])
    """

    __slots__ = ()

    def __init__(self, data: Any, name: str | None = None, requires_grad: bool | None = None) -> None:
        if data is None:
            self._data, self.node = Pending(name), Node.leaf()
            self.name = name
            return
        if not isinstance(data, np.ndarray) and not is_array(data):
            raise TypeError(f"{type(data)} is not supported")
        Engine.__init__(self, data, name, None if data.dtype == _INTEGER else requires_grad)
        if requires_grad is not False and type(self) is not Parameter and _are_exact(data):
            self._become_whole(data)

    def _become_whole(self, data: Array) -> None:
        self._data = data.astype(np.float64)
        self.node = Node.leaf()
        self.__class__ = Whole

    # ------------------------------------------------------------------ the array
    @parameter.Parameter.data.setter  # type: ignore[attr-defined]
    def data(self, value: Any) -> None:  # as in DeZero: None while there is no array
        if type(self) in (Variable, Whole) and is_array(value) and _are_exact(value):
            self._become_whole(value)
            return
        if type(self) is Whole:
            self.__class__ = Variable  # type: ignore[assignment]
        Engine.data.__set__(self, value)  # type: ignore[attr-defined]  # a property has it

    array = data

    def __repr__(self) -> str:
        return "variable(None)" if type(self._data) is Pending else Engine.__repr__(self)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.creator is not None:
            return Engine.__reduce__(self)
        return Variable if type(self) is Whole else type(self), (self.data, self.name)

    # ------------------------------------------------------------------ the gradient
    @property
    def grad(self) -> Any:
        """The gradient, a Variable or None."""
        g = getattr(self.node, "grad", None)
        if type(g) is Engine:
            g.__class__ = Variable
        return g

    @grad.setter
    def grad(self, value: Any) -> None:
        Engine.grad.__set__(self, value)  # type: ignore[attr-defined]
        node = self.node
        if value is not None and node is not None and node.order:
            _begun.add(node)

    def backward(self, retain_grad: bool = False, create_graph: bool = False, **others: Any) -> None:
        """Compute gradients. The upstream gradient is ``grad`` or, if that is None, ones, whatever the shape.

        Gradients that were set on other values of the graph are added to theirs. Afterwards only leaves have one,
        unless ``retain_grad`` is set.
        """
        node = self.node
        if by_hand and any([f in by_hand for f in functions_below(self)]):
            raise RuntimeError(
                "Variable.backward: a value of the graph got its function from set_creator, which AutoLab does not "
                "follow; derive your function from dezero.Function, or call its backward in a loop of your own"
            )
        begun = _go_on(node, retain_grad, create_graph) if _begun and node is not None else {}
        fills = node is not None and not getattr(node, "given", False) and (self.size != 1 or retain_grad)
        if fills:
            self.grad = get_array_module(self._data).ones_like(self._data)
        if type(self) is Whole and self.grad is not None:
            self.grad.__class__ = Whole
        is_kept = retain_grad or node is None or type(node) is Leaf
        try:
            Engine.backward(self, retain_grad, create_graph, **others)
        except BaseException:
            if fills and not is_kept:
                self.cleargrad()
            raise
        if not is_kept:
            self.cleargrad()
        for each, start in begun.items() if retain_grad else ():
            each.grad, each.given = each.grad + start, False
        if type(self) is Whole:
            _as_whole_gradients(node)

    generation: Any
    set_creator: Any
    unchain: Any
    unchain_backward: Any

    # ------------------------------------------------------------------ device
    def to_cpu(self) -> None:  # type: ignore[override]
        """Move the array to main memory."""
        if type(self._data) is not Pending:
            self._data = to_cpu(self._data)

    def to_gpu(self) -> None:  # type: ignore[override]
        """Move the array to the current GPU."""
        if type(self._data) is not Pending:
            self._data = to_gpu(self._data)


def _are_exact(data: Array) -> bool:
    """Whether the array holds integers that float64 represents exactly."""
    return data.dtype == _INTEGER and not ((data > _EXACT) | (data < -_EXACT)).any()


class Whole(Variable):
    """A Variable of integers, which DeZero differentiates: the engine computes with float64, the user sees integers."""

    __slots__ = ()

    def _integers(self) -> Any:
        """The integers, as a read-only array; assign a new one to change them."""
        data = left(self, self._data) if listeners else self._data
        shown = data.astype(_INTEGER)
        if isinstance(shown, np.ndarray):  # CuPy's arrays do not have this flag
            shown.flags.writeable = False
        return shown

    data = array = property(_integers, Variable.data.fset)

    dtype = _INTEGER

    def __repr__(self) -> str:
        return "variable(" + str(self._data.astype(_INTEGER)).replace("\n", "\n" + " " * 9) + ")"


class Parameter(Variable, parameter.Parameter):  # type: ignore[misc]  # to_cpu and to_gpu return None, as DeZero's
    """A trainable Variable of a layer; ``data`` may be None until the array is created.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat.dezero import Parameter, Variable
    >>> isinstance(Parameter(np.array(1.0)), Variable), Parameter(None)
    (True, variable(None))
    """

    __slots__ = ()

    def __init__(self, data: Any, name: str | None = None, requires_grad: bool | None = None) -> None:
        self.home, self.initializer = np, None
        Variable.__init__(self, data, name, requires_grad)

    def copy(self, mode: str = "copy") -> Parameter:
        """A parameter with the same name and a copy of the array."""
        return Parameter(None if self.data is None else self.data.copy(), self.name)


_begun: weakref.WeakSet[Node] = weakref.WeakSet()
"""Nodes of computed values whose gradient was set by hand, from which a pass goes on."""


def _go_on(root: Node, retain_grad: bool, create_graph: bool) -> dict[Node, Any]:
    """Pass on gradients that were set at values below ``root``; they count there as if they had arrived."""
    begun = {}
    for node in [node for node in nodes_below(root) if node in _begun and node is not root]:
        if getattr(node, "given", False):
            begun[node] = node.grad
            Engine.backward(wrap(node.grad._data, node), retain_grad, create_graph)
            node.grad, node.given = None, False
        _begun.discard(node)
    return begun


dressed = dressing(Variable)


_OWN = {*vars(Variable), "item", "numpy", "tolist", "cleargrad"}
_DUNDERS = "__abs__ __divmod__ __floordiv__ __matmul__ __mod__ __pos__"
_DUNDERS += " __rfloordiv__ __rmatmul__ __rmod__ __round__ __rpow__"
_PUBLIC = [name for name, found in vars(Engine).items() if isfunction(found) and name not in _OWN and name[0] != "_"]
OTHERS = [*_DUNDERS.split(), *_PUBLIC]
"""The methods that are AutoLab's."""

dress(Variable, [*OTHERS, "__array_function__", "__array_ufunc__", "__iter__"], dressed)


# ---------------------------------------------------------------------- graphs
def _as_whole_gradients(root: Any) -> None:
    """Convert the gradients to integers where a function maps integers to integers."""
    for node in nodes_below(root):
        g = getattr(node, "grad", None)
        if type(g) in (Engine, Variable):
            g.__class__ = Whole
