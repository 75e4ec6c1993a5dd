"""``torch.Tensor``: AutoLab's Variables, with PyTorch's names.

A tensor has the same array and the same node as a Variable: `dressed` changes the class of what the engine returns.
Nothing is copied, and both kinds can be part of one graph. Operators and methods are in `_methods`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar
from weakref import ref

import numpy as np

from ...authoring.base import Authored
from ...engine import Array, Leaf, Node, a_kind, device_name, is_array, to_cpu, wrap
from ...engine import variable as _variable
from ...engine.creator import Creator
from ...engine.leaving import left
from ...engine.updates import retain
from ..dressing import dress, dressing
from ..table import made_by, signed
from ._types import Size, count_of, default_dtype, device, of_array

# Tensors as PyTorch prints them: four digits, followed by attributes that differ from the default.

_SUMMARIZED = 1000


def text(tensor: Any) -> str:
    """``tensor([1., 2.], requires_grad=True)``"""
    kind = "Parameter containing:\ntensor" if type(tensor).__name__ == "Parameter" else "tensor"
    if not hasattr(tensor._data, "dtype"):  # a parameter without a size
        return "Parameter containing:\n<no size yet>"
    array = to_cpu(tensor._data)
    notes = list(_notes(tensor, array))
    if not array.size:
        size = [] if array.shape == (0,) else [f"size={array.shape}"]
        return f"{kind}({', '.join(['[]', *size, *notes])})"
    formatter = {"all": _format(array)}
    numbers = np.array2string(
        array,
        separator=", ",
        prefix="tensor(",
        formatter=formatter,  # type: ignore[arg-type]  # "all" is one of NumPy's keys
        threshold=_SUMMARIZED,
        edgeitems=3,
        max_line_width=80,
    )
    return f"{kind}({', '.join([numbers, *notes])})"


def _notes(tensor: Any, array: np.ndarray) -> Any:
    usual = (default_dtype(),) if not array.size else (default_dtype(), np.int64, np.bool_)
    if array.dtype not in usual:
        yield f"dtype={of_array(array)}"
    if tensor.node is not None:
        yield "requires_grad=True" if isinstance(tensor.node, Leaf) else f"grad_fn={tensor.grad_fn}"


def _format(array: np.ndarray) -> Callable[[Any], str]:
    """A function that formats an element, padded to the width of the widest."""
    sized = _shown(array)
    write: Callable[[Any], str] = str
    if array.dtype.kind == "f":
        sized = sized[np.isfinite(sized) & (sized != 0)]  # as PyTorch, which counts neither zeros nor NaN
        write = _float_format(np.abs(sized.astype(np.float64)))
    width = max([len(write(item)) for item in sized], default=0)
    return lambda item: write(item).rjust(width)


def _shown(array: np.ndarray) -> Any:
    """The elements that are printed."""
    if array.size <= _SUMMARIZED:
        return array.ravel()
    for axis, length in enumerate(array.shape):
        if length > 6:
            array = np.take(array, [0, 1, 2, -3, -2, -1], axis)
    return array.ravel()


def _float_format(sizes: np.ndarray) -> Callable[[Any], str]:
    """The format for numbers of these magnitudes: no digits after the point for integers, otherwise four."""
    least, greatest = min(sizes, default=1.0), max(sizes, default=1.0)
    is_whole = (sizes == np.ceil(sizes)).all()
    is_scientific = greatest / least > 1000 or greatest > 1e8 or (least < 1e-4 and not is_whole)
    form = "{:.4e}" if is_scientific else "{:.0f}." if is_whole else "{:.4f}"
    return lambda x: form.format(x) if np.isfinite(x) else str(float(x))


# ``tensor.grad_fn``: the step that computed a tensor, under PyTorch's name for it.

_NAMES = dict(made_by("torch.autograd.names", __name__))


class GradFn(Creator):
    """A step of the graph.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> step = (x * 3).grad_fn
    >>> step, step.next_functions[0][0].name()
    (<MulBackward0>, 'AccumulateGrad')
    """

    def name(self) -> str:
        """Its name."""
        function = self.function
        if function is None:
            return "AccumulateGrad"
        if isinstance(function, Authored):
            return f"{function.name}Backward"
        words = "".join([part.capitalize() for part in function.name.split("_")])
        return f"{_NAMES.get(function.name, words)}Backward0"

    def __repr__(self) -> str:
        return f"<{self.name()}>"


Engine = _variable.Variable
_set = object.__setattr__

_own: dict[int, tuple[Any, dict[str, Any]]] = {}
"""The attributes that users set, ``w.kind = "bias"``, by the id of the tensor, whose layout is that of the engine."""

_NOTHING: tuple[Any, dict[str, Any]] = (None, {})


class _Kind(type):
    """Makes `isinstance` accept the Variables that AutoLab's tools pass to a function as tensors."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, Engine) if cls is Tensor else super().__instancecheck__(value)


