"""export_html(): a view as one file that needs no kernel and no network.

The file holds the live view's own JavaScript, its state, and an answer to every message that needs no computing: those
are found by letting the view's parts obey them here. A content policy in the file forbids everything else.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..display import mimebundle
from ..display.escape import Markup, clean, element, escape, join
from ..display.messages import say
from ..display.style import Look
from ..recording.model import Recording
from .conversation import at_first
from .explorer import STILL, Explorer
from .graph_view import GraphView
from .heatmaps import Heatmap
from .interaction import Interact
from .module import module_text, style_text
from .part import Part

MAX_BYTES = 2_000_000
"""Heatmaps are reduced until the data of a page is below this, if they can be."""

_CELLS = (256, 128, 64, 32, 16)
_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; "
_TRUSTED = "require-trusted-types-for 'script'; trusted-types 'none'"
_TRAITS = {
    name: trait
    for base in Explorer.__mro__
    if issubclass(base, Part)
    for name, trait in base.class_own_traits(sync=True).items()
}


def export_html(shown: Any, path: str | os.PathLike[str], look: Look = "auto") -> None:
    """Write a view as one HTML file that works anywhere, without a kernel and without a network.

    A recording or an exploration stays live as far as nothing has to be computed: its steps can be chosen, walked
    through, enlarged and pointed at. Inputs cannot be moved. A heatmap shows what it showed, and reads its cells out.
    Anything else is written as a notebook shows it.

    Parameters
    ----------
    shown : Recording, Explorer, Heatmap, Interact, GradientReport, Variable ...
        What to write.
    path : str or path
        Where to, with the suffix ``.html``; an existing file is replaced.
    look : {"auto", "light", "dark"}
        ``auto`` follows the reader's system.

    Raises
    ------
    ValueError
        If the suffix is another one.
    TypeError
        If there is nothing to show for the object but text.

    Examples
    --------
    >>> import autolab
    >>> recording = autolab.record(lambda x: x * x, 3.0)
    >>> autolab.export_html(recording, "square.html")  # doctest: +SKIP
    """
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"export_html: got the path {clean(target, 100)!r}; expected one that ends in .html")
    if isinstance(shown, Recording | Explorer | GraphView):
        page = live_page(shown, look)
    elif isinstance(shown, Heatmap | Interact):
        saved = {"state": shown.state() | {"still": True}, "answers": {}}
        name, view = ("heatmap", "heatmaps") if isinstance(shown, Heatmap) else (shown.title, "interact")
        page = _page(name, _held(_json(saved)), look, view)
    else:
        html = mimebundle(shown).get("text/html")
        if html is None:
            raise TypeError(f"export_html: got a {type(shown).__name__}; expected a recording, a view or a report")
        page = _page(type(shown).__name__, Markup(html), look)
    target.write_text(page, encoding="utf-8", errors="replace")


# ---------------------------------------------------------------------------------------------------- what it holds
def live_page(shown: Any, look: Look) -> str:
    """The page of a recording or of a view of one."""
    recording = shown if isinstance(shown, Recording) else shown.recording
    for most in _CELLS:
        data = _json(_saved(shown, recording, most))
        if len(data) <= MAX_BYTES:
            break
    return _page(recording.function, _held(data), look, "explorer")


def _held(data: str) -> Markup:
    """The data that a live page begins with, and words for where no script runs."""
    words = element("noscript", element("p", escape(say("needs_script"))))
    return join([words, element("script", Markup(data), type="application/json", id="saved")])


def _saved(shown: Recording | Explorer | GraphView, recording: Recording, most: int) -> dict[str, Any]:
    """The state that the page starts from, and what each message changes in it."""
    still = _Still(recording, most)
    state = {name: trait.default() for name, trait in _TRAITS.items()} | at_first()
    if not isinstance(shown, Recording):
        state |= {name: getattr(shown, name) for name in _TRAITS}
        still.restore(state)
    state |= still.state() | {"still": "page", "changed": [], "ack": 0}
    return {"state": state, "answers": {_key(message): still.answer(message) for message in still.answerable()}}


class _Still(*STILL):  # type: ignore[misc]  # the parts of the view that need no session
    """The view of a recording at which nobody looks: it obeys messages, and says what they change."""

    def __init__(self, recording: Recording, most: int) -> None:
        super().__init__()
        self._answer: dict[str, Any] = {}
        self.most_cells = most
        self._recording = recording
        self._publish(self._shown(recording))

    def state(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.trait_names(sync=True)}

    def restore(self, state: Mapping[str, Any]) -> None:
        self._publish({name: state[name] for name in self.trait_names(sync=True) if name in state})

    def answer(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """What a message sets, whether or not that is a change: the page may come from another state."""
        before = self.state()
        self._answer = {}
        self._obey(message)
        answer = self._answer
        self.restore(before)
        return answer

    def _publish(self, state: Mapping[str, Any]) -> None:
        self._answer = {**self._answer, **state}
        super()._publish(state)


def _key(message: Mapping[str, Any]) -> str:
    """A message as the page looks it up, whatever the order of its fields."""
    return json.dumps(sorted(message.items()), separators=(",", ":"), ensure_ascii=False)


# ---------------------------------------------------------------------------------------------------- as text
def _json(saved: Any) -> str:
    """Data for a script element: no ``<``, so that nothing in it ends the element; bytes stand apart, in base64."""
    buffers: dict[bytes, int] = {}
    places: list[list[Any]] = []

    def without_bytes(value: Any, place: list[Any]) -> Any:
        if isinstance(value, bytes | memoryview):
            places.append([place, buffers.setdefault(bytes(value), len(buffers))])
            return None
        if isinstance(value, Mapping):
            return {key: without_bytes(item, [*place, key]) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [without_bytes(item, [*place, i]) for i, item in enumerate(value)]
        return value

    data = without_bytes(saved, [])
    kept = [base64.b64encode(buffer).decode("ascii") for buffer in buffers]
    text = json.dumps({**data, "buffers": kept, "places": places}, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def _script(view_name: str, look: Look) -> str:
    """The live view's module and the page that takes the kernel's place."""
    view = module_text(f"{view_name}.js").replace("export default", "const view =", 1)
    return f"{view}\n{module_text('page.js').replace('export ', '', 1)}\nopenPage(view, {json.dumps(look)});\n"


def _page(title: str, body: Markup, look: Look, view: str = "") -> str:
    """A document, of a live view if one is named; its policy allows its own script and style, by their digests."""
    script = _script(view, look) if view else ""
    style = (style_text(f"{view}.css") if view else "") + style_text("page.css")
    policy = f"{_POLICY}style-src {_digest(style)}; script-src {_digest(script)}; {_TRUSTED}"
    head = [
        Markup('<meta charset="utf-8">'),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", escape(title)),
        Markup(f"<style>{style}</style>"),
    ]
    scripts = [Markup(f'<script type="module">{script}</script>')] if script else []
    page = element("html", element("head", *head), element("body", body, *scripts), lang="en", data_look=look)
    return f"<!doctype html>\n{page}\n"


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" if text else "'none'"
