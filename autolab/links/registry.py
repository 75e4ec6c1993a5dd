"""Registry: the named parameters, buffers and links of a link, and the iterators over them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from ..engine import Array, Parameter, Variable, a_kind, is_array
from ..engine.argument_checks import CheckedArguments
from ..engine.arrays import PlainArray
from ..engine.habit_tables import ALIASES
from .settings import MODES, WORDS, meant, set_mode

if TYPE_CHECKING:
    from .link import Link

Kind = Literal["parameter", "buffer", "link"]


class Registry(CheckedArguments):
    """The part of a `Link` that registers parameters, buffers and other links, and lists them."""

    _kinds: dict[str, Kind]
    _has_modes: ClassVar[bool] = True
    """Whether assigning ``trainable``, ``requires_grad`` and ``training`` acts on the parameters and the mode."""
    _as_registered: ClassVar[object] = object()
    """Replaced by a new object whenever any registry changes, so that cached lists can tell if they are current."""

    def __init__(self) -> None:
        self.__dict__.setdefault("_kinds", {})

    # ------------------------------------------------------------------ the three ways to register
    def init_scope(self) -> Any:
        """Chainer's ``with`` block for assigning parameters and links; they are registered without it, too."""
        self._registry("init_scope")
        return nullcontext()

    def register_parameter(self, name: str, parameter: Parameter | None) -> None:
        """Register a parameter; None registers the name of one that this object does without, such as a bias."""
        if parameter is not None and not isinstance(parameter, Parameter):
            raise TypeError(f"register_parameter: {name!r:.60} is {a_kind(parameter)}; expected a Parameter")
        self._register(name, "parameter", parameter)

    def register_buffer(self, name: str, value: Any) -> None:
        """Register an array that is saved and moved with the parameters but not trained, such as a running mean.

        ``value`` is None if its size is not known yet.
        """
        self._register(name, "buffer", _buffer(name, value))

    def __setattr__(self, name: str, value: Any) -> None:
        if (
            name in MODES
            and self._has_modes
            and "_kinds" in self.__dict__
            and name not in self._kinds
            and kind_of(value) is None
        ):
            return set_mode(self, name, value)
        if name in WORDS and name not in self.__dict__.get("_kinds", ()):
            name, value = meant(self, name, value)
        kind = kind_of(value)
        known = self.__dict__.get("_kinds", {}).get(name)
        if kind is not None:
            self._register(name, kind, value)
        elif known == "buffer":
            self.__dict__[name] = _buffer(name, value)
        elif known is None:
            super().__setattr__(name, value)
        elif value is None:
            self._register(name, known, None)
        else:
            raise TypeError(
                f"{type(self).__name__}.{name} is a {known}; got {a_kind(value)}. A value that forward computes "
                f"takes another name; an update, between two steps, assigns an array to {name}.data"
            )

    def __delattr__(self, name: str) -> None:
        super().__delattr__(name)
        self._registry(name).pop(name, None)
        Registry._as_registered = object()

    def _register(self, name: str, kind: Kind, value: Any) -> None:
        kinds = self._registry(name)
        if not isinstance(name, str) or not name or "/" in name:
            raise ValueError(f"{type(self).__name__}: got the name {name!r:.60}; expected a word without '/'")
        if name not in kinds and hasattr(type(self), name) and name not in ALIASES["Link"]:
            raise AttributeError(f"{type(self).__name__}: {name!r:.60} is a method or attribute of the class already")
        kinds[name] = kind
        self.__dict__[name] = value
        Registry._as_registered = object()
        if kind == "parameter" and value is not None:
            value.take_name(name)
        elif kind == "link" and value is not None:
            value.__dict__.setdefault("_name", name)

    def _registry(self, name: str) -> dict[str, Kind]:
        try:
            return self._kinds
        except AttributeError:
            what = type(self).__name__
            raise AttributeError(f"{what}: call super().__init__() in {what}.__init__ before {name!r:.60}") from None

    # ------------------------------------------------------------------ iteration
    def _own(self, kind: Kind) -> Iterator[tuple[str, Any]]:
        for name, registered in self._registry("params()").items():
            value = self.__dict__[name]
            if registered == kind and value is not None:
                yield name, value

    def children(self) -> Iterator[Link]:
        """The links that this link holds directly, in the order of registration."""
        return (link for _, link in self._own("link"))

    def namedlinks(self, skipself: bool = False) -> Iterator[tuple[str, Link]]:
        """Pairs of path and link, depth first, each link once; the path of the link itself is ``/``."""
        seen: set[int] = set()
        stack: list[tuple[str, Any]] = [("", self)]
        while stack:
            path, link = stack.pop()
            if id(link) in seen:
                continue
            seen.add(id(link))
            if link is not self or not skipself:
                yield path or "/", link
            stack += [(f"{path}/{name}", child) for name, child in link._own("link")][::-1]

    def links(self, skipself: bool = False) -> Iterator[Link]:
        """This link and all links inside, depth first."""
        return (link for _, link in self.namedlinks(skipself))

    def namedparams(self) -> Iterator[tuple[str, Parameter]]:
        """Pairs of path, such as ``/l1/W``, and parameter; a parameter that several links share appears once."""
        return self._named("parameter")

    def params(self) -> Iterator[Parameter]:
        """All parameters, each once, in the order of `namedparams`."""
        return FoundParameters(self)

    def _all_params(self) -> tuple[Parameter, ...]:
        """The same as a tuple, cached until a registry changes: every update asks for it."""
        since, found = self.__dict__.get("_found", (None, ()))
        now = Registry._as_registered
        if since is not now:
            found = tuple([parameter for _, parameter in self.namedparams()])
            self.__dict__["_found"] = now, found
        return found

    def namedbuffers(self) -> Iterator[tuple[str, Array]]:
        """Pairs of path, such as ``/bn/avg_mean``, and buffer."""
        return self._named("buffer")

    def _named(self, kind: Kind) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        for path, link in self.namedlinks():
            for name, value in link._own(kind):
                if kind == "buffer" or id(value) not in seen:
                    seen.add(id(value))
                    yield f"{path.rstrip('/')}/{name}", value

    def count_params(self) -> int:
        """Total number of elements of all parameters; those that have no size yet count as 0."""
        return sum([p.size for p in self.params() if p.is_initialized])


class FoundParameters(Iterator[Parameter]):
    """Iterates over the parameters of a ``link``; an optimizer gets the link itself from it, for its buffers."""

    def __init__(self, link: Registry) -> None:
        self.link = link
        self._rest = iter(link._all_params())

    def __next__(self) -> Parameter:
        return next(self._rest)


def kind_of(value: Any) -> Kind | None:
    """What a value that is assigned to an attribute is registered as; None if it is not."""
    return "parameter" if isinstance(value, Parameter) else "link" if isinstance(value, Registry) else None


def _buffer(name: str, value: Any) -> Array | None:
    if value is None:
        return None
    if isinstance(value, Variable) and value.creator is not None:
        raise TypeError(f"register_buffer: {name!r:.60} is computed; expected an array without a gradient")
    array = value.data if isinstance(value, Variable) else value if is_array(value) else np.asarray(value)
    if isinstance(value, Variable) and type(array) is np.ndarray:
        array = array.view(PlainArray)  # an array that has PyTorch's methods
    if hasattr(array, "kept"):  # a traced array must not outlive its trace
        return array.kept(f"the buffer {name!r:.60} of a link")
    if array.dtype.kind not in "biuf":
        raise TypeError(f"register_buffer: {name!r:.60} is an array of {array.dtype}; expected real numbers")
    return array
