"""``chainer.testing.backend``: tests on several devices; here they run on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partialmethod
from typing import Any

import numpy as np

from ..backend import CpuDevice


class BackendConfig(AbstractContextManager[Any]):
    """The CPU, the only device on which such tests run here."""

    xp, device = np, CpuDevice()
    use_cuda, use_chainerx, use_ideep, use_cudnn = False, False, "never", "never"

    def __exit__(self, *error: object) -> None:
        pass

    def get_array(self, array: Any) -> Any:
        """The array itself."""
        return array

    def get_pytest_marks(self) -> list[Any]:
        """The marks of the configuration: an empty list."""
        return []


def inject_backend_tests(method_names: Any = None, params: Any = None) -> Callable[[type], type]:
    """A decorator: tests get a ``backend_config``, that of the CPU."""

    def decorate(case: type) -> type:
        names = [name for name in dir(case) if name.startswith("test_")] if method_names is None else method_names
        for name in names:
            setattr(case, name, partialmethod(getattr(case, name), BackendConfig()))
        return case

    return decorate
