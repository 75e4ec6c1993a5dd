"""``torch.nn``"""

from __future__ import annotations

from ... import missing
from . import functional, init, parameter, utils
from ._layers import *
from ._module import *
from ._norms import *
from ._plain import *
from ._plain import LAYERS
from .parameter import *

globals().update(LAYERS)
for _layer in LAYERS.values():
    _layer.__module__ = __name__  # as pickle and help look for it

__getattr__ = missing(__name__)
