"""``chainer.links``: layers by Chainer's names, with Chainer's parameters."""

from ...absent import gather

_WEIGHTS = "its weights are a file from the network, which AutoLab does not fetch"
_TRAINED = ("GoogLeNet", "ResNet50Layers", "ResNet101Layers", "ResNet152Layers", "VGG16Layers", "VGG19Layers")

_ALONG = "links.LSTM and links.GRU take a step at a time; autolab.nn.LSTM and its kin run along padded sequences"
_STEPS = [f"NStep{way}{kind}" for way in ("", "Bi") for kind in ("LSTM", "GRU", "RNNTanh", "RNNReLU")]

__getattr__ = gather(__name__, instead={**dict.fromkeys(_TRAINED, _WEIGHTS), **dict.fromkeys(_STEPS, _ALONG)})
