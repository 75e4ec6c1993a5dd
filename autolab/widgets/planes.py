"""The part of a live view that shows heatmaps: which plane of each array, and which block of it."""

from __future__ import annotations

from collections.abc import Callable

import traitlets

from .board import Board
from .messages import on_message


class Planes(traitlets.HasTraits):
    """Shows ``_board``; arrays of one shape show the same plane."""

    picture = traitlets.Dict().tag(sync=True)

    _board: Board
    _tell: Callable[..., None]

    def _draw(self) -> None:
        self.set_trait("picture", self._board.picture())
        self._tell(error=None)

    @on_message("axes", key=int, row=int, column=int)
    def _axes(self, key: int, row: int, column: int) -> None:
        self._board.across(key, row, column)
        self._draw()

    @on_message("move", key=int, index=int, value=int)
    def _move(self, key: int, index: int, value: int) -> None:
        self._board.step(key, index, value)
        self._draw()

    @on_message("zoom", key=int, region=(list, type(None)))
    def _zoom(self, key: int, region: list[int] | None) -> None:
        if region is not None and [type(end) for end in region] != [int] * 4:
            raise ValueError(f"heatmap: got the block {region!r:.60}; expected four integers")
        self._board.zoom(key, None if region is None else (region[0], region[1], region[2], region[3]))
        self._draw()
