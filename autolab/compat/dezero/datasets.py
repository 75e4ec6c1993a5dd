"""``dezero.datasets``: ready-made datasets."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np

from ... import data
from ...data import Dataset as Dataset
from .. import missing
from .utils import get_file

_SEEDS = {True: 1984, False: 2020}


def get_spiral(train: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """300 points on the three arms of a spiral, and the index of each point's arm: always the same.

    This seeds NumPy's global generator with a fixed seed, so random numbers drawn afterwards are always the same, too.

    Examples
    --------
    >>> from autolab.compat.dezero import datasets
    >>> x, t = datasets.get_spiral()
    >>> x.shape, x.dtype.name, t[:5]
    ((300, 2), 'float32', array([1, 1, 2, 0, 1]))
    """
    np.random.seed(_SEEDS[bool(train)])
    arms, points = 3, 100
    t = np.repeat(np.arange(arms), points)
    radius = np.tile(np.arange(points) / points, arms)
    angle = t * 4.0 + 4.0 * radius + np.random.randn(arms * points) * 0.2
    x = np.stack([radius * np.sin(angle), radius * np.cos(angle)], axis=1).astype(np.float32)
    order = np.random.permutation(arms * points)
    return x[order], t[order]


class Spiral(Dataset):
    """`get_spiral` as a dataset."""

    def prepare(self) -> None:
        self.data, self.label = get_spiral(self.train)


class MNIST(data.MNIST):
    """Handwritten digits of shape ``(N, 1, 28, 28)``, as bytes; by default, each becomes a row of floats from 0 to 1.

    The files are downloaded the first time; if that fails, the error says where to put them by hand.
    """

    def show(self, row: int = 10, col: int = 10, rng: np.random.Generator | None = None) -> Any:
        """Show random examples with matplotlib."""
        import matplotlib.pyplot as plt

        plt.imshow(np.asarray(super().show(row, col, rng)), cmap="gray", interpolation="nearest")
        plt.axis("off")
        plt.show()


class ImageNet(Dataset):
    """The names of the 1000 classes of ImageNet; the images are not included."""

    def prepare(self) -> None:
        raise NotImplementedError("ImageNet: the pictures have to be asked for at image-net.org; there is labels()")

    @staticmethod
    def labels() -> dict[int, str]:
        """The name of each label's class, downloaded the first time."""
        folder = "https://gist.githubusercontent.com/yrevar/942d3a0ac09ec9e5eb3a/raw/"
        file = "238f720ff059c1f82f368259d1ca4ffa5dd8f9f5/imagenet1000_clsidx_to_labels.txt"
        found: dict[int, str] = ast.literal_eval(Path(get_file(folder + file)).read_text("utf-8"))
        return found


class SinCurve(Dataset):
    """A noisy sine; the label of each point is the next point. The test data are a cosine without noise."""

    def prepare(self) -> None:
        x = np.linspace(0, 2 * np.pi, 1000)
        noise = np.random.uniform(-0.05, 0.05, size=x.shape)
        y = np.sin(x) + noise if self.train else np.cos(x)
        self.data, self.label = y[:-1, np.newaxis], y[1:, np.newaxis]


class Shakespear(Dataset):
    """Shakespeare's text as character indices, downloaded the first time; the label of each is the next one."""

    def prepare(self) -> None:
        url = "https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt"
        text = Path(get_file(url, "shakespear.txt")).read_text("utf-8")
        self.char_to_id = {char: i for i, char in enumerate(dict.fromkeys(text))}
        self.id_to_char = {i: char for char, i in self.char_to_id.items()}
        numbers = np.array([self.char_to_id[char] for char in text])
        self.data, self.label = numbers[:-1], numbers[1:]


__getattr__ = missing(__name__)
