"""Names and expressions by position alone are those that the package `executing` finds."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import linecache
import os
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import Variable, record
from autolab import functions as F
from autolab.engine.source import block_of, definition_of
from autolab.recording import locate
from autolab.recording.locate import source_of
from autolab.recording.rule_text import rule_code


class Twice(autolab.FunctionNode):
    def forward(self, inputs):
        return (inputs[0] * 2,)

    def backward(self, target_input_indexes, grad_outputs):
        return (grad_outputs[0] * 2,)


def helper(x: Variable) -> Variable:
    return x * x


def named(x: Variable, w: Variable) -> Variable:
    h = x * w + 1.0
    h += x
    y: Variable = F.tanh(h).sum(
        axis=0,
    )
    (z,) = Twice().apply((y,))
    return z - helper(z) / 2


def looped(x: Variable, w: Variable) -> Variable:
    total = x * 0
    for i in range(3):
        total = total + w * i
        if i:
            total *= x
    parts = [F.exp(w * k) for k in range(2)]
    é = parts[0] + parts[1]
    return F.where(total.data > 0, total, é)


@pytest.mark.parametrize("function", [named, looped])
def test_a_recording_reads_the_same_without_executing(
    function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("executing")
    inputs = np.linspace(0.1, 1, 3), np.linspace(-1, 1, 3)

    def steps() -> list[Any]:
        locate._known.clear()
        recording = autolab.record(function, *inputs)
        fields = ("function", "name", "source", "statement", "line", "scope", "file")
        return [[getattr(step, field) for field in fields] for step in recording.steps] + [
            dataclasses.astuple(scope) for scope in recording.scopes
        ]

    monkeypatch.setattr(locate, "_is_as_written", lambda frame: False)
    usual = steps()
    monkeypatch.setattr(locate, "_is_as_written", lambda frame: True)
    assert steps() == usual
    assert any(step[1] for step in usual)
    locate._known.clear()


WRITTEN = "def f(x):\n    h = abs(-x) * 2\n    parts = [h + k for k in range(1)]\n    return parts[0]\n"


@pytest.mark.parametrize("is_installed", [True, False])
@pytest.mark.parametrize(
    ("old", "new", "lost"),
    [
        ("* 2", "* 3", {"abs(-x) * 2"}),
        ("h + k", "h + x", {"h + k"}),
        ("\n    h", "\n\n    h", {"abs(-x) * 2", "abs(-x)", "-x", "h + k"}),
        ("return", "# a line\n    return", set()),
        ("* 2", "* 2  # the same", set()),
    ],
)
def test_a_file_that_was_edited_and_not_imported_again_says_nothing_false(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, lost: set[str], is_installed: bool
) -> None:
    if not is_installed:
        monkeypatch.setattr(locate, "find_spec", lambda name: None)
    path, names = tmp_path / "edited.py", dict[str, Any]()
    path.write_text(WRITTEN, "utf-8")
    exec(compile(WRITTEN, str(path), "exec"), names)
    path.write_text(WRITTEN.replace(old, new), "utf-8")
    linecache.checkcache()
    recording = autolab.record(names["f"], 1.5)
    found = {step.source for step in recording.steps if step.kind == "call"} - {None}
    whole = {"-x", "abs(-x)", "abs(-x) * 2", "h + k"}
    assert found <= whole - lost and (lost or found == whole)
    text = source_of(names["f"])[0]
    assert (text is None) == ("has changed since it was imported" in str(recording))
    assert text is None if old != "* 2" or lost else "# the same" in text


def test_a_rule_that_was_edited_and_imported_again_is_shown_as_it_is_now(tmp_path: Path) -> None:
    path = tmp_path / "rules.py"
    for factor in (2, 9):
        path.write_text(f"rule = lambda g, x: g * {factor} * x\n", "utf-8")
        os.utime(path, (factor, factor))
        names = dict[str, Any]()
        exec(compile(path.read_text("utf-8"), str(path), "exec"), names)
        assert rule_code(autolab.elementwise(x=names["rule"])(_square).function, "x") == f"g * {factor} * x"


def _square(xp: Any, x: Any) -> Any:
    return x * x


def bound_in_every_way(x, y):
    a, b = y * 2, x * 3
    [c, (d, e)] = [a + 1, (b + 2, a - b)]
    f = g = c * d
    h: object = e - f
    first, *_, last = h + 1, h + 2, h + 3
    k = (m := first * 4) + last
    with contextlib.nullcontext(k * m) as n, contextlib.nullcontext(g + 5) as o:
        n += o
    x, y = n * 6, n * 7
    return x * y


def test_every_way_of_binding_gives_its_name() -> None:
    found = {step.source: step.name for step in record(bound_in_every_way, x=1.0, y=2.0).steps if step.kind == "call"}
    assert found | {"x * y": None} == {
        "y * 2": "a",
        "x * 3": "b",
        "a + 1": "c",
        "b + 2": "d",
        "a - b": "e",
        "c * d": "f",
        "e - f": "h",
        "h + 1": "first",
        "h + 2": None,  # in a list
        "h + 3": "last",
        "first * 4": "m",
        "(m := first * 4) + last": "k",
        "k * m": "n",
        "g + 5": "o",
        "n + o": "n",
        "n * 6": "x",
        "n * 7": "y",
        "x * y": None,
    }


def taken_apart(x):
    for _ in range(2):
        q, k, v = F.split(x * 2, 3)
        (a, b), c = [part + 1 for part in (q, k)], v
        [d, e] = (part * a for part in (b, c))
        x = F.concatenate([d, e, c])
    f, *g = F.split(x, 3)
    return (f * g[0]).sum()


def test_parts_that_one_place_makes_have_the_names_that_take_them() -> None:
    steps = record(taken_apart, x=np.arange(3.0)).steps
    parts = {name: [step.name for step in steps if step.function == name] for name in ("getitem", "add", "mul")}
    assert parts["getitem"] == ["q", "k", "v"] * 2 + [None] * 3  # a starred name takes a list
    assert parts["add"] == ["a", "b"] * 2 and parts["mul"] == [None, "d", "e"] * 2 + [None]


def test_a_long_text_is_compiled_once_and_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "def f(x):\n    h = x\n" + "    h = h * 1.5\n" * 300 + "    return h\n"
    linecache.cache["<three hundred lines>"] = len(text), None, text.splitlines(True), "<three hundred lines>"
    names, read, compiled = dict[str, Any](), list[int](), compile
    exec(compile(text, "<three hundred lines>", "exec"), names)

    def counted(source: Any, filename: str, mode: str, flags: int = 0, *args: Any, **settings: Any) -> Any:
        if source == text:
            read.append(flags)
        return compiled(source, filename, mode, flags, *args, **settings)

    with monkeypatch.context() as patch:
        patch.setattr("builtins.compile", counted)
        recording = autolab.record(names["f"], 1.0)
    assert recording.source == text and recording.steps[-1].source == "h * 1.5"
    assert len(read) == 2 and len(set(read)) == 2


def test_a_block_is_what_inspect_reads() -> None:
    for file in (inspect.__file__, contextlib.__file__, __file__):
        lines = linecache.getlines(file)
        waiting, found = [compile("".join(lines), file, "exec", dont_inherit=True)], 0
        while waiting:
            code = waiting.pop()
            waiting += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
            if definition_of(code) is not None:
                found += 1
                assert block_of(code) == inspect.getblock(lines[code.co_firstlineno - 1 :])
        assert found > 10
