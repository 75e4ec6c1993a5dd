"""Initializers: the initial values of parameters. Each is called with a shape and returns a new array.

An initializer is created with its settings, and can be used for many parameters::

    >>> import numpy as np
    >>> from autolab import initializers
    >>> init = initializers.HeNormal(rng=np.random.default_rng(0))
    >>> init((100, 50)).std().round(1)
    np.float32(0.2)

Random ones draw from ``rng=``, by default from ``config.rng``; so ``config.rng = numpy.random.default_rng(0)`` makes
the initialization of a whole model reproducible. For a weight of shape ``(out, in, *kernel)`` the fan-in is
``in * size of the kernel`` and the fan-out is ``out * size of the kernel``. The weights of transposed convolutions are
``(in, out, *kernel)``, so theirs are exchanged, as in PyTorch.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .engine import check_number, check_rng, config
from .engine.habits import answering

Shape = tuple[int, ...]

__all__ = [
    "Constant",
    "GlorotNormal",
    "GlorotUniform",
    "HeNormal",
    "HeUniform",
    "Initializer",
    "LeCunNormal",
    "LeCunUniform",
    "Normal",
    "One",
    "Orthogonal",
    "Uniform",
    "Zero",
]


class Initializer:
    """The base class of initializers: subclass it and define `draw`.

    Parameters
    ----------
    dtype : dtype
        Floating-point dtype of the arrays, by default float32.
    rng : numpy.random.Generator, optional
        The random generator; by default ``config.rng`` at the time of the call.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.initializers import Initializer
    >>> class Ramp(Initializer):
    ...     def draw(self, shape, rng):
    ...         return np.linspace(0, 1, shape[0])
    >>> Ramp()((3,))
    array([0. , 0.5, 1. ], dtype=float32)
    """

    def __init__(self, *, dtype: Any = np.float32, rng: np.random.Generator | None = None) -> None:
        self.dtype = np.dtype(dtype)
        if self.dtype.kind != "f":
            raise TypeError(f"{type(self).__name__}: dtype is {self.dtype}; parameters are floating-point numbers")
        self.rng = check_rng(type(self).__name__, rng)

    def __call__(self, shape: int | Shape) -> np.ndarray:
        """A new array of the given shape."""
        lengths = (int(shape),) if isinstance(shape, int | np.integer) else tuple(shape)
        return np.asarray(self.draw(lengths, config.rng if self.rng is None else self.rng)).astype(self.dtype)

    def draw(self, shape: Shape, rng: np.random.Generator) -> Any:
        """The initial values, an array of this shape; they are cast to ``self.dtype``."""
        raise NotImplementedError(f"{type(self).__name__}: write draw(self, shape, rng)")

    def __repr__(self) -> str:
        settings = [f"{k}={v!r}" for k, v in vars(self).items() if k not in ("dtype", "rng")]
        return f"{type(self).__name__}({', '.join(settings)})"


class Constant(Initializer):
    """Set every element to ``value``, a number or an array that broadcasts to the shape.

    Examples
    --------
    >>> from autolab import initializers
    >>> initializers.Constant(0.5)((2,))
    array([0.5, 0.5], dtype=float32)
    """

    def __init__(self, value: Any, **options: Any) -> None:
        super().__init__(**options)
        self.value = value

    def draw(self, shape: Shape, rng: np.random.Generator) -> Any:
        try:
            return np.broadcast_to(self.value, shape)
        except ValueError:
            what = f"{type(self).__name__}: value has shape {np.shape(self.value)}"
            raise ValueError(f"{what}; expected {shape}, or one that broadcasts to it") from None


class Zero(Constant):
    """Set every element to 0.

    Examples
    --------
    >>> from autolab import initializers
    >>> initializers.Zero()((2,))
    array([0., 0.], dtype=float32)
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(0.0, **options)


