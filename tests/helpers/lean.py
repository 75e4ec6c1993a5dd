"""A pytest plugin for `make test-gpu`: the tests that use the GPU apart from the others, all of them or a part.

What needs a package that the GPU's machine lacks is skipped, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from subprocess import CalledProcessError

import pytest

NEEDED = {"autolab", "cupy", "helpers", "numpy"}


def missing_package(error: BaseException | None) -> str | None:
    """The package whose absence caused ``error``, if AutoLab's engine does without it."""
    while error is not None:
        if isinstance(error, ModuleNotFoundError) and error.name:
            package = error.name.partition(".")[0]
            return None if package in NEEDED else package
        if isinstance(error, CalledProcessError):  # a program of its own, whose last words tell
            told = re.findall(r"No module named '(\w+)", str(error.stderr))
            return told[-1] if told and told[-1] not in NEEDED else None
        error = error.__cause__ or error.__context__
    return None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--gpu", choices=("only", "without"), help="the tests that use the GPU, or all others")
    parser.addoption("--part", default="1/1", help="2/3 takes the second third of the tests")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take the tests that were asked for."""
    wanted, every = config.getoption("--gpu"), list(items)
    chosen = [item for item in items if wanted is None or uses_gpu(item) == (wanted == "only")]
    i, parts = [int(number) for number in config.getoption("--part").split("/")]
    items[:] = chosen[len(chosen) * (i - 1) // parts : len(chosen) * i // parts]
    taken = set(items)
    config.hook.pytest_deselected(items=[item for item in every if item not in taken])


def uses_gpu(item: pytest.Item) -> bool:
    """Whether a test asked the fixture `device` for the real one."""
    call = getattr(item, "callspec", None)
    return call is not None and call.params.get("device") == "cupy"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    package = missing_package(call.excinfo.value) if call.excinfo else None
    if package:
        report.outcome = "skipped"
        report.longrepr = (str(item.path), 0, f"Skipped: {package} is not installed")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    excinfo = report.call.excinfo
    package = missing_package(excinfo.value) if excinfo else None
    if package:
        report.outcome = "skipped"
        report.longrepr = (str(collector.path), 0, f"Skipped: {package} is not installed")
    return report
