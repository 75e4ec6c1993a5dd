"""Datasets, transforms and iterators."""

from ..engine.habits import answering
from . import transforms
from .bundled import get_digits, get_iris, get_spiral
from .dataset import Dataset, Subset, TupleDataset, concat_examples, random_split
from .download import DownloadError, fetch
from .iterators import DataLoader, SerialIterator
from .mnist import MNIST, FashionMNIST, get_fashion_mnist, get_mnist, read_idx

__all__ = [
    "MNIST",
    "DataLoader",
    "Dataset",
    "DownloadError",
    "FashionMNIST",
    "SerialIterator",
    "Subset",
    "TupleDataset",
    "concat_examples",
    "fetch",
    "get_digits",
    "get_fashion_mnist",
    "get_iris",
    "get_mnist",
    "get_spiral",
    "random_split",
    "read_idx",
    "transforms",
]


__getattr__ = answering(__name__, "data")
