"""Variables that a user's forward finds around it: they are none of its arguments, so they would get no gradient.

The forward of a function with static methods runs without a graph, and its arguments have no history there. A step on a
Variable that has one is therefore a step on something from outside.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

from .modes import Modes
from .reach import named
from .walks import nodes_below

_MOST = 1_000
_OPERANDS = ("a", "b", "x", "inputs", "args")
"""What the fast paths call their operands, and everything else its arguments."""


class ModesOfForward(Modes):
    """The modes of a forward that has no graph: a step on a Variable with a history is told to ``noticed``."""

    noticed: Callable[[Any], None]

    @property
    def enable_backprop(self) -> bool:  # type: ignore[override]  # asked only where an operand has a history
        held = sys._getframe(1).f_locals
        found = [held[name] for name in _OPERANDS if name in held]
        recording, noticed = self.recording, self.noticed
        del self  # the traceback of an error would keep it alive
        return recording or _told(noticed, [i for one in found for i in (one if type(one) in (list, tuple) else [one])])

    def joins(self, args: Iterable[Any]) -> bool:
        recording, noticed = self.recording, self.noticed
        del self
        return recording or _told(noticed, args)


def _told(noticed: Callable[[Any], None], values: Iterable[Any]) -> bool:
    """Tell of the Variables that have a history; False, because the step does not join a graph."""
    for value in values:
        if getattr(value, "node", None) is not None:
            noticed(value)
    return False


def returned_variable(who: str, value: Any, roots: Iterable[tuple[str, Any]]) -> str:
    """What to say if a forward on arrays returns a Variable: it has used one from outside, named if it is found."""
    said, roots = f"{who} returned a Variable; it works on arrays and returns arrays", list(roots)
    if value.node is None:
        return said
    names = [name_around(node, roots) for node in nodes_below(value.node)[:20]]
    name = next((name for name in names if name is not None), "one from outside")
    return f"{said}. It uses {name:.60}, which would get no gradient: pass it as an argument, or use its .data"


def name_around(wanted: Any, roots: Iterable[tuple[str, Any]]) -> str | None:
    """The expression under which a function finds a value around it; None if it does not.

    Parameters
    ----------
    wanted : object
        The value, or the node of a Variable.
    roots : iterable of (str, object)
        Names and what is looked through: functions, objects, containers.
    """
    looked = named(roots, lambda value: not _is(value, wanted), _MOST)
    return next((name for name, value in looked if _is(value, wanted)), None)


def _is(value: Any, wanted: Any) -> bool:
    return value is wanted or getattr(value, "node", None) is wanted
