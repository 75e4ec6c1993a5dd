"""``torch.nn``"""

from __future__ import annotations

from ...absent import gather
from ._plain import LAYERS

globals().update(LAYERS)
for _layer in LAYERS.values():
    _layer.__module__ = __name__  # as pickle and help look for it

__getattr__ = gather(__name__, "parameter")
