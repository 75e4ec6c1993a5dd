"""``chainer.link``: AutoLab's links, which register attributes only inside ``init_scope``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np

from ... import links as _links
from ...engine.parameter import Parameter as _Parameter
from .backends.cuda import on_first
from .initializers import start
from .variable import Parameter, own_parameter, tagged


class Link(_links.Link):
    """Part of a model, with parameters that are assigned inside ``with self.init_scope():``.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> class EltwiseParamProduct(chainer.Link):
    ...     def __init__(self, shape):
    ...         super().__init__()
    ...         with self.init_scope():
    ...             self.W = chainer.Parameter(chainer.initializers.One(), shape)
    ...
    ...     def forward(self, x):
    ...         return self.W * x
    >>> EltwiseParamProduct(2)(np.array([1, 2], np.float32))
    variable([1., 2.])
    """

    def __init__(self, **params: Any) -> None:
        _links.Link.__init__(self)  # not that of the layer into which this class is mixed
        for name, value in params.items():
            shape, dtype = value if isinstance(value, tuple) and isinstance(value[0], tuple) else (value, None)
            self.add_param(name, shape, dtype)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return tagged(super().__call__(*args, **kwargs))

    def _begin_as(self, *args: Any, **settings: Any) -> None:
        """Initialize like the AutoLab link that a class is mixed with, and register its parts."""
        Link.__init__(self)
        with self.init_scope():
            super().__init__(*args, **settings)

    # ------------------------------------------------------------------ registering
    @property
    def within_init_scope(self) -> bool:
        """Whether assigned parameters and links are registered."""
        return bool(self.__dict__.get("_within_init_scope", False))

    @contextmanager
    def init_scope(self) -> Iterator[None]:
        """A ``with`` block in which assigned parameters and links are registered."""
        self._registry("init_scope")
        before = self.within_init_scope
        self.__dict__["_within_init_scope"] = True
        try:
            yield
        finally:
            self.__dict__["_within_init_scope"] = before

    def __setattr__(self, name: str, value: Any) -> None:
        if self.within_init_scope or self.__dict__.get("_kinds", {}).get(name) == "buffer":
            super().__setattr__(name, value)
        else:
            object.__setattr__(self, name, value)

    def _register(self, name: str, kind: Any, value: Any) -> None:
        if isinstance(value, _Parameter):
            own_parameter(value)
        super()._register(name, kind, value)

    def add_param(self, name: str, shape: Any = None, dtype: Any = None, initializer: Any = None) -> None:
        """Register a parameter, filled with NaN by default."""
        given = start(initializer, np.nan)
        if dtype is not None:
            given.initializer.dtype = np.dtype(dtype)
        self.register_parameter(name, Parameter(given, shape, name))

    def add_persistent(self, name: str, value: Any) -> None:
        """Register an array or a number that is saved, but not trained."""
        self.register_buffer(name, value)

    def register_persistent(self, name: str) -> None:
        """Register an existing attribute to be saved, but not trained."""
        self.register_buffer(name, self.__dict__.pop(name))

    # ------------------------------------------------------------------ contents
    @property
    def name(self) -> str | None:
        """The name of the link in the link that contains it."""
        return self.__dict__.get("_name")

    @name.setter
    def name(self, value: str | None) -> None:
        self.__dict__["_name"] = value

    def params(self, include_uninit: bool = True) -> Iterator[Parameter]:
        """All parameters; without ``include_uninit``, only those that have a shape already."""
        return (p for p in super().params() if include_uninit or p.is_initialized)  # type: ignore[misc]

    def namedparams(self, include_uninit: bool = True) -> Iterator[tuple[str, Parameter]]:
        """Pairs of path and parameter, such as ``/l1/W``."""
        pairs = super().namedparams()
        return ((path, p) for path, p in pairs if include_uninit or p.is_initialized)  # type: ignore[misc]

    def zerograds(self) -> None:
        """Set all gradients to zeros; `cleargrads` sets them to None, which is faster."""
        for parameter in self.params(include_uninit=False):
            parameter.zerograd()

    def addgrads(self, link: _links.Link) -> None:
        """Add the gradients of another link with the same parameters."""
        others = dict(link.namedparams())
        for path, parameter in self.namedparams():
            parameter.addgrad(others[path])

    def repeat(self, n_repeat: int, mode: Literal["share", "copy", "init"] = "init") -> Any:
        """A `Sequential` of copies."""
        return Sequential(*[self.copy(mode) for _ in range(n_repeat)])

    # ------------------------------------------------------------------ updates
    def enable_update(self) -> None:
        """Let optimizers update its parameters."""
        self._set_update(True)

    def disable_update(self) -> None:
        """Freeze its parameters: optimizers do not update them."""
        self._set_update(False)

    def _set_update(self, enabled: bool) -> None:
        for parameter in self.params():
            if parameter.update_rule is not None:
                parameter.update_rule.enabled = enabled

    @property
    def update_enabled(self) -> bool:
        """Whether optimizers update at least one of its parameters."""
        return any([p.update_rule is not None and p.update_rule.enabled for p in self.params()])

    # ------------------------------------------------------------------ devices
    def to_gpu(self, device: Any = None) -> Any:
        """Move the link to the current GPU. Returns the link itself."""
        on_first(device)
        return super().to_gpu()

    @property
    def device(self) -> Any:
        """The device of its parameters, as `chainer.get_device` returns it."""
        from .backend import CpuDevice

        return next((p.device for p in self.params(include_uninit=False)), CpuDevice())

    def to_device(self, device: Any) -> Any:
        """Move the link to a device: -1 and ``"@numpy"`` mean main memory."""
        from .backend import get_device

        return self.to_cpu() if get_device(device).xp is np else self.to_gpu()

    def serialize(self, serializer: Any) -> None:
        """Save to, or load from, a serializer: each parameter and array under its path."""
        self.load_state({name: serializer(name, value) for name, value in self.state().items()})


class Chain(Link, _links.Chain):
    """A link that contains named links.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> chain = chainer.Chain(l1=chainer.links.Linear(2, 3), l2=chainer.links.Linear(3, 1))
    >>> [path for path, _ in chain.namedparams()], chain["l1"] is chain.l1
    (['/l1/W', '/l1/b', '/l2/W', '/l2/b'], True)
    """

    def __init__(self, **links: Any) -> None:
        self._begin_as(**links)

    def __getitem__(self, name: str) -> Any:
        """The link with this name."""
        children = dict(self._own("link"))
        if name not in children:
            raise KeyError(f"{type(self).__name__}: no link is called {name!r:.60}")
        return children[name]

    def add_link(self, name: str, link: _links.Link) -> None:
        """Register a link under a name."""
        with self.init_scope():
            setattr(self, name, link)


class ChainList(Link, _links.ChainList):
    """A link that contains a list of links.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> chain = chainer.ChainList(chainer.links.Linear(4, 3), chainer.links.Linear(3, 2))
    >>> len(chain), [path for path, _ in chain.namedparams()]
    (2, ['/0/W', '/0/b', '/1/W', '/1/b'])
    """

    def __init__(self, *links: Any) -> None:
        self._begin_as(*links)

    add_link = _links.ChainList.append


def _kind(step: Any) -> str:
    return str(getattr(step, "__name__", type(step).__name__))


class Sequential(Link, _links.Sequential):
    """Links and functions applied one after the other, each to the result of the previous one.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> import autolab.compat.chainer.functions as F
    >>> import autolab.compat.chainer.links as L
    >>> model = chainer.Sequential(L.Linear(2, 3), F.relu, L.Linear(3, 1))
    >>> model(np.ones((5, 2), np.float32)).shape
    (5, 1)
    """

    def __init__(self, *layers: Any) -> None:
        self._begin_as(*layers)

    def _of(self, steps: Any) -> Any:
        return Sequential(*steps)

    def _next_name(self) -> str:
        return str(len([*self.children()]))  # functions are not numbered

    def count_by_layer_type(self, type_name: str) -> int:
        """The number of layers that are links of a class with this name, or functions with this name."""
        return [_kind(step) for step in self].count(type_name)

    def remove_by_layer_type(self, type_name: str) -> None:
        """Remove the layers that `count_by_layer_type` counts."""
        self._replace_all([step for step in self if _kind(step) != type_name])

    def flatten(self) -> Any:
        """The same layers, with nested `Sequential` flattened."""
        steps: list[Any] = []
        for step in self:
            steps += step.flatten() if isinstance(step, Sequential) else [step]
        return self._of(steps)

    def repeat(self, n_repeat: int, mode: Literal["share", "copy", "init"] = "init") -> Any:
        """A `Sequential` of ``n_repeat`` copies of its layers."""
        return self._of([step for _ in range(n_repeat) for step in self.copy(mode)])
