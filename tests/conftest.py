"""Fixtures for all tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.state import leaked_state, reset_state
from hypothesis import settings

settings.register_profile("autolab", derandomize=True, deadline=None, database=None)
settings.load_profile("autolab")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "source(*ids): the statements of the source documents that the test shows")


@pytest.fixture(autouse=True)
def no_leaked_state() -> Iterator[None]:
    """Fail a test that leaves a mode set or an observer listening."""
    yield
    leaks = leaked_state()
    reset_state()
    assert not leaks, "; ".join(leaks)
