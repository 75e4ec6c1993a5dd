"""``dezero.models``: models."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np

from .. import missing
from . import functions as F
from . import layers as L
from . import utils
from .layers import Layer


class Model(Layer):
    """A layer that can plot its graph."""

    def plot(self, *inputs: Any, to_file: str = "model.png") -> Any:
        """Draw the graph of a call with ``inputs`` into a file."""
        return utils.plot_dot_graph(self.forward(*inputs), verbose=True, to_file=to_file)


class Sequential(Model):
    """Layers, one after the other."""

    def __init__(self, *layers: Layer) -> None:
        super().__init__()
        self.layers = list(layers)
        for i, layer in enumerate(layers):
            setattr(self, f"l{i}", layer)

    def forward(self, x: Any) -> Any:
        """The result of the last layer."""
        for layer in self.layers:
            x = layer(x)
        return x


class MLP(Sequential):
    """A multilayer perceptron: linear layers ``l0``, ``l1`` ... with an activation after each but the last.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat.dezero import models
    >>> models.MLP((10, 1))(np.ones((5, 2), np.float32)).shape
    (5, 1)
    """

    def __init__(self, fc_output_sizes: Iterable[int], activation: Callable[[Any], Any] = F.sigmoid) -> None:
        super().__init__(*[L.Linear(size) for size in fc_output_sizes])
        self.activation = activation

    def forward(self, x: Any) -> Any:
        """The result of the last layer."""
        for layer in self.layers[:-1]:
            x = self.activation(layer(x))
        return self.layers[-1](x)


class VGG16(Model):
    """A convolutional network of 16 layers.

    K. Simonyan, A. Zisserman, "Very deep convolutional networks for large-scale image recognition", 2015.

    Parameters
    ----------
    pretrained : bool
        Whether to load the weights of the DeZero project, a download of 490 MB.
    """

    WEIGHTS_PATH = "https://github.com/koki0702/dezero-models/releases/download/v0.1/vgg16.npz"
    blocks: ClassVar[tuple[tuple[int, int], ...]] = ((2, 64), (2, 128), (3, 256), (3, 512), (3, 512))

    def __init__(self, pretrained: bool = False) -> None:
        super().__init__()
        for i, (count, channels) in enumerate(self.blocks, 1):
            for j in range(1, count + 1):
                setattr(self, f"conv{i}_{j}", L.Conv2d(channels, kernel_size=3, stride=1, pad=1))
        self.fc6, self.fc7, self.fc8 = L.Linear(4096), L.Linear(4096), L.Linear(1000)
        if pretrained:
            self.load_weights(utils.get_file(self.WEIGHTS_PATH))

    def forward(self, x: Any) -> Any:
        """Scores of 1000 classes for images of shape ``(N, 3, 224, 224)``."""
        for i, (count, _) in enumerate(self.blocks, 1):
            for j in range(1, count + 1):
                x = F.relu(getattr(self, f"conv{i}_{j}")(x))
            x = F.pooling(x, 2, 2)
        x = F.reshape(x, (x.shape[0], -1))
        x = F.dropout(F.relu(self.fc6(x)))
        return self.fc8(F.dropout(F.relu(self.fc7(x))))

    @staticmethod
    def preprocess(image: Any, size: tuple[int, int] | None = (224, 224), dtype: Any = np.float32) -> np.ndarray:
        """Convert a Pillow image to an array as in the network's training: BGR, minus the mean colour."""
        image = image.convert("RGB")
        if size:
            image = image.resize(size)
        colors = np.asarray(image, dtype=dtype)[:, :, ::-1] - np.array([103.939, 116.779, 123.68], dtype)
        return colors.transpose(2, 0, 1)


__getattr__ = missing(__name__)
