"""``chainer.functions``: AutoLab's functions by Chainer's names, with Chainer's parameters.

They take Variables and arrays, and always give Variables. What the engine refuses is an
`chainer.utils.type_check.InvalidType`, which is a TypeError and a ValueError.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...absent import gather


def forget(func: Callable[..., Any], *xs: Any) -> Any:
    """``func(*xs)``. Chainer computed it twice to keep less in between; here it is computed once.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> chainer.functions.forget(chainer.functions.exp, np.zeros(1))
    variable([1.])
    """
    return func(*xs)


_ALONG = "functions.lstm takes a step at a time; autolab.nn.LSTM and its kin run along padded sequences"
_STEPS = [f"n_step_{way}{kind}" for way in ("", "bi") for kind in ("lstm", "gru", "rnn")]


__getattr__ = gather(__name__, instead=dict.fromkeys(_STEPS, _ALONG))
