"""``torch.nn``"""

from __future__ import annotations

from ... import missing
from . import functional, init, parameter, utils
from ._layers import Bilinear, Conv1d, Conv2d, ConvTranspose1d, ConvTranspose2d, Embedding, Linear
from ._module import Module
from ._norms import BatchNorm1d, BatchNorm2d, GroupNorm, InstanceNorm1d, InstanceNorm2d, LayerNorm, RMSNorm
from ._plain import (
    LAYERS,
    Dropout,
    Flatten,
    Identity,
    ModuleDict,
    ModuleList,
    ParameterList,
    PReLU,
    Sequential,
    Unflatten,
)
from .parameter import Parameter

globals().update(LAYERS)
for _layer in LAYERS.values():
    _layer.__module__ = __name__  # as pickle and help look for it

__all__ = [
    *LAYERS,
    "BatchNorm1d",
    "BatchNorm2d",
    "Bilinear",
    "Conv1d",
    "Conv2d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "Dropout",
    "Embedding",
    "Flatten",
    "GroupNorm",
    "Identity",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "LayerNorm",
    "Linear",
    "Module",
    "ModuleDict",
    "ModuleList",
    "PReLU",
    "Parameter",
    "ParameterList",
    "RMSNorm",
    "Sequential",
    "Unflatten",
    "functional",
    "init",
    "parameter",
    "utils",
]

__getattr__ = missing(__name__)
