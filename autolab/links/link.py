"""Link: an object that holds parameters, and other links."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterable, Mapping
from reprlib import recursive_repr
from typing import Any, ClassVar, Literal, Self

from ..engine import Array, Displayed, get_array_module, publish, to_cpu, to_gpu, using_config, wrap
from ..engine.argument_checks import check_call
from ..engine.configuration import named_scope
from ..engine.habits import answer_habits
from ..engine.modes import modes, watchers
from ..engine.undisturbed import blocks as undisturbed_blocks
from ..engine.undisturbed import note
from ..shared.state_layout import Slot
from .registry import Registry
from .state import places, planned, state_layout


class OfInstances(property):
    """A property that the class itself does not have: `inspect.signature` asks both for their ``__signature__``."""

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            raise AttributeError("only instances have it")
        return super().__get__(instance, owner)


class Link(Displayed, Registry):
    """A part of a model: it has parameters, buffers (arrays that are saved but not trained) and other links.

    Write a subclass with ``__init__`` and ``forward``, and call the object. There are three ways to register them, and
    all keep the order of registration: plain assignment of a `Parameter` or a Link, the same inside
    ``with self.init_scope():`` (Chainer's spelling), and `register_parameter`, `register_buffer`.

    References
    ----------
    The interface is that of ``chainer.Link`` and ``torch.nn.Module``.

    Examples
    --------
    >>> import autolab
    >>> from autolab import Link, Parameter, initializers
    >>> class EltwiseParamProduct(Link):
    ...     def __init__(self, shape):
    ...         super().__init__()
    ...         with self.init_scope():
    ...             self.W = Parameter(initializers.Constant(2.0), shape)
    ...
    ...     def forward(self, x):
    ...         return self.W * x
    >>> link = EltwiseParamProduct((2,))
    >>> link(autolab.Variable([1.0, 3.0]))
    variable([2. 6.])
    >>> [name for name, parameter in link.namedparams()]
    ['/W']
    """

    # ------------------------------------------------------------------ calling it
    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the link computes; every subclass defines its own."""
        raise NotImplementedError(f"{type(self).__name__}: write forward(self, x)")

    _evaluates: bool = False
    _observed: ClassVar[tuple[str, ...]] = ()
    """Attributes that `forward` sets but never reads."""

    def eval(self) -> Self:
        """Compute as in `autolab.test_mode` from now on, here and in all links inside; returns the link itself."""
        return self._set_evaluates(True)

    def train(self, mode: bool = True) -> Self:
        """Undo `eval`: the mode of the context applies again, which is training mode unless ``test_mode`` is on.

        ``train(False)`` is `eval`.
        """
        return self._set_evaluates(not mode)

    def _set_evaluates(self, value: bool) -> Self:
        for link in self.links():
            link.__dict__["_evaluates"] = value
        return self

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set ``requires_grad`` of all parameters; returns the link itself. See also `freeze`.

        Examples
        --------
        >>> from autolab import links as L
        >>> layer = L.Linear(3, 2).requires_grad_(False)
        >>> layer.W.requires_grad
        False
        """
        for parameter in self._all_params():
            parameter.requires_grad = requires_grad
        return self

    def freeze(self) -> Self:
        """Freeze all parameters: they get no gradient, and optimizers do not update them."""
        return self.requires_grad_(False)

    def unfreeze(self) -> Self:
        """Undo `freeze`."""
        return self.requires_grad_(True)

    def _holds(self) -> tuple[dict[str, str], str]:
        roles = {"_found": "own", "_name": "own"} | dict.fromkeys(self._observed, "written")
        buffers = [name for name, kind in self.__dict__.get("_kinds", {}).items() if kind == "buffer"]
        return roles | dict.fromkeys(buffers, "state"), "read"

    _forward_hooks: tuple[Callable[..., Any], ...] = ()
    _not_restored: tuple[str, ...] = ()
    """Buffers that `forward` itself does not change inside `undisturbed`: another thread may be training them."""

    def _hooked(self, *args: Any, **kwargs: Any) -> Any:
        with LinkCall(self):
            y = self.forward(*args, **kwargs)
        for hook in self._forward_hooks:
            found = hook(self, args, y)
            y = y if found is None else found
        return y

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._evaluates and modes().train:
            with using_config("train", False):
                return self(*args, **kwargs)
        try:
            if undisturbed_blocks:
                note(self, self._buffer_snapshot)
            if self._forward_hooks:
                return self._hooked(*args, **kwargs)
            if not watchers:
                return self.forward(*args, **kwargs)
            with LinkCall(self):
                return self.forward(*args, **kwargs)
        except TypeError as error:
            check_call(type(self).__name__, self.forward, error, args, kwargs)
            raise

    @property
    def _written(self) -> Callable[..., Any]:
        """The method that the author of the class wrote: `forward`, or a ``__call__`` that replaces it."""
        lowest = next(cls for cls in type(self).__mro__ if not {"forward", "__call__"}.isdisjoint(vars(cls)))
        return self.forward if "forward" in vars(lowest) else self.__call__

    @OfInstances
    def __signature__(self) -> inspect.Signature:
        """That of the author's method, so that tools find the names of the inputs."""
        return inspect.signature(self._written)

    def _buffer_snapshot(self) -> Callable[[], None]:
        """A function that restores the buffers as they are now; those that have no size yet are not restored."""
        buffers = [(name, buffer) for name, buffer in self._own("buffer") if name not in self._not_restored]
        arrays = [getattr(buffer, "_data", buffer) for _, buffer in buffers]  # in the torch facade they are tensors
        kept = list(zip(buffers, arrays, [array.copy() for array in arrays], strict=True))

        def restore() -> None:
            for (name, buffer), array, before in kept:
                if getattr(array.flags, "writeable", True):  # else it cannot have been changed in place
                    array[...] = before
                if array is not buffer:
                    buffer._data = array
                self.__dict__[name] = buffer

        return restore

    # ------------------------------------------------------------------ all parameters and buffers at once
    def cleargrads(self, set_to_none: bool = True) -> None:
        """Set the gradients of all parameters to None, or, with ``set_to_none=False``, those that there are to 0."""
        clear_gradients(self._all_params(), set_to_none)

    def copyparams(self, source: Link) -> None:
        """Copy parameters and buffers from a link of the same structure; if one does not fit, nothing changes."""
        publish(planned(self, {name: None if a is None else a.copy() for name, a in source.state().items()}))

    def copy(self, mode: Literal["share", "copy", "init"] = "share") -> Self:
        """A copy of the link, whose parameters have gradients of their own.

        Parameters
        ----------
        mode : str
            ``share``: the parameters share their arrays with the original, until an update gives one of the links new
            arrays. ``copy``: the arrays are copied. ``init``: parameters with an initializer are drawn again.
        """
        if mode not in ("share", "copy", "init"):
            raise ValueError(f"Link.copy: mode is {mode!r:.60}; expected 'share', 'copy' or 'init'")
        return self._copied({}, mode)

    def _copied(self, memo: dict[int, Any], mode: Literal["share", "copy", "init"]) -> Self:
        if id(self) in memo:
            same: Self = memo[id(self)]
            return same
        twin = memo[id(self)] = copy.copy(self)
        twin.__dict__["_kinds"] = dict(self._kinds)
        twin.__dict__.pop("_found", None)
        for name, kind in self._kinds.items():
            value = self.__dict__[name]
            if value is None:
                continue
            if kind == "link":
                twin.__dict__[name] = value._copied(memo, mode)
            elif kind == "buffer":
                twin.__dict__[name] = value.copy()
            else:
                if id(value) not in memo:
                    memo[id(value)] = value.copy(mode)
                twin.__dict__[name] = memo[id(value)]
        return twin

    def to_gpu(self) -> Self:
        """Move parameters, gradients and buffers to the current GPU; returns the link itself."""
        return self._move(to_gpu)

    def to_cpu(self) -> Self:
        """Move parameters, gradients and buffers to main memory; returns the link itself."""
        return self._move(to_cpu)

    def _move(self, move: Callable[[Array], Array]) -> Self:
        for parameter in self.params():
            parameter.move(move)
        for link in self.links():
            for name, value in list(link._own("buffer")):
                link.__dict__[name] = move(value)
        return self

    @property
    def xp(self) -> Any:
        """The module of its arrays: ``numpy`` or ``cupy``."""
        return get_array_module(*[p._data for p in self.params() if p.is_initialized])

    # ------------------------------------------------------------------ state
    def state(self) -> dict[str, Array | None]:
        """Parameters and buffers as arrays, by names such as ``l1/W``; None for those that have no size yet."""
        return {path[1:]: value for path, _, _, value in places(self)}

    def state_layout(self) -> dict[str, Slot]:
        """The shape and dtype that `load_state` expects for each name."""
        return state_layout(self)

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Load what `state` returned, in this or another process.

        Raises
        ------
        ValueError
            If a name is missing or unknown, or a shape does not fit; in that case nothing changes.
        """
        publish(self.planned(state))

    def planned(self, state: Mapping[str, Any]) -> list[tuple[Any, str, Any]]:
        """The assignments that `load_state` would make; raises the same errors."""
        return planned(self, state)

    # ------------------------------------------------------------------ display
    def extra_repr(self) -> str:
        """What ``repr`` shows between the parentheses; override it to show settings."""
        return ""

    @recursive_repr("...")
    def __repr__(self) -> str:
        lines = [self.extra_repr()] if self.extra_repr() else []
        inner = [f"({name}): {link!r}" for name, link in self._own("link")] if "_kinds" in self.__dict__ else []
        if not inner:
            return f"{type(self).__name__}({', '.join(lines)})"
        body = "\n".join(lines + inner).replace("\n", "\n  ")
        return f"{type(self).__name__}(\n  {body}\n)"


class LinkCall(named_scope):
    """The scope of one call of a link, named by its path from the outermost link being called, and its class:
    ``layers.0: Linear``."""

    def __init__(self, link: Link) -> None:
        kind = type(link).__name__
        super().__init__(kind)
        if watchers:
            around = [mark.paths for mark in modes().marks if mark.paths and id(link) in mark.paths]
            self._paths = around[0] if around else _paths(link)
            path = self._paths[id(link)]
            self._label = f"{path}: {kind}" if path else kind


def _paths(link: Link) -> dict[int, str]:
    """The names of a link and all links inside by identity; the outermost has the name under which it is held."""
    own = link.__dict__.get("_name") or ""
    return {id(part): (own + path.rstrip("/").replace("/", ".")).strip(".") for path, part in link.namedlinks()}


def clear_gradients(parameters: Iterable[Any], set_to_none: bool = True) -> None:
    """Set gradients to None, or, with ``set_to_none=False``, those that there are to 0."""
    for parameter in parameters:
        if set_to_none or parameter._grad is None:
            parameter.cleargrad()
        else:
            zeros = get_array_module(parameter._grad._data).zeros_like(parameter._grad._data)
            parameter.grad = wrap(zeros, None)


answer_habits(Link, "Link")