class One(Constant):
    """Set every element to 1.

    Examples
    --------
    >>> from autolab import initializers
    >>> initializers.One()((2,))
    array([1., 1.], dtype=float32)
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(1.0, **options)


class _OfScale(Initializer):
    """An initializer that multiplies its numbers by ``scale``."""

    def __init__(self, scale: float = 1.0, **options: Any) -> None:
        super().__init__(**options)
        self.scale = check_number(type(self).__name__, "scale", scale, 0)


class Normal(_OfScale):
    """Normally distributed with mean 0 and standard deviation ``scale``.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import initializers
    >>> W = initializers.Normal(scale=0.1, rng=np.random.default_rng(0))((300, 100))
    >>> round(float(W.std()), 3)
    0.1
    """

    def __init__(self, scale: float = 0.05, **options: Any) -> None:
        super().__init__(scale, **options)

    def draw(self, shape: Shape, rng: np.random.Generator) -> Any:
        return rng.normal(0.0, self.scale, shape)


class Uniform(_OfScale):
    """Uniformly distributed between ``-scale`` and ``scale``.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import initializers
    >>> W = initializers.Uniform(scale=0.1, rng=np.random.default_rng(0))((300, 100))
    >>> round(float(W.std()), 3)
    0.058
    """

    def __init__(self, scale: float = 0.05, **options: Any) -> None:
        super().__init__(scale, **options)

    def draw(self, shape: Shape, rng: np.random.Generator) -> Any:
        return rng.uniform(-self.scale, self.scale, shape)


class _Scaled(_OfScale):
    """Random numbers with standard deviation ``scale * sqrt(gain / fan)``."""

    gain = 1.0
    uniform = False

    def fan(self, fan_in: int, fan_out: int) -> float:
        """The number that the variance is divided by."""
        return fan_in

    def draw(self, shape: Shape, rng: np.random.Generator) -> Any:
        deviation = self.scale * math.sqrt(self.gain / max(self.fan(*fans(shape)), 1))
        if self.uniform:
            return rng.uniform(-deviation * math.sqrt(3), deviation * math.sqrt(3), shape)
        return rng.normal(0.0, deviation, shape)


class LeCunNormal(_Scaled):
    """Normal with standard deviation ``scale * sqrt(1 / fan_in)``: a linear layer preserves the variance.

    Y. LeCun et al., "Efficient BackProp", 1998.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import initializers
    >>> W = initializers.LeCunNormal(rng=np.random.default_rng(0))((300, 100))
    >>> round(float(W.std()), 3)
    0.1
    """


class LeCunUniform(_Scaled):
    """Uniform with standard deviation ``scale * sqrt(1 / fan_in)``.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import initializers
    >>> W = initializers.LeCunUniform(rng=np.random.default_rng(0))((300, 100))
    >>> round(float(W.std()), 3)
    0.1
    """

    uniform = True


class GlorotNormal(_Scaled):
    """Normal with standard deviation ``scale * sqrt(2 / (fan_in + fan_out))``, also called Xavier initialization.

    A compromise between preserving the variance of values (forward) and of gradients (backward).

    X. Glorot, Y. Bengio, "Understanding the difficulty of training deep feedforward neural networks", 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import initializers
    >>> W = initializers.GlorotNormal(rng=np.random.default_rng(0))((300, 100))
    >>> round(float(W.std()), 3)
    0.071
    """

    def fan(self, fan_in: int, fan_out: int) -> float:
        """The number that the variance is divided by: the mean of both.

        Examples
        --------
        >>> from autolab import initializers
        >>> initializers.GlorotNormal().fan(300, 100)
        200.0
        """
        return (fan_in + fan_out) / 2


class GlorotUniform(GlorotNormal):
    """Uniform with standard deviation ``scale * sqrt(2 / (fan_in + fan_out))``.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import initializers
    >>> W = initializers.GlorotUniform(rng=np.random.default_rng(0))((300, 100))
    >>> round(float(W.std()), 3)
    0.07
    """

    uniform = True


class HeNormal(_Scaled):
    """Normal with standard deviation ``scale * sqrt(2 / fan_in)``: for layers followed by relu.

    K. He et al., "Delving deep into rectifiers", 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import initializers
    >>> W = initializers.HeNormal(rng=np.random.default_rng(0))((300, 100))
    >>> round(float(W.std()), 3)
    0.141
    """

    gain = 2.0


class HeUniform(HeNormal):
    """Uniform with standard deviation ``scale * sqrt(2 / fan_in)``.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import initializers
    >>> W = initializers.HeUniform(rng=np.random.default_rng(0))((300, 100))
    >>> round(float(W.std()), 3)
    0.141
    """

    uniform = True


class Orthogonal(_OfScale):
    """A random matrix whose rows (or columns, whichever are fewer) are orthogonal and have norm ``scale``.

    A. Saxe et al., "Exact solutions to the nonlinear dynamics of learning in deep linear neural networks", 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import initializers
    >>> W = initializers.Orthogonal(rng=np.random.default_rng(0))((3, 5))
    >>> bool(np.allclose(W @ W.T, np.eye(3), atol=1e-6))
    True
    """

    def draw(self, shape: Shape, rng: np.random.Generator) -> Any:
        rows, columns = (shape[0], math.prod(shape[1:])) if shape else (1, 1)
        normal = rng.normal(size=(max(rows, columns), min(rows, columns)))
        q, r = np.linalg.qr(normal)
        q = q * np.where(np.diagonal(r) < 0, -1.0, 1.0)  # makes the distribution uniform over all such matrices
        return self.scale * (q if rows >= columns else q.T).reshape(shape)


def fans(shape: Shape) -> tuple[int, int]:
    """Fan-in and fan-out of a weight of shape ``(out, in, *kernel)``; a vector counts as ``(1, in)``."""
    if len(shape) < 2:
        return math.prod(shape), 1
    kernel = math.prod(shape[2:])
    return shape[1] * kernel, shape[0] * kernel


__getattr__ = answering(__name__, "initializers")
