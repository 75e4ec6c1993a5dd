"""``chainer.testing.parameterized``: one test class for each set of parameters."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ... import missing
from ..backend import CpuDevice

__all__ = ["from_pytest_parameterize", "inject_backend_tests", "parameterize", "product", "product_dict"]


def product(parameter: Mapping[str, Iterable[Any]] | Sequence[Iterable[Any]]) -> list[Any]:
    """All combinations, as dictionaries; of a list of lists, as tuples.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> chainer.testing.product({"a": [1, 2], "b": [3]})
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 3}]
    """
    if isinstance(parameter, Mapping):
        return [dict(zip(parameter, values, strict=True)) for values in itertools.product(*parameter.values())]
    return list(itertools.product(*parameter))


def product_dict(*parameters: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """All combinations of dictionaries, put together.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> chainer.testing.product_dict([{"a": 1}, {"a": 2}], [{"b": 3}])
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 3}]
    """
    return [{k: v for part in parts for k, v in part.items()} for parts in itertools.product(*parameters)]


def parameterize(*params: Mapping[str, Any]) -> Callable[[type], type]:
    """A decorator that puts a subclass for each set of attributes into the module of a class.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> chainer.testing.parameterize({"a": 1}, {"a": 2}) is not None
    True
    """

    def decorate(base: type) -> Any:
        module = sys.modules[base.__module__]
        for i, param in enumerate(params):
            name = f"{base.__name__}_param_{i}"
            made = type(name, (base,), {**param, "__module__": base.__module__, "__doc__": repr(param)})
            made.__test__ = True  # type: ignore[attr-defined]
            setattr(module, name, made)
        base.__test__ = False  # type: ignore[attr-defined]
        return base

    return decorate


def from_pytest_parameterize(names: str | Sequence[str], params: Iterable[Any]) -> list[dict[str, Any]]:
    """The parameters of ``pytest.mark.parametrize`` as dictionaries."""
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    return [dict(zip(keys, values if len(keys) > 1 else (values,), strict=True)) for values in params]


class BackendConfig:
    """Main memory, which is the only place where such tests run here."""

    xp, use_cuda, use_chainerx, use_ideep, use_cudnn = np, False, False, "never", "never"

    def __enter__(self) -> BackendConfig:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    @property
    def device(self) -> CpuDevice:
        """Main memory."""
        return CpuDevice()

    def get_array(self, array: Any) -> Any:
        """The array itself."""
        return array

    def get_pytest_marks(self) -> list[Any]:
        """None."""
        return []


def inject_backend_tests(method_names: Any = None, params: Any = None) -> Callable[[type], type]:
    """A decorator: tests get a ``backend_config``, that of main memory."""

    def decorate(case: type) -> type:
        names = [name for name in dir(case) if name.startswith("test_")] if method_names is None else method_names
        for name in names:
            setattr(case, name, _configured(getattr(case, name)))
        return case

    return decorate


def _configured(test: Callable[..., Any]) -> Callable[..., Any]:
    def call(self: Any) -> Any:
        return test(self, BackendConfig())

    call.__name__ = test.__name__
    return call


__getattr__ = missing(__name__)
