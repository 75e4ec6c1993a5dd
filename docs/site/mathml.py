"""Formulas as MathML, which browsers draw themselves: no script, and nothing to fetch."""

from __future__ import annotations

import html
from typing import Any

from docutils.nodes import SkipNode
from latex2mathml.converter import convert
from sphinx.util import logging


def setup(app: Any) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.connect("config-inited", _choose)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _choose(app: Any, config: Any) -> None:
    config.html_math_renderer = "mathml"


def _inline(translator: Any, node: Any) -> None:
    _write(translator, node.astext(), "inline")


def _block(translator: Any, node: Any) -> None:
    _write(translator, node.astext(), "block")


def _write(translator: Any, text: str, display: str) -> None:
    try:
        formula = convert(text, display=display)
    except Exception as error:  # the formula is in the page as it was written, and the build says where
        logging.getLogger(__name__).warning("no MathML for %r: %s", text, error)
        formula = f"<code>{html.escape(text)}</code>"
    translator.body.append(f'<div class="formula" tabindex="0">{formula}</div>' if display == "block" else formula)
    raise SkipNode
