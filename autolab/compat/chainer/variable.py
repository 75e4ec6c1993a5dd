"""``chainer.variable``: Variables whose ``grad`` is an array.

A Variable has the same data and the same node as AutoLab's: `tagged` only changes the class of what the engine returns.
Nothing is copied, and both kinds can be part of one graph.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ... import initializers as _initializers
from ...authoring.hooks import unchain, unchain_backward
from ...engine import Array, Node, a_kind, get_array_module, is_array, to_cpu, to_gpu
from ...engine import parameter as _parameter
from ...engine import variable as _variable
from ...engine.creator import generation
from ...engine.store import exclusive
from ..dressing import dress, dress_operators, dressing
from ..table import signed
from .backends.cuda import on_first
from .initializers import as_initializer

_Engines = _variable.Variable


class _Kind(type):
    """Makes `isinstance` accept the Variables that AutoLab's tools pass to a function."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, _Engines if cls is Variable else _parameter.Parameter)


class Variable(_Engines, metaclass=_Kind):
    """An array in a computation graph.

    Parameters
    ----------
    data : array
    name : str, optional
    requires_grad : bool
        Whether gradients are computed for it; for integers and booleans they never are.
    grad : array, optional
        The initial gradient of `backward`.

    Raises
    ------
    TypeError
        If ``data`` is not an array, or ``grad`` has another dtype.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> x = chainer.Variable(np.array([5], np.float32))
    >>> y = x**2 - 2 * x + 1
    >>> y.backward()
    >>> y, x.grad
    (variable([16.]), array([8.], dtype=float32))
    """

    __slots__ = ()

    def __init__(self, data: Array, name: str | None = None, requires_grad: bool = True, grad: Any = None) -> None:
        if not is_array(data):
            raise TypeError(f"Variable: data is {a_kind(data)}; expected a numpy.ndarray or a cupy.ndarray")
        super().__init__(data, name, requires_grad and data.dtype.kind == "f")
        if grad is not None:
            self.grad = grad

    # ------------------------------------------------------------------ the gradient
    @property
    def grad(self) -> Any:
        """The gradient as an array, or None. Assign to it to set the initial gradient of `backward`."""
        return None if self._grad is None else self._grad._data

    @grad.setter
    def grad(self, value: Any) -> None:
        if value is not None:
            if not is_array(value) and not isinstance(value, _Engines):
                raise TypeError(f"Variable.grad: got {a_kind(value)}; expected an array")
            if value.shape != self.shape:
                raise ValueError(f"Variable.grad: got shape {value.shape}; expected {self.shape}, that of the Variable")
            if value.dtype != self.dtype:
                raise TypeError(f"Variable.grad: got {value.dtype}; expected {self.dtype}, that of the Variable")
        _Engines.grad.__set__(self, value)  # type: ignore[attr-defined]

    @property
    def grad_var(self) -> Any:
        """The gradient as a Variable, which has a graph after ``backward(enable_double_backprop=True)``."""
        return tagged(self._grad)

    @grad_var.setter
    def grad_var(self, value: Any) -> None:
        self.grad = value

    @signed
    def backward(self, retain_grad, enable_double_backprop, loss_scale):
        """Compute the gradients of this value and add them to ``grad`` of the leaves it depends on.

        Raises
        ------
        RuntimeError
            If the value has more than one element and ``grad`` is not set. (Chainer does nothing then.)
        """
        if loss_scale is not None and self.grad is None and self.size == 1:
            self.grad = get_array_module(self._data).full_like(self._data, loss_scale)
        super().backward(retain_grad, enable_double_backprop)

    def zerograd(self) -> None:
        """Set the gradient to zeros; `cleargrad` sets it to None, which is faster."""
        self.grad = get_array_module(self._data).zeros_like(self._data)

    def addgrad(self, var: Any) -> None:
        """Add the gradient of another Variable, if it has one."""
        g = var._grad
        if g is not None:
            with exclusive():
                self.grad = g._data if self.grad is None else self.grad + g._data

    def copydata(self, var: Any) -> None:
        """Copy the data of another Variable."""
        self.data[...] = var.data

    # ------------------------------------------------------------------ the graph
    unchain = unchain

    def unchain_backward(self) -> None:
        """Discard the graph that computed this value, for all its Variables: truncates backpropagation through time."""
        unchain_backward(self)
        unchain(self)

    @property
    def creator_node(self) -> Any:
        """The function that computed the value, as ``creator``."""
        return self.creator

    @property
    def rank(self) -> int:
        """The number of functions on the longest path from a leaf to this Variable."""
        return 0 if self.node is None else generation(self.node)

    @property
    def device(self) -> Any:
        """The device of the array, as `chainer.get_device` returns it."""
        from .backend import get_device_from_array

        return get_device_from_array(
            *[data for data in [self._data] if is_array(data)]
        )  # a parameter may have none yet

    def to_device(self, device: Any) -> Variable:
        """Move the array and its gradient to a device: -1 and ``"@numpy"`` mean main memory."""
        from .backend import get_device

        return self._moved(get_device(device).send)

    @property
    def xp(self) -> Any:
        """The module of the array: ``numpy`` or ``cupy``."""
        return get_array_module(self._data)

    @property
    def label(self) -> str:
        """The label in graphs: shape and dtype."""
        return str(self.dtype) if self.shape == () else f"{self.shape}, {self.dtype}"

    def to_cpu(self) -> Variable:
        """Move the array and its gradient to main memory."""
        return self._moved(to_cpu)

    def to_gpu(self, device: Any = None) -> Variable:
        """Move the array and its gradient to the current GPU."""
        on_first(device)
        return self._moved(to_gpu)

    def _moved(self, move: Callable[[Array], Array]) -> Variable:
        if isinstance(self, _parameter.Parameter):  # a parameter may have no array yet
            self.move(move)
            return self
        grad = self.grad
        self.data = move(self._data)
        if grad is not None:
            self.grad = move(grad)
        return self

    # ------------------------------------------------------------------ Python and NumPy
    def __repr__(self) -> str:
        return self._written(", ")

    def __str__(self) -> str:
        return self._written(" ")

    def _written(self, separator: str) -> str:
        prefix = f"variable {self.name}" if self.name else "variable"
        if self.data is None:
            return f"{prefix}(None)"
        text = np.array2string(to_cpu(self._data), separator=separator, prefix=f"{prefix}(")
        return f"{prefix}({text if self.size or self.shape == (0,) else f'[], shape={self.shape}'})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Variable, super().__reduce__()[1]


