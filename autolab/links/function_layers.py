"""Functions as layers, under PyTorch's names: ``L.ReLU()``, ``L.MaxPool2d(2)``, ``L.Flatten()``.

`Sequential` takes plain functions as well; a layer also stores the function's settings.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any, ClassVar

from .. import functions as F
from ..engine import Parameter, in_own_words, takes_other_words
from ..engine.habit_tables import LAYERS
from ..functions.variable_methods import flatten
from . import functional
from .chain import ChainList, Editable, Steps
from .linear import Activated, Linear, activation_of
from .link import Link
from .settings import MODES, WORDS, is_ours

_INPUTS = frozenset(["self", "xp", "x", "t", "var", "a", "b", "anchor", "positive", "negative"])


def _parameters_of(function: Callable[..., Any]) -> tuple[str, ...]:
    code = inspect.unwrap(function).__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


class FunctionLayer(Link):
    """A function with settings, as a layer without parameters.

    Parameters
    ----------
    *settings, **named
        The arguments of the function after its input.

    Examples
    --------
    >>> from autolab import Variable, links as L
    >>> L.Sequential(L.Flatten(), L.ReLU())(Variable([[[-1.0, 2.0]]]))
    variable([[0. 2.]])
    >>> L.MaxPool2d(2)
    MaxPool2d(2)
    """

    function: ClassVar[Callable[..., Any]]

    def __init__(self, *settings: Any, **named: Any) -> None:
        super().__init__()
        named.pop("inplace", None)  # the result is the same
        names = [one for one in _parameters_of(type(self).function) if one not in _INPUTS]
        if len(settings) == len(names) + 1 and isinstance(settings[-1], bool):  # ``inplace`` by position is the last
            settings = settings[:-1]
        self._settings, self._keywords = settings, named

    def __setattr__(self, name: str, value: Any) -> None:
        if name[0] == "_" or name in MODES or not is_ours(type(self)):
            return super().__setattr__(name, value)
        who = type(self).__name__
        names = [one for one in _parameters_of(type(self).function) if one not in _INPUTS]
        own = [*in_own_words(who, names, {name: value})]
        if not own or own[0] not in names:
            if name in WORDS and name != "inplace":  # the result is the same
                raise AttributeError(f"{who} has no setting {name!r:.60}; expected {', '.join(names) or 'none'}")
            return super().__setattr__(name, value)
        given = {**dict(zip(names, self._settings, strict=False)), **in_own_words(who, names, self._keywords)}
        self._settings, self._keywords = (), {**given, own[0]: value}

    def forward(self, *inputs: Any) -> Any:
        """The function of the input; a loss takes predictions and targets."""
        return type(self).function(*inputs, *self._settings, **self._keywords)

    def extra_repr(self) -> str:
        """The settings."""
        named = [f"{name}={value!r}" for name, value in self._keywords.items()]
        return ", ".join([*map(repr, self._settings), *named])


class Flatten(FunctionLayer):
    """Flatten the axes from ``start_dim`` to ``end_dim`` into one."""

    function = flatten

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__(start_dim, *[end_dim] * (end_dim != -1))


class Dense(Activated, Linear):
    """Keras's ``Dense``: a `Linear`, then an activation, such as ``"relu"`` or `F.relu`.

    The last length of ``input_shape`` is the size of the input; without it, the size is taken from the first input.
    ``Dense(in_size, out_size)`` is a `Linear` with these sizes.
    """

    @takes_other_words
    def __init__(
        self, units: int, activation: Any = None, use_bias: bool = True, input_shape: Sequence[Any] = (None,)
    ) -> None:
        if isinstance(activation, int):
            input_shape, units, activation = (units,), activation, None
        super().__init__(input_shape[-1], units, nobias=not use_bias)
        self.activation = activation_of("Dense", activation)


class ModuleList(ChainList):
    """A `ChainList` whose links are given as one list."""

    def __init__(self, links: Iterable[Link] = ()) -> None:
        Steps.__init__(self, links)

    __getitem__, _of = Editable.__getitem__, Steps._of


class ParameterList(Steps):
    """A list of parameters, which are also attributes: ``0``, ``1``, ``2`` ...

    Examples
    --------
    >>> from autolab import nn
    >>> scales = nn.ParameterList([[1.0, 2.0], [3.0]])
    >>> scales[1], [name for name, _ in scales.named_parameters()]
    (variable([3.]), ['0', '1'])
    """

    _made: ClassVar[Any] = Parameter

    def __init__(self, values: Iterable[Any] = ()) -> None:
        super().__init__(values)

    def _taken(self, step: Any) -> Any:
        return step if isinstance(step, Parameter) else self._made(step)

    def extra_repr(self) -> str:
        """The dtype and shape of each parameter."""
        kinds = [f"[{p.dtype} of size {'x'.join(map(str, p.shape))}]" for p in self]
        return "\n" + "".join([f"    ({i}): Parameter containing: {kind}\n" for i, kind in enumerate(kinds)])


class ModuleDict(Link):
    """A dictionary of links, which are also attributes."""

    def __init__(self, links: Mapping[str, Link] | None = None) -> None:
        super().__init__()
        self.update(links or {})

    def __setitem__(self, name: str, link: Link) -> None:
        self._register(name, "link", link)

    def __delitem__(self, name: str) -> None:
        delattr(self, name)

    def __getitem__(self, name: str) -> Any:
        return dict(self._own("link"))[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict(self._own("link")))

    def __len__(self) -> int:
        return len(dict(self._own("link")))

    def keys(self) -> list[str]:
        """The names."""
        return [*self]

    def items(self) -> list[tuple[str, Any]]:
        """Pairs of name and link."""
        return [*self._own("link")]

    def values(self) -> list[Any]:
        """The links."""
        return [*self.children()]

    pop, popitem = MutableMapping.pop, MutableMapping.popitem
    update, clear = MutableMapping.update, MutableMapping.clear


def _layer(name: str, function: Callable[..., Any]) -> type[FunctionLayer]:
    said = f"As ``torch.nn.{name}``."
    return type(name, (FunctionLayer,), {"__doc__": said, "__module__": __name__, "function": function})


for _name, _function in LAYERS.items():
    globals()[_name] = _layer(_name, getattr(functional, _function))
Tanhshrink = _layer("Tanhshrink", lambda x: x - F.tanh(x))
Identity = _layer("Identity", lambda x: x)
