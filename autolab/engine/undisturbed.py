"""Inspecting a function must not change the state of its objects: what they update on the way, such as running means,
is restored.

Floating-point errors while a user's function runs: no warnings appear, but a function that handles them still can.

``np.errstate(all="ignore")`` around a function would disable its own handling: with `warnings.catch_warnings` and the
filter ``"error"`` it may take another branch when NumPy warns. The same holds if the whole notebook uses
``warnings.simplefilter("error")`` or ``np.seterr(all="raise")``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import numpy as np

blocks: list[object] = []
"""The open blocks, of all threads; while there are none, nothing else is checked."""

_noted: ContextVar[dict[int, tuple[object, Callable[[], None]]] | None] = ContextVar(
    "autolab_undisturbed", default=None
)


class undisturbed:
    """A context after which objects that called `note` are restored to their former state.

    Examples
    --------
    >>> import autolab, numpy as np
    >>> from autolab.engine.undisturbed import undisturbed
    >>> norm = autolab.links.BatchNormalization(1)
    >>> with undisturbed():
    ...     y = norm(np.array([[1.0], [3.0]]))
    >>> norm.avg_mean
    array([0.], dtype=float32)
    """

    __slots__ = ("_found", "_token")

    def __enter__(self) -> None:
        self._found: dict[int, tuple[object, Callable[[], None]]] = {}
        blocks.append(self)
        self._token = _noted.set(self._found)

    def __exit__(self, *error: object) -> None:
        _noted.reset(self._token)
        blocks.remove(self)
        for _, restore in self._found.values():
            restore()


def is_undisturbed() -> bool:
    """Whether such a block is open in this context."""
    return bool(blocks) and _noted.get() is not None


def note(owner: Any, snapshot: Callable[[], Callable[[], None]]) -> None:
    """Call before ``owner`` may change its state: ``snapshot()`` returns a function that restores it."""
    found = _noted.get()
    if found is not None and id(owner) not in found:
        found[id(owner)] = owner, snapshot()


FloatSetting = dict[str, Any]
"""The handling of floating-point errors, as arguments of `np.errstate`."""


def float_setting() -> FloatSetting:
    """The current handling of floating-point errors."""
    return {**np.geterr(), "call": np.geterrcall()}


class quietly:
    """Run a function without NumPy's warnings, unless it asks for them.

    Errors that the caller has set to be raised or passed to a callback are unchanged, and so are warnings turned into
    errors.

    Parameters
    ----------
    setting : dict, optional
        The `float_setting` of the user, if AutoLab has changed it for its own arithmetic.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from autolab.engine.undisturbed import quietly
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

    __slots__ = ("_setting", "_state")

    def __init__(self, setting: FloatSetting | None = None) -> None:
        self._setting = setting

    def __enter__(self) -> None:
        told = float_setting() if self._setting is None else self._setting
        how = told.values()
        if "warn" in how and _action() != "error":  # else the function raises there, or expects NumPy to
            quiet = "ignore" if "call" in how else "call"  # unless somebody listens already
            told = {kind: quiet if what == "warn" else what for kind, what in told.items()}
            if quiet == "call":
                told["call"] = _Unheard()
        self._state = np.errstate(**told)
        self._state.__enter__()

    def __exit__(self, *error: Any) -> None:
        self._state.__exit__(*error)


class _Unheard:
    """NumPy's error callback: warns only if the warning filters have changed since, as by code that wants warnings."""

    def __init__(self) -> None:
        self._before = filters()

    def __call__(self, kind: str, flag: int) -> None:
        if filters() != self._before:
            warnings.warn(f"{kind} encountered", RuntimeWarning, stacklevel=2)


RANGE = {("over", "raise"), ("under", "raise")}
"""Errors that show in the result itself: overflow and underflow."""


def raised() -> frozenset[str]:
    """The errors of `RANGE` that are currently set to raise."""
    return frozenset([kind for kind, what in np.geterr().items() if (kind, what) in RANGE])


def filters() -> tuple[Any, ...]:
    """The current warning filters, and the identity of their list."""
    held = warnings.filters
    return id(held), *held


def watched(before: tuple[Any, ...]) -> str | None:
    """How floating-point errors are currently noticed, if they are; those in `raised` do not count.

    Parameters
    ----------
    before : tuple
        The `filters` at the beginning, which are the caller's.
    """
    how = {what for kind, what in np.geterr().items() if (kind, what) not in RANGE}
    if _are_reported(how):
        return "np.errstate that raises or calls"
    action = _action() if {"warn", "call"} & how else "ignore"
    if filters() != before and action != "ignore":
        return "warnings that are caught"
    return "warnings that are errors" if action == "error" else None


def are_awaited() -> bool:
    """Whether a function may currently react to floating-point errors: they raise, as errors or warnings, or are passed
    to a callback."""
    how = {*np.geterr().values()}
    return _are_reported(how) or (("warn" in how or "call" in how) and _action() == "error")


def _are_reported(how: set[Any]) -> bool:
    """Whether some kind of error raises, is logged or is passed to a callback."""
    return "raise" in how or "log" in how or ("call" in how and not isinstance(np.geterrcall(), _Unheard))


def _action() -> str:
    """The action for a RuntimeWarning with any text."""
    for action, text, category, module, line in warnings.filters:
        if issubclass(RuntimeWarning, category) and (action == "error" or not (text or module or line)):
            return action
    return "default"
