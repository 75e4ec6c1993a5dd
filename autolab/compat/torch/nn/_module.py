"""``torch.nn.Module``: AutoLab's links, with PyTorch's names."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

from .... import links as _links
from ....engine import a_kind, as_array, publish
from ....links import pytorch_names
from ....links.pytorch_names import Differences
from ...table import Settled, called
from .._tensor import Engine, constant, dressed, plain


class Module(_links.Link):
    """Part of a model: parameters, buffers and submodules, registered when they are assigned as attributes.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> class Scale(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = torch.nn.Parameter(torch.tensor(2.0))
    ...
    ...     def forward(self, x):
    ...         return self.factor * x
    >>> scale = Scale()
    >>> scale(torch.ones(2)), [name for name, _ in scale.named_parameters()]
    (tensor([2., 2.], grad_fn=<MulBackward0>), ['factor'])
    """

    _has_modes = False  # as in PyTorch, where layers read `training`
    training: bool
    weight: Any
    bias: Any
    _shown = ""  # what `repr` shows, in terms of attributes

    def extra_repr(self) -> str:
        """What `repr` shows about the settings; subclasses may override it."""
        return self._shown.format_map({**vars(self), "bias": vars(self).get("bias") is not None})

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return dressed(super().__call__(*args, **kwargs))

    # ------------------------------------------------------------------ registering
    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Register a tensor that is saved and moved with the parameters, but not trained."""
        if tensor is not None and not isinstance(tensor, Engine):
            raise TypeError(f"register_buffer: {name!r:.60} is {a_kind(tensor)}; expected a tensor or None")
        self._register(name, "buffer", tensor)
        if not persistent:
            self.__dict__.setdefault("_transient", set()).add(name)

    add_module = register_module = pytorch_names.add_module

    def __setattr__(self, name: str, value: Any) -> None:
        if self.__dict__.get("_kinds", {}).get(name) == "buffer" and (value is None or isinstance(value, Engine)):
            self.__dict__[name] = value
        else:
            super().__setattr__(name, value)

    # ------------------------------------------------------------------ contents
    named_modules, named_children = pytorch_names.named_modules, pytorch_names.named_children
    named_parameters, named_buffers = pytorch_names.named_parameters, pytorch_names.named_buffers
    buffers, get_parameter = pytorch_names.buffers, pytorch_names.get_parameter
    get_submodule = pytorch_names.get_submodule

    def parameters(self, recurse: bool = True) -> Iterator[Any]:
        """All parameters, without duplicates."""
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    zero_grad = _links.Link.cleargrads

    # ------------------------------------------------------------------ other types and devices
    def to(self, *args: Any, **options: Any) -> Any:
        """Move parameters and buffers to a device, or convert those of floats. Returns the module itself."""
        return self._changed(lambda x: x.to(*args, **options))

    def _changed(self, change: Callable[[Any], Any]) -> Any:
        """Apply ``change`` to every parameter and buffer; those of integers keep their type."""
        for parameter in self.parameters():
            parameter.data = change(constant(parameter._data))
            if parameter._grad is not None:
                parameter.grad = change(constant(parameter._grad._data))
        for module in self.links():
            for name, buffer in list(module._own("buffer")):
                new = change(buffer)
                integers = buffer._data.dtype.kind != "f"
                module.__dict__[name] = new.to(buffer.dtype) if integers else new
        return self

    # ------------------------------------------------------------------ state
    def state_dict(self, *, prefix: str = "", keep_vars: bool = False) -> Any:
        """The values of parameters and buffers by name; the tensors share the module's memory."""
        found = OrderedDict()
        for path, owner in self.named_modules(remove_duplicate=False):
            transient = owner.__dict__.get("_transient", ())
            for name, value in [*owner._own("parameter"), *owner._own("buffer")]:
                if name not in transient:
                    found[prefix + f"{path}.{name}".strip(".")] = value if keep_vars else constant(value._data)
        return found

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> Any:
        """Load what `state_dict` returned. If a name or a shape does not match, nothing is changed.

        Raises
        ------
        RuntimeError
        """
        own = self.state_dict(keep_vars=True)
        absent, unknown = [n for n in own if n not in state_dict], [n for n in state_dict if n not in own]
        wrong = [
            f"{n} has shape {tuple(state_dict[n].shape)}, expected {tuple(own[n].shape)}"
            for n in own
            if n in state_dict and tuple(state_dict[n].shape) != tuple(own[n].shape)
        ]
        if wrong or (strict and (absent or unknown)):
            parts = [f"missing: {', '.join(absent)}" if absent and strict else ""]
            parts += [f"not known: {', '.join(unknown)}" if unknown and strict else "", "; ".join(wrong)]
            said = "; ".join([part for part in parts if part])
            raise RuntimeError(f"load_state_dict of {type(self).__name__}: {said:.200}; nothing was loaded")
        same = {n: v for n, v in own.items() if n in state_dict}
        publish([(v, "_data", as_array(plain(state_dict[n]), n).astype(v._data.dtype)) for n, v in same.items()])
        return Differences(absent, unknown)


def _attributes(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """A function that returns the attributes of an object with these names, as a tuple."""
    get: Any = attrgetter(*names) if names else None
    return get if len(names) > 1 else (lambda layer: (get(layer),)) if names else lambda layer: ()


class Layer(Settled, Module):
    """A module whose arguments are in the table: they become attributes, then `_begin` creates the parameters.

    It computes its ``_function`` of the inputs and of those attributes that the function has as parameters.
    """

    _function: ClassVar[Any] = None
    _inputs: ClassVar[int] = 1
    """How many of the function's parameters are inputs."""
    _others: ClassVar[Any]
    """The attributes that a layer gives to the function."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if (function := vars(cls).get("_function")) is not None:
            names = [name for name in inspect.signature(function).parameters if name not in ("_stacklevel", "dtype")]
            cls._function, cls._others = staticmethod(function), staticmethod(_attributes(names[cls._inputs :]))

    def forward(self, input: Any) -> Any:
        """The function's result."""
        return self._function(input, *self._others(self))

    def _settle(self, given: dict[str, Any]) -> None:
        self._start_with(given)
        if type(self).reset_parameters is not Layer.reset_parameters:
            self.reset_parameters()

    def _start_with(self, given: dict[str, Any]) -> None:
        Module.__init__(self)
        self.__dict__["_given"] = given
        for name, value in given.items():
            if name not in ("device", "dtype"):
                (self.register_buffer if isinstance(value, Engine) else self.__setattr__)(name, value)
        self._begin()
        self.to(given.get("device"), given.get("dtype"))

    def reset_parameters(self) -> None:
        """Draw new random weights and reset running averages. Subclasses may override it."""
        fresh = object.__new__(type(self))  # the __init__ of a subclass may have other parameters
        fresh._start_with(self._given)
        self.load_state_dict(fresh.state_dict())

    def _begin(self) -> None:
        """Create the parameters and buffers, if there are any."""


def _changing(name: str) -> Any:
    def method(self: Any, *args: Any) -> Any:
        return self._changed(lambda x: getattr(x, name)(*args))

    return called(method, name, f"Change all parameters and buffers as `Tensor.{name}` does.")


for _name in ("cpu", "cuda", "double", "float", "half"):
    setattr(Module, _name, _changing(_name))