tagged = dressing(Variable)

update_rules: WeakKeyDictionary[Node, Any] = WeakKeyDictionary()
"""How optimizers treat parameters, by node: parameters themselves are compared by their numbers."""


dress_operators(Variable, ("add", "sub", "mul", "truediv", "pow", "matmul", "floordiv", "mod"))
_OTHERS = "__array_ufunc__ __array_function__ __getitem__ __neg__ __abs__ __round__ __divmod__ reshape transpose ravel"
_OTHERS += (
    " flatten take dot clip sum mean var std prod max min cumsum cumprod swapaxes squeeze repeat diagonal trace sort"
)
dress(Variable, [*_OTHERS.split(), "astype"], tagged)
Variable.T = property(Variable.transpose)  # type: ignore[assignment]


def rule_of(parameter: _parameter.Parameter) -> Any:
    """The update rule of a parameter; None before ``setup`` of an optimizer."""
    return None if parameter.node is None else update_rules.get(parameter.node)


class Parameter(Variable, _parameter.Parameter):  # type: ignore[misc]  # moving returns the object itself, as for any Variable
    """A trainable Variable of a link.

    Parameters
    ----------
    initializer : initializer, number or array, optional
        A number fills the shape (float32). Without ``shape``, an array becomes the data itself; otherwise, `initialize`
        gives the shape later. None means NaN.
    shape : int or tuple of int, optional
    name : str, optional

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> chainer.Parameter(0, (2, 3))
    variable([[0., 0., 0.],
              [0., 0., 0.]])
    """

    __slots__ = ()

    @signed
    def __init__(self, initializer, shape, name, requires_grad):
        given = np.nan if initializer is None else initializer
        if shape is None and isinstance(given, int | float | np.generic):
            given = _initializers.Constant(given)
        _parameter.Parameter.__init__(self, as_initializer(given) if callable(given) else given, shape, name)
        if requires_grad is False:
            self.node = None

    def update(self) -> None:
        """Update the parameter once, as the optimizer that it belongs to would."""
        if self.update_rule is not None:
            self.update_rule.update(self)

    update_rule = property(rule_of)

    __reduce__ = _parameter.Parameter.__reduce__


def own_parameter(parameter: _parameter.Parameter) -> Parameter:
    """Convert a parameter that AutoLab created to this facade's class."""
    if type(parameter) is _parameter.Parameter:
        parameter.__class__ = Parameter
    return parameter  # type: ignore[return-value]


def as_variable(obj: Any) -> Variable:
    """A Variable is returned unchanged; an array becomes one that does not require a gradient.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> chainer.as_variable(np.ones(2)).requires_grad
    False
    """
    if not isinstance(obj, _Engines):
        return Variable(obj, requires_grad=False)
    if type(obj) is not _Engines:
        return obj  # type: ignore[return-value]
    found = _variable.wrap(obj._data, obj.node)  # a new object on the same node: the caller's Variable keeps its class
    found.name = obj.name
    return tagged(found)


def as_array(obj: Any) -> Array:
    """The array of a Variable; anything else is converted to an array.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> chainer.as_array(chainer.Variable(np.ones(2)))
    array([1., 1.])
    """
    if isinstance(obj, _Engines):
        return obj.data
    return obj if is_array(obj) else np.asarray(obj)
