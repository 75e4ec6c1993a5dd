"""Summaries: how a Variable, a link and an optimizer are displayed. A Variable is a card with its value, its gradient
and one sentence; a link is a tree of parameters with sizes and norms; an optimizer is its settings and hooks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...engine import Bundle, device_name
from ...recording.arrays import snapshot
from ...recording.model import Snapshot
from ...shared.norms import norm
from ..draw import bytes_text, grad_status, number, plural, say, shape_text
from ..draw.arrays import about, text_of
from ..draw.escape import Markup, clean, code, element, escape, fact_table, headline, join, paragraph, picture, table
from ..draw.heatmap_data import span_of
from ..draw.heatmap_svg import MAX_CELLS, Panel, describe, heatmaps, strip

if TYPE_CHECKING:
    from ...links import Link
    from ...optimizers import Optimizer


_WRITTEN_OUT = 1000
_KEPT_CELLS = MAX_CELLS * MAX_CELLS
_TOLD_BARE = ("dtype", "device", "size")


def variable_bundle(variable: Any) -> Bundle:
    """A card as HTML, and the representation with a sentence as text. Large arrays are reduced on their device."""
    if variable.array is None:
        return _without_size(variable)
    value = snapshot(variable.array, _KEPT_CELLS)
    gradient = None if variable._grad is None else snapshot(variable._grad._data, _KEPT_CELLS)
    return {"text/html": str(_card(variable, value, gradient)), "text/plain": _text(variable, value, gradient)}


def _without_size(parameter: Any) -> Bundle:
    """A parameter that gets its shape later."""
    sentence = say("no_size")
    name = f"{parameter.name}: " if parameter.name else ""
    html = join([headline(f"{name}{type(parameter).__name__}"), paragraph(escape(sentence))])
    return {"text/html": str(html), "text/plain": f"{parameter!r}\n{clean(name)}{sentence}"}


def _card(variable: Any, value: Snapshot, gradient: Snapshot | None) -> Markup:
    kind = code(type(variable).__name__)
    name = join([code(variable.name), escape(": "), kind]) if variable.name else kind
    facts = [("value", text_of(value)), *([] if gradient is None else [("gradient", text_of(gradient))])]
    facts += [(fact, words) for fact, words in about(value)]
    parts = [paragraph(element("b", name)), fact_table(facts), paragraph(escape(grad_status.of_variable(variable)))]
    if value.size > 1:
        panels = [Panel("value", value)] + ([] if gradient is None else [Panel("gradient", gradient)])
        parts.insert(1, picture(heatmaps(panels), " ".join(describe(panel) for panel in panels)))
    return join(parts)


def _text(variable: Any, value: Snapshot, gradient: Snapshot | None) -> str:
    whole = repr(variable) if value.size <= _WRITTEN_OUT else f"variable({text_of(value)})"
    name = f"{clean(variable.name)}: " if variable.name else ""
    facts = ", ".join([words if fact in _TOLD_BARE else f"{fact} {words}" for fact, words in about(value)])
    sentence = grad_status.of_variable(variable)
    reached = sentence if gradient is None else f"{sentence.removesuffix('.')}: {text_of(gradient)}."
    return f"{whole}\n{name}{facts}. {reached}"


_HEADINGS = ("link, parameter", "shape, numbers", "dtype, device", "value, norm", "gradient, norm")
_MOST_ROWS = 300
_MOST_STRIPS = 60
_MOST_CELLS = 64 * 64
_WORDS = 6
_SPACE = "\N{NO-BREAK SPACE}"
_INDENT = 4 * _SPACE


@dataclass(frozen=True)
class Row:
    """One line of the tree: a link, a parameter or a buffer, and the text of the other columns."""

    depth: int
    name: str
    kind: str
    words: tuple[str, ...]
    array: Any = None
    gradient: Any = None


def link_bundle(link: Link) -> Bundle:
    """The tree as a table, and as indented text."""
    rows = list(tree(link))
    sentences = _sentences(link, rows)
    parts = [headline(type(link).__name__, sentences)]
    arrays = [row for row in rows if row.array is not None]
    drawn = {id(row) for row in arrays[:_MOST_STRIPS]}
    scale = _largest(arrays[:_MOST_STRIPS])
    parts.append(table(_HEADINGS, [_cells(row, scale if id(row) in drawn else None) for row in rows[:_MOST_ROWS]]))
    if len(arrays) > _MOST_STRIPS:
        parts.append(paragraph(escape(say("link_strips", shown=_MOST_STRIPS))))
    if len(rows) > _MOST_ROWS:
        parts.append(paragraph(escape(say("first_rows", shown=_MOST_ROWS, total=plural(len(rows), "line")))))
    lines = [_line(row) for row in rows[:_MOST_ROWS]]
    return {"text/html": str(join(parts)), "text/plain": "\n".join([*lines, sentences])}


def tree(link: Link) -> Iterator[Row]:
    """The lines, depth first; a link or parameter that was already shown is only named."""
    seen: set[int] = set()
    stack: list[tuple[int, str, str, Any]] = [(0, "", "link", link)]
    while stack:
        depth, name, kind, value = stack.pop()
        if kind != "link":
            data = value.array if kind == "parameter" else getattr(value, "_data", value)  # a tensor, in a facade
            grad = getattr(value, "_grad", None)
            gradient = None if grad is None else grad._data
            yield Row(depth, name, kind, _facts(kind, data, gradient), data, gradient)
            continue
        again = id(value) in seen
        settings = "the same as above" if again else value.extra_repr()
        yield Row(depth, name, f"{type(value).__name__}({settings})", ("",) * _WORDS)
        if not again:
            seen.add(id(value))
            entries = [(depth + 1, key, entry, value.__dict__[key]) for key, entry in value._kinds.items()]
            stack += [entry for entry in reversed(entries) if entry[3] is not None or entry[2] == "buffer"]


def _facts(kind: str, data: Any, gradient: Any) -> tuple[str, ...]:
    """Shape, dtype, device, count, norm, and norm of the gradient."""
    if data is None:
        return ("?", *("",) * (_WORDS - 1))
    slope = "" if kind == "buffer" else say("absent") if gradient is None else number(norm([gradient]))
    return (shape_text(data.shape), str(data.dtype), device_name(data), str(data.size), number(norm([data])), slope)


def _largest(rows: list[Row]) -> float:
    """The largest finite magnitude among the values and gradients, which gets the strongest colours."""
    ends = span_of(*[array for row in rows for array in (row.array, row.gradient)])
    return max([abs(end) for end in ends if end is not None], default=0.0)


def _cells(row: Row, scale: float | None) -> list[Markup]:
    name = f"{row.name}: {row.kind}" if row.name and row.kind.endswith(")") else row.name or row.kind
    first = join([escape(_INDENT * row.depth), code(name.replace(" ", _SPACE))])
    left = element("div", first, align="left")  # notebooks align cells to the right, which would hide the tree
    shape, dtype, device, count, size, gradient = [words.replace(" ", _SPACE) for words in row.words]
    value = _pictured(f"{row.name}, value", row.array, size, scale)
    slope = _pictured(f"{row.name}, gradient", row.gradient, gradient, scale)
    return [left, _beside(shape, count), _beside(dtype, device), value, slope]


def _beside(*words: str) -> Markup:
    """Parts side by side, or one below the other if there is no space."""
    return join([part for word in words for part in (escape(" "), code(word))][1:])


def _pictured(title: str, array: Any, words: str, scale: float | None) -> Markup:
    """A norm, after a picture of the array if there is one and it has a scale."""
    if array is None or scale is None:
        return code(words)
    return join([strip(title, snapshot(array, _MOST_CELLS), scale), escape(" "), code(words)])


def _line(row: Row) -> str:
    head = f"{'  ' * row.depth}{clean(row.name)}{': ' if row.name else ''}"
    if row.kind.endswith(")"):
        return head + clean(row.kind)
    shape, dtype, device, _, size, gradient = row.words
    if shape == "?":
        return head + say("no_size")
    kind = "buffer, " if row.kind == "buffer" else ""
    tail = f", gradient's norm {gradient}" if gradient else ""
    return f"{head}{kind}{shape} {dtype} {device}, norm {size}{tail}"


def _sentences(link: Link, rows: list[Row]) -> str:
    sized = [p for p in link.params() if p.is_initialized]
    pending = sum(row.words[0] == "?" for row in rows)
    size = bytes_text(sum(p._data.nbytes for p in sized))
    arrays = plural(len(sized), "parameter")
    found = [say("link_total", params=plural(link.count_params(), "number"), arrays=arrays, size=size)] if sized else []
    found += [say("link_pending", count=plural(pending, "array"))] if pending else []
    return " ".join(found) or say("link_empty")


def optimizer_bundle(optimizer: Optimizer) -> Bundle:
    """A table of facts as HTML; ``repr`` and a sentence as text."""
    facts = [(name, str(value)) for name, value in optimizer.settings()]
    facts += [("hook", name) for name in optimizer._hooks]
    if optimizer.target is None:
        sentence = say("optimizer_without_target")
    else:
        facts.append(("target", type(optimizer.target).__name__))
        sentence = say("optimizer_ready", updates=plural(optimizer.t, "update"))
    head = headline(type(optimizer).__name__, sentence)
    return {"text/html": str(join([head, fact_table(facts)])), "text/plain": f"{optimizer!r}\n{sentence}"}
