"""Links: the parts of a model, with their parameters."""

from typing import Any

from .. import functions
from ..engine.habits import by_habit
from . import functional, init, utils  # noqa: F401  # attributes from the start: autolab.nn.functional
from .attention import MultiHeadAttention, SelfAttention, TransformerEncoderLayer
from .cells import GRUCell, LSTMCell, RNNCell
from .chain import Chain, ChainList, Sequential
from .conv import Conv1D, Conv2D, ConvTranspose1D, ConvTranspose2D
from .linear import EltwiseParamProduct, Embedding, Linear
from .link import Link
from .models import MLP, Classifier
from .normalization import (
    BatchNormalization,
    Dropout,
    GroupNormalization,
    InstanceNormalization,
    LayerNormalization,
    RMSNormalization,
)
from .recurrent import GRU, LSTM, RNN

__all__ = [
    "GRU",
    "LSTM",
    "MLP",
    "RNN",
    "BatchNormalization",
    "Chain",
    "ChainList",
    "Classifier",
    "Conv1D",
    "Conv2D",
    "ConvTranspose1D",
    "ConvTranspose2D",
    "Dropout",
    "EltwiseParamProduct",
    "Embedding",
    "GRUCell",
    "GroupNormalization",
    "InstanceNormalization",
    "LSTMCell",
    "LayerNormalization",
    "Linear",
    "Link",
    "MultiHeadAttention",
    "RMSNormalization",
    "RNNCell",
    "SelfAttention",
    "Sequential",
    "TransformerEncoderLayer",
]


def __getattr__(name: str) -> Any:
    if name in functions.__all__:  # where JAX has them: nn.softmax
        return getattr(functions, name)
    return by_habit(__name__, "links", name)
