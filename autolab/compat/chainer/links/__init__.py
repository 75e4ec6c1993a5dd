"""``chainer.links``: layers by Chainer's names, with Chainer's parameters."""

from ... import missing
from ._engine import Convolution1D, Convolution2D, DilatedConvolution2D, EmbedID, LayerNormalization, Linear
from ._layers import (
    BatchNormalization,
    Bias,
    Bilinear,
    Deconvolution2D,
    DepthwiseConvolution2D,
    GroupNormalization,
    Maxout,
    Parameter,
    PReLU,
    Scale,
    Swish,
)
from ._models import GRU, LSTM, Classifier, Highway, StatefulGRU, StatelessGRU, StatelessLSTM

__all__ = [
    "GRU",
    "LSTM",
    "BatchNormalization",
    "Bias",
    "Bilinear",
    "Classifier",
    "Convolution1D",
    "Convolution2D",
    "Deconvolution2D",
    "DepthwiseConvolution2D",
    "DilatedConvolution2D",
    "EmbedID",
    "GroupNormalization",
    "Highway",
    "LayerNormalization",
    "Linear",
    "Maxout",
    "PReLU",
    "Parameter",
    "Scale",
    "StatefulGRU",
    "StatelessGRU",
    "StatelessLSTM",
    "Swish",
]

_WEIGHTS = "its weights are a file from the network, which AutoLab does not fetch"
_TRAINED = ("GoogLeNet", "ResNet50Layers", "ResNet101Layers", "ResNet152Layers", "VGG16Layers", "VGG19Layers")

__getattr__ = missing(__name__, dict.fromkeys(_TRAINED, _WEIGHTS))
