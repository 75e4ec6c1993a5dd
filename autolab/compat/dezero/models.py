"""``dezero.models``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np

from ..table import signed
from . import functions as F
from . import layers as L
from . import utils
from .layers import Layer


class Model(Layer):
    """A layer that can draw itself."""

    def plot(self, *inputs: Any, to_file: str = "model.png") -> Any:
        """Draw the graph of what it computes from ``inputs`` into a file."""
        return utils.plot_dot_graph(self.forward(*inputs), verbose=True, to_file=to_file)


class Sequential(Model):
    """Layers, one after the other."""

    def __init__(self, *layers: Layer) -> None:
        super().__init__()
        self.layers = list(layers)
        for i, layer in enumerate(layers):
            setattr(self, f"l{i}", layer)

    def forward(self, x: Any) -> Any:
        """What the last layer gives."""
        for layer in self.layers:
            x = layer(x)
        return x


class MLP(Sequential):
    """Linear maps ``l0``, ``l1`` ... with an activation between them, and none after the last.

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
        """What the last layer gives."""
        for layer in self.layers[:-1]:
            x = self.activation(layer(x))
        return self.layers[-1](x)


_WEIGHTS = "https://github.com/koki0702/dezero-models/releases/download/v0.1/{}.npz"


class VGG16(Model):
    """A convolutional network of 16 layers.

    K. Simonyan, A. Zisserman, "Very deep convolutional networks for large-scale image recognition", 2015.

    Parameters
    ----------
    pretrained : bool
        With the weights of the DeZero project, 490 MB from the network.
    """

    WEIGHTS_PATH = _WEIGHTS.format("vgg16")
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
        """A picture (Pillow) as the array that the network was trained with: BGR, without the mean colour."""
        image = image.convert("RGB")
        if size:
            image = image.resize(size)
        colors = np.asarray(image, dtype=dtype)[:, :, ::-1] - np.array([103.939, 116.779, 123.68], dtype)
        return colors.transpose(2, 0, 1)


class ResNet(Model):
    """A residual network.

    K. He et al., "Deep residual learning for image recognition", 2016.

    Parameters
    ----------
    n_layers : int
        50, 101 or 152.
    pretrained : bool
        With the weights of the DeZero project, from the network.
    """

    WEIGHTS_PATH = _WEIGHTS.format("resnet{}")
    blocks: ClassVar[dict[int, tuple[int, ...]]] = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3)}

    def __init__(self, n_layers: int = 152, pretrained: bool = False) -> None:
        super().__init__()
        if n_layers not in self.blocks:
            raise ValueError(f"ResNet: n_layers is {n_layers!r:.60}; expected 50, 101 or 152")
        self.conv1 = L.Conv2d(64, 7, 2, 3)
        self.bn1 = L.BatchNorm()
        for i, count in enumerate(self.blocks[n_layers]):
            setattr(self, f"res{i + 2}", BuildingBlock(count, None, 64 << i, 256 << i, 1 if i == 0 else 2))
        self.fc6 = L.Linear(1000)
        if pretrained:
            self.load_weights(utils.get_file(self.WEIGHTS_PATH.format(n_layers)))

    def forward(self, x: Any) -> Any:
        """Scores of 1000 classes for images of shape ``(N, 3, height, width)``."""
        x = F.pooling(F.relu(self.bn1(self.conv1(x))), kernel_size=3, stride=2)
        for i in range(2, 6):
            x = getattr(self, f"res{i}")(x)
        return self.fc6(F.average(x, axis=(2, 3)))


class ResNet152(ResNet):
    """`ResNet` of 152 layers."""

    def __init__(self, pretrained: bool = False) -> None:
        super().__init__(152, pretrained)


class ResNet101(ResNet):
    """`ResNet` of 101 layers."""

    def __init__(self, pretrained: bool = False) -> None:
        super().__init__(101, pretrained)


class ResNet50(ResNet):
    """`ResNet` of 50 layers."""

    def __init__(self, pretrained: bool = False) -> None:
        super().__init__(50, pretrained)


class BuildingBlock(Layer):
    """Bottlenecks one after the other, of which the first, ``a``, makes the image smaller."""

    @signed
    def __init__(self, n_layers, in_channels, mid_channels, out_channels, stride, downsample_fb):
        super().__init__()
        self.a = BottleneckA(in_channels, mid_channels, out_channels, stride, downsample_fb)
        for i in range(1, n_layers):
            setattr(self, f"b{i}", BottleneckB(out_channels, mid_channels))

    def forward(self, x: Any) -> Any:
        """What the last bottleneck gives."""
        for layer in self.children():
            x = layer(x)
        return x


class BottleneckB(Layer):
    """Three convolutions, 1x1, 3x3 and 1x1, whose result is added to the input."""

    def __init__(self, in_channels: int, mid_channels: int) -> None:
        super().__init__()
        self._convolutions(mid_channels, in_channels, 1, 1)

    def _convolutions(self, mid: int, out: int, first: Any, second: Any) -> None:
        settings = (mid, 1, first, 0), (mid, 3, second, 1), (out, 1, 1, 0)
        for i, (channels, size, stride, pad) in enumerate(settings, 1):
            setattr(self, f"conv{i}", L.Conv2d(channels, size, stride, pad, nobias=True))
            setattr(self, f"bn{i}", L.BatchNorm())

    def _normal(self, i: int, x: Any) -> Any:
        return getattr(self, f"bn{i}")(getattr(self, f"conv{i}")(x))

    def _beside(self, x: Any) -> Any:
        """What the convolutions add to."""
        return x

    def forward(self, x: Any) -> Any:
        """The sum, where it is positive."""
        h = F.relu(self._normal(2, F.relu(self._normal(1, x))))
        return F.relu(self._normal(3, h) + self._beside(x))


class BottleneckA(BottleneckB):
    """The same with a smaller image: a fourth convolution brings the input to the size of the result."""

    @signed
    def __init__(self, in_channels, mid_channels, out_channels, stride, downsample_fb):
        Layer.__init__(self)
        self._convolutions(mid_channels, out_channels, *((1, stride) if downsample_fb else (stride, 1)))
        self.conv4 = L.Conv2d(out_channels, 1, stride, 0, nobias=True)
        self.bn4 = L.BatchNorm()

    def _beside(self, x: Any) -> Any:
        return self._normal(4, x)
