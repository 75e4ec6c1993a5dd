"""``torch.nn.utils``"""

from __future__ import annotations

from typing import Any

from .....links import utils as _utils  # for table.txt
from ....absent import gather
from ....table import fill
from ..._tensor import dressed  # for table.txt


def vector_to_parameters(vec: Any, parameters: Any) -> None:
    """Write the numbers of a vector into parameters."""
    start = 0
    for p in parameters:
        end = start + p._data.size
        p.data = vec[start:end].view(*p._data.shape).detach()
        start = end


fill(__name__)
__getattr__ = gather(__name__)
