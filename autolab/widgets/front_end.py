"""The front end's text, sent once for all views of a kind.

anywidget gives every view a module of its own, and a notebook saves it with every view: fifty graphs would weigh 5 MB.
So a view carries only a short loader (static/loader.js), which takes the module and the style from a model that a
kernel has once for each kind of view. They travel and are saved as gzip, which every browser since 2023 undoes.
Where a host does not let one widget name another, the loader asks for them in a message.
"""

from __future__ import annotations

import hashlib
from typing import Any, ClassVar

import anywidget
import ipywidgets
import traitlets

from .module import module_text, style_text, zipped


class FrontEnd(ipywidgets.Widget):
    """The module and the style of a kind of view, zipped; ``digest`` names the two together.

    Parameters
    ----------
    kind : str
        The name of the module and of the style sheet in the folder ``static``, without their suffixes.
    """

    module = traitlets.Bytes().tag(sync=True)
    style = traitlets.Bytes().tag(sync=True)
    digest = traitlets.Unicode().tag(sync=True)

    def __init__(self, kind: str) -> None:
        text = f"{module_text(f'{kind}.js')}//# sourceURL=autolab/{kind}.js\n"  # its name in the browser's debugger
        module, style = zipped(text), zipped(style_text(f"{kind}.css"))
        digest = hashlib.blake2b(module + style, digest_size=12).hexdigest()
        super().__init__(module=module, style=style, digest=digest)


class LightWidget(anywidget.AnyWidget):
    """A widget whose front end is held once for all of its kind; a subclass names the ``kind``.

    A kind that was closed, as ``Widget.close_all()`` does, is made anew with the next view.
    """

    kind: ClassVar[str]
    _held: ClassVar[dict[str, FrontEnd]] = {}
    _extended: ClassVar[dict[type, type]] = {}

    _esm = module_text("loader.js")
    _front_end = traitlets.Instance(FrontEnd).tag(sync=True, **ipywidgets.widget_serialization)

    def __init__(self, **state: Any) -> None:
        front_end = self._held.get(self.kind)
        if front_end is None or front_end.comm is None:
            front_end = self._held[self.kind] = FrontEnd(self.kind)
        super().__init__(_front_end=front_end, **state)

    def add_traits(self, **traits: Any) -> None:
        """Once for each kind: anywidget adds the same traits to every view, and traitlets makes a class for that, which
        would outlive the view."""
        kind = type(self)
        if kind not in self._extended or "_anywidget_id" not in traits:
            super().add_traits(**traits)
            self._extended[kind] = type(self)
            return
        self.__class__ = self._extended[kind]
        for name in traits:
            getattr(type(self), name).instance_init(self)

    def _handle_custom_msg(self, content: Any, buffers: Any) -> None:
        """Answer a loader that cannot have the shared model; all else is for those who listen."""
        if content != {"do": "front end"}:
            super()._handle_custom_msg(content, buffers)
            return
        shared = self._front_end
        self.send({"front_end": shared.digest}, [shared.module, shared.style])
