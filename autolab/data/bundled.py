"""Datasets that need no network: handwritten digits, iris, and randomly drawn spirals."""

from __future__ import annotations

import os

import numpy as np

from ..engine import check_number, check_rng, check_whole
from ..serializers.npz import read_npz
from .dataset import TupleDataset

_FOLDER = os.path.join(os.path.dirname(__file__), "files")


def get_digits(test: int = 360, seed: int = 0) -> tuple[TupleDataset, TupleDataset]:
    """1,797 handwritten digits of 8 x 8 pixels, divided at random into training and test data.

    Parameters
    ----------
    test : int
        Number of test examples.
    seed : int
        Seed for the random division.

    Returns
    -------
    (TupleDataset, TupleDataset)
        Training and test data: float32 images of shape ``(64,)`` from 0 to 1, and int64 labels.

    Notes
    -----
    E. Alpaydin, C. Kaynak, "Optical Recognition of Handwritten Digits", UCI Machine Learning Repository, CC BY 4.0.

    Examples
    --------
    >>> from autolab.data import get_digits
    >>> train, test = get_digits()
    >>> len(train), len(test), train[0][0].shape
    (1437, 360, (64,))
    """
    stored = _read("digits.npz")
    x = stored["images"].reshape(-1, 64).astype(np.float32) / 16
    return _divided("get_digits", x, stored["labels"], test, seed)


def get_iris(test: int = 30, seed: int = 0) -> tuple[TupleDataset, TupleDataset]:
    """150 iris flowers of three species, divided at random into training and test data.

    Parameters
    ----------
    test : int
        Number of test examples.
    seed : int
        Seed for the random division.

    Returns
    -------
    (TupleDataset, TupleDataset)
        Training and test data: float32 lengths and widths of sepals and petals in cm, of shape ``(4,)``, and
        int64 labels.

    Notes
    -----
    R. A. Fisher, "The use of multiple measurements in taxonomic problems", 1936; UCI Machine Learning Repository,
    CC BY 4.0.

    Examples
    --------
    >>> from autolab.data import get_iris
    >>> [len(part) for part in get_iris()]
    [120, 30]
    """
    stored = _read("iris.npz")
    return _divided("get_iris", stored["x"].astype(np.float32), stored["t"], test, seed)


def get_spiral(
    points: int = 100, classes: int = 3, noise: float = 0.2, rng: np.random.Generator | None = None
) -> TupleDataset:
    """Points on the arms of a spiral, one class per arm, which are not linearly separable.

    Parameters
    ----------
    points : int
        Number of points per arm.
    classes : int
        Number of arms.
    noise : float
        Standard deviation of the angle, in radians.
    rng : numpy.random.Generator, optional
        By default one with the seed 0, which gives the same points every time.

    Returns
    -------
    TupleDataset
        float32 points of shape ``(2,)`` within the unit circle, and int64 labels.

    Examples
    --------
    >>> from autolab.data import get_spiral
    >>> len(get_spiral(points=50))
    150
    """
    points, classes = [check_whole("get_spiral", *given, 1) for given in (("points", points), ("classes", classes))]
    noise = check_number("get_spiral", "noise", noise, 0)
    rng = check_rng("get_spiral", rng) or np.random.default_rng(0)
    label = np.repeat(np.arange(classes), points)
    radius = np.tile(np.linspace(0.0, 1.0, points), classes)
    angle = 4.0 * label + 4.0 * radius + rng.normal(0.0, noise, points * classes)
    x = np.stack([radius * np.sin(angle), radius * np.cos(angle)], axis=1).astype(np.float32)
    order = rng.permutation(len(x))
    return TupleDataset(x[order], label[order])


def _read(name: str) -> dict[str, np.ndarray]:
    return read_npz(os.path.join(_FOLDER, name))


def _divided(who: str, x: np.ndarray, t: np.ndarray, test: int, seed: int) -> tuple[TupleDataset, TupleDataset]:
    if check_whole(who, "test", test, 1) >= len(x):
        raise ValueError(f"{who}: test is {test!r:.60}; expected 1 to {len(x) - 1}")
    order = np.random.default_rng(seed).permutation(len(x))
    x, t = x[order], t.astype(np.int64)[order]
    return TupleDataset(x[test:], t[test:]), TupleDataset(x[:test], t[:test])
