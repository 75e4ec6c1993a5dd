"""Datasets, transforms and iterators."""

from . import transforms
from .bundled import get_digits, get_iris, get_spiral
from .dataset import Dataset, TupleDataset, concat_examples
from .idx import read_idx
from .iterators import DataLoader, SerialIterator

__all__ = [
    "DataLoader",
    "Dataset",
    "SerialIterator",
    "TupleDataset",
    "concat_examples",
    "get_digits",
    "get_iris",
    "get_spiral",
    "read_idx",
    "transforms",
]
