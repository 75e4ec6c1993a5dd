"""``torch.nn.parameter``"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....engine import parameter as _parameter
from .._tensor import Engine, Tensor
from .._types import default_dtype


class Parameter(Tensor, _parameter.Parameter):
    """A trainable tensor of a module, registered when it is assigned as an attribute.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> torch.nn.Parameter(torch.zeros(2)).requires_grad
    True
    """

    __slots__ = ()

    def __init__(self, data: Any = None, requires_grad: bool = True, name: str | None = None) -> None:
        self.home, self.initializer = np, None
        given = np.zeros(0, default_dtype()) if data is None else data._data if isinstance(data, Engine) else data
        Tensor.__init__(self, given, name=name, requires_grad=requires_grad)

    copy = _parameter.Parameter.copy
