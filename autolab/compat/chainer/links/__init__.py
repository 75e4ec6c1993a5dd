"""``chainer.links``: layers by Chainer's names, with Chainer's parameters."""

from ... import missing
from ._engine import *
from ._layers import *
from ._models import *

_WEIGHTS = "its weights are a file from the network, which AutoLab does not fetch"
_TRAINED = ("GoogLeNet", "ResNet50Layers", "ResNet101Layers", "ResNet152Layers", "VGG16Layers", "VGG19Layers")

__getattr__ = missing(__name__, dict.fromkeys(_TRAINED, _WEIGHTS))
