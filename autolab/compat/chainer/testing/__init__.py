"""``chainer.testing``: helpers for tests written like Chainer's own."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import wraps
from importlib.util import find_spec
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock, skipIf

import numpy as np

from .... import gradcheck as _gradcheck
from ...absent import gather
from ...table import fill
from ..serializers import load_hdf5, load_npz, save_hdf5, save_npz  # for table.txt
from ..variable import as_array
from .parameterized import parameterize

parameterize_pytest = parameterize

patch = mock.patch


def assert_allclose(x: Any, y: Any, atol: float = 1e-5, rtol: float = 1e-4, verbose: bool = True) -> None:
    """Raise an AssertionError unless ``|x - y| <= atol + rtol * |y|``; for Variables and arrays on any device.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> chainer.testing.assert_allclose(np.ones(2), np.ones(2) + 1e-6)
    """
    _gradcheck.assert_allclose(as_array(x), as_array(y), atol=atol, rtol=rtol)


def run_module(name: str, file: str) -> None:
    """Run the tests of a module, if it is the main module.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> chainer.testing.run_module("test_something", "test_something.py")
    """
    if name == "__main__":
        import pytest

        sys.exit(pytest.main([file, "-vvs", "-x", "--pdb"]))


def assert_warns(expected: type[Warning]) -> AbstractContextManager[Any]:
    """Expect a warning inside a ``with`` block.

    Examples
    --------
    >>> import warnings
    >>> from autolab.compat import chainer
    >>> with chainer.testing.assert_warns(UserWarning):
    ...     warnings.warn("careful")
    """
    import pytest

    return pytest.warns(expected)


def fix_random() -> Callable[[Any], Any]:
    """A decorator: the test, or each test of a class, starts with the same state of ``numpy.random``.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> @chainer.testing.fix_random()
    ... def draw():
    ...     return np.random.rand()
    >>> draw() == draw()
    True
    """

    def decorate(target: Any) -> Any:
        if not isinstance(target, type):
            return _seeded(target)
        begin = getattr(target, "setUp", None)
        target.setUp = _seeded(begin) if begin is not None else lambda self: np.random.seed(0)  # type: ignore[attr-defined]
        return target

    return decorate


def _seeded(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        np.random.seed(0)
        return function(*args, **kwargs)

    return call


def save_and_load(src: Any, dst: Any, filename: str, saver: Callable[..., Any], loader: Callable[..., Any]) -> None:
    """Save one object and load it into another, with these functions."""
    with TemporaryDirectory() as folder:
        saver(f"{folder}/{filename}", src)
        loader(f"{folder}/{filename}", dst)


def with_requires(*requirements: str) -> Callable[[Any], Any]:
    """A decorator: the test is skipped if a package is missing."""
    absent = [one for one in requirements if find_spec(re.split("[<>=!~]", one)[0].strip()) is None]
    return skipIf(bool(absent), f"requires {', '.join(absent)}")


fill(__name__)
__getattr__ = gather(__name__)
