"""Registry: what a link holds under which names, and the ways to find it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from ..engine.argument_checks import CheckedArguments
from ..engine.backend import Array, is_array
from ..engine.errors import a_kind
from ..engine.habit_tables import ALIASES
from ..engine.parameter import Parameter
from ..engine.plain_arrays import PlainArray
from ..engine.variable import Variable

if TYPE_CHECKING:
    from .link import Link

Kind = Literal["parameter", "buffer", "link"]


class Registry(CheckedArguments):
    """The part of a `Link` that registers parameters, buffers and other links, and lists them."""

    _kinds: dict[str, Kind]
    _as_registered: ClassVar[object] = object()
    """Another object after every change of any link's registry: what was found before may be out of date."""

    def __init__(self) -> None:
        self.__dict__.setdefault("_kinds", {})

    # ------------------------------------------------------------------ the three ways to register
    def init_scope(self) -> Any:
        """A ``with`` block round the assignments of parameters and links: it says what happens there anyway."""
        self._registry("init_scope")
        return nullcontext()

    def register_parameter(self, name: str, parameter: Parameter | None) -> None:
        """Register a parameter; None keeps the place of one that this object does not have, such as a bias."""
        if parameter is not None and not isinstance(parameter, Parameter):
            raise TypeError(f"register_parameter: {name!r:.60} is {a_kind(parameter)}; expected a Parameter")
        self._register(name, "parameter", parameter)

    def register_buffer(self, name: str, value: Any) -> None:
        """Register an array that is saved and moved with the parameters and not trained, such as a running mean.

        None for one whose size is not known yet.
        """
        self._register(name, "buffer", _buffer(name, value))

    def __setattr__(self, name: str, value: Any) -> None:
        kind = _kind_of(value)
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

    # ------------------------------------------------------------------ what it holds
    def _own(self, kind: Kind) -> Iterator[tuple[str, Any]]:
        for name, registered in self._registry("params()").items():
            value = self.__dict__[name]
            if registered == kind and value is not None:
                yield name, value

    def children(self) -> Iterator[Link]:
        """The links that it holds itself, in the order of registration."""
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
        """All links in it, itself first."""
        return (link for _, link in self.namedlinks(skipself))

    def namedparams(self) -> Iterator[tuple[str, Parameter]]:
        """Pairs of path and parameter, such as ``/l1/W``; a parameter that several links share comes once."""
        return self._named("parameter")

    def params(self) -> Iterator[Parameter]:
        """All parameters, each once, in the order of `namedparams`."""
        return FoundParameters(self)

    def _all_params(self) -> tuple[Parameter, ...]:
        """The same; every update asks for them, and looks for them only where a registry has changed."""
        since, found = self.__dict__.get("_found", (None, ()))
        now = Registry._as_registered
        if since is not now:
            found = tuple([parameter for _, parameter in self.namedparams()])
            self.__dict__["_found"] = now, found
        return found

    def namedbuffers(self) -> Iterator[tuple[str, Array]]:
        """Pairs of path and buffer, such as ``/bn/running_mean``."""
        return self._named("buffer")

    def _named(self, kind: Kind) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        for path, link in self.namedlinks():
            for name, value in link._own(kind):
                if kind == "buffer" or id(value) not in seen:
                    seen.add(id(value))
                    yield f"{path.rstrip('/')}/{name}", value

    def count_params(self) -> int:
        """How many numbers its parameters have; those without a size yet count 0."""
        return sum([p.size for p in self.params() if p.is_initialized])


class FoundParameters(Iterator[Parameter]):
    """The parameters of a ``link``, which an optimizer asks for what is not among them."""

    def __init__(self, link: Registry) -> None:
        self.link = link
        self._rest = iter(link._all_params())

    def __next__(self) -> Parameter:
        return next(self._rest)


def _kind_of(value: Any) -> Kind | None:
    return "parameter" if isinstance(value, Parameter) else "link" if isinstance(value, Registry) else None


def _buffer(name: str, value: Any) -> Array | None:
    if value is None:
        return None
    if isinstance(value, Variable) and value.creator is not None:
        raise TypeError(f"register_buffer: {name!r:.60} is computed; expected an array without a gradient")
    array = value.data if isinstance(value, Variable) else value if is_array(value) else np.asarray(value)
    if isinstance(value, Variable) and type(array) is np.ndarray:
        array = array.view(PlainArray)  # it keeps PyTorch's methods
    if hasattr(array, "kept"):  # a traced one would outlive its trace
        return array.kept(f"the buffer {name!r:.60} of a link")
    if array.dtype.kind not in "biuf":
        raise TypeError(f"register_buffer: {name!r:.60} is an array of {array.dtype}; expected real numbers")
    return array
