"""Hooks, which change the gradients before an update. Each is called with the optimizer; iterating over that gives the
parameters that have a gradient.

    >>> from autolab import links as L, optimizers
    >>> optimizer = optimizers.SGD().setup(L.Linear(2, 1))
    >>> optimizer.add_hook(optimizers.WeightDecay(0.0005))
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..engine import Array, Parameter, a_kind, check_rng, config, get_array_module, wrap
from ..engine.arrays import generator
from ..shared.norms import norm_and_factor, scaled
from .settings import Check, Settings, from_to

if TYPE_CHECKING:
    from .optimizer import Optimizer


class Hooked:
    """What calls hooks, each of which has a name."""

    _hooks: dict[str, Callable[..., Any]]

    def add_hook(self, hook: Callable[..., Any], name: str | None = None) -> None:
        """Call ``hook(optimizer)`` in every update, after the gradients are computed and before the parameters change.

        Iterating over the optimizer gives the parameters that have a gradient. The update uses the ``grad`` that a hook
        assigns; a parameter whose ``grad`` is set to None is not updated. If a hook raises, the previous gradients are
        restored: therefore a hook must assign new ones, and never change their arrays in place.

        Raises
        ------
        KeyError
            If there is a hook with this name already.
        TypeError
            If ``hook`` is not callable, or is a class.
        """
        if isinstance(hook, type):
            raise TypeError(
                f"{type(self).__name__}.add_hook: got the class {hook.__name__:.60}; expected an instance, such as "
                f"{hook.__name__:.60}(...)"
            )
        if not callable(hook):
            raise TypeError(f"{type(self).__name__}.add_hook: got {a_kind(hook)}; expected a callable")
        name = name or str(getattr(hook, "name", getattr(hook, "__name__", type(hook).__name__)))
        if name in self._hooks:
            raise KeyError(f"{type(self).__name__}.add_hook: there is already a hook {name!r:.60}; give another name=")
        self._hooks[name] = hook

    def remove_hook(self, name: str) -> None:
        """Remove the hook with this name.

        Raises
        ------
        KeyError
            If there is no such hook.
        """
        if name not in self._hooks:
            who, there = f"{type(self).__name__}.remove_hook", ", ".join(self._hooks) or "none"
            raise KeyError(f"{who}: no hook is called {name!r:.60}; there are: {there:.150}")
        del self._hooks[name]


class WeightDecay(Settings):
    """L2 regularization: add ``rate * w``, the gradient of ``rate / 2 * sum(w**2)``, to every gradient.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L, optimizers
    >>> layer = L.Linear(2, 1, nobias=True, initialW=1.0)
    >>> optimizer = optimizers.SGD(lr=1.0).setup(layer)
    >>> optimizer.add_hook(optimizers.WeightDecay(0.5))
    >>> layer.W.grad = np.array([[3.0, 4.0]], np.float32)
    >>> optimizer.update()
    >>> layer.W
    variable([[-2.5 -3.5]])
    """

    name = "WeightDecay"
    checks: ClassVar[dict[str, Check]] = {"rate": from_to(0)}

    def __init__(self, rate: float) -> None:
        self.rate = rate

    def __call__(self, optimizer: Optimizer) -> None:
        for parameter in optimizer:
            _replace(parameter, _gradient(parameter) + self.rate * parameter._data)


class Lasso(Settings):
    """L1 regularization: add ``rate * sign(w)``, the gradient of ``rate * sum(abs(w))``, to every gradient.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L, optimizers
    >>> layer = L.Linear(2, 1, nobias=True, initialW=1.0)
    >>> optimizer = optimizers.SGD(lr=1.0).setup(layer)
    >>> optimizer.add_hook(optimizers.Lasso(0.5))
    >>> layer.W.grad = np.array([[3.0, 4.0]], np.float32)
    >>> optimizer.update()
    >>> layer.W
    variable([[-2.5 -3.5]])
    """

    name = "Lasso"
    checks: ClassVar[dict[str, Check]] = {"rate": from_to(0)}

    def __init__(self, rate: float) -> None:
        self.rate = rate

    def __call__(self, optimizer: Optimizer) -> None:
        for parameter in optimizer:
            sign = get_array_module(parameter._data).sign(parameter._data)
            _replace(parameter, _gradient(parameter) + self.rate * sign)


class GradientClipping(Settings):
    """Gradient clipping: if the norm of all gradients together exceeds ``threshold``, scale them down to it.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L, optimizers
    >>> layer = L.Linear(2, 1, nobias=True, initialW=1.0)
    >>> optimizer = optimizers.SGD(lr=1.0).setup(layer)
    >>> optimizer.add_hook(optimizers.GradientClipping(1.0))
    >>> layer.W.grad = np.array([[3.0, 4.0]], np.float32)
    >>> optimizer.update()
    >>> layer.W
    variable([[0.39999998 0.19999999]])
    """

    name = "GradientClipping"
    checks: ClassVar[dict[str, Check]] = {"threshold": from_to(0)}
    _eps: ClassVar[float] = 0.0

    def __init__(self, threshold: float) -> None:
        self.threshold = threshold

    def __call__(self, optimizer: Optimizer) -> None:
        gradients = [_gradient(parameter) for parameter in optimizer]
        _, factor = norm_and_factor(gradients, self.threshold, eps=self._eps)
        if factor < 1:
            for parameter, g in zip(optimizer, gradients, strict=True):
                _replace(parameter, scaled(g, factor))


class GradientNoise(Settings):
    """Add Gaussian noise of variance ``eta / (1 + t)**0.55`` to every gradient; ``t`` is the number of updates.

    A. Neelakantan et al., "Adding gradient noise improves learning for very deep networks", 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L, optimizers
    >>> layer = L.Linear(2, 1, nobias=True, initialW=1.0)
    >>> optimizer = optimizers.SGD(lr=1.0).setup(layer)
    >>> optimizer.add_hook(optimizers.GradientNoise(0.1, np.random.default_rng(0)))
    >>> layer.W.grad = np.array([[3.0, 4.0]], np.float32)
    >>> optimizer.update()
    >>> layer.W
    variable([[-2.0397594 -2.9582248]])
    """

    name = "GradientNoise"
    checks: ClassVar[dict[str, Check]] = {"eta": from_to(0), "rng": lambda who, name, rng: check_rng(who, rng)}

    def __init__(self, eta: float, rng: np.random.Generator | None = None) -> None:
        self.eta, self.rng = eta, rng

    def __call__(self, optimizer: Optimizer) -> None:
        deviation = math.sqrt(self.eta / (1 + optimizer.t) ** 0.55)
        rng = config.rng if self.rng is None else self.rng
        for parameter in optimizer:
            xp = get_array_module(parameter._data)
            noise = deviation * generator(xp, rng).standard_normal(parameter.shape)
            _replace(parameter, _gradient(parameter) + xp.asarray(noise, dtype=parameter.dtype))


def _gradient(parameter: Parameter) -> Array:
    assert parameter._grad is not None  # iterating over the optimizer gives no others
    return parameter._grad._data


def _replace(parameter: Parameter, g: Array) -> None:
    parameter.grad = wrap(g, None)