class Tensor(Engine, metaclass=_Kind):
    """An array in a computation graph, created by `tensor`, `zeros`, `randn` and similar functions.

    ``Tensor(2, 3)`` has this shape and unspecified values (here zeros); ``Tensor([1, 2])`` has these values, as floats;
    ``Tensor()`` has none.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> y = (x * x).sum()
    >>> y.backward()
    >>> x.grad
    tensor([2., 4.])
    """

    __slots__ = ()

    _pass: ClassVar[Callable[..., None]]  # set by autograd: an import in every call would take a microsecond

    def __init__(self, *data: Any, name: str | None = None, requires_grad: Any = False) -> None:
        first: Any = data[0] if len(data) == 1 else None
        if is_array(first):  # AutoLab's tools create tensors in this way
            array = first
        elif isinstance(first, Engine | list | tuple) and not isinstance(first, Size):
            array = np.array(nested(first), default_dtype())
        else:
            array = np.zeros(first if isinstance(first, Size) else data or 0, default_dtype())
        Engine.__init__(self, array, name, bool(requires_grad) and array.dtype.kind == "f")

    # ------------------------------------------------------------------ the array
    @property
    def data(self) -> Any:
        """The same values as a separate tensor without a graph. The memory is shared."""
        return constant(self._data if self.node is None else left(self, self._data))

    @data.setter
    def data(self, value: Any) -> None:
        if not isinstance(value, Engine):
            raise TypeError(f"Tensor.data: got {a_kind(value)}; expected a tensor")
        Engine.data.__set__(self, value._data)  # type: ignore[attr-defined]  # a property has it

    @property
    def shape(self) -> Size:
        """The shape."""
        return Size(self._data.shape)

    @property
    def size(self) -> Any:
        """``size()``: the shape; ``size(0)``: the length of one axis."""
        return count_of(self._data.shape, self._data.size)

    @property
    def dtype(self) -> Any:
        """The type of the elements, such as ``torch.float32``."""
        return of_array(self._data)

    @property
    def device(self) -> Any:
        """The device of the array."""
        return device(device_name(self._data))

    @property
    def is_cuda(self) -> bool:
        """Whether the array is on a GPU."""
        return self.device.type == "cuda"

    # ------------------------------------------------------------------ the gradient
    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Set whether gradients are computed for this leaf. Returns the tensor itself."""
        if self.node is not None and not isinstance(self.node, Leaf):
            if not requires_grad:
                raise RuntimeError("requires_grad_: only a leaf can be taken out of the graph; use detach()")
        elif not requires_grad:
            self.node = None
        elif self.node is None:
            if self._data.dtype.kind != "f":
                raise RuntimeError(f"requires_grad_: got {self.dtype}; only floating-point tensors have gradients")
            self.node = Node.leaf()
        return self

    _let_require = requires_grad_  # type: ignore[assignment]

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded step computed it."""
        return self.node is None or isinstance(self.node, Leaf)

    @property
    def grad_fn(self) -> GradFn | None:
        """The step that computed the tensor, as an object with ``name()`` and ``next_functions``; None for a leaf."""
        return None if self.is_leaf else GradFn(self.node)

    @property
    def grad(self) -> Any:
        """The gradient, a tensor or None. A tensor that is not a leaf keeps it only after `retain_grad`."""
        return dressed(self._grad)

    @grad.setter
    def grad(self, value: Any) -> None:
        if value is not None and not isinstance(value, Engine):
            raise TypeError(f"Tensor.grad: got {a_kind(value)}; expected a tensor or None")
        Engine.grad.__set__(self, value)  # type: ignore[attr-defined]
        if self.node is not None:
            self.node.given = False  # a pass does not begin with it

    @signed
    def backward(self, gradient, retain_graph, create_graph, inputs):
        """Add the gradients of this tensor to ``grad`` of the leaves it depends on, or of ``inputs`` only.

        Parameters
        ----------
        gradient : Tensor, optional
            The upstream gradient, of the same shape; required if the tensor has more than one element.
        retain_graph : bool, optional
            Without it, a second pass through this graph is an error.
        create_graph : bool
            Make the gradients differentiable; retains the graph.
        inputs : Tensor or sequence of them, optional

        Raises
        ------
        RuntimeError
            If a gradient is required and not given, there is nothing to differentiate, or the graph has been freed.
        """
        self._pass(gradient, bool(create_graph if retain_graph is None else retain_graph), create_graph, inputs)

    def retain_grad(self) -> None:
        """Keep ``grad`` for this tensor, though it is not a leaf."""
        if self.node is None:
            raise RuntimeError("retain_grad: this tensor does not require a gradient")
        retain(self.node)

    def detach(self) -> Tensor:
        """The same values without a graph. The memory is shared."""
        return constant(self._data if self.node is None else left(self, self._data))

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            _set(self, name, value)
        except AttributeError:
            if hasattr(type(self), name):  # a property that cannot be set
                raise
            key = id(self)
            _own.setdefault(key, (ref(self, lambda _: _own.pop(key, None)), {}))[1][name] = value

    def __delattr__(self, name: str) -> None:
        if name in _own.get(id(self), _NOTHING)[1]:
            del _own[id(self)][1][name]
        else:
            object.__delattr__(self, name)

    def __getattr__(self, name: str) -> Any:
        own = _own.get(id(self), _NOTHING)[1]
        if name in own:
            return own[name]
        said = f"torch.Tensor.{name:.60} is not part of AutoLab's torch facade"
        raise AttributeError(said, name=name, obj=self)

    # ------------------------------------------------------------------ to Python, NumPy and other devices
    def numpy(self, *, force: bool = False) -> np.ndarray:
        """The array itself, not a copy.

        Raises
        ------
        RuntimeError
            If the tensor requires a gradient, unless ``force`` is True.
        """
        if self.node is not None and not force:
            raise RuntimeError("numpy: this tensor requires a gradient; tensor.detach().numpy() is the values alone")
        return to_cpu(self._data)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if self.node is None:
            return np.array(self._data, dtype=dtype, copy=copy)
        return super().__array__(dtype, copy)

    def __index__(self) -> int:
        if self._data.size != 1 or self._data.dtype.kind not in "iub":
            raise TypeError("only integer tensors of one element can be an index")
        return int(self._data.item())

    def __repr__(self) -> str:
        return text(self)

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        """``f"{loss:.3f}"``: a tensor without axes is written as its number, any other as ``str`` does."""
        if self._data.ndim:
            return object.__format__(self, spec)
        number = self._data.item()
        return format(number if self.node is None else left(self, number), spec)

    def __reduce__(self) -> tuple[Any, ...]:
        if not self.is_leaf:
            raise RuntimeError("only leaves can be copied deeply or pickled; a computed tensor has detach()")
        return _rebuilt, (type(self), self._data, self.node is not None, self._name)


def _rebuilt(kind: type[Tensor], array: Array, requires_grad: bool, name: str | None) -> Tensor:
    made = kind(array, requires_grad=requires_grad)
    made.name = name
    return made


def constant(array: Any) -> Tensor:
    """A tensor of an array, outside any graph."""
    made: Any = wrap(array if is_array(array) else np.asarray(array), None)
    made.__class__ = Tensor
    return made


dressed = dressing(Tensor)


def result(found: Any) -> Any:
    """What the engine or NumPy returned, as tensors."""
    if isinstance(found, tuple | list):
        return tuple([result(one) for one in found])
    if isinstance(found, np.generic) or is_array(found):
        return constant(found)
    return dressed(found)


dress(Tensor, ["__array_ufunc__", "__array_function__"], result)


def nested(value: Any) -> Any:
    """Nested lists in which tensors are replaced by their arrays."""
    if isinstance(value, Engine):
        return to_cpu(value._data)
    return [nested(item) for item in value] if isinstance(value, list | tuple) else value


def plain(value: Any) -> Any:
    """The array of a tensor; anything else is returned unchanged."""
    return value._data if isinstance(value, Engine) else value
