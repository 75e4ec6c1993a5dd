"""MNIST and Fashion-MNIST: 70,000 images of 28 x 28 pixels, downloaded once.

IDX: the file format of MNIST. A header with dtype and shape is followed by the numbers.
"""

from __future__ import annotations

import gzip
import math
import os
import struct
from contextlib import nullcontext
from typing import Any, ClassVar

import numpy as np

from ..engine import check_rng
from ..shared.files import FileFormatError, free_bytes, reading, refused, visible
from .dataset import Dataset, Transform, TupleDataset
from .download import fetch
from .transforms import AsType, Compose, Flatten, Normalize

_KINDS = {8: "u1", 9: "i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}
_PIECE = 1 << 16


def read_idx(file: str | os.PathLike[str], max_bytes: int | None = None) -> np.ndarray:
    """Read the array in an IDX file, which may be compressed with gzip.

    Parameters
    ----------
    file : path
    max_bytes : int, optional
        The most memory that the array may take; by default 64 MiB, or 64 bytes for each byte of the file.

    Raises
    ------
    FileFormatError
        If the file is damaged, too large, or longer or shorter than its header says.
    OSError
        If there is no such file, or it cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from autolab.data import read_idx
    >>> header = bytes([0, 0, 8, 1, 0, 0, 0, 3])  # unsigned bytes, one axis, of length 3
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "labels")
    ...     size = path.write_bytes(header + bytes([7, 2, 1]))
    ...     read_idx(path)
    array([7, 2, 1], dtype=uint8)
    """
    with open(file, "rb") as stream, reading(file):
        limit = free_bytes(os.fstat(stream.fileno()).st_size) if max_bytes is None else max_bytes
        compressed = stream.read(2) == b"\x1f\x8b"
        stream.seek(0)
        with gzip.open(stream) if compressed else nullcontext(stream) as numbers:
            return _read(file, numbers, limit)


def _read(file: Any, stream: Any, limit: int) -> np.ndarray:
    head = stream.read(4)
    if len(head) != 4 or head[:2] != b"\0\0" or head[2] not in _KINDS:
        raise refused(file, "it is not an IDX file")
    lengths = stream.read(4 * head[3])
    if len(lengths) != 4 * head[3]:
        raise refused(file, "its header is cut off")
    shape = struct.unpack(f">{head[3]}I", lengths)
    dtype = np.dtype(_KINDS[head[2]])
    size = math.prod(shape) * dtype.itemsize
    if size > limit:
        raise refused(file, f"it would need {visible(size, 40)} bytes (limit {limit})")
    flat = np.empty(size // dtype.itemsize, dtype)
    room = flat.view(np.uint8).data
    done = 0
    while piece := stream.read(_PIECE):  # to the end, where gzip verifies its checksum
        if done + len(piece) > size:
            raise refused(file, f"it holds more numbers; its header says {size} bytes")
        room[done : done + len(piece)] = piece
        done += len(piece)
    if done != size:
        raise refused(file, f"it holds {done} bytes of numbers; its header says {size}")
    return flat.astype(dtype.newbyteorder("="), copy=False).reshape(shape)


_MAX_BYTES = 50_000_000


class MNIST(Dataset):
    """MNIST, handwritten digits, as a dataset with transforms.

    Parameters
    ----------
    train : bool
        The 60,000 training examples, or the 10,000 test examples.
    transform : callable, optional
        Applied to each image; by default flatten it, convert it to float32 and divide it by 255.
    target_transform : callable, optional
        Applied to each label.

    Attributes
    ----------
    data : array
        uint8 of shape ``(n, 1, 28, 28)``.
    label : array
        int64 of shape ``(n,)``.

    Raises
    ------
    DownloadError
        If the files are not in the cache and cannot be downloaded.

    Notes
    -----
    Y. LeCun, C. Cortes, C. Burges, "The MNIST database of handwritten digits".

    Examples
    --------
    >>> from autolab.data import MNIST
    >>> MNIST.labels()[7]
    '7'
    >>> images = MNIST(train=False)  # doctest: +SKIP
    >>> images[0][0].shape  # doctest: +SKIP
    (784,)
    """

    folder = "mnist"
    address = "https://ossci-datasets.s3.amazonaws.com/mnist/"
    sums: ClassVar[dict[str, str]] = {
        "train-images-idx3-ubyte.gz": "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
        "train-labels-idx1-ubyte.gz": "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
        "t10k-images-idx3-ubyte.gz": "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
        "t10k-labels-idx1-ubyte.gz": "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
    }
    names = tuple("0123456789")

    def __init__(
        self, train: bool = True, transform: Transform | None = None, target_transform: Transform | None = None
    ) -> None:
        usual = Compose([Flatten(), AsType(np.float32), Normalize(0.0, 255.0)])
        super().__init__(train, transform or usual, target_transform)

    def prepare(self) -> None:
        images, labels = self._read("images-idx3"), self._read("labels-idx1")
        if images.ndim != 3 or labels.shape != images.shape[:1]:
            raise FileFormatError(f"{self.folder}: images {images.shape} and labels {labels.shape} do not fit together")
        self.data, self.label = images[:, None], labels.astype(np.int64)

    def _read(self, what: str) -> np.ndarray:
        name = f"{'train' if self.train else 't10k'}-{what}-ubyte.gz"
        path = fetch(self.address + name, self.sums[name], f"{self.folder}/{name}", _MAX_BYTES)
        return read_idx(path, _MAX_BYTES)

    @classmethod
    def labels(cls) -> dict[int, str]:
        """The name of each label."""
        return dict(enumerate(cls.names))

    def show(self, row: int = 10, col: int = 10, rng: np.random.Generator | None = None) -> Any:
        """A picture (Pillow) of ``row`` times ``col`` randomly drawn examples."""
        from PIL import Image

        rng = check_rng(f"{type(self).__name__}.show", rng) or np.random.default_rng()
        chosen = self.data[rng.integers(0, len(self), row * col)].reshape(row, col, 28, 28)
        return Image.fromarray(np.ascontiguousarray(chosen.swapaxes(1, 2).reshape(row * 28, col * 28)))


class FashionMNIST(MNIST):
    """Fashion-MNIST, images of clothes, in the format of `MNIST`.

    Notes
    -----
    H. Xiao, K. Rasul, R. Vollgraf, "Fashion-MNIST: a novel image dataset for benchmarking machine learning
    algorithms", 2017, MIT licence.

    Examples
    --------
    >>> from autolab.data import FashionMNIST
    >>> FashionMNIST.labels()[9]
    'ankle boot'
    >>> images = FashionMNIST(train=False)  # doctest: +SKIP
    >>> images.show(row=4, col=8)  # doctest: +SKIP
    """

    folder = "fashion-mnist"
    address = (
        "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/"
        "b2617bb6d3ffa2e429640350f613e3291e10b141/data/fashion/"
    )
    sums: ClassVar[dict[str, str]] = {
        "train-images-idx3-ubyte.gz": "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
        "train-labels-idx1-ubyte.gz": "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
        "t10k-images-idx3-ubyte.gz": "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
        "t10k-labels-idx1-ubyte.gz": "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
    }
    names = ("T-shirt", "trousers", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot")


def get_mnist() -> tuple[TupleDataset, TupleDataset]:
    """MNIST, 60,000 training and 10,000 test examples: float32 images of shape ``(784,)`` from 0 to 1, int64 labels.

    Raises
    ------
    DownloadError
        If the files are not in the cache and cannot be downloaded.

    Examples
    --------
    >>> from autolab.data import get_mnist
    >>> train, test = get_mnist()  # doctest: +SKIP
    >>> len(train), len(test), train[0][0].shape  # doctest: +SKIP
    (60000, 10000, (784,))
    """
    return _pair(MNIST)


def get_fashion_mnist() -> tuple[TupleDataset, TupleDataset]:
    """Fashion-MNIST in the format of `get_mnist`.

    Examples
    --------
    >>> from autolab.data import get_fashion_mnist
    >>> train, test = get_fashion_mnist()  # doctest: +SKIP
    >>> len(train), len(test), train[0][0].shape  # doctest: +SKIP
    (60000, 10000, (784,))
    """
    return _pair(FashionMNIST)


def _pair(kind: type[MNIST]) -> tuple[TupleDataset, TupleDataset]:
    train, test = [
        TupleDataset(part.data.reshape(len(part), 784).astype(np.float32) / np.float32(255), part.label)
        for part in (kind(train=True), kind(train=False))
    ]
    return train, test
