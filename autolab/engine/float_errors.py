"""Floating-point errors while a user's function runs: nothing is said of them, and whoever waits for one still gets it.

``np.errstate(all="ignore")`` around a function would switch off what the function itself does about them: with
`warnings.catch_warnings` and a filter ``"error"`` it goes another way where NumPy warns. So it does where the whole
notebook has ``warnings.simplefilter("error")`` or ``np.seterr(all="raise")``.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

FloatSetting = dict[str, Any]
"""What is done about floating-point errors, for `np.errstate`."""


def float_setting() -> FloatSetting:
    """What is done about floating-point errors now."""
    return {**np.geterr(), "call": np.geterrcall()}


@contextmanager
def quietly(setting: FloatSetting | None = None) -> Iterator[None]:
    """Run a function without NumPy's warnings, as long as nobody asks for them.

    What the caller has set to be raised or called is left as it is, and so are warnings that are errors.

    Parameters
    ----------
    setting : dict, optional
        The `float_setting` of the user, where AutoLab has set something else for its own arithmetic.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from autolab.engine.float_errors import quietly
    >>> def safe_log(x):
    ...     with warnings.catch_warnings():
    ...         warnings.simplefilter("error")
    ...         try:
    ...             return float(np.log(x))
    ...         except RuntimeWarning:
    ...             return -100.0
    >>> with quietly():
    ...     safe_log(np.array(0.0)), bool(np.isinf(np.log(np.array(0.0))))
    (-100.0, True)
    """
    told = float_setting() if setting is None else {**setting}
    warned = [kind for kind, what in told.items() if what == "warn"]
    if _action() == "error":  # the function raises there, or expects NumPy to
        pass
    elif "call" in told.values():  # somebody listens already
        told |= dict.fromkeys(warned, "ignore")
    elif warned:
        told |= {"call": _Unheard(), **dict.fromkeys(warned, "call")}
    with np.errstate(**told):
        yield


class _Unheard:
    """What NumPy calls for an error: it warns only where filters were changed since, which is done to see warnings."""

    def __init__(self) -> None:
        self._before = filters()

    def __call__(self, kind: str, flag: int) -> None:
        if filters() != self._before:
            warnings.warn(f"{kind} encountered", RuntimeWarning, stacklevel=2)


RANGE = {("over", "raise"), ("under", "raise")}
"""What a result itself tells: whether it is beyond the floats, or too near to 0."""


def raised() -> frozenset[str]:
    """The errors of `RANGE` that are raised now."""
    return frozenset([kind for kind, what in np.geterr().items() if (kind, what) in RANGE])


def filters() -> tuple[Any, ...]:
    """The filters of warnings that hold now, and whose they are."""
    held = warnings.filters
    return id(held), *held


def watched(before: tuple[Any, ...]) -> str | None:
    """What is done about floating-point errors now, if more than to let them pass, those that are `raised` aside.

    Parameters
    ----------
    before : tuple
        The `filters` at the beginning; those are the caller's.
    """
    how = {what for kind, what in np.geterr().items() if (kind, what) not in RANGE}
    if _are_told(how):
        return "np.errstate that raises or calls"
    action = _action() if {"warn", "call"} & how else "ignore"
    if filters() != before and action != "ignore":
        return "warnings that are caught"
    return "warnings that are errors" if action == "error" else None


def are_awaited() -> bool:
    """Whether a function may go another way now where a floating-point error occurs: it is raised, as an error or as a
    warning, or told to somebody."""
    how = {*np.geterr().values()}
    return _are_told(how) or (("warn" in how or "call" in how) and _action() == "error")


def _are_told(how: set[Any]) -> bool:
    """Whether an error is more than a warning, given what is done about the kinds of errors."""
    return "raise" in how or "log" in how or ("call" in how and not isinstance(np.geterrcall(), _Unheard))


def _action() -> str:
    """What happens to a RuntimeWarning, whatever its text."""
    for action, text, category, module, line in warnings.filters:
        if issubclass(RuntimeWarning, category) and (action == "error" or not (text or module or line)):
            return action
    return "default"
