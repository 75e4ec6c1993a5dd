"""Where a test runs: on arrays that stand in for a GPU's and count what leaves them, or on a GPU itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from autolab.engine import backend
from autolab.engine.backend import gpu_status

from . import strict_module
from .strict_array import Traffic, ndarray

BACKENDS = ("stand-in", "cupy")


@dataclass(frozen=True)
class Device:
    """An array library with a device of its own.

    ``traffic`` is what was copied to and fro; the real one counts nothing, so ask `counts` before expecting something.
    ``loose`` is by how much a tolerance that fits NumPy's own functions must grow.
    """

    name: str
    module: ModuleType
    array: type
    traffic: Traffic
    loose: float

    @property
    def counts(self) -> bool:
        """Whether copies are seen."""
        return self.name == "stand-in"


def is_there(name: str) -> bool:
    """Whether tests on this backend can run here."""
    return name != "cupy" or gpu_status().state == "ok"


@contextmanager
def on(name: str) -> Iterator[Device]:
    """The device of a backend."""
    if name == "stand-in":
        with strict_module.installed() as traffic:
            yield Device(name, strict_module.cupy, ndarray, traffic, 1.0)
    else:
        cupy: Any = backend.cupy_for("the tests")
        yield Device(name, cupy, cupy.ndarray, Traffic(), 100.0)
