"""The tables of the facades: each line is a callable with this signature, and an expression finds what it names."""

from __future__ import annotations

import ast
import builtins
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from helpers.checkout import ROOT
from helpers.each import each

from autolab import compat
from autolab.compat import chainer, table, torch

SECTIONS = [
    section
    for library in compat.facades()
    for section in re.findall(
        r"^\[(.*)\]$", (ROOT / "autolab" / "compat" / library / "table.txt").read_text("utf-8"), re.MULTILINE
    )
]

PLACES = {  # sections that belong to a part of a module
    "chainer.config": "chainer.configuration",
    "dezero.Variable": "dezero.functions",
    "dezero.Variable.operators": "dezero.core",
    "torch.autograd.names": "torch._tensor",
    "torch.Tensor": "torch._methods",
    "torch.Tensor.filled": "torch._inplace",
    "torch.Tensor.operators": "torch._methods",
}


def unknown(module: ModuleType, entry: table.Entry) -> set[str]:
    """The names of an expression that are neither parameters, in the module nor Python's own."""
    named = [node for node in ast.walk(ast.parse(entry.expression)) if isinstance(node, ast.Name | ast.arg)]
    own = {node.arg for node in named if isinstance(node, ast.arg)}
    own |= {node.id for node in named if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    parameters = table._parameters(entry) if entry.parameters is not None else []
    read = {node.id for node in named if isinstance(node, ast.Name)} - own - {name.strip("*") for name in parameters}
    return {name for name in read if not hasattr(builtins, name) and name not in vars(module)}


@each("section", SECTIONS)
def test_lines_of_a_table_are_callables_with_their_signatures(section: str) -> None:
    place = PLACES.get(section, section)
    module = import_module(f"autolab.compat.{place}")
    there = vars(module) if place == section else dict(table.made_by(section, module.__name__))
    entries = table.entries(section)
    assert entries and SECTIONS.count(section) == 1
    for name, entry in entries.items():
        first, _, method = name.partition(".")
        one = getattr(there[first], method) if method else there[first]
        if entry.expression:
            assert unknown(module, entry) == set(), name
        if entry.parameters is not None:
            meant = [parameter.strip("*") for parameter in table._parameters(entry)]
            taken = inspect.signature(one.__init__ if isinstance(one, type) else one).parameters
            assert {*meant} - {"self"} == {*taken} - {"self"}, name
            assert inspect.getdoc(there[first]) or first.startswith("_"), name


def test_a_line_that_does_not_fit_its_code_and_a_name_twice_are_errors(monkeypatch, tmp_path) -> None:
    path = tmp_path / "table.txt"
    monkeypatch.setattr(table, "_table", lambda module: path)
    table._sections.cache_clear()
    path.write_text("[test_table]\nf(x: int, y: int = 2)\n", "utf-8")

    def f(x):
        return x

    f.__module__, f.__qualname__ = "test_table", "f"
    with pytest.raises(TypeError, match=r"test_table\.f: the table has other parameters: x: int, y: int = 2"):
        table.signed(f)
    table._sections.cache_clear()
    path.write_text("[test_table]\nf(x: int)\nf(y: int)\n", "utf-8")
    with pytest.raises(ValueError, match=r"test_table\.f is there twice"):
        table.entries("test_table")
    table._sections.cache_clear()


def test_a_line_may_have_several_names(monkeypatch, tmp_path) -> None:
    path = tmp_path / "table.txt"
    monkeypatch.setattr(table, "_table", lambda module: path)
    table._sections.cache_clear()
    path.write_text("[test_table]\nsin cos => adapted(F.{})\n", "utf-8")
    found = {name: entry.expression for name, entry in table.entries("test_table").items()}
    assert found == {"sin": "adapted(F.sin)", "cos": "adapted(F.cos)"}
    table._sections.cache_clear()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: torch.nn.ConvTranspose2d(1, 1, 3, padding_mode="circular"), "padding_mode='circular'"),
        (lambda: torch.optim.Adam([torch.ones(1)], capturable=True), "capturable=True"),
        (lambda: torch.nn.LSTM(3, 2, proj_size=1), "proj_size=1"),
        (lambda: chainer.functions.max_pooling_1d(np.ones((1, 1, 3)), 2, return_indices=np.ones(2)), "indices=array"),
    ],
)
def test_a_value_that_the_facade_does_not_have_is_refused_by_name(call: Any, said: str) -> None:
    with pytest.raises(
        NotImplementedError, match=rf"^\w+: \w+=.*{re.escape(said.partition('=')[2] or said)}.* is not part of"
    ):
        call()


