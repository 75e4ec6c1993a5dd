"""Parameter: a trainable Variable. Its array may come from an initializer, and its shape may be determined later."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np

from .arrays import to_cpu, to_gpu
from .backend import Array, get_array_module
from .leaving import left
from .modes import listeners
from .variable import Variable, wrap

Initializer = Callable[[tuple[int, ...]], Array]


class Pending:
    """A placeholder for the array of a parameter without a size; using it raises an error that says so."""

    def __init__(self, name: str | None) -> None:
        self.name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        return self.__array__()

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError(
            f"Parameter {_shown(self.name)} has no size yet: it gets one at the first call of its link, or from "
            "initialize(shape)"
        )


class Parameter(Variable):
    """A trainable Variable of a model, recognised by ``isinstance``.

    Parameters
    ----------
    initializer : array, number, nested list, Variable (whose values are used), or callable
        With a ``shape``: a number to fill it with (float32), or a callable that maps a shape to an array, such as those
        of `autolab.initializers`. Without a ``shape``: the data themselves, or a callable; `initialize` then sets the
        shape later.
    shape : int or tuple of int, optional
    name : str, optional
        Shown in displays; a link names its parameters after their attributes.
    requires_grad : bool, optional
        As for `Variable`.

    Raises
    ------
    TypeError
        If ``initializer`` is neither data nor callable, or does not produce real numbers.
    ValueError
        If ``shape`` has a negative length, or the data or the result of the initializer do not have the shape.

    Examples
    --------
    >>> from autolab import Parameter, initializers
    >>> Parameter(0, (2, 3))
    variable([[0. 0. 0.]
              [0. 0. 0.]])
    >>> w = Parameter(initializers.Normal(scale=1.0))
    >>> w.is_initialized, w.data is None
    (False, True)
    >>> w.initialize((4, 5))
    >>> w.shape, w.dtype.name
    ((4, 5), 'float32')
    """

    __slots__ = ("home", "initializer")

    def __init__(
        self, initializer: Any, shape: Any = None, name: str | None = None, requires_grad: bool | None = None
    ) -> None:
        if isinstance(initializer, Variable):
            initializer = initializer.data
        self.home: Any = np  # the module of the future array
        self.initializer: Initializer | None = initializer if callable(initializer) else None
        if self.initializer is not None:
            super().__init__(np.zeros(0, np.float32), name, requires_grad)
            self._data = Pending(name)
            if shape is not None:
                self.initialize(shape)
            return
        data = initializer if shape is None else _filled(initializer, _as_shape(shape))
        super().__init__(data, name, requires_grad)

    @property
    def is_initialized(self) -> bool:
        """Whether the parameter has an array."""
        return type(self._data) is not Pending

    @property
    def data(self) -> Array | None:
        """The array itself, not a copy; None before the parameter has a size."""
        data = self._data
        if type(data) is Pending:
            return None
        return left(self, data) if listeners and self.node is not None else data

    @data.setter
    def data(self, value: Any) -> None:
        Variable.data.__set__(self, value)  # type: ignore[attr-defined]  # a property has it

    array = data

    def initialize(self, shape: Any) -> None:
        """Create the array of a parameter without a size; does nothing if it already has this shape.

        Raises
        ------
        ValueError
            If it already has a different shape, or the initializer returns one.
        """
        wanted = _as_shape(shape)
        if self.is_initialized:
            if self.shape != wanted:
                raise ValueError(f"Parameter {_shown(self.name)}: got the shape {wanted}; it has {self.shape}")
            return
        assert self.initializer is not None  # only parameters with an initializer may lack a size
        data = self.initializer(wanted)
        if getattr(data, "shape", None) != wanted or data.dtype.kind != "f":
            what = f"{data.dtype} {data.shape}" if isinstance(data, np.ndarray) else type(data).__name__
            raise ValueError(
                f"Parameter {_shown(self.name)}: its initializer returned {what}; expected floats of shape {wanted}"
            )
        self._data = data if self.home is np else self.home.asarray(data)

    def move(self, how: Callable[[Array], Array]) -> None:
        """Move the array and its gradient with `to_gpu` or `to_cpu`; without a size, set where it will be created."""
        if not self.is_initialized:
            self.home = get_array_module(how(np.zeros(0)))
            return
        grad = self._grad
        self.data = how(self._data)
        self.grad = None if grad is None else wrap(how(grad._data), None)

    def to_gpu(self) -> Parameter:
        """Move the array and its gradient to the current GPU; returns the parameter itself."""
        self.move(to_gpu)
        return self

    def to_cpu(self) -> Parameter:
        """Move the array and its gradient to main memory; returns the parameter itself."""
        self.move(to_cpu)
        return self

    def copy(self, mode: Literal["share", "copy", "init"] = "copy") -> Self:
        """A new parameter with the same name and initializer, and without a gradient.

        Parameters
        ----------
        mode : str
            ``share``: uses the same array; ``copy``: a copy; ``init``: initialized again, if it has an initializer.
        """
        if mode not in ("share", "copy", "init"):
            raise ValueError(f"Parameter.copy: mode is {mode!r:.60}; expected 'share', 'copy' or 'init'")
        is_drawn = mode == "init" and self.initializer is not None
        twin = _rebuilt(type(self), self.initializer if is_drawn else 0.0, self.name, self.requires_grad)
        twin.initializer, twin.home = self.initializer, self.home
        if hasattr(self, "__dict__"):  # only a subclass has one
            vars(twin).update(vars(self))
        if not is_drawn:
            twin._data = self._data if mode == "share" or not self.is_initialized else self._data.copy()
        elif self.is_initialized:
            twin.home = get_array_module(self._data)
            twin.initialize(self.shape)
        return twin

    def take_name(self, name: str) -> None:
        """Set the name, if there is none yet."""
        if self.name is None:
            self.name = name
            if not self.is_initialized:
                self._data = Pending(name)

    def __repr__(self) -> str:
        return super().__repr__() if self.is_initialized else "variable(None)"

    def __reduce__(self) -> tuple[Any, ...]:
        start = self._data if self.is_initialized else self.initializer
        return _rebuilt, (type(self), start, self.name, self.requires_grad), getattr(self, "__dict__", None)


def _rebuilt(kind: type[Parameter], start: Any, name: str | None, requires_grad: bool) -> Any:
    """A parameter of a class, made without its constructor: that of a subclass may have other arguments."""
    made = kind.__new__(kind)
    Parameter.__init__(made, start, None, name, requires_grad)
    return made


def _shown(name: str | None) -> str:
    return "without a name" if name is None else f"{name!r:.60}"


def _as_shape(shape: Any) -> tuple[int, ...]:
    lengths = shape if isinstance(shape, tuple | list) else (shape,)
    if not all([isinstance(n, int | np.integer) and not isinstance(n, bool) for n in lengths]):
        raise TypeError(f"Parameter: shape is {shape!r:.60}; expected an integer or a tuple of them")
    if any([n < 0 for n in lengths]):
        raise ValueError(f"Parameter: shape is {shape!r:.60}; no length may be negative")
    return tuple([int(n) for n in lengths])


def _filled(value: Any, shape: tuple[int, ...]) -> Array:
    if isinstance(value, int | float):
        return np.full(shape, value, np.float32)
    data = Variable(value, requires_grad=False)._data
    if data.shape != shape:
        raise ValueError(f"Parameter: the data has shape {data.shape}; expected {shape}, the shape argument")
    return data
