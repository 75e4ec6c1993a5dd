"""``nn.init``: PyTorch's functions that initialize existing parameters in place; they draw from ``config.rng``.

To choose how a link initializes the parameters that it creates, see `initializers`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine import config, is_array, no_grad
from ..engine.habits import answering
from ..initializers import fans


def _filled(tensor: Any, numbers: Any) -> Any:
    if is_array(tensor):  # ``w.data``
        tensor[...] = numbers
        return tensor
    with no_grad():
        return tensor.fill_(numbers)


def source(generator: Any = None) -> np.random.Generator:
    """The random generator: that of the torch facade's ``generator``, or ``config.rng``."""
    found: np.random.Generator = config.rng if generator is None else generator.rng
    return found


def constant_(tensor: Any, val: float) -> Any:
    """Fill with the number ``val``."""
    return _filled(tensor, val)


def zeros_(tensor: Any) -> Any:
    """Fill with zeros."""
    return _filled(tensor, 0.0)


def ones_(tensor: Any) -> Any:
    """Fill with ones."""
    return _filled(tensor, 1.0)


def eye_(tensor: Any) -> Any:
    """Fill with the identity matrix."""
    return _filled(tensor, np.eye(*tensor.shape))


def uniform_(tensor: Any, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Any:
    """Fill with random numbers, uniformly distributed from ``a`` to ``b``.

    Examples
    --------
    >>> from autolab import links as L, nn
    >>> w = nn.init.uniform_(L.Linear(10, 10).W, -0.1, 0.1)
    >>> bool((abs(w) <= 0.1).all())
    True
    """
    return _filled(tensor, source(generator).uniform(a, b, tensor.shape))


def normal_(tensor: Any, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Any:
    """Fill with random numbers, normally distributed with this mean and standard deviation."""
    return _filled(tensor, source(generator).normal(mean, std, tensor.shape))


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor by which to scale initial weights before this activation, as in PyTorch."""
    if nonlinearity == "leaky_relu":
        return math.sqrt(2 / (1 + (0.01 if param is None else param) ** 2))
    linear = dict.fromkeys(("linear", "conv1d", "conv2d", "conv3d", "sigmoid"), 1)
    known = {**linear, "tanh": 5 / 3, "relu": math.sqrt(2), "selu": 3 / 4}
    if nonlinearity not in known:
        raise ValueError(f"calculate_gain: got {nonlinearity!r:.60}; expected {', '.join([*known, 'leaky_relu'])}")
    return known[nonlinearity]


def _fans(tensor: Any) -> tuple[int, int]:
    shape = tensor.shape
    if len(shape) < 2:
        raise ValueError(f"init: got shape {shape}; expected at least two axes")
    return fans(shape)


def xavier_uniform_(tensor: Any, gain: float = 1.0, generator: Any = None) -> Any:
    """Glorot's (Xavier's) uniform initialization, with the variance ``2 * gain**2 / (fan_in + fan_out)``.

    X. Glorot, Y. Bengio, "Understanding the difficulty of training deep feedforward neural networks", 2010.
    """
    reach = gain * math.sqrt(6 / sum(_fans(tensor)))
    return uniform_(tensor, -reach, reach, generator)


def xavier_normal_(tensor: Any, gain: float = 1.0, generator: Any = None) -> Any:
    """Glorot's (Xavier's) normal initialization, with the variance ``2 * gain**2 / (fan_in + fan_out)``."""
    return normal_(tensor, 0.0, gain * math.sqrt(2 / sum(_fans(tensor))), generator)


def _kaiming(tensor: Any, a: float, mode: str, nonlinearity: str) -> float:
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"init: mode is {mode!r:.60}; expected 'fan_in' or 'fan_out'")
    return calculate_gain(nonlinearity, a) / math.sqrt(_fans(tensor)[mode == "fan_out"])


def kaiming_uniform_(
    tensor: Any, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Any:
    """He's (Kaiming's) uniform initialization, with the variance ``gain**2 / fan``, where ``mode`` chooses the fan.

    K. He et al., "Delving deep into rectifiers", 2015.
    """
    reach = math.sqrt(3) * _kaiming(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -reach, reach, generator)


def kaiming_normal_(
    tensor: Any, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Any:
    """He's (Kaiming's) normal initialization, with the variance ``gain**2 / fan``, where ``mode`` chooses the fan."""
    return normal_(tensor, 0.0, _kaiming(tensor, a, mode, nonlinearity), generator)


def orthogonal_(tensor: Any, gain: float = 1.0, generator: Any = None) -> Any:
    """Fill with a random matrix whose rows, or if there are more rows than columns its columns, are orthogonal."""
    shape = tensor.shape
    flat = source(generator).standard_normal((shape[0], math.prod(shape[1:])))
    u, _, v = np.linalg.svd(flat, full_matrices=False)
    return _filled(tensor, gain * (u if u.shape == flat.shape else v).reshape(shape))


__getattr__ = answering(__name__, "init")