def test_nothing_is_given_in_other_words() -> None:
    x = torch.ones(1, 1, 3, 3)
    assert torch.nn.functional.interpolate(x, size=2, antialias=None, recompute_scale_factor=False).shape == (
        1,
        1,
        2,
        2,
    )


def test_a_traceback_shows_the_line_of_the_table() -> None:
    with pytest.raises(TypeError, match="tril: input is a list") as caught:
        torch.tril([1])
    (shown,) = [entry for entry in caught.traceback if str(entry.path).endswith("table.txt")]
    assert shown.path.read_text("utf-8").splitlines()[shown.lineno].startswith("tril(input: Any, ")


NO_EFFECT = {
    "aliases.py find_spec": "Python's import system gives them",
    "chainer/initializers.py _fan_out": "a choice among two",
    "chainer/links/_sequences.py _step": "a network without gates has no other state",
    "chainer/optimizer.py new_epoch": "Chainer only checks by it who counts",
    "chainer/testing": "of tests: without cuDNN there is one configuration, and messages are always long",
    "chainer/training/trainer.py run": "Python itself shows the error",
    "chainer/utils/type_check.py": "a name for messages, in which AutoLab's errors have their own",
    "dezero/_variable.py copy": "one of DeZero has no initializer to begin with again",
    "dezero/optimizers.py __call__": "the hook has its own",
    "torch/_inplace.py copy_": "nothing runs asynchronously",
    "torch/_reductions.py unique": "without it the order is free, so it may be sorted",
    "torch/nn/_plain.py __init__": "Identity takes anything",
    "torch/nn/_recurrent.py _after": "a network without gates has no other state",
    "chainer should_use_cudnn level": "there is no cuDNN",
    "torch.Tensor.filled": "one of numbers reads no data",
    "chainer.training._shifts": "read by the class that is made of it",
    "torch.optim._update_rules": "read by the class that is made of it",
}
"""Where a parameter is not read -> the reason; all others are read, or declared with ``only`` or ``ignored``."""


def _is_nothing(part: ast.stmt) -> bool:
    """Whether a statement is a docstring, or one of a method that is not there."""
    is_text = isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)
    return is_text or isinstance(part, ast.Raise | ast.Pass)


def _unread() -> Iterator[str]:
    root = Path(compat.__file__).parent
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and not all([_is_nothing(part) for part in node.body]):
                taken = node.args
                names = [*taken.posonlyargs, *taken.args, *taken.kwonlyargs, taken.vararg, taken.kwarg]
                read = {one.id for part in node.body for one in ast.walk(part) if isinstance(one, ast.Name)}
                for name in sorted({one.arg for one in names if one} - read - {"self", "cls"}):
                    yield f"{path.relative_to(root).as_posix()} {node.name} {name}"
    for library in compat.facades():
        for section, entries in table._sections(root / library / "table.txt").items():
            for name, entry in entries.items():
                read = {one.id for one in ast.walk(ast.parse(entry.expression)) if isinstance(one, ast.Name)}
                passed = table._passed(entry) if entry.parameters is not None and entry.expression else []
                yield from [f"{section} {name} {one}" for one in passed if one.strip("*") not in {*read, "self"}]


def test_every_parameter_is_read_or_declared_to_have_no_effect() -> None:
    found = list(_unread())
    assert [one for one in found if not one.startswith(tuple(NO_EFFECT))] == []
    assert [where for where in NO_EFFECT if not any([one.startswith(where) for one in found])] == []
