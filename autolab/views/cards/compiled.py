"""What the compiler did: the calls of a function as written, next to what became of each in the program."""

from __future__ import annotations

import linecache
from collections.abc import Iterator

from ...engine import Bundle
from ...transforms.compiling.report import CallMade, CompileReport, ProgramTable
from ..draw import bytes_text, plural, say, seconds_text, shape_text
from ..draw.escape import Markup, clean, code, details, element, escape, headline, join, paragraph, table

_MOST_ROWS = 300
_HEADINGS = ("your line", "step", "call", "shape", "in the program")
_SKIPPED = ("same", "constant", "dropped")


def bundle(report: CompileReport) -> Bundle:
    """One table per program, as HTML and as text."""
    parts = [headline(report.name, _what(report))]
    for i, program in enumerate(report.programs):
        told = paragraph(escape(" ".join(sentences(program))))
        headings = [_left(escape(_HEADINGS[0])), *_HEADINGS[1:-1], _left(escape(_HEADINGS[-1]))]
        drawn = [told, table(headings, [_cells(*row) for row in _rows(program)]), *_more(program)]
        parts.append(details(say("compile.program", number=i + 1), *drawn) if i else join(drawn))
    parts += [paragraph(escape(sentence)) for sentence in _refused(report)]
    return {"text/html": str(join(parts)), "text/plain": text(report)}


def text(report: CompileReport) -> str:
    """The same as text: each line of the user's code with its calls below it."""
    lines = [f"{clean(report.name)}: {_what(report)}"]
    for program in report.programs:
        lines += sentences(program)
        for number, call, written in _rows(program):
            lines += [clean(written)] * bool(written)
            lines.append(f"{number:6}  {clean(call.name):<16} {_shape(call):<12} {fate(call)}")
        lines += [say("first_rows", shown=_MOST_ROWS, total=len(program.calls))] * bool(_more(program))
    return "\n".join([*lines, *_refused(report)])


def sentences(program: ProgramTable) -> list[str]:
    """How long calls take, how many calls remain, and how the results are stored."""
    count, found = program.count, []
    if program.seconds is not None and program.written:
        took, before = seconds_text(program.seconds), seconds_text(program.written)
        found.append(say("compile.seconds", took=took, before=before))
    left = len(program.calls) - sum([count[key] for key in _SKIPPED])
    found.append(say("compile.left", left=left, total=len(program.calls)))
    if program.buffers:
        held, results = plural(program.buffers, "buffer"), plural(count["buffer"], "result")
        found.append(say("compile.buffers", results=results, held=held, size=bytes_text(program.bytes)))
    return found


def fate(call: CallMade) -> str:
    """What became of a call, in words."""
    return say(f"compile.{call.fate}", number=call.number or "")


def _what(report: CompileReport) -> str:
    return say("compile.programs", kinds=plural(len(report.programs), "kind"))


def _refused(report: CompileReport) -> list[str]:
    return [say("compile.refused", why=why) for why in report.refusals]


def _more(program: ProgramTable) -> list[Markup]:
    count = len(program.calls)
    return [paragraph(escape(say("first_rows", shown=_MOST_ROWS, total=count)))] if count > _MOST_ROWS else []


def _rows(program: ProgramTable) -> Iterator[tuple[int, CallMade, str]]:
    """The calls with their numbers; the first call of each line also with the user's line and its number."""
    before = None
    for number, call in enumerate(program.calls[:_MOST_ROWS], 1):
        line, written = call.line, ""
        if line and (line, call.is_backward) != before:
            before, written = (line, call.is_backward), f"{line[1]}: {linecache.getline(*line).strip()}"
        yield number, call, say("compile.backward", line=written) if written and call.is_backward else written


def _cells(number: int, call: CallMade, written: str) -> list[Markup]:
    name = element("s", code(call.name)) if call.fate in _SKIPPED else code(call.name)
    shape = code(_shape(call).replace(" ", "\N{NO-BREAK SPACE}"))
    return [_left(code(written)), escape(str(number)), name, shape, _left(escape(fate(call)))]


def _shape(call: CallMade) -> str:
    return "" if call.shape is None else shape_text(call.shape)


def _left(shown: Markup) -> Markup:
    """Left-aligned text, since notebooks align cells to the right."""
    return element("div", shown, align="left")
