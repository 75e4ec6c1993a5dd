"""Facades under their original names, for one test."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from types import ModuleType

import pytest

from autolab import compat


@pytest.fixture
def dezero() -> Iterator[ModuleType]:
    compat.install("dezero")
    yield importlib.import_module("dezero")
    compat.uninstall("dezero")
