"""LinkCall: the scope under which a recording lists the steps of a link's call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..engine.modes import modes, watchers
from ..engine.named_scope import named_scope

if TYPE_CHECKING:
    from .link import Link


class LinkCall(named_scope):
    """The scope of one call of a link, named by its path from the outermost link being called, and its class:
    ``layers.0: Linear``."""

    def __init__(self, link: Link) -> None:
        kind = type(link).__name__
        super().__init__(kind)
        if watchers:
            around = [mark.paths for mark in modes().marks if mark.paths and id(link) in mark.paths]
            self._paths = around[0] if around else _paths(link)
            path = self._paths[id(link)]
            self._label = f"{path}: {kind}" if path else kind


def _paths(link: Link) -> dict[int, str]:
    """The names of a link and all links inside by identity; the outermost has the name under which it is held."""
    own = link.__dict__.get("_name") or ""
    return {id(part): (own + path.rstrip("/").replace("/", ".")).strip(".") for path, part in link.namedlinks()}
