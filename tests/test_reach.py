"""However a function reaches a value, every tool that asks what it reads or changes sees it, or refuses it by name."""

from __future__ import annotations

import decimal
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.ways import CARRIERS, CELLS, World, world, worlds
from helpers.worlds import told

import autolab
from autolab import FusionError, Variable
from autolab import functions as F
from autolab.analysis.diagnosis.copied_program import Program
from autolab.gradcheck.judging.contracts import changed_by
from autolab.recording.origins import Origins

ALL = [world(cell, carrier) for cell in CELLS for carrier in CARRIERS]
DEEP = worlds()


NAMED: dict[str, Any] = {"__name__": "a_lesson"}


def made(text: str, f: str) -> dict[str, Any]:
    names: dict[str, Any] = {"np": np, "autolab": autolab, "F": F, "Variable": Variable, "i": 0} | NAMED
    exec(compile(text, "setup", "exec"), names)
    exec(compile(f, "function", "exec"), names)
    return names


def content(names: dict[str, Any]) -> str:
    leaf = names["leaf"]
    return repr(leaf.data if isinstance(leaf, Variable) else leaf)


def compiled(one: World, folder: Path) -> Iterator[str]:
    """What a compiled function misses."""
    for what, text in (("read", one.reads), ("write", one.writes)):
        change = one.change if what == "read" else "pass"
        ours, plain = (told(one.setup, text, change, folder / at, wrap, calls=6) for at, wrap in TWO)
        results = [one for one in ours.results if "a compiled step, which keeps no graph" not in one]
        if any([one not in plain.results for one in results]) or content(ours.world) != content(plain.world):
            yield f"compile: {what}"


TWO: list[tuple[str, Callable[[Any], Any]]] = [("a", autolab.compile), ("b", lambda f: f)]


def fused(one: World, folder: Path, wrap: Callable[[Any], Any] = autolab.fuse) -> Iterator[str]:
    for what, text in (("read", one.reads), ("write", one.writes)):
        found = []
        try:
            for turned in (wrap, lambda f: f):
                names = made(one.setup, text)
                f = turned(names["f"])
                for names["i"] in range(4):
                    if what == "read" and names["i"] > 1:
                        exec(one.change, names)
                    found.append((f(Variable(np.ones(2))).data.tolist(), content(names)))
        except FusionError:
            if content(names) != content(made(one.setup, text)):
                yield f"{wrap.__name__}: a refused {what} has changed something"
            continue
        if found[:4] != found[4:]:
            yield f"{wrap.__name__}: {what}"


def recorded(one: World, folder: Path) -> Iterator[str]:
    names = made(one.setup, one.reads)
    origins = Origins(names["f"])
    with autolab.observe(origins.look):
        names["f"](Variable(np.ones(2)))
    origins.settle()
    if origins.changed():
        yield "record: says that something has changed"
    exec(one.change, names)
    if not origins.changed():
        yield "record: change"


def checked(one: World, folder: Path) -> Iterator[str]:
    """What a check does not see a backward change."""
    if not one.label.startswith(("array in", "item of an array")):
        return
    body = one.writes.replace("def f(x)", "def wrote(x)")
    node = (
        "class Own(autolab.FunctionNode):\n    def forward(self, xs): return (xs[0] * 2,)\n"
        "    def backward(self, targets, gs):\n        wrote(1.0)\n        return (gs[0] * 2,)\n"
        "def f(x): return Own().apply((x,))[0]\n"
    )
    names = made(one.setup, body + node)
    x = Variable(np.ones(2))
    if not changed_by(lambda: names["f"](x), lambda y: F.sum(y).backward()):
        yield "check_gradients: write"


