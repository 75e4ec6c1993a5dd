"""What a compiler does: the calls of a function as it is written, beside what became of each in its program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engine.display import Bundle
from ..draw.escape import Markup, clean, code, details, element, escape, headline, join, paragraph, table
from ..draw.messages import plural, say
from ..draw.numbers import bytes_text, seconds_text, shape_text

if TYPE_CHECKING:
    from ...transforms.compiling.report import CallMade, CompileReport, ProgramTable

_MOST_ROWS = 300
_HEADINGS = ("step", "line", "as it is written", "shape", "in the program")
_SKIPPED = ("same", "constant", "dropped")


def bundle(report: CompileReport) -> Bundle:
    """A table for each program as HTML, and as text."""
    parts = [headline(report.name, _what(report))]
    for i, program in enumerate(report.programs):
        told = [paragraph(escape(sentence)) for sentence in sentences(program)]
        rows = [_cells(n, call) for n, call in enumerate(program.calls[:_MOST_ROWS], 1)]
        drawn = [*told, table([*_HEADINGS[:-1], _left(_HEADINGS[-1])], rows), *_more(program)]
        parts.append(details(say("compile.program", number=i + 1), *drawn) if i else join(drawn))
    parts += [paragraph(escape(sentence)) for sentence in _refused(report)]
    return {"text/html": str(join(parts)), "text/plain": text(report)}


def text(report: CompileReport) -> str:
    """The same without a table's lines."""
    lines = [f"{clean(report.name)}: {_what(report)}"]
    for program in report.programs:
        lines += sentences(program)
        for n, call in enumerate(program.calls[:_MOST_ROWS], 1):
            shape = "" if call.shape is None else shape_text(call.shape)
            lines.append(f"{n:4}  {_line(call):>5}  {clean(call.name):<16} {shape:<12} {fate(call)}")
        lines += [say("first_rows", shown=_MOST_ROWS, total=len(program.calls))] * bool(_more(program))
    return "\n".join([*lines, *_refused(report)])


def sentences(program: ProgramTable) -> list[str]:
    """How long calls take, how many are left, and where results lie."""
    count, found = program.count, []
    if program.seconds is not None and program.written:
        took, before = seconds_text(program.seconds), seconds_text(program.written)
        found.append(say("compile.seconds", took=took, before=before))
    left = len(program.calls) - sum([count[key] for key in _SKIPPED])
    found.append(say("compile.left", left=left, total=plural(len(program.calls), "step")))
    if program.buffers:
        held = plural(program.buffers, "buffer")
        found.append(
            say("compile.buffers", results=plural(count["buffer"], "result"), held=held, size=bytes_text(program.bytes))
        )
    return found


def fate(call: CallMade) -> str:
    """What became of a call, in words."""
    return say(f"compile.{call.fate}", number=call.number) if call.number else say(f"compile.{call.fate}", number="")


def _what(report: CompileReport) -> str:
    return say("compile.programs", programs=plural(len(report.programs), "program"))


def _refused(report: CompileReport) -> list[str]:
    return [say("compile.refused", why=why) for why in report.refusals]


def _more(program: ProgramTable) -> list[Markup]:
    count = len(program.calls)
    return [paragraph(escape(say("first_rows", shown=_MOST_ROWS, total=count)))] if count > _MOST_ROWS else []


def _line(call: CallMade) -> str:
    return "" if call.line is None else str(call.line[1])


def _cells(number: int, call: CallMade) -> list[Markup]:
    name = element("s", code(call.name)) if call.fate in _SKIPPED else code(call.name)
    shape = "" if call.shape is None else shape_text(call.shape)
    return [escape(str(number)), escape(_line(call)), name, code(shape), _left(fate(call))]


def _left(words: str) -> Markup:
    """Words at the left, as a notebook sets cells to the right."""
    return element("div", escape(words), align="left")
