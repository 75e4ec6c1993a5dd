"""Fixtures for all tests."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Generator, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING
from zlib import crc32

import pytest
from helpers import devices, each
from helpers.dealing import dealt, waits
from helpers.needed_marks import missing_mark, watched
from helpers.state import nothing_left_behind

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
    parser.addoption("--case", default="", help="of tests that try many cases, those whose names contain this")
    parser.addoption("--late", action="store_true", help="pages do late what they do in tasks of their own")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(_Slices)
    each.wanted[0] = config.getoption("--case")
    config.addinivalue_line("markers", "source(*ids): the statements of the source documents that the test shows")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background of a shell; tests press Ctrl-C
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two processes more than there are cores, at most four: a third of the time of all tests is waiting for pages."""
    return min(4, 2 + len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nothing that is collected is garbage; every pass would look at all of the thousands of tests."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    each.give_shares(metafunc)


class _Slices:
    """Before marks choose among the tests: of the variants of one test that waits for pages, every run takes one in
    three, which of them is in its name, and `make test-full` takes all."""

    @staticmethod
    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
        variants: dict[tuple[object, str], list[pytest.Item]] = {}
        for item in items:
            name = getattr(item, "originalname", item.name)
            marks = [mark.name for mark in item.iter_markers()]
            if name != item.name and waits(item) and not {"full", "whole"}.intersection(marks):
                variants.setdefault((item.path, name), []).append(item)
        for (_, name), found in variants.items():
            kept = crc32(name.encode()) % min(3, len(found))
            for place, item in enumerate(found):
                if place % 3 != kept:
                    item.add_marker(pytest.mark.full)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if worker := getattr(config, "workerinput", None):  # in the environment this also stands for what a test starts
        items[:] = dealt(items, worker["workercount"])


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
def clean() -> Iterator[None]:
    """Fail a test that leaves a mode set or an observer listening, or in which NumPy warns."""
    with nothing_left_behind():
        yield
