"""The normal distribution as ``scipy.stats.norm``: elementwise, with mean ``loc`` and standard deviation ``scale``.

Examples
--------
>>> from autolab import Variable
>>> from autolab.scipy.stats import norm
>>> x = Variable([0.0, 1.0])
>>> norm.pdf(x), norm.cdf(x)
(variable([0.39894228 0.24197072]), variable([0.5        0.84134475]))
"""

from __future__ import annotations

import math
from typing import Any

from ..engine.habits import answering
from .elementwise.arithmetic import sub
from .elementwise.exponentials import exp, log
from .elementwise.special import erfc


def logpdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Logarithm of the probability density at ``x``."""
    z = sub(x, loc) / scale
    return -0.5 * z * z - log(scale) - 0.5 * math.log(2 * math.pi)


def pdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Probability density at ``x``."""
    return exp(logpdf(x, loc, scale))


def cdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Cumulative distribution function: the probability of a value up to ``x``."""
    return 0.5 * erfc(sub(loc, x) / (scale * math.sqrt(2)))


__getattr__ = answering(__name__, "norm")