def copied(one: World, folder: Path) -> Iterator[str]:
    """What a copy of a program shares with the original."""
    names = made(one.setup, one.writes)
    before = content(names)
    program = Program(names["f"], (Variable(np.ones(2)),), {}, lambda value, memo: None)
    program.copied()()
    if content(names) != before:
        yield "diagnose: the original is changed"
    names = made(one.setup, one.reads)
    program = Program(names["f"], (Variable(np.ones(2)),), {}, lambda value, memo: None)
    if program.copied()().data.tolist() != program().data.tolist():
        yield "diagnose: read"


TOOLS = (compiled, fused, recorded, checked, copied)


def missed(chosen: list[World], folder: Path, tools: Any = TOOLS) -> list[str]:
    """What the tools miss, in words."""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i, one in enumerate(chosen):
            for tool in tools:
                at = folder / f"{tool.__name__}{i}"
                at.mkdir()
                try:
                    found += [f"{one.label}: {what}" for what in tool(one, at)]
                except Exception as error:
                    found.append(f"{one.label}: {tool.__name__} raises {type(error).__name__}: {error!s:.100}")
    return found


def test_a_value_is_seen_however_it_is_reached(tmp_path: Path) -> None:
    assert missed(ALL[:: len(ALL) // 40], tmp_path) == []
    (tmp_path / "deep").mkdir()
    assert missed(DEEP[:40], tmp_path / "deep") == []


def compiled_here(one: World, folder: Path) -> Iterator[str]:
    yield from fused(one, folder, autolab.compile)


def test_classes_of_code_whose_names_have_no_module_are_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after ``exec(code, {})``: Python takes them for its own, in the module ``builtins``."""
    monkeypatch.delitem(NAMED, "__name__")
    chosen = [one for one in ALL if "class " in one.setup]
    assert len(chosen) > 100
    assert missed(chosen[:: len(chosen) // 30], tmp_path, (compiled_here, *TOOLS[1:])) == []


@pytest.mark.parametrize("wrap", [autolab.compile, autolab.fuse])
def test_each_thread_reads_its_own(wrap: Any) -> None:
    own = threading.local()
    own.v, f, x = 2.0, wrap(lambda x: x * own.v * getattr(own, "more", 1.0)), Variable(np.ones(2))
    found = [f(x).data.tolist() for _ in range(5)]

    def work() -> None:
        own.v, own.more = 3.0, 2.0
        found.append(f(x).data.tolist())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert [*found, f(x).data.tolist()] == [[2.0, 2.0]] * 5 + [[6.0, 6.0], [2.0, 2.0]]


_ABC = "import abc\nclass Base(abc.ABC): pass\nclass Own: pass\nown = Own()"
SETTINGS = {
    "registered": (_ABC, "x * (2.0 if isinstance(own, Base) else 1.0)", "Base.register(Own)"),
    "registers": (_ABC + "\nkinds = iter([])", "x * (Base.register(type('New', (), {})) is not None)", "pass"),
    "context of decimal": (
        "import decimal\nD = decimal.Decimal\nthird = D(1)",
        "x * float(third / 3)",
        "decimal.getcontext().prec = 3 + i",
    ),
    "NumPy's errors": ("", "x * len(np.geterr()['over'])", "np.seterr(over=['warn', 'ignore'][i % 2])"),
    "NumPy's text": ("", "x * np.get_printoptions()['precision']", "np.set_printoptions(precision=3 + i)"),
    "set by the function": ("", "x * len(np.seterr(over=['warn', 'ignore'][i % 2])['over'])", "pass"),
}


@pytest.mark.parametrize("kind", SETTINGS)
def test_settings_of_the_interpreter_are_followed_or_refused(kind: str, tmp_path: Path) -> None:
    setup, read, change = SETTINGS[kind]
    found = []
    for at, wrap in TWO:
        with decimal.localcontext(), np.printoptions():
            found.append(told(setup, f"def f(x): return {read}", change, tmp_path / at, wrap))
    assert found[0].results == found[1].results


@pytest.mark.full
def test_every_value_is_seen_however_it_is_reached(tmp_path: Path) -> None:
    assert missed([*ALL, *DEEP[:3000]], tmp_path) == []
