"""The history of an exploration's state: moves of one thing, up to a final one, are undone together."""

from __future__ import annotations

from collections import deque
from typing import Any

from .exploration_state import ExplorationState, total_bytes

MOST_STEPS = 500
MOST_BYTES = 256 << 20


class MoveHistory:
    """The present ``state`` and the earlier ones.

    Examples
    --------
    >>> import numpy as np
    >>> history = MoveHistory(ExplorationState({"x": np.array(1.0)}, True))
    >>> for value in (2.0, 3.0):
    ...     there = ExplorationState({"x": np.array(value)}, True)
    ...     _ = history.go(there, "x", final=value == 3.0)
    >>> history.undo()
    >>> float(history.state.arrays["x"])
    1.0
    """

    def __init__(self, state: ExplorationState) -> None:
        self.state = state
        self._past: deque[ExplorationState] = deque()
        self._moving: tuple[Any, ExplorationState] | None = None

    @property
    def can_undo(self) -> bool:
        """Whether there is a move to undo."""
        return bool(self._past) or self._has_moved()

    def go(self, state: ExplorationState, mover: Any, final: bool = True) -> bool:
        """Change the state, and return whether it differs. Moves of the same mover that are not final are joined with
        the next; with None as the mover, nothing is joined.
        """
        if self._moving is None or mover is None or self._moving[0] != mover:
            self._finish()
            self._moving = (mover, self.state)
        changed = state.differs(self.state)
        if changed:
            self.state = state
        if final:
            self._finish()
        return changed

    def undo(self) -> None:
        """Undo the last finished move."""
        self._finish()
        if self._past:
            self.state = self._past.pop()

    def _finish(self) -> None:
        if self._moving and self._has_moved():
            self._past.append(self._moving[1])
            while len(self._past) > MOST_STEPS or (len(self._past) > 1 and total_bytes(self._past) > MOST_BYTES):
                self._past.popleft()
        self._moving = None

    def _has_moved(self) -> bool:
        return self._moving is not None and self.state.differs(self._moving[1])
