"""``autolab.scipy.special``: the functions that mean what SciPy's mean; its softmax is that of all elements.

>>> from autolab.scipy.special import softmax
>>> softmax([[0.0, 0.0], [0.0, 0.0]])
array([[0.25, 0.25],
       [0.25, 0.25]])
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from ..engine.argument_checks import takes_other_words
from ..engine.habits import instead, not_there
from ..engine.numpy_protocol import foreign as _foreign
from .elementwise.logistic import softplus
from .elementwise.rounding import round
from .networks.softmaxes import log_softmax as _log_softmax
from .networks.softmaxes import softmax as _softmax
from .reductions.norms import logsumexp

__all__ = ["log_softmax", "logsumexp", "round", "softmax", "softplus"]


@takes_other_words
def softmax(x: Any, axis: Any = None) -> Any:
    """`functions.softmax` along an axis, several, or of all elements."""
    return _softmax(x, axis=axis)


@takes_other_words
def log_softmax(x: Any, axis: Any = None) -> Any:
    """`functions.log_softmax` along an axis, several, or of all elements."""
    return _log_softmax(x, axis=axis)


def __getattr__(name: str) -> Any:
    if name == "logit":
        return import_module(f"{__package__}.pytorch_names").logit
    if name in _foreign:
        return _foreign[name]
    raise not_there(
        sys._getframe(1), __name__, name, f"module {__name__!r} has no attribute {name!r}{instead('special', name)}"
    )
