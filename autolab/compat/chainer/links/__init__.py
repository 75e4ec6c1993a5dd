"""``chainer.links``: layers by Chainer's names, with Chainer's parameters."""

from ...absent import gather

_WEIGHTS = "its weights are a file from the network, which AutoLab does not fetch"
_TRAINED = ("GoogLeNet", "ResNet50Layers", "ResNet101Layers", "ResNet152Layers", "VGG16Layers", "VGG19Layers")

__getattr__ = gather(__name__, instead=dict.fromkeys(_TRAINED, _WEIGHTS))
