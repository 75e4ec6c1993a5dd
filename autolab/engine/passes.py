"""What is known of past backward passes, for the sentence about a gradient. Nothing here is written during a pass."""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .variable import Variable


class _Last(threading.local):
    """The output of this thread's last backward pass, as long as somebody holds it."""

    output: weakref.ref[Variable] | None = None


_last = _Last()


def note_pass(output: Variable) -> None:
    """A backward pass from ``output`` has stored its gradients."""
    _last.output = weakref.ref(output)


def last_output() -> Variable | None:
    """Where this thread's last backward pass started; None if there was none, or nobody holds that value any more."""
    return None if _last.output is None else _last.output()
