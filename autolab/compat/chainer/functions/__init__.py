"""``chainer.functions``: AutoLab's functions under Chainer's names, with Chainer's parameters.

They accept Variables and arrays, and always return Variables. Arguments that the engine refuses raise an
`chainer.utils.type_check.InvalidType`, which is both a TypeError and a ValueError.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...absent import gather


def forget(func: Callable[..., Any], *xs: Any) -> Any:
    """``func(*xs)``. Chainer computed it twice to retain less memory; here it is computed once.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> chainer.functions.forget(chainer.functions.exp, np.zeros(1))
    variable([1.])
    """
    return func(*xs)


__getattr__ = gather(__name__)
