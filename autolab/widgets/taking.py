"""The part of the live view that is taken away: what it shows now, as one picture or as a page."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import traitlets

from ..display.messages import say
from ..files import write
from .part import Part, not_understood, obeys

if TYPE_CHECKING:  # loaded when something is taken away: a notebook's first picture does not wait for it
    from ..display.slide import Slide
    from ..display.style import Look

PAGE = ".html"
_KINDS = {".png": "image/png", ".svg": "image/svg+xml", ".pdf": "application/pdf", PAGE: "text/html"}


class Taking(Part):
    """Saves the whole view as it stands: graphs of all orders, groups, step of the walk, chosen box and colours.

    ``taken`` is the file that the page asked for, until the page has it: its ``name`` and ``kind``.
    """

    taken = traitlets.Dict().tag(sync=True)
    taken_bytes = traitlets.Bytes().tag(sync=True)
    ways = traitlets.Dict().tag(sync=True)

    def _shown(self, recording: Any) -> dict[str, Any]:
        ways = {suffix.removeprefix("."): say(f"take_{suffix.removeprefix('.')}") for suffix in _KINDS}
        return {**super()._shown(recording), "ways": {"": say("take"), **ways}}

    def save(self, path: str | os.PathLike[str], look: Look = "light") -> None:
        """Write what the view shows now to a file, for a slide or a hand-out: the graph with the calculation of the
        step beside it, the source, the place in the walk and what the colours mean. The graphs of derivatives stand
        beside that of the function; if all together would be too small to read, only the graph with the chosen box is
        drawn, and the picture says so.

        Parameters
        ----------
        path
            Where to, with the suffix ``.png``, ``.svg`` or ``.pdf``, or ``.html`` for a page that still steps; an
            existing file is replaced.
        look
            ``light`` or ``dark``; ``auto`` for a page that follows its reader's system.

        Raises
        ------
        ValueError
            If the suffix is another one.
        RuntimeError
            If ``.png`` or ``.pdf`` is asked for and typst is not installed.
        """
        from ..display.files import save_slide

        if Path(path).suffix.lower() == PAGE:
            write(path, self._page(look))
        else:
            save_slide(self._slide(), path, look)

    def _slide(self) -> Slide:
        """What is to be seen now."""
        from ..display.slide import Slide

        view: Any = self  # the other parts
        recording = self._recording
        expanded = frozenset[int]().union(*[view._open_groups(graph) for graph in (recording, *recording.higher)])
        return Slide(recording, expanded, view._moment, view._pick, view.selected, view._by)

    def _page(self, look: Look) -> bytes:
        from .export import live_page

        return live_page(self, look).encode("utf-8", "replace")

    @obeys("take", suffix=str, look=str)
    def _take(self, suffix: str, look: str) -> None:
        """The page wants a file."""
        from ..display.files import slide_bytes

        ending = f".{suffix}"
        if ending not in _KINDS or look not in ("light", "dark"):
            raise not_understood({"do": "take", "suffix": suffix, "look": look})
        stem = re.sub(r"\W+", "_", self._recording.function, flags=re.ASCII).strip("_") or "function"
        name = Path(f"{stem}{ending}")
        content = self._page("auto") if ending == PAGE else slide_bytes(self._slide(), name, look)  # type: ignore[arg-type]
        self._publish({"taken": {"name": str(name), "kind": _KINDS[ending]}, "taken_bytes": content})

    @obeys("taken")
    def _took(self) -> None:
        """The page has it: a saved notebook need not hold it."""
        self._publish({"taken": {}, "taken_bytes": b""})
