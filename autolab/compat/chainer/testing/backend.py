"""``chainer.testing.backend``: tests on several devices; here they run on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from typing import Any

import numpy as np

from ..backend import CpuDevice

_USUAL = {"use_cuda": False, "use_chainerx": False, "chainerx_device": None, "use_ideep": "never"}
_USUAL |= {"use_cudnn": "never", "cudnn_deterministic": False, "autotune": False, "cuda_device": None}


class BackendConfig(AbstractContextManager[Any]):
    """A configuration of a test, which is of the CPU, the only device on which such tests run here."""

    xp, device = np, CpuDevice()

    def __init__(self, params: Any = None) -> None:
        given = {**_USUAL, **(params or {})}
        if unknown := sorted(given.keys() - _USUAL.keys()):
            raise ValueError(f"BackendConfig: got {unknown[0]!r:.60}; expected {', '.join(_USUAL)}")
        if wanted := [name for name in ("use_cuda", "use_chainerx") if given[name]] or given["use_ideep"] == "always":
            what = wanted[0] if isinstance(wanted, list) else "use_ideep='always'"
            raise NotImplementedError(f"BackendConfig: {what} is not part of AutoLab's chainer facade; it has the CPU")
        vars(self).update(given)

    def __exit__(self, *error: object) -> None:
        pass

    def get_array(self, array: Any) -> Any:
        """The array itself."""
        return array

    def get_pytest_marks(self) -> list[Any]:
        """The marks of the configuration: an empty list."""
        return []


def inject_backend_tests(method_names: Any = None, params: Any = None) -> Callable[[type], type]:
    """A decorator: tests get a ``backend_config``, one after the other those of ``params`` that are of the CPU."""
    configs = []
    for one in params or [{}]:
        with suppress(NotImplementedError):
            configs.append(BackendConfig(one))

    def each(test: Any) -> Any:
        def run(self: Any, *args: Any, **named: Any) -> None:
            for config in configs:
                test(self, config, *args, **named)

        return run

    def decorate(case: type) -> type:
        names = [name for name in dir(case) if name.startswith("test_")] if method_names is None else method_names
        for name in names:
            setattr(case, name, each(getattr(case, name)))
        return case

    return decorate
