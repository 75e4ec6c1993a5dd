"""The front end's text, sent once for all views of a kind.

anywidget gives every view a module of its own, and a notebook saves it with every view: fifty graphs would weigh 5 MB.
So a view carries only a short loader (static/loader.js), which takes the module and the style from a model that a
kernel has once for each kind of view. They travel and are saved as gzip, which every browser since 2023 undoes.
Where a host does not let one widget name another, the loader asks for them in a message.
"""

from __future__ import annotations

import hashlib

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


_held: dict[str, FrontEnd] = {}


def front_end(kind: str) -> FrontEnd:
    """The front end of a kind of view. One that was closed, as ``Widget.close_all()`` does, is made anew."""
    held = _held.get(kind)
    if held is None or held.comm is None:
        held = _held[kind] = FrontEnd(kind)
    return held
