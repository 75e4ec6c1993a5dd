"""Links: the parts of a model, with their parameters."""

from typing import Any

from ..engine.habits import missing
from .chain import Chain, ChainList, Sequential
from .conv import Conv1D, Conv2D
from .linear import EltwiseParamProduct, Embedding, Linear
from .link import Link
from .models import MLP, Classifier
from .normalization import BatchNormalization, Dropout, LayerNormalization
from .recurrent import GRUCell, SelfAttention

__all__ = [
    "MLP",
    "BatchNormalization",
    "Chain",
    "ChainList",
    "Classifier",
    "Conv1D",
    "Conv2D",
    "Dropout",
    "EltwiseParamProduct",
    "Embedding",
    "GRUCell",
    "LayerNormalization",
    "Linear",
    "Link",
    "SelfAttention",
    "Sequential",
]


def __getattr__(name: str) -> Any:
    raise missing(__name__, "links", name)
