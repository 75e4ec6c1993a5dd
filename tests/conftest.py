"""Fixtures for all tests."""

from __future__ import annotations

import gc
import os
import signal
import sys
import warnings
from collections.abc import Generator, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from helpers import devices
from helpers.needed_marks import missing_mark, watched
from helpers.state import leaked_state, reset_state

if TYPE_CHECKING:
    from playwright.sync_api import Browser

sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]  # see autolab/app/cli.py

with suppress(ModuleNotFoundError):  # on the machine of a GPU; what needs it is skipped there
    from hypothesis import settings

    settings.register_profile("autolab", derandomize=True, deadline=None, database=None)
    settings.load_profile("autolab")

collect_ignore = ["serializers/bombs.py", "serializers/damaged.py"]
"""Programs that tests start; one of them needs h5py."""
collect_ignore_glob = ["bridges/[!t]*.py", "bridges/torch_*.py", "analysis/diagnosis/*.py"]
"""What tests of PyTorch and JAX import, once these are known to be there."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--late", action="store_true", help="pages do late what they do in tasks of their own")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "source(*ids): the statements of the source documents that the test shows")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background of a shell; tests press Ctrl-C
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two processes more than there are cores, at most four: a third of the time of all tests is waiting for pages."""
    return min(4, 2 + len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nothing that is collected is garbage; every pass would look at all of the tens of thousands of tests."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    _leave_out_what_is_old()


def _leave_out_what_is_old() -> None:
    """What looks for garbage, or for who holds an object, need not look through all that tests before have left."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, object, object]:
    with watched(item):
        done = yield
    if nextitem is not None and nextitem.path != item.path:
        _leave_out_what_is_old()
    return done


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if (sentence := missing_mark(item)) is not None:
        pytest.fail(sentence, pytrace=False)


@pytest.fixture(scope="session")
def browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """One Chromium for all tests."""
    from helpers.chromium import launch
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = launch(playwright, request.config.getoption("--late"))
        yield chromium
        chromium.close()


_FOR_GPU = any([arg.startswith("--gpu") for arg in sys.argv])
"""Whether `make test-gpu` asks, which says itself that it needs one."""


@pytest.fixture(params=[name for name in devices.BACKENDS if devices.is_there(name) or _FOR_GPU])
def device(request: pytest.FixtureRequest) -> Iterator[devices.Device]:
    """Arrays that refuse to leave their device, and a GPU where there is one."""
    with devices.on(request.param) as found:
        yield found


@pytest.fixture(autouse=True)
def no_floating_point_warnings() -> Iterator[None]:
    """Fail a test in which NumPy warns, though no function meets the warning as an error, which it might catch."""
    with warnings.catch_warnings(record=True) as found:
        yield
    told = [f"{w.filename}:{w.lineno}: {w.message}" for w in found if issubclass(w.category, RuntimeWarning)]
    assert not told, "; ".join(told)


@pytest.fixture(autouse=True)
def no_leaked_state() -> Iterator[None]:
    """Fail a test that leaves a mode set or an observer listening."""
    yield
    leaks = leaked_state()
    reset_state()
    assert not leaks, "; ".join(leaks)
