"""``chainer.testing.condition``: tests that are run several times."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

__all__ = ["repeat", "repeat_with_success_at_least", "retry"]


def repeat_with_success_at_least(times: int, min_success: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: at least ``min_success`` of ``times`` runs must succeed."""
    if not 0 <= min_success <= times:
        raise ValueError(f"repeat_with_success_at_least: min_success is {min_success}; expected 0 to {times}")

    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(test)
        def call(self: Any, *args: Any, **kwargs: Any) -> None:
            failures = []
            for run in range(times):
                try:
                    if run and hasattr(self, "setUp"):
                        self.setUp()
                    test(self, *args, **kwargs)
                except (AssertionError, ValueError, TypeError) as error:
                    failures.append(error)
                if run + 1 - len(failures) >= min_success and min_success < times:
                    return
            if times - len(failures) < min_success:
                raise failures[-1]

        return call

    return decorate


def repeat(times: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: all of ``times`` runs must succeed."""
    return repeat_with_success_at_least(times, times)


def retry(times: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: at least one of ``times`` runs must succeed."""
    return repeat_with_success_at_least(times, 1)
