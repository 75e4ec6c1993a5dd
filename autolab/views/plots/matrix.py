"""How a Jacobian or Hessian is displayed: a heatmap with labelled rows and columns, eigenvalues as bars, and text."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...analysis.matrices import DerivativeMatrix
from ...engine import Bundle
from ...recording.arrays import snapshot
from ..draw import Markup, element, inline, join, number, paragraph, picture, plural, prose, say
from ..draw.heatmap_svg import MAX_CELLS, Panel, heatmaps
from ..draw.names import columns, shorten
from ..draw.shading import Shading
from ..draw.svg import Look, document, words_at

_NUMBERED = 12
_CELL, _ROW = 80.0, 32.0
_CHARACTER, _LABEL = 8.0, 16
_BARS, _BAR = 12, 20.0
_WIDE = 240.0


def bundle(matrix: DerivativeMatrix) -> Bundle:
    """Heatmap, eigenvalues and sentences; as text, a title, the numbers and the sentences."""
    words = describe(matrix)
    below = [picture(eigenvalues_svg(matrix), _eigenvalue_words(matrix))] if len(matrix.eigenvalues) else []
    html = join([*map(paragraph, [picture(matrix_svg(matrix), words), *below]), paragraph(prose(words, 1500))])
    numbers = inline(matrix.values, 400)
    return {"text/html": str(html), "text/plain": "\n".join(filter(None, [_title(matrix), numbers, words]))}


def describe(matrix: DerivativeMatrix) -> str:
    """The matrix in words."""
    return " ".join(_sentences(matrix))


def _title(matrix: DerivativeMatrix) -> str:
    return say(f"matrix_{matrix.kind}_title", name=matrix.function)


def _sentences(matrix: DerivativeMatrix) -> Iterator[str]:
    rows, across = (plural(n, word) for n, word in zip(matrix.values.shape, ("row", "column"), strict=True))
    yield say(f"matrix_{matrix.kind}", name=matrix.function, rows=rows, columns=across)
    if not np.isfinite(matrix.values).all():
        yield say("matrix_undefined", count=plural(int((~np.isfinite(matrix.values)).sum()), "entry", "entries"))
    if matrix.kind == "hessian":
        if not matrix.is_even:
            yield say("matrix_uneven")
        elif len(matrix.eigenvalues):
            found = zip(matrix.signs, ("below zero", "zero", "above zero"), strict=True)
            yield say("matrix_signs", signs=", ".join([f"{count} {where}" for count, where in found if count][::-1]))
            yield say(f"matrix_{matrix.nature}{'' if matrix.stationary else '_moving'}", name=matrix.function)


def _eigenvalue_words(matrix: DerivativeMatrix) -> str:
    return f"{say('matrix_eigenvalues')}: {', '.join([number(v) for v in matrix.eigenvalues[:50]])}."


# ---------------------------------------------------------------------------------------------------- the heatmap
def matrix_svg(matrix: DerivativeMatrix, look: Look = "auto") -> Markup:
    """The heatmap; a small one has a number in every cell and labels on both sides."""
    title = _title(matrix)
    if max(matrix.values.shape) > _NUMBERED or not matrix.values.size:
        return heatmaps([Panel(title, snapshot(matrix.values, MAX_CELLS * MAX_CELLS))], look)
    shading = Shading(look)
    rows, across = matrix.values.shape
    left = 16.0 + _CHARACTER * max(columns(shorten(label, _LABEL)) for label in matrix.rows) + 10.0
    width = max(left + across * _CELL + 16.0, 40.0 + 9.7 * len(title))
    known = np.abs(matrix.values[np.isfinite(matrix.values)])
    scale = float(known.max(initial=0.0)) or 1.0
    parts = [words_at(16, 26, title, "name")]
    for j, label in enumerate(matrix.columns):
        parts.append(words_at(left + (j + 0.5) * _CELL, 54, shorten(label, 9), "cell"))
    for i, label in enumerate(matrix.rows):
        parts.append(words_at(left - 10, 62 + (i + 0.5) * _ROW + 5, shorten(label, _LABEL), "tab right"))
        for j, value in enumerate(matrix.values[i].tolist()):
            parts += shading.cell(value, value / scale, (left + j * _CELL, 62 + i * _ROW), (_CELL, _ROW))
    parts.append(element("rect", class_="strip", x=left, y=62, width=across * _CELL, height=rows * _ROW))
    size, sheets = (width, 62 + rows * _ROW + 16), [shading.sheet()]
    return document(parts, size, title, describe(matrix), look, scope=shading.scope, sheets=sheets)


# ---------------------------------------------------------------------------------------------------- eigenvalues
def eigenvalues_svg(matrix: DerivativeMatrix, look: Look = "auto") -> Markup:
    """One bar per eigenvalue, to the left or right of zero; of many, only the smallest and the largest."""
    shading = Shading(look)
    values = matrix.eigenvalues
    is_all = len(values) <= _BARS
    shown = (values if is_all else np.r_[values[: _BARS // 2], values[-_BARS // 2 :]]).tolist()
    scale, least, most = max(map(abs, shown)) or 1.0, min(0.0, *shown), max(0.0, *shown)
    unit = _WIDE / (most - least or 1.0)
    title = say("matrix_eigenvalues" if is_all else "matrix_some", shown=len(shown), count=len(values))
    zero, top = 110.0 - least * unit, 44.0
    parts = [words_at(16, 26, title, "name")]
    for i, value in enumerate(shown):
        long = abs(value) * unit
        y = top + i * _BAR
        bar = {"x": zero - (long if value < 0 else 0.0), "y": y + 3, "width": max(long, 1.0), "height": _BAR - 6}
        parts += [
            words_at(96, y + 15, number(value), "tab right"),
            element("rect", class_=shading.fill(value / scale), **bar),
        ]
    parts.append(element("path", class_="edges", d=f"M{zero} {top}v{len(shown) * _BAR}"))
    height = top + len(shown) * _BAR + 14
    width = max(110 + _WIDE + 16, 40.0 + 9.7 * len(title))
    sheets, words = [shading.sheet()], _eigenvalue_words(matrix)
    return document(parts, (width, height), title, words, look, scope=shading.scope, sheets=sheets)
