"""``chainer.initializers``: initial values of parameters. Each initializer fills an array in place.

Random numbers come from NumPy's global generator, so ``numpy.random.seed`` makes them reproducible.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from ... import initializers as _initializers
from ...engine import get_array_module
from ..table import signed
from .configuration import config
from .initializer import Initializer


class _Drawn(Initializer):
    """Base of random initializers, which wrap AutoLab's initializer of the same name."""

    kind: Callable[..., _initializers.Initializer]

    def __init_subclass__(cls) -> None:
        if cls.__module__ == __name__:  # not classes that users derive
            cls.kind = getattr(_initializers, cls.__name__)

    def __init__(self, scale: float | None = None, dtype: Any = None, *, rng: Any = None) -> None:
        super().__init__(dtype)
        self._engine, self.rng = type(self).kind() if scale is None else type(self).kind(scale), rng

    @property
    def scale(self) -> float:
        """The factor given to the constructor."""
        return float(self._engine.scale)  # type: ignore[attr-defined]

    def __call__(self, array: Any) -> None:
        drawn = self._engine.draw(array.shape, self.rng or np.random)  # type: ignore[arg-type]  # it has the same methods
        array[...] = get_array_module(array).asarray(drawn)


class Normal(_Drawn):
    """Normally distributed with standard deviation ``scale``."""


class Uniform(_Drawn):
    """Uniformly distributed between ``-scale`` and ``scale``."""


class LeCunNormal(_Drawn):
    """Normal with standard deviation ``scale * sqrt(1 / fan_in)``."""


class LeCunUniform(_Drawn):
    """Uniform with standard deviation ``scale * sqrt(1 / fan_in)``."""


class GlorotNormal(_Drawn):
    """Normal with standard deviation ``scale * sqrt(2 / (fan_in + fan_out))``."""


class GlorotUniform(_Drawn):
    """Uniform with standard deviation ``scale * sqrt(2 / (fan_in + fan_out))``."""


class HeNormal(_Drawn):
    """Normal with standard deviation ``scale * sqrt(2 / fan_in)``."""

    @signed
    def __init__(self, scale, dtype, fan_option, *, rng):
        super().__init__(scale, dtype, rng=rng)
        if fan_option not in ("fan_in", "fan_out"):
            raise ValueError(f"HeNormal: fan_option is {fan_option!r:.60}; expected 'fan_in' or 'fan_out'")
        if fan_option == "fan_out":
            vars(self._engine)["fan"] = _fan_out


def _fan_out(fan_in: int, fan_out: int) -> int:
    return fan_out


class HeUniform(_Drawn):
    """Uniform with standard deviation ``scale * sqrt(2 / fan_in)``."""


class Orthogonal(_Drawn):
    """Orthogonal rows or columns, of norm ``scale``."""

    def __init__(self, scale: float = 1.1, dtype: Any = None, mode: str = "auto", *, rng: Any = None) -> None:
        super().__init__(scale, dtype, rng=rng)
        if mode not in _REFUSED:
            raise ValueError(f"Orthogonal: mode is {mode!r:.60}; expected one of {', '.join(_REFUSED)}")
        self.mode = mode

    def __call__(self, array: Any) -> None:
        out_dim = len(array) if array.ndim else 1
        in_dim = array.size // max(out_dim, 1)
        if (in_dim > out_dim) - (in_dim < out_dim) in _REFUSED[self.mode]:
            raise ValueError(
                f"Cannot make orthogonal {self.mode}. shape = {array.shape}, interpreted as {in_dim}-dim input and "
                f"{out_dim}-dim output."
            )
        super().__call__(array)


_REFUSED = {"auto": (), "embedding": (1,), "projection": (-1,), "basis": (1, -1)}
"""Mode -> whether more inputs (1) or more outputs (-1) are refused."""


class Constant(Initializer):
    """Every element is ``fill_value``, a number or an array."""

    def __init__(self, fill_value: Any, dtype: Any = None) -> None:
        super().__init__(dtype)
        self.fill_value = fill_value

    def __call__(self, array: Any) -> None:
        array[...] = get_array_module(array).asarray(self.fill_value)


class Zero(Constant):
    """Every element is 0."""

    def __init__(self, dtype: Any = None) -> None:
        super().__init__(0.0, dtype)


class One(Constant):
    """Every element is 1."""

    def __init__(self, dtype: Any = None) -> None:
        super().__init__(1.0, dtype)


class NaN(Constant):
    """Every element is NaN."""

    def __init__(self, dtype: Any = None) -> None:
        super().__init__(np.nan, dtype)


class Identity(Initializer):
    """``scale`` times the identity matrix."""

    def __init__(self, scale: float = 1.0, dtype: Any = None) -> None:
        super().__init__(dtype)
        self.scale = scale

    def __call__(self, array: Any) -> None:
        if array.ndim != 2 or array.shape[0] != array.shape[1]:
            raise ValueError(f"Identity: got shape {array.shape}; expected a square matrix")
        array[...] = self.scale * get_array_module(array).eye(len(array))


def generate_array(initializer: Any, shape: Any, xp: Any, dtype: Any = None, device: Any = None) -> Any:
    """A new array of the given shape, filled by an initializer.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> chainer.initializers.generate_array(chainer.initializers.One(), (2,), np)
    array([1., 1.], dtype=float32)
    """
    if device is not None:
        raise NotImplementedError("generate_array: device is not part of AutoLab's chainer facade; xp says where it is")
    chosen = getattr(initializer, "dtype", None) if dtype is None else dtype
    array = xp.empty(shape, config.dtype if chosen is None else chosen)
    initializer(array)
    return array


class _Filling:
    """An initializer with the interface that AutoLab's parameters expect: called with a shape, it returns an array."""

    def __init__(self, initializer: Any) -> None:
        self.initializer = initializer

    def __call__(self, shape: Any) -> Any:
        return generate_array(self.initializer, shape, np)


def as_initializer(given: Any) -> Any:
    """Convert an initializer of Chainer's to one of AutoLab's."""
    return given if isinstance(given, _Filling | _initializers.Initializer) else _Filling(given)


def weight(given: Any) -> Any:
    """The initializer of a weight, from an initializer, a number or an array; by default `LeCunNormal`."""
    if given is None:
        return as_initializer(LeCunNormal())
    return as_initializer(given if callable(given) else Constant(given))


def start(given: Any, default: float = 0.0) -> Any:
    """The initializer of any other parameter, such as a bias."""
    return weight(default if given is None else given)


constant = normal = uniform = orthogonal = SimpleNamespace(**{k: v for k, v in globals().items() if k[0].isupper()})
