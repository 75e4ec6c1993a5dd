"""``nn.init``: numbers for parameters that are there already, as PyTorch names them; drawn from ``config.rng``.

`initializers` are the other way: what a link is given for the parameters that it will have.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine.backend import is_array
from ..engine.configuration import config, no_grad
from ..initializers import fans


def _filled(tensor: Any, numbers: Any) -> Any:
    if is_array(tensor):  # ``w.data``
        tensor[...] = numbers
        return tensor
    with no_grad():
        return tensor.fill_(numbers)


def source(generator: Any = None) -> np.random.Generator:
    """What draws: that of a generator of the torch facade, if there is one."""
    found: np.random.Generator = config.rng if generator is None else generator.rng
    return found


def constant_(tensor: Any, val: float) -> Any:
    """A number everywhere."""
    return _filled(tensor, val)


def zeros_(tensor: Any) -> Any:
    """Zeros."""
    return _filled(tensor, 0.0)


def ones_(tensor: Any) -> Any:
    """Ones."""
    return _filled(tensor, 1.0)


def eye_(tensor: Any) -> Any:
    """The unit matrix."""
    return _filled(tensor, np.eye(*tensor.shape))


def uniform_(tensor: Any, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Any:
    """Random numbers from ``a`` to ``b``.

    Examples
    --------
    >>> from autolab import links as L, nn
    >>> w = nn.init.uniform_(L.Linear(10, 10).W, -0.1, 0.1)
    >>> bool((abs(w) <= 0.1).all())
    True
    """
    return _filled(tensor, source(generator).uniform(a, b, tensor.shape))


def normal_(tensor: Any, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Any:
    """Normally distributed random numbers."""
    return _filled(tensor, source(generator).normal(mean, std, tensor.shape))


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """By how much weights are larger before an activation."""
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
    """Uniform random numbers, by the mean of the numbers of inputs and outputs (X. Glorot, Y. Bengio, 2010)."""
    reach = gain * math.sqrt(6 / sum(_fans(tensor)))
    return uniform_(tensor, -reach, reach, generator)


def xavier_normal_(tensor: Any, gain: float = 1.0, generator: Any = None) -> Any:
    """Normal random numbers, by the mean of the numbers of inputs and outputs."""
    return normal_(tensor, 0.0, gain * math.sqrt(2 / sum(_fans(tensor))), generator)


def _kaiming(tensor: Any, a: float, mode: str, nonlinearity: str) -> float:
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"init: mode is {mode!r:.60}; expected 'fan_in' or 'fan_out'")
    return calculate_gain(nonlinearity, a) / math.sqrt(_fans(tensor)[mode == "fan_out"])


def kaiming_uniform_(
    tensor: Any, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Any:
    """Uniform random numbers, by the number of inputs (K. He et al., 2015)."""
    reach = math.sqrt(3) * _kaiming(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -reach, reach, generator)


def kaiming_normal_(
    tensor: Any, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Any:
    """Normal random numbers, by the number of inputs."""
    return normal_(tensor, 0.0, _kaiming(tensor, a, mode, nonlinearity), generator)


def orthogonal_(tensor: Any, gain: float = 1.0, generator: Any = None) -> Any:
    """Rows, or columns, at right angles."""
    shape = tensor.shape
    flat = source(generator).standard_normal((shape[0], math.prod(shape[1:])))
    u, _, v = np.linalg.svd(flat, full_matrices=False)
    return _filled(tensor, gain * (u if u.shape == flat.shape else v).reshape(shape))
